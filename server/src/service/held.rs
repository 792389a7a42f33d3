//! Locks that the service takes itself, for as long as it works on a workspace.
//!
//! Such a lock ends by itself, so that a server that is killed leaves none behind for long. While
//! the work goes on, it is prolonged; the work writes only if the lock is still the one it took.

use std::future::Future;
use std::sync::Arc;

use super::{Decided, Failure, Service, access, audit_as, who};
use crate::model::{Holder, Lock, LockId, Principal, Timestamp, Unlocked, Workspace, WorkspaceId};
use crate::rules::{Refusal, Snapshot};
use crate::store::{Change, Claim, Commit, Committed, StoreError};

/// The worker, its principal and the reason.
#[derive(Debug, Clone)]
pub(super) struct Work {
    /// The user or team.
    pub(super) holder: Holder,
    /// The holder, as in the audit log.
    pub(super) who: Arc<str>,
    /// The principal whose permission is looked at again at each write, if it is not a job's.
    by: Option<Principal>,
    /// The workspace of a job that is worked on.
    pub(super) claim: Option<Claim>,
}

impl Work {
    /// The work that a principal asks for.
    pub(super) fn of(principal: &Principal, holder: Holder) -> Self {
        Self {
            holder,
            who: who(principal).into(),
            by: Some(principal.clone()),
            claim: None,
        }
    }

    /// The work of a job. The filter of the audit log knows it by this form
    /// ([`AuditEntry::BY_A_JOB`](crate::model::AuditEntry::BY_A_JOB)).
    pub(super) fn of_job(claim: &Claim) -> Self {
        let job = &claim.job;
        Self {
            holder: job.requested_by.clone(),
            who: format!("{} by {}", job.who, job.id).into(),
            by: None,
            claim: Some(claim.clone()),
        }
    }

    /// Refuses a workspace that was moved out of reach meanwhile.
    pub(super) fn may_write(&self, workspace: &Workspace) -> Result<(), Refusal> {
        let Some(principal) = &self.by else {
            return Ok(());
        };
        access::on(principal, workspace)?.require_all(&access::WRITING)
    }
}

/// A lock that the service took, and gives back.
#[derive(Debug)]
pub(super) struct Held {
    service: Service,
    workspace: WorkspaceId,
    work: Work,
    /// As whom the lock is held: nobody else has its id.
    pub(super) holder: Holder,
}

/// As whom the service locks a workspace for somebody. Others who use the same token are kept out,
/// too.
pub(super) fn own_holder(holder: &Holder) -> Holder {
    Holder {
        lock_id: Some(LockId::new().to_string()),
        ..holder.clone()
    }
}

/// A guard that releases a lock of the service.
pub(super) fn giving_back(holder: &Holder, at: Timestamp) -> Change {
    Change::Unlock(Some(Unlocked {
        holder: holder.clone(),
        at,
    }))
}

/// The lock of a workspace, if this is who holds it.
fn lock_of<'s>(snapshot: &'s Snapshot, holder: &Holder) -> Option<&'s Lock> {
    snapshot
        .workspace
        .lock
        .as_ref()
        .filter(|lock| lock.holder.is(holder))
}

/// Refuses to write if the lock is no longer the one that the work began with; `verb` says what was
/// being done.
pub(super) fn still_held(snapshot: &Snapshot, holder: &Holder, verb: &str) -> Result<(), Refusal> {
    if lock_of(snapshot, holder).is_some() {
        return Ok(());
    }
    Err(Refusal::conflict(format!(
        "The lock of workspace {} was taken away while it was being {verb}, so nothing was written. Look at its state, then try again",
        snapshot.workspace.name
    )))
}

impl Service {
    /// Refuses to write if the principal of the work, or of its job, lost something since it began.
    pub(super) async fn still_works(&self, work: &Work) -> Result<(), Failure> {
        if let Some(principal) = &work.by {
            return self.still_may(principal).await;
        }
        match &work.claim {
            Some(claim) => self.still_requested(&claim.job).await,
            None => Ok(()),
        }
    }

    /// A lock of a workspace for work of the service. The audit log has a line about the work, and
    /// none about such a lock, unless it is left behind.
    pub(super) fn taking(&self, holder: &Holder, reason: &str, at: Timestamp) -> Change {
        let until = Some(at.after(self.conduct.lease));
        Change::Lock(Lock {
            holder: holder.clone(),
            reason: reason.to_owned(),
            at,
            client: String::new(),
            info: None,
            until,
        })
    }

    /// The lock that was [taken](Self::taking).
    pub(super) fn held(&self, workspace: &WorkspaceId, work: Work, holder: Holder) -> Held {
        Held {
            service: self.clone(),
            workspace: workspace.clone(),
            work,
            holder,
        }
    }

    /// Takes away locks of servers that were killed, whose time is over.
    pub(super) async fn end_locks(&self) -> Result<Vec<WorkspaceId>, Failure> {
        let mut ended = Vec::new();
        for workspace in self.store.ended_locks(self.now()).await? {
            // As it is in the store, not as the service sees it.
            let Some(snapshot) = self.store.snapshot(&workspace).await? else {
                continue;
            };
            let at = self.now();
            let Some(lock) = snapshot
                .workspace
                .lock
                .as_ref()
                .filter(|lock| lock.has_ended(at))
            else {
                continue;
            };
            let detail = format!(
                "held by {}: {}; the server that took it did not give it back in time",
                lock.holder, lock.reason
            );
            let audit = vec![audit_as(
                "server",
                &snapshot,
                at,
                "workspace.lock-ended",
                &snapshot.workspace.name,
                detail,
            )];
            let expected = snapshot.workspace.revision;
            let changes = vec![Change::Unlock(None)];
            let commit = Commit {
                workspace: workspace.clone(),
                expected,
                at,
                changes,
                audit,
            };
            if self.store.commit(commit).await? == Committed::Done {
                ended.push(workspace);
            }
        }
        Ok(ended)
    }
}

impl Held {
    /// Lets some work be done, keeps the lock meanwhile, and gives it back, whatever comes of the
    /// work. It goes on although the client who asked for it is gone.
    pub(super) async fn during<R: Send + 'static>(
        self,
        work: impl Future<Output = Result<R, Failure>> + Send + 'static,
    ) -> Result<R, Failure> {
        let whole = tokio::spawn(async move {
            let mut working = tokio::spawn(work);
            let pause = self.service.conduct.lease / 3;
            let done = loop {
                match tokio::time::timeout(pause, &mut working).await {
                    Ok(done) => break done,
                    Err(_) => self.prolong().await,
                }
            };
            self.give_back().await;
            done
        });
        let unfinished =
            |error| StoreError::new("work on a workspace was not finished").because(error);
        whole.await.and_then(|done| done).map_err(unfinished)?
    }

    /// Lets the lock, and the claim on the workspace of a job, end later.
    async fn prolong(&self) {
        let Self {
            service,
            workspace,
            work,
            holder,
        } = self;
        let lock = service.change(workspace, |snapshot, at| {
            let Some(lock) = lock_of(snapshot, holder) else {
                return Ok(Decided::Nothing(()));
            };
            let lock = Lock {
                until: Some(at.after(service.conduct.lease)),
                ..lock.clone()
            };
            Ok(Decided::Write {
                changes: vec![Change::Lock(lock)],
                audit: Vec::new(),
                result: (),
            })
        });
        if let Err(error) = lock.await {
            tracing::warn!(%error, %workspace, "the lock of a workspace was not prolonged");
        }
        if let Some(claim) = &work.claim
            && let Err(error) = service
                .store
                .prolong(
                    claim,
                    service.now(),
                    service.now().after(service.conduct.lease),
                )
                .await
        {
            tracing::warn!(%error, %workspace, "the claim on a workspace of a job was not prolonged");
        }
    }

    /// Gives the lock back, unless that is done or somebody took it away.
    async fn give_back(&self) {
        let Self {
            service,
            workspace,
            work: _,
            holder,
        } = self;
        let given = service.change(workspace, |snapshot, at| {
            if lock_of(snapshot, holder).is_none() {
                return Ok(Decided::Nothing(()));
            }
            Ok(Decided::Write {
                changes: vec![giving_back(holder, at)],
                audit: Vec::new(),
                result: (),
            })
        });
        match given.await {
            // A workspace that is gone has no lock.
            Ok(()) | Err(Failure::Refused(_)) => {}
            Err(error @ Failure::Store(_)) => {
                tracing::warn!(%error, %workspace, "the lock of a workspace was not given back; it ends by itself");
            }
        }
    }
}
