//! The subject of an upgrade, in the words of diagnostics.

use crate::diagnostics::{Diagnostic, DiagnosticCode, UPGRADE_FAILED};

/// A resource's state, the identity that is stored beside it, or a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Subject {
    State,
    Identity,
    /// State of another type.
    Moved,
    Document,
}

impl Subject {
    /// The heading when there is no way up.
    pub(super) fn cannot_upgrade(self) -> &'static str {
        match self {
            Self::State => UPGRADE_FAILED,
            Self::Identity => "Unable to Upgrade Resource Identity",
            Self::Moved => "Unable to Move Resource State",
            Self::Document => "Unable to Upgrade Document",
        }
    }

    /// The heading when a downgrade is refused.
    pub(super) const fn cannot_downgrade(self) -> &'static str {
        match self {
            Self::State | Self::Moved => "Unable to Downgrade Resource State",
            Self::Identity => "Unable to Downgrade Resource Identity",
            Self::Document => "Unable to Downgrade Document",
        }
    }

    /// The heading when what is stored does not fit the schema it was stored with.
    pub(super) fn cannot_read(self) -> &'static str {
        match self {
            Self::State | Self::Moved => "Unable to Read Previously Saved State",
            Self::Identity => "Unable to Read Previously Saved Identity",
            Self::Document => "Unable to Read Document",
        }
    }

    /// True for a diagnostic with such a heading.
    #[cfg(feature = "testing")]
    pub(crate) fn is_of_unreadable(heading: &str) -> bool {
        [Self::State, Self::Identity, Self::Moved, Self::Document]
            .iter()
            .any(|subject| subject.cannot_read() == heading)
    }

    /// The heading when an upgrade made nothing.
    pub(super) fn missing(self) -> &'static str {
        match self {
            Self::State => "Missing Upgraded Resource State",
            Self::Identity => "Missing Upgraded Resource Identity",
            Self::Moved => "Missing Moved Resource State",
            Self::Document => "Missing Upgraded Document",
        }
    }

    /// The heading when a later release wrote it.
    pub(super) const fn is_newer(self) -> &'static str {
        match self {
            Self::State | Self::Moved => "Resource State Is Newer",
            Self::Identity => "Resource Identity Is Newer",
            Self::Document => "Document Is Newer",
        }
    }

    /// The heading when no upgrade leads from so far back.
    pub(super) const fn is_too_old(self) -> &'static str {
        match self {
            Self::State | Self::Moved => "Resource State Is Too Old",
            Self::Identity => "Resource Identity Is Too Old",
            Self::Document => "Document Is Too Old",
        }
    }

    /// The beginning of the sentence that says which it is: its type follows.
    pub(super) const fn kind(self) -> &'static str {
        match self {
            Self::State | Self::Identity | Self::Moved => "Resource type",
            Self::Document => "Document",
        }
    }

    pub(super) fn noun(self) -> &'static str {
        match self {
            Self::State | Self::Moved => "state",
            Self::Identity => "identity",
            Self::Document => "document",
        }
    }

    /// The noun as the first word of a sentence.
    pub(super) fn opening(self) -> &'static str {
        match self {
            Self::State | Self::Moved => "State",
            Self::Identity => "An identity",
            Self::Document => "A document",
        }
    }

    pub(super) fn cancelled(self) -> Diagnostic {
        Diagnostic::error(
            "Upgrade Cancelled",
            format!(
                "The upgrade was cancelled before it was done. The stored {} is unchanged.",
                self.noun()
            ),
        )
        .coded(DiagnosticCode::Stopped)
    }

    /// The diagnostic for an upgrader that awaits, met where nothing can.
    #[cold]
    pub(super) fn asynchronous(self) -> Diagnostic {
        Diagnostic::error(
            self.cannot_upgrade(),
            "The upgrade from that version is asynchronous: it may talk to a service. The caller cannot await it.",
        )
        .coded(DiagnosticCode::Asynchronous)
        .with_remedy("Call `Registry::upgrade_async`.")
    }

    pub(super) fn too_late(self) -> Diagnostic {
        Diagnostic::error(
            "Upgrade Timed Out",
            format!(
                "The upgrade was not done when its deadline passed. The stored {} is unchanged.",
                self.noun()
            ),
        )
        .coded(DiagnosticCode::Stopped)
        .with_remedy("Try again, or allow it more time.")
    }
}
