//! What the server does of itself: pending versions that expire, retention, deleted workspaces; and what is done to old versions.

use std::borrow::Cow;

use super::{Decided, Failure, Service, audit};
use crate::model::{AuditEntry, Permission, Principal, Timestamp, VersionId, WorkspaceId};
use crate::rules::{self, BackingAction, Policy, Refusal, Snapshot};
use crate::store::Change;

/// What upkeep did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Upkeep {
    /// Pending versions whose time ran out.
    pub discarded: Vec<VersionId>,
    /// Old versions that went.
    pub deleted: Vec<VersionId>,
    /// How many deleted workspaces were destroyed.
    pub purged: u64,
}

fn by_server(snapshot: &Snapshot, at: Timestamp, action: &'static str, subject: &VersionId, detail: String) -> AuditEntry {
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
    /// Does what is due.
    pub async fn upkeep(&self) -> Result<Upkeep, Failure> {
        let discarded = self.expire_pending().await?;
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
        let purged = self.store.purge_workspaces(at.before(self.conduct.purge_after), entry).await?;
        Ok(Upkeep { discarded, deleted, purged })
    }

    /// Discards pending versions whose bytes did not come in time: a client that waits for them would wait for ever.
    pub async fn expire_pending(&self) -> Result<Vec<VersionId>, Failure> {
        let due = self.store.pending_before(self.now().before(self.conduct.pending_expiry)).await?;
        let mut discarded = Vec::new();
        for (workspace, version) in due {
            let done = self
                .change(&workspace, |snapshot, at| {
                    if snapshot.workspace.pending.as_ref() != Some(&version) {
                        return Ok(Decided::Nothing(false));
                    }
                    let entry =
                        by_server(snapshot, at, "state-version.expire", &version, "its state did not come in time".to_owned());
                    Ok(Decided::Write { changes: vec![Change::Discard(version.clone())], audit: vec![entry], result: true })
                })
                .await;
            if tolerate_gone(done)? {
                discarded.push(version);
            }
        }
        Ok(discarded)
    }

    /// The versions that a policy lets go, the newest first. Nothing is changed.
    pub async fn expired(&self, policy: &Policy) -> Result<Vec<(WorkspaceId, VersionId)>, Failure> {
        let candidates = self.store.candidates().await?;
        let going = rules::expired(&candidates, policy, self.now());
        let going: std::collections::HashSet<VersionId> = going.into_iter().collect();
        let which = candidates.into_iter().filter(|candidate| going.contains(&candidate.id));
        Ok(which.map(|candidate| (candidate.workspace, candidate.id)).collect())
    }

    /// Deletes the versions that a policy lets go.
    pub async fn retain(&self, policy: &Policy) -> Result<Vec<VersionId>, Failure> {
        let mut deleted = Vec::new();
        for (workspace, version) in self.expired(policy).await? {
            let done = self
                .change(&workspace, |snapshot, at| {
                    if snapshot.workspace.head.as_ref() == Some(&version) {
                        return Ok(Decided::Nothing(false));
                    }
                    let entry = by_server(snapshot, at, "state-version.retention", &version, "older than the policy".to_owned());
                    Ok(Decided::Write { changes: vec![Change::Delete(version.clone())], audit: vec![entry], result: true })
                })
                .await;
            if tolerate_gone(done)? {
                deleted.push(version);
            }
        }
        Ok(deleted)
    }

    /// Deletes or restores the bytes of an old version.
    pub async fn backing(&self, principal: &Principal, id: &VersionId, action: BackingAction) -> Result<(), Failure> {
        let (access, snapshot, _) = self.visible_version(principal, id).await?;
        access.require(Permission::Admin)?;
        let workspace = snapshot.workspace.id;
        let version = self.store.version(id).await?.ok_or_else(|| Refusal::not_found(format!("state version {id}")))?;
        self.change(&workspace, |snapshot, at| {
            rules::backing(snapshot, &version, action)?;
            if version.backing == action.result() {
                return Ok(Decided::Nothing(()));
            }
            let name = match action {
                BackingAction::SoftDelete => "state-version.soft-delete",
                BackingAction::Restore => "state-version.restore",
                BackingAction::PermanentlyDelete => "state-version.permanently-delete",
            };
            let entry = audit(principal, snapshot, at, name, id, String::new());
            let change = Change::Backing { version: id.clone(), to: action.result() };
            Ok(Decided::Write { changes: vec![change], audit: vec![entry], result: () })
        })
        .await
    }
}

/// A workspace that is deleted meanwhile needs no upkeep.
fn tolerate_gone(done: Result<bool, Failure>) -> Result<bool, Failure> {
    match done {
        Err(Failure::Refused(_)) => Ok(false),
        other => other,
    }
}
