//! Locks: one holder, not re-entrant.

use std::time::Duration;

use super::{Refusal, RefusalKind, Snapshot};
use crate::model::{Holder, Timestamp, Workspace};

/// For how long the last holder may unlock again: the answer to the first time may have been lost.
pub const UNLOCK_GRACE: Duration = Duration::from_mins(1);

/// The outcome of a request to lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Locking {
    /// The workspace gets locked.
    Take,
    /// This lock, by its id, is held already: the answer to the first request was lost.
    Replay,
}

/// The outcome of a request to unlock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unlocking {
    /// The lock is given back.
    Release,
    /// It was given back a moment ago, by this holder.
    Replay,
}

/// True if `holder` gets the lock. Two processes may share a token, so the same holder is refused
/// too, unless a lock id tells that it is the same lock.
pub fn lock(snapshot: &Snapshot, holder: &Holder) -> Result<Locking, Refusal> {
    match &snapshot.workspace.lock {
        None => Ok(Locking::Take),
        Some(lock) if holder.lock_id.is_some() && lock.holder.is(holder) => Ok(Locking::Replay),
        Some(lock) => {
            let reason = if lock.reason.is_empty() {
                String::new()
            } else {
                format!(", reason: {}", lock.reason)
            };
            let client = if lock.client.is_empty() {
                String::new()
            } else {
                format!(", with {}", lock.client)
            };
            Err(Refusal::conflict(format!(
                "Unable to lock workspace. The workspace {} is locked by {} since {}{client}{reason}",
                snapshot.workspace.name, lock.holder, lock.at
            )))
        }
    }
}

/// True if `holder` has the lock, or gave it back so lately that it may do so once more.
pub fn has_lock(workspace: &Workspace, holder: &Holder, now: Timestamp) -> bool {
    match (&workspace.lock, &workspace.unlocked) {
        (Some(lock), _) => lock.holder.is(holder),
        (None, Some(last)) => last.holder.is(holder) && now <= last.at.after(UNLOCK_GRACE),
        (None, None) => false,
    }
}

/// True if `holder` may give the lock back.
pub fn unlock(snapshot: &Snapshot, holder: &Holder, now: Timestamp) -> Result<Unlocking, Refusal> {
    let workspace = &snapshot.workspace;
    match &workspace.lock {
        None if has_lock(workspace, holder, now) => Ok(Unlocking::Replay),
        None => Err(already_unlocked(snapshot)),
        Some(lock) if !lock.holder.is(holder) => Err(Refusal::conflict(format!(
            "Unable to unlock workspace. The workspace {} is locked by {} since {}; only its holder unlocks it, anyone else needs \
             force-unlock",
            workspace.name, lock.holder, lock.at
        ))),
        Some(_) if snapshot.pending.is_some() => Err(Refusal::new(
            RefusalKind::Unavailable,
            format!(
                "Unable to unlock workspace {}: its latest state version is still pending. Try again once its state is uploaded; \
                 force-unlock discards it",
                workspace.name
            ),
        )),
        Some(_) => Ok(Unlocking::Release),
    }
}

/// True if there is a lock to take away.
pub fn force_unlock(snapshot: &Snapshot) -> Result<(), Refusal> {
    if snapshot.workspace.lock.is_some() {
        Ok(())
    } else {
        Err(already_unlocked(snapshot))
    }
}

fn already_unlocked(snapshot: &Snapshot) -> Refusal {
    Refusal::conflict(format!(
        "Unable to unlock workspace. The workspace {} is already unlocked",
        snapshot.workspace.name
    ))
}
