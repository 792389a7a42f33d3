//! Upgrading what a workspace holds, or taking it back to an earlier release, by a new version.

use super::{Refusal, RefusalKind, Snapshot};
use crate::model::{Holder, Version, VersionId};

/// The request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted<'a> {
    /// The principal of a request.
    pub holder: &'a Holder,
    /// The version that must be current.
    pub if_match: Option<&'a VersionId>,
    /// The release that it goes back to; without one, it is upgraded.
    pub to_release: Option<&'a str>,
    /// True if the upgrade goes on under a lock of `holder`. It must not where nobody looks at the
    /// workspace: a Terraform that runs in the same name holds it, and could not store its result
    /// any more.
    pub under_own_lock: bool,
}

/// The effect of an upgrade.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Upgrading {
    /// The current version was made by what is asked for: the answer to the first request was lost.
    Replay(VersionId),
    /// The current version is upgraded, or taken back.
    From {
        /// That version.
        source: Box<Version>,
        /// The serial of the new one: higher than any the workspace ever had.
        serial: i64,
    },
}

/// True if the workspace may be upgraded or taken back now: nobody else has locked it. A lock that
/// ends by itself is one of another upgrade or rollback, so asked again in a moment it may work.
pub fn upgrade(snapshot: &Snapshot, wanted: Wanted<'_>) -> Result<Upgrading, Refusal> {
    let workspace = &snapshot.workspace;
    let verb = if wanted.to_release.is_some() {
        "downgrade"
    } else {
        "upgrade"
    };
    let Some(head) = &snapshot.head else {
        return Err(Refusal::new(
            RefusalKind::NotFound,
            format!("The workspace {} has no state yet", workspace.id),
        ));
    };
    if let Some(expected) = wanted.if_match.filter(|expected| **expected != head.id) {
        if head.upgraded_from.as_ref() == Some(expected)
            && head.downgraded_to.as_deref() == wanted.to_release
        {
            return Ok(Upgrading::Replay(head.id.clone()));
        }
        let detail = format!(
            "If-Match demands that {expected} is the current state version, and {} is current",
            head.id
        );
        return Err(Refusal::new(RefusalKind::PreconditionFailed, detail));
    }
    let allowed = |holder: &Holder| wanted.under_own_lock && holder.is(wanted.holder);
    if let Some(lock) = workspace
        .lock
        .as_ref()
        .filter(|lock| !allowed(&lock.holder))
    {
        let kind = if lock.until.is_some() {
            RefusalKind::Unavailable
        } else {
            RefusalKind::Conflict
        };
        let reason = if lock.reason.is_empty() {
            String::new()
        } else {
            format!(" ({})", lock.reason)
        };
        return Err(Refusal::new(
            kind,
            format!(
                "This workspace is locked by {} since {}{reason}: wait until {} is unlocked, then {verb}",
                lock.holder, lock.at, workspace.name
            ),
        ));
    }
    if let Some(pending) = &snapshot.pending {
        return Err(Refusal::conflict(format!(
            "State version {} is still pending; upload its state, or force-unlock the workspace to discard it, then {verb}",
            pending.id
        )));
    }
    let highest = workspace.max_serial.unwrap_or(head.serial).max(head.serial);
    let serial = highest.checked_add(1).ok_or_else(|| {
        Refusal::conflict(format!("The workspace has reached the highest serial there is, {highest}, so nothing can follow it"))
    })?;
    Ok(Upgrading::From {
        source: Box::new(head.clone()),
        serial,
    })
}
