//! Deleting and restoring the bytes of old versions.

use super::{Refusal, RefusalKind, Snapshot};
use crate::model::{Backing, Status, Version};

/// An action on a version's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BackingAction {
    /// Hide them.
    SoftDelete,
    /// Show them again.
    Restore,
    /// Destroy them.
    PermanentlyDelete,
}

impl BackingAction {
    /// The status of the bytes afterwards.
    pub const fn result(self) -> Backing {
        match self {
            Self::SoftDelete => Backing::SoftDeleted,
            Self::Restore => Backing::Available,
            Self::PermanentlyDelete => Backing::PermanentlyDeleted,
        }
    }
}

/// True if it may be done to `version`.
pub fn backing(
    snapshot: &Snapshot,
    version: &Version,
    action: BackingAction,
) -> Result<(), Refusal> {
    let refused = |why: &str| {
        Err(Refusal::new(
            RefusalKind::BadRequest,
            format!("State version {} {why}", version.id),
        ))
    };
    match version.status {
        Status::Finalized => {}
        Status::Pending => return refused("is pending and has no backing data yet"),
        Status::Discarded => return refused("was discarded and has no backing data"),
    }
    if snapshot.workspace.head.as_ref() == Some(&version.id) {
        return match action {
            BackingAction::SoftDelete | BackingAction::PermanentlyDelete => {
                refused("is the current state version, whose backing data is never deleted")
            }
            BackingAction::Restore => Ok(()),
        };
    }
    match (action, version.backing) {
        // Asked again, nothing changes.
        (
            BackingAction::SoftDelete | BackingAction::Restore,
            Backing::Available | Backing::SoftDeleted,
        )
        | (BackingAction::PermanentlyDelete, Backing::SoftDeleted | Backing::PermanentlyDeleted) => {
            Ok(())
        }
        (BackingAction::SoftDelete | BackingAction::Restore, Backing::PermanentlyDeleted) => {
            refused("has its backing data permanently deleted")
        }
        (BackingAction::PermanentlyDelete, Backing::Available) => {
            refused("must have its backing data soft-deleted first")
        }
    }
}
