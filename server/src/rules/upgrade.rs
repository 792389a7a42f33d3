//! Upgrading what a workspace holds, by a new version.

use super::{Refusal, RefusalKind, Snapshot};
use crate::model::{Holder, Version, VersionId};

/// What an upgrade does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Upgrading {
    /// The current version was made by the upgrade that is asked for: the answer to the first request was lost.
    Replay(VersionId),
    /// The current version is upgraded.
    From {
        /// That version.
        source: Box<Version>,
        /// The serial of the new one: higher than any the workspace ever had.
        serial: i64,
    },
}

/// Whether `holder` may upgrade the workspace now. An upgrade needs no lock of its own: it is written only if the workspace is as it was
/// when it was read, and everybody else's lock changes it.
pub fn upgrade(snapshot: &Snapshot, holder: &Holder, if_match: Option<&VersionId>) -> Result<Upgrading, Refusal> {
    let workspace = &snapshot.workspace;
    let Some(head) = &snapshot.head else {
        return Err(Refusal::new(RefusalKind::NotFound, format!("The workspace {} has no state yet", workspace.id)));
    };
    if let Some(expected) = if_match.filter(|expected| **expected != head.id) {
        if head.upgraded_from.as_ref() == Some(expected) {
            return Ok(Upgrading::Replay(head.id.clone()));
        }
        let detail = format!("If-Match demands that {expected} is the current state version, and {} is current", head.id);
        return Err(Refusal::new(RefusalKind::PreconditionFailed, detail));
    }
    if let Some(lock) = workspace.lock.as_ref().filter(|lock| !lock.holder.is(holder)) {
        return Err(Refusal::conflict(format!(
            "This workspace is locked by {} since {}: wait until {} is unlocked, then upgrade",
            lock.holder, lock.at, workspace.name
        )));
    }
    if let Some(pending) = &snapshot.pending {
        return Err(Refusal::conflict(format!(
            "State version {} is still pending; upload its state, or force-unlock the workspace to discard it, then upgrade",
            pending.id
        )));
    }
    let highest = workspace.max_serial.unwrap_or(head.serial).max(head.serial);
    let serial = highest.checked_add(1).ok_or_else(|| {
        Refusal::conflict(format!("The workspace has reached the highest serial there is, {highest}, so nothing can follow it"))
    })?;
    Ok(Upgrading::From { source: Box::new(head.clone()), serial })
}
