//! What is upgraded, in the words of diagnostics.

use crate::diagnostics::{Diagnostic, UPGRADE_FAILED};

/// A resource's state, or the identity that is stored beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Subject {
    State,
    Identity,
    /// State of another type.
    Moved,
}

impl Subject {
    /// The heading when there is no way up.
    pub(super) fn cannot_upgrade(self) -> &'static str {
        match self {
            Self::State => UPGRADE_FAILED,
            Self::Identity => "Unable to Upgrade Resource Identity",
            Self::Moved => "Unable to Move Resource State",
        }
    }

    /// The heading when a downgrade is refused.
    pub(super) const fn cannot_downgrade(self) -> &'static str {
        match self {
            Self::State | Self::Moved => "Unable to Downgrade Resource State",
            Self::Identity => "Unable to Downgrade Resource Identity",
        }
    }

    /// The heading when what is stored does not fit the schema it was stored with.
    pub(super) fn cannot_read(self) -> &'static str {
        match self {
            Self::State | Self::Moved => "Unable to Read Previously Saved State",
            Self::Identity => "Unable to Read Previously Saved Identity",
        }
    }

    /// The heading when an upgrade made nothing.
    pub(super) fn missing(self) -> &'static str {
        match self {
            Self::State => "Missing Upgraded Resource State",
            Self::Identity => "Missing Upgraded Resource Identity",
            Self::Moved => "Missing Moved Resource State",
        }
    }

    pub(super) fn noun(self) -> &'static str {
        match self {
            Self::State | Self::Moved => "state",
            Self::Identity => "identity",
        }
    }

    /// The noun as the first word of a sentence.
    pub(super) fn opening(self) -> &'static str {
        match self {
            Self::State | Self::Moved => "State",
            Self::Identity => "An identity",
        }
    }

    pub(super) fn cancelled(self) -> Diagnostic {
        Diagnostic::error(
            "Upgrade Cancelled",
            format!("The upgrade was cancelled before it was done. The stored {} is unchanged.", self.noun()),
        )
    }

    /// The diagnostic for an upgrader that awaits, met where nothing can.
    #[cold]
    pub(super) fn asynchronous(self) -> Diagnostic {
        Diagnostic::error(
            self.cannot_upgrade(),
            "The upgrade from that version is asynchronous: it may talk to a service. It was asked for where nothing can be awaited; \
             ask for it with `Registry::upgrade_async`.",
        )
    }

    pub(super) fn too_late(self) -> Diagnostic {
        Diagnostic::error(
            "Upgrade Timed Out",
            format!(
                "The upgrade was not done when its deadline passed. The stored {} is unchanged. \
                 Try again, or allow it more time.",
                self.noun()
            ),
        )
    }
}
