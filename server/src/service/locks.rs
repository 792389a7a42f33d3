//! Locking and unlocking.

use super::{Decided, Failure, Service, access, audit};
use crate::model::{Holder, Lock, Permission, Principal, Unlocked, WorkspaceId};
use crate::rules::{self, Locking, Refusal, RefusalKind, Unlocking};
use crate::store::Change;

/// The body of a request to lock.
#[derive(Debug, Clone, Default)]
pub struct LockRequest {
    /// The reason.
    pub reason: String,
    /// The client, by its headers.
    pub client: String,
    /// The id of its lock, if it has one.
    pub lock_id: Option<String>,
    /// The body for others while it holds the lock: a JSON object.
    pub info: Option<String>,
}

/// The holder of a lock that a principal takes or gives back.
fn holder(principal: &Principal, lock_id: Option<String>) -> Result<Holder, Refusal> {
    let detail = "Organization tokens cannot lock workspaces; use the token of a user or a team";
    access::holder(principal, lock_id).ok_or_else(|| Refusal::new(RefusalKind::Forbidden, detail))
}

impl Service {
    /// Locks a workspace.
    pub async fn lock(
        &self,
        principal: &Principal,
        id: &WorkspaceId,
        request: LockRequest,
    ) -> Result<(), Failure> {
        self.change_allowed(principal, id, Permission::Lock, |snapshot, at| {
            let LockRequest {
                reason,
                client,
                lock_id,
                info,
            } = request.clone();
            let holder = holder(principal, lock_id)?;
            match rules::lock(snapshot, &holder)? {
                Locking::Replay => Ok(Decided::Nothing(())),
                Locking::Take => {
                    let entry = audit(
                        principal,
                        snapshot,
                        at,
                        "workspace.lock",
                        &snapshot.workspace.name,
                        reason.clone(),
                    );
                    let lock = Lock {
                        holder,
                        reason,
                        at,
                        client,
                        info,
                        until: None,
                    };
                    Ok(Decided::Write {
                        changes: vec![Change::Lock(lock)],
                        audit: vec![entry],
                        result: (),
                    })
                }
            }
        })
        .await
    }

    /// Gives a lock back.
    pub async fn unlock(
        &self,
        principal: &Principal,
        id: &WorkspaceId,
        lock_id: Option<String>,
    ) -> Result<(), Failure> {
        self.change_allowed(principal, id, Permission::Lock, |snapshot, at| {
            let holder = holder(principal, lock_id.clone())?;
            match rules::unlock(snapshot, &holder, at)? {
                Unlocking::Replay => Ok(Decided::Nothing(())),
                Unlocking::Release => {
                    let entry = audit(
                        principal,
                        snapshot,
                        at,
                        "workspace.unlock",
                        &snapshot.workspace.name,
                        String::new(),
                    );
                    let unlocked = Unlocked { holder, at };
                    Ok(Decided::Write {
                        changes: vec![Change::Unlock(Some(unlocked))],
                        audit: vec![entry],
                        result: (),
                    })
                }
            }
        })
        .await
    }

    /// Takes a lock away. A version that waits for its bytes is discarded.
    pub async fn force_unlock(
        &self,
        principal: &Principal,
        id: &WorkspaceId,
    ) -> Result<(), Failure> {
        self.change_allowed(principal, id, Permission::ForceUnlock, |snapshot, at| {
            rules::force_unlock(snapshot)?;
            let mut changes = vec![Change::Unlock(None)];
            let mut detail = snapshot
                .workspace
                .lock
                .as_ref()
                .map(|lock| format!("held by {}", lock.holder))
                .unwrap_or_default();
            if let Some(pending) = &snapshot.pending {
                changes.push(Change::Discard(pending.id.clone()));
                detail = format!("{detail}; pending {} discarded", pending.id);
            }
            let entry = audit(
                principal,
                snapshot,
                at,
                "workspace.force-unlock",
                &snapshot.workspace.name,
                detail,
            );
            Ok(Decided::Write {
                changes,
                audit: vec![entry],
                result: (),
            })
        })
        .await
    }
}
