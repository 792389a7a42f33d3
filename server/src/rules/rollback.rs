//! Going back to an earlier version, by a new one.

use super::{Refusal, Snapshot, holds_lock};
use crate::model::{Backing, Holder, Status, Version};

/// The version that a rollback writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rollback {
    /// The serial of the new version, and in its bytes: higher than any the workspace ever had.
    /// With an older one, Terraform would take a plan that was made against another state.
    pub serial: i64,
}

/// True if `holder` may roll the workspace back to `source`.
pub fn rollback(
    snapshot: &Snapshot,
    holder: &Holder,
    source: &Version,
) -> Result<Rollback, Refusal> {
    holds_lock(snapshot, holder)?;
    if source.workspace != snapshot.workspace.id {
        return Err(Refusal::not_found(format!(
            "state version {} in this workspace",
            source.id
        )));
    }
    match source.status {
        Status::Finalized => {}
        Status::Pending | Status::Discarded => {
            let status = source.status.name();
            return Err(Refusal::conflict(format!(
                "State version {} is {status} and has no state to roll back to",
                source.id
            )));
        }
    }
    match source.backing {
        Backing::Available => {}
        Backing::SoftDeleted => {
            let detail = format!(
                "The state of {} is deleted; restore its backing data first, then roll back",
                source.id
            );
            return Err(Refusal::conflict(detail));
        }
        Backing::PermanentlyDeleted => {
            return Err(Refusal::conflict(format!(
                "The state of {} is permanently deleted",
                source.id
            )));
        }
    }
    if let Some(pending) = &snapshot.pending {
        return Err(Refusal::conflict(format!(
            "State version {} is still pending; upload its state, or force-unlock the workspace to discard it, then roll back",
            pending.id
        )));
    }
    let highest = snapshot.workspace.max_serial.unwrap_or(source.serial);
    let serial = highest.checked_add(1).ok_or_else(|| {
        Refusal::conflict(format!("The workspace has reached the highest serial there is, {highest}, so nothing can follow it"))
    })?;
    Ok(Rollback { serial })
}
