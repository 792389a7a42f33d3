//! The upgraders of a history, and what is known of the prior models that they start from.

// Everything here runs in the compiler, which reports a wrong index or number itself; `get` and
// `try_from` are not const.
#![expect(
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "const evaluation"
)]

use std::any::Any;
use std::fmt;

use super::super::operators::Operators;
use super::super::when::When;
use super::History;
use crate::schema::table::Table;

/// The entry that [`routes`] puts where no upgrader leads.
pub(super) const NO_ROUTE: u16 = u16::MAX;

/// One upgrader of a [`History`]: from a stored version, or a range of them that share one shape.
#[derive(Debug, Clone, Copy)]
pub struct Step {
    pub(super) from: u64,
    pub(super) through: u64,
    /// The version of the model that describes them; if there is none, just the first of them.
    pub(super) model: u64,
    pub(super) prior: Option<PriorHistory>,
    pub(super) when: Option<When>,
    pub(super) unsupported: Option<&'static str>,
    pub(super) asynchronous: bool,
    /// Says that the versions stored what the current one stores, of which no lock says that it is
    /// what was released.
    pub(super) is_unpinned: bool,
    /// True if the upgrader's author wrote a function for the way back.
    pub(super) has_downgrade: bool,
    /// The reason for which the upgrader's author raised the version, or changed the upgrader after
    /// a release.
    pub(super) reason: Option<&'static str>,
    pub(super) kind: UpgraderKind,
}

/// The facts about the prior model of an upgrader that are known while the program is compiled. Its
/// whole history is behind a function, so that the compiler does not look through all earlier
/// versions again from each later one.
#[derive(Debug, Clone, Copy)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is one fact that const evaluation asks for"
)]
pub(in crate::upgrade) struct PriorHistory {
    pub(in crate::upgrade) rust_name: &'static str,
    pub(in crate::upgrade) table: &'static Table,
    pub(super) version: u64,
    pub(super) oldest: u64,
    pub(super) type_name: &'static str,
    pub(super) type_key: u64,
    pub(super) type_name_is_given: bool,
    pub(super) stub: bool,
    pub(super) is_prior: bool,
    pub(super) awaits: bool,
    /// True if the prior model is reached from no earlier version.
    pub(in crate::upgrade) is_first: bool,
    pub(super) routes: &'static [u16],
    behind: Behind,
}

/// The history of a prior model.
#[derive(Debug, Clone, Copy)]
pub(in crate::upgrade) enum Behind {
    Model(fn() -> &'static History),
    Shape(&'static dyn Difference),
}

/// A prior version without a struct, as histories refer to it. The engine knows its type.
pub(in crate::upgrade) trait Difference: Any + fmt::Debug + Sync {
    /// Its place among the versions.
    fn history(&self) -> &History;
}

impl PriorHistory {
    /// The prior model with that history, which is also `behind`.
    pub(in crate::upgrade) const fn new(
        history: &History,
        routes: &'static [u16],
        behind: Behind,
    ) -> Self {
        let History {
            rust_name,
            table,
            version,
            oldest,
            type_name,
            type_key,
            type_name_is_given,
            stub,
            is_prior,
            ..
        } = *history;
        let (awaits, is_first) = (history.awaits(), history.steps.is_empty());
        Self {
            rust_name,
            table,
            version,
            oldest,
            type_name,
            type_key,
            type_name_is_given,
            stub,
            is_prior,
            awaits,
            is_first,
            routes,
            behind,
        }
    }

    pub(in crate::upgrade) const fn version(&self) -> u64 {
        self.version
    }

    pub(in crate::upgrade) const fn awaits(&self) -> bool {
        self.awaits
    }

    pub(in crate::upgrade) const fn is_stub(&self) -> bool {
        self.stub
    }

    pub(in crate::upgrade) fn history(&self) -> &'static History {
        match self.behind {
            Behind::Model(history) => history(),
            Behind::Shape(shape) => shape.history(),
        }
    }

    pub(super) fn shape(&self) -> Option<&'static dyn Difference> {
        match self.behind {
            Behind::Model(_) => None,
            Behind::Shape(shape) => Some(shape),
        }
    }

    pub(super) const fn reaches(&self, version: u64) -> bool {
        if self.stub || version == self.version {
            return true;
        }
        let index = version.wrapping_sub(self.oldest) as usize;
        version >= self.oldest && index < self.routes.len() && self.routes[index] != NO_ROUTE
    }
}

/// The form in which an upgrader is written.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum UpgraderKind {
    /// `TryFrom` between two structs.
    Conversion,
    /// A function over the prior model.
    Function,
    /// A function over the stored state.
    Raw,
    /// Operators: their table can be printed and serialized.
    Operators(&'static Operators),
    /// Nothing changes but the version.
    Unchanged,
    /// No longer supported.
    Unsupported,
    /// No release ever stored these versions.
    NeverReleased,
}

impl UpgraderKind {
    /// Its name in the lock: `conversion`, `function`, `raw`, `operators`, `unchanged`,
    /// `unsupported`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Conversion => "conversion",
            Self::Function => "function",
            Self::Raw => "raw",
            Self::Operators(_) => "operators",
            Self::Unchanged => "unchanged",
            Self::Unsupported => "unsupported",
            Self::NeverReleased => "never released",
        }
    }
}

impl Step {
    pub(in crate::upgrade) const fn new(from: u64, prior: Option<PriorHistory>) -> Self {
        let model = match prior {
            Some(prior) => prior.version,
            None => from,
        };
        Self {
            from,
            through: from,
            model,
            prior,
            when: None,
            unsupported: None,
            asynchronous: false,
            is_unpinned: false,
            has_downgrade: false,
            reason: None,
            kind: UpgraderKind::Raw,
        }
    }

    pub(in crate::upgrade) const fn through(mut self, last: u64) -> Self {
        self.through = last;
        self
    }

    pub(in crate::upgrade) const fn when(mut self, when: When) -> Self {
        self.when = Some(when);
        self
    }

    pub(in crate::upgrade) const fn unsupported_but(mut self, instead: &'static str) -> Self {
        self.unsupported = Some(instead);
        self.kind(UpgraderKind::Unsupported)
    }

    pub(in crate::upgrade) const fn kind(mut self, kind: UpgraderKind) -> Self {
        self.kind = kind;
        self
    }

    pub(in crate::upgrade) const fn asynchronous(mut self) -> Self {
        self.asynchronous = true;
        self
    }

    pub(in crate::upgrade) const fn with_pin(mut self, is_pinned: bool) -> Self {
        self.is_unpinned = !is_pinned;
        self
    }

    pub(in crate::upgrade) const fn with_downgrade(mut self) -> Self {
        self.has_downgrade = true;
        self
    }

    pub(in crate::upgrade) const fn because(mut self, reason: &'static str) -> Self {
        self.reason = Some(reason);
        self
    }

    /// The reason (`reason = "…"`) for which its author raised the version although no stored shape
    /// changed, or the correction after a release.
    pub const fn reason(&self) -> Option<&'static str> {
        self.reason
    }

    /// True if the author wrote a function for the way back (`downgrade = path`).
    pub const fn has_downgrade(&self) -> bool {
        self.has_downgrade
    }

    /// True if these versions are described by a later one, and no lock holds them to their
    /// released shape: when the later version changes, so does the shape that they are assumed to
    /// have.
    pub fn is_unpinned(&self) -> bool {
        self.is_unpinned || self.prior().is_some_and(|prior| prior.is_unpinned)
    }

    /// The first stored version that the upgrader is for.
    pub const fn from(&self) -> u64 {
        self.from
    }

    /// The last stored version that the upgrader is for: the first one, unless it is for a range.
    pub const fn last(&self) -> u64 {
        self.through
    }

    /// The history of the model that describes those versions, if there is a model.
    pub fn prior(&self) -> Option<&'static History> {
        self.prior.as_ref().map(PriorHistory::history)
    }

    /// The facts about the prior model that const evaluation knows.
    pub(in crate::upgrade) const fn known(&self) -> Option<&PriorHistory> {
        self.prior.as_ref()
    }

    /// The condition on the states stored at those versions, if the upgrader is not for all of
    /// them.
    pub const fn condition(&self) -> Option<When> {
        self.when
    }

    /// The form in which the upgrader is written.
    pub const fn written_as(&self) -> UpgraderKind {
        self.kind
    }

    /// True if state of these versions is refused: it is no longer supported, or there never was
    /// any.
    pub const fn is_refused(&self) -> bool {
        match self.kind {
            UpgraderKind::Unsupported | UpgraderKind::NeverReleased => true,
            UpgraderKind::Conversion
            | UpgraderKind::Function
            | UpgraderKind::Raw
            | UpgraderKind::Operators(_)
            | UpgraderKind::Unchanged => false,
        }
    }

    /// The author's advice, if these versions are no longer supported.
    pub const fn unsupported(&self) -> Option<&'static str> {
        self.unsupported
    }

    /// True if the upgrader's own function is asynchronous.
    pub const fn is_asynchronous(&self) -> bool {
        self.asynchronous
    }

    /// True if the upgrader itself, not only its model's upgraders, is for state stored at
    /// `version`.
    pub(in crate::upgrade) const fn contains(&self, version: u64) -> bool {
        self.from <= version && version <= self.through
    }

    /// The version as the upgrader's model sees it: all versions of a range share the model's
    /// shape.
    #[inline]
    pub(in crate::upgrade) const fn model_version(&self, version: u64) -> u64 {
        if self.contains(version) {
            self.model
        } else {
            version
        }
    }

    pub(in crate::upgrade) const fn awaits(&self) -> bool {
        self.asynchronous
            || match self.prior {
                Some(prior) => prior.awaits,
                None => false,
            }
    }
}
