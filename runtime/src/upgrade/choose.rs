//! The upgrader that a stored state takes, and what is said where there is none.

use super::context::UpgradeContext;
use super::decode::unreadable_state;
use super::history::{History, Route, Step, routed};
use super::model::{AnyUpgrader, Model};
use super::raw_state::RawState;
use super::subject::Subject;
use crate::diagnostics::{Diagnostic, DiagnosticCode, Diagnostics};

impl Model {
    /// The upgrader that this state takes.
    #[inline]
    pub(super) fn choose(
        &self,
        version: u64,
        raw: RawState<'_>,
        context: &UpgradeContext<'_>,
    ) -> Result<&'static AnyUpgrader, Diagnostics> {
        let index = choose(self.history, self.routes, version, raw, context)?;
        (self.upgrader)(index).ok_or_else(|| no_upgrader(version, self.history, context))
    }
}

/// The index of the upgrader that this state takes; one that does not exist if there is none.
#[inline]
pub(super) fn choose(
    history: &'static History,
    routes: &'static [u16],
    version: u64,
    raw: RawState<'_>,
    context: &UpgradeContext<'_>,
) -> Result<usize, Diagnostics> {
    match routed(routes, history.oldest(), version) {
        Route::Upgrader(index) => Ok(index),
        Route::None => Ok(usize::MAX),
        Route::Conditional => choose_shape(history, version, raw, context),
    }
}

/// Chooses the first of several upgraders for one version whose condition holds. For a state that
/// meets none, nulls count: Terraform stores one for each attribute that has no value.
#[cold]
pub(super) fn choose_shape(
    history: &'static History,
    version: u64,
    raw: RawState<'_>,
    context: &UpgradeContext<'_>,
) -> Result<usize, Diagnostics> {
    for null_counts in [false, true] {
        for (index, step) in history
            .steps()
            .iter()
            .enumerate()
            .filter(|(_, step)| step.contains(version))
        {
            let holds = match step.condition() {
                Some(when) => {
                    let unreadable = |error| unreadable_state(&error, version, context.subject());
                    when.holds(raw, null_counts).map_err(unreadable)?
                }
                None => true,
            };
            if holds {
                return Ok(index);
            }
        }
    }
    Err(no_such_shape(history, version, context.subject()))
}

#[cold]
pub(super) fn no_upgrader(
    version: u64,
    history: &History,
    context: &UpgradeContext<'_>,
) -> Diagnostics {
    Diagnostic::error(
        context.subject().cannot_upgrade(),
        format!(
            "There is no upgrade from schema version {version} to {}.",
            history.version()
        ),
    )
    .coded(DiagnosticCode::NoUpgrade)
    .into()
}

/// The diagnostic for state that none of the upgraders for its version is for.
#[cold]
pub(super) fn no_such_shape(history: &History, version: u64, subject: Subject) -> Diagnostics {
    let shapes: Vec<String> = history
        .steps()
        .iter()
        .filter(|step| step.contains(version))
        .filter_map(shape)
        .collect();
    Diagnostic::error(
        subject.cannot_upgrade(),
        format!(
            "Several shapes were stored under version {version}, and this {} has none of them: {}.",
            subject.noun(),
            shapes.join("; "),
        ),
    )
    .coded(DiagnosticCode::UnknownShape)
    .with_remedy(format!(
        "If nobody edited it, a release stored it so, and `{}` lacks that shape: report this to the authors, with the names of its \
         attributes.",
        history.rust_name()
    ))
    .into()
}

fn shape(step: &Step) -> Option<String> {
    let condition = step.condition()?;
    Some(match step.prior() {
        Some(model) => format!("`{}` if {condition}", model.rust_name()),
        None => format!("if {condition}"),
    })
}

/// The diagnostic for a version that was given up, or that there never was.
#[cold]
pub(super) fn is_unsupported(step: &Step, context: &UpgradeContext<'_>) -> Diagnostics {
    let stored = context.stored_version();
    let noun = context.subject().noun();
    let error = |detail| {
        Diagnostic::error(context.subject().cannot_upgrade(), detail)
            .coded(DiagnosticCode::NoUpgrade)
    };
    match step.unsupported() {
        Some(instead) => error(format!("Version {stored} is no longer supported: {instead}")).with_remedy_in_detail(instead),
        None => error(format!("The {noun} says schema version {stored}, which no release ever stored.")).with_remedy(format!(
            "Something other than a release wrote it: restore the {noun} from a backup, or correct its schema version."
        )),
    }
    .into()
}
