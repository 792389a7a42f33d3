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

/// The words about state, about an identity and about a document; those about state of another type
/// are the first ones, unless it has its own.
macro_rules! words {
    (@moved $state:expr) => {
        $state
    };
    (@moved $state:expr, $moved:expr) => {
        $moved
    };
    ($(
        $(#[$doc:meta])*
        $name:ident: $state:expr, $identity:expr, $document:expr $(, moved $moved:expr)?;
    )*) => {
        impl Subject {
            $(
                $(#[$doc])*
                pub(super) const fn $name(self) -> &'static str {
                    match self {
                        Self::State => $state,
                        Self::Identity => $identity,
                        Self::Moved => words!(@moved $state $(, $moved)?),
                        Self::Document => $document,
                    }
                }
            )*
        }
    };
}
words! {
    /// The heading if an upgrade fails.
    cannot_upgrade: UPGRADE_FAILED, "Unable to Upgrade Resource Identity",
        "Unable to Upgrade Document", moved "Unable to Move Resource State";
    /// The heading when a downgrade is refused.
    cannot_downgrade: "Unable to Downgrade Resource State", "Unable to Downgrade Resource Identity",
        "Unable to Downgrade Document";
    /// The heading when what is stored does not fit the schema it was stored with.
    cannot_read: "Unable to Read Previously Saved State",
        "Unable to Read Previously Saved Identity", "Unable to Read Document";
    /// The heading when an upgrade made nothing.
    missing: "Missing Upgraded Resource State", "Missing Upgraded Resource Identity",
        "Missing Upgraded Document", moved "Missing Moved Resource State";
    /// The heading when a later release wrote it.
    is_newer: "Resource State Is Newer", "Resource Identity Is Newer", "Document Is Newer";
    /// The heading when no upgrade leads from so far back.
    is_too_old: "Resource State Is Too Old", "Resource Identity Is Too Old", "Document Is Too Old";
    noun: "state", "identity", "document";
    /// The noun as the first word of a sentence.
    opening: "State", "An identity", "A document";
}

impl Subject {
    /// True for a diagnostic with such a heading.
    #[cfg(feature = "testing")]
    pub(crate) fn is_of_unreadable(heading: &str) -> bool {
        [Self::State, Self::Identity, Self::Moved, Self::Document]
            .iter()
            .any(|subject| subject.cannot_read() == heading)
    }

    /// The beginning of the sentence that says which it is: its type follows.
    pub(super) const fn kind(self) -> &'static str {
        match self {
            Self::State | Self::Identity | Self::Moved => "Resource type",
            Self::Document => "Document",
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
