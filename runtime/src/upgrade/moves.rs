//! Moves: state of another type becomes state of this one.

use std::fmt;

use super::context::UpgradeContext;
use super::future::BoxFuture;
use super::history::{History, Step};
use super::model::Upgrader;
use super::raw_state::RawState;
use super::request::MoveRequest;
use crate::codec::Encoding;
use crate::diagnostics::{Diagnostic, DiagnosticCode, Diagnostics};

/// A type whose state becomes state of the model `T`, and the upgrader from its last model that is
/// known.
#[derive(Debug)]
pub struct Move<T: 'static> {
    pub(super) from: MoveSource,
    pub(super) upgrader: Upgrader<T>,
}

impl<T> Move<T> {
    /// From state of `type_name`, of this provider or any, which is first upgraded to the version
    /// of the upgrader's model.
    #[must_use]
    pub const fn new(
        type_name: &'static str,
        provider: Option<&'static str>,
        upgrader: Upgrader<T>,
    ) -> Self {
        Self {
            from: MoveSource {
                type_name,
                provider,
                step: *upgrader.step(),
            },
            upgrader,
        }
    }

    pub(super) const fn step(&self) -> &Step {
        &self.from.step
    }
}

/// The source from which state of a moved resource comes.
#[derive(Debug, Clone, Copy)]
pub struct MoveSource {
    type_name: &'static str,
    provider: Option<&'static str>,
    pub(super) step: Step,
}

impl MoveSource {
    /// The type that the state is of.
    pub fn type_name(&self) -> &'static str {
        self.type_name
    }

    /// The address of the provider that stored it, or the end of that address; `None` is any.
    pub fn provider(&self) -> Option<&'static str> {
        self.provider
    }

    /// The version that it is brought to first, and its model.
    pub fn step(&self) -> &Step {
        &self.step
    }

    fn is_of(&self, request: &MoveRequest<'_>) -> bool {
        self.type_name == request.source_type_name()
            && is_provider(self.provider, request.provider_address())
    }

    fn reaches(&self, version: u64, raw: RawState<'_>) -> bool {
        let from_model = |prior: &History| {
            prior.reaches(version) || raw.flatmap().is_some() && prior.migrates(version)
        };
        self.step.contains(version) || self.step.prior().is_some_and(from_model)
    }
}

impl fmt::Display for MoveSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.type_name)?;
        if let Some(provider) = self.provider {
            write!(f, " of provider {provider}")?;
        }
        if let Some(when) = self.step.condition() {
            write!(f, " if {when}")?;
        }
        Ok(())
    }
}

/// True if an address is the wanted one, or ends with it: `acme/harbour` is that provider on any
/// registry. True, too, if none is wanted.
pub(super) fn is_provider(wanted: Option<&str>, address: &str) -> bool {
    let Some(wanted) = wanted else { return true };
    address
        .strip_suffix(wanted)
        .is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

/// The moves of a model, without its type.
#[derive(Clone, Copy)]
pub(super) struct ModelMoves {
    pub(super) sources: fn() -> Vec<MoveSource>,
    pub(super) run: RunMove,
    /// Only if an upgrader is asynchronous.
    pub(super) run_async: Option<RunMoveAsync>,
}

pub(super) type RunMove = fn(
    usize,
    u64,
    RawState<'_>,
    &mut UpgradeContext<'_>,
    Encoding,
    &mut Vec<u8>,
) -> Result<(), Diagnostics>;
pub(super) type RunMoveAsync = for<'a, 'c> fn(
    usize,
    u64,
    RawState<'a>,
    &'a mut UpgradeContext<'c>,
    Encoding,
    &'a mut Vec<u8>,
) -> BoxFuture<'a, Result<(), Diagnostics>>;

/// The first source that the state comes from.
pub(super) fn choose(
    sources: &[MoveSource],
    request: &MoveRequest<'_>,
    raw: RawState<'_>,
    context: &UpgradeContext<'_>,
) -> Result<usize, Diagnostics> {
    let version = request.source_version();
    let mut unreached = None;
    for (index, source) in sources
        .iter()
        .enumerate()
        .filter(|(_, source)| source.is_of(request))
    {
        if !source.reaches(version, raw) {
            unreached.get_or_insert(source);
            continue;
        }
        let holds = match source.step.condition() {
            Some(when) => when.holds(raw, false).map_err(|error| {
                super::decode::unreadable_state(&error, version, context.subject())
            })?,
            None => true,
        };
        if holds {
            return Ok(index);
        }
    }
    Err(match unreached {
        Some(source) => unreached_version(source, request, context),
        None => no_source(
            &sources.iter().map(ToString::to_string).collect::<Vec<_>>(),
            request,
            context,
        ),
    }
    .into())
}

#[cold]
fn unreached_version(
    source: &MoveSource,
    request: &MoveRequest<'_>,
    context: &UpgradeContext<'_>,
) -> Diagnostic {
    let (type_name, version) = (source.type_name, request.source_version());
    let known = match source.step.prior() {
        Some(model) => format!(
            "`{}` describes version {}",
            model.rust_name(),
            model.version()
        ),
        None => format!("version {} is", source.step.from()),
    };
    let remedy = if version > source.step.last() {
        "Use a release that knows that version."
    } else {
        "Upgrade it first with a release that still supports that version."
    };
    Diagnostic::error(
        context.subject().cannot_upgrade(),
        format!(
            "{} takes state of {type_name}, but none that was stored at schema version {version}: {known}, \
             and has no upgrade from there.",
            context.type_name()
        ),
    )
    .coded(DiagnosticCode::NoUpgrade)
    .with_remedy(remedy)
}

/// The diagnostic for state of a type that is not taken.
#[cold]
pub(super) fn no_source(
    known: &[String],
    request: &MoveRequest<'_>,
    context: &UpgradeContext<'_>,
) -> Diagnostic {
    let provider = match request.provider_address() {
        "" => "a provider that was not named".to_owned(),
        address => format!("provider {address}"),
    };
    let takes = if known.is_empty() {
        "it takes no state of other types".to_owned()
    } else {
        format!("it takes state of {}", known.join("; "))
    };
    Diagnostic::error(
        context.subject().cannot_upgrade(),
        format!(
            "{} does not take state of {}, schema version {}, from {provider}: {takes}.",
            context.type_name(),
            request.source_type_name(),
            request.source_version()
        ),
    )
    .coded(DiagnosticCode::UnknownType)
    .with_remedy("Remove the `moved` block, or use a release that has this move.")
}

#[cfg(test)]
mod tests {
    use super::is_provider;

    #[test]
    fn a_provider_is_named_whole_or_by_the_end_of_its_address() {
        for (wanted, is) in [
            (None, true),
            (Some("registry.terraform.io/acme/harbour"), true),
            (Some("acme/harbour"), true),
            (Some("harbour"), true),
            (Some("me/harbour"), false),
            (Some("acme"), false),
        ] {
            assert_eq!(
                is_provider(wanted, "registry.terraform.io/acme/harbour"),
                is,
                "{wanted:?}"
            );
        }
        assert!(!is_provider(Some("harbour"), ""));
    }
}
