//! Upkeep by the server itself: pending versions that expire, retention, deleted workspaces; and
//! what is done to old versions.

use std::borrow::Cow;
use std::time::Duration;

use super::{Decided, Failure, Service, audit};
use crate::model::{AuditEntry, Permission, Principal, Timestamp, VersionId, WorkspaceId};
use crate::rules::{self, BackingAction, Expired, Expiry, Policy, Snapshot};
use crate::store::Change;

/// The number of old versions that are looked up at a time.
const AT_ONCE: u32 = 500;

/// For how long the expired token of a job is kept: who looks at the audit log finds it.
const FORGET_AFTER: Duration = Duration::from_hours(24);

/// The result of upkeep.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Upkeep {
    /// Pending versions whose time ran out.
    pub discarded: Vec<VersionId>,
    /// Workspaces whose lock ended because the server that took it was killed.
    pub unlocked: Vec<WorkspaceId>,
    /// Old versions that went.
    pub deleted: Vec<VersionId>,
    /// The number of deleted workspaces that were destroyed.
    pub purged: u64,
}

fn by_server(
    snapshot: &Snapshot,
    at: Timestamp,
    action: &'static str,
    subject: &VersionId,
    detail: String,
) -> AuditEntry {
    AuditEntry {
        at,
        who: "server".to_owned(),
        action: Cow::Borrowed(action),
        organization: Some(snapshot.workspace.organization.clone()),
        workspace: Some(snapshot.workspace.id.clone()),
        subject: subject.to_string(),
        detail,
    }
}

impl Service {
    /// Does what is due within minutes: pending versions and locks whose time ran out.
    pub async fn expire(&self) -> Result<Upkeep, Failure> {
        Ok(Upkeep {
            discarded: self.expire_pending().await?,
            unlocked: self.end_locks().await?,
            ..Upkeep::default()
        })
    }

    /// Does what is due: what [expires](Self::expire) within minutes, and the rest, which is due
    /// within days.
    pub async fn upkeep(&self) -> Result<Upkeep, Failure> {
        let expired = self.expire().await?;
        let deleted = self.retain(&self.conduct.retention).await?;
        let at = self.now();
        let entry = AuditEntry {
            at,
            who: "server".to_owned(),
            action: Cow::Borrowed("workspace.purge"),
            organization: None,
            workspace: None,
            subject: String::new(),
            detail: "deleted long ago".to_owned(),
        };
        if let Some(keep) = self.conduct.audit_keep {
            let entry = AuditEntry {
                action: Cow::Borrowed("audit.trim"),
                ..entry.clone()
            };
            let up_to = self.removable_audit().await?;
            self.store.trim_audit(at.before(keep), up_to, entry).await?;
        }
        self.store.forget_expired(at.before(FORGET_AFTER)).await?;
        let purged = self
            .store
            .purge_workspaces(at.before(self.conduct.purge_after), entry)
            .await?;
        Ok(Upkeep {
            deleted,
            purged,
            ..expired
        })
    }

    /// Discards pending versions whose bytes did not come in time: a client that waits for them
    /// would wait for ever.
    pub async fn expire_pending(&self) -> Result<Vec<VersionId>, Failure> {
        let due = self
            .store
            .pending_before(self.now().before(self.conduct.pending_expiry))
            .await?;
        let mut discarded = Vec::new();
        for (workspace, version) in due {
            let done = self
                .change(&workspace, |snapshot, at| {
                    if snapshot.workspace.pending.as_ref() != Some(&version) {
                        return Ok(Decided::Nothing(false));
                    }
                    let entry = by_server(
                        snapshot,
                        at,
                        "state-version.expire",
                        &version,
                        "its state did not come in time".to_owned(),
                    );
                    Ok(Decided::Write {
                        changes: vec![Change::Discard(version.clone())],
                        audit: vec![entry],
                        result: true,
                    })
                })
                .await;
            if tolerate_gone(done)? {
                discarded.push(version);
            }
        }
        Ok(discarded)
    }

    /// The versions that a policy lets go, the oldest first. Nothing is changed.
    pub async fn expired(&self, policy: &Policy) -> Result<Vec<Expired>, Failure> {
        let expiry = policy.at(self.now());
        let mut all: Vec<Expired> = Vec::new();
        loop {
            let some = self.store.expired(expiry, all.last(), AT_ONCE).await?;
            if some.is_empty() {
                return Ok(all);
            }
            all.extend(some);
        }
    }

    /// Deletes the versions that a policy lets go.
    pub async fn retain(&self, policy: &Policy) -> Result<Vec<VersionId>, Failure> {
        let expiry = policy.at(self.now());
        let mut deleted = Vec::new();
        let mut last: Option<Expired> = None;
        loop {
            let some = self.store.expired(expiry, last.as_ref(), AT_ONCE).await?;
            let Some(end) = some.last().cloned() else {
                return Ok(deleted);
            };
            last = Some(end);
            for one in some {
                if self.delete_expired(expiry, &one).await? {
                    deleted.push(one.id);
                }
            }
        }
    }

    /// Deletes an old version, unless it is needed by now, or its workspace keeps it longer.
    async fn delete_expired(&self, expiry: Expiry, old: &Expired) -> Result<bool, Failure> {
        let id = &old.id;
        let done = self
            .change(&old.workspace, |snapshot, at| {
                if !expiry.is_old(old.created_at, snapshot.workspace.retention) {
                    return Ok(Decided::Nothing(false));
                }
                let is_needed = snapshot.head.as_ref().is_some_and(|head| {
                    [
                        Some(&head.id),
                        head.rollback_of.as_ref(),
                        head.upgraded_from.as_ref(),
                    ]
                    .contains(&Some(id))
                });
                if is_needed {
                    return Ok(Decided::Nothing(false));
                }
                let entry = by_server(
                    snapshot,
                    at,
                    "state-version.retention",
                    id,
                    "older than the policy".to_owned(),
                );
                Ok(Decided::Write {
                    changes: vec![Change::Delete(id.clone())],
                    audit: vec![entry],
                    result: true,
                })
            })
            .await;
        tolerate_gone(done)
    }

    /// Deletes or restores the bytes of an old version.
    pub async fn backing(
        &self,
        principal: &Principal,
        id: &VersionId,
        action: BackingAction,
    ) -> Result<(), Failure> {
        for _ in 0..super::ATTEMPTS {
            let (access, workspace, version) = self.visible_version(principal, id).await?;
            access.require(Permission::Admin)?;
            let revision = workspace.revision;
            let is_done = self
                .change(&workspace.id, |snapshot, at| {
                    // The version may be another by now, too: what was restored meanwhile must not
                    // be destroyed.
                    if snapshot.workspace.revision != revision {
                        return Ok(Decided::Nothing(false));
                    }
                    rules::backing(snapshot, &version, action)?;
                    if version.backing == action.result() {
                        return Ok(Decided::Nothing(true));
                    }
                    let name = match action {
                        BackingAction::SoftDelete => "state-version.soft-delete",
                        BackingAction::Restore => "state-version.restore",
                        BackingAction::PermanentlyDelete => "state-version.permanently-delete",
                    };
                    let entry = audit(principal, snapshot, at, name, id, String::new());
                    let change = Change::Backing {
                        version: id.clone(),
                        to: action.result(),
                    };
                    Ok(Decided::Write {
                        changes: vec![change],
                        audit: vec![entry],
                        result: true,
                    })
                })
                .await?;
            if is_done {
                return Ok(());
            }
        }
        Err(super::changes_too_quickly("workspace").into())
    }
}

/// A workspace that is deleted meanwhile needs no upkeep.
fn tolerate_gone(done: Result<bool, Failure>) -> Result<bool, Failure> {
    match done {
        Err(Failure::Refused(_)) => Ok(false),
        other => other,
    }
}
