//! Rolling back.

use bytes::Bytes;

use super::held::{Work, own_holder};
use super::versions::{Readied, finalize, next_version};
use super::{Decided, Failure, Service, audit_as};
use crate::content::{self, Rewriting};
use crate::model::{ContentKind, Holder, Permission, Principal, Version, VersionId, WorkspaceId};
use crate::rules::{self, Refusal, RefusalKind, Rollback};
use crate::store::{Change, StoreError};

impl Service {
    /// Makes an earlier version current again, as a new one.
    pub async fn rollback(
        &self,
        principal: &Principal,
        id: &WorkspaceId,
        source: &VersionId,
    ) -> Result<VersionId, Failure> {
        let (snapshot, holder) = self.writable(principal, id, None).await?;
        rules::holds_lock(&snapshot, &holder)?;
        let work = Work::of(principal, holder.clone());
        self.rollback_under(&work, &holder, id, source).await
    }

    /// Rolls back while `lock` holds the lock.
    async fn rollback_under(
        &self,
        work: &Work,
        lock: &Holder,
        id: &WorkspaceId,
        source: &VersionId,
    ) -> Result<VersionId, Failure> {
        for _ in 0..super::ATTEMPTS {
            let unknown = || Refusal::not_found(format!("state version {source}"));
            let version = self.store.version(source).await?.ok_or_else(unknown)?;
            let planned = rules::rollback(&self.snapshot(id).await?, lock, &version)?;
            let (state, json_state) = self.rewritten(&version, planned).await?;
            self.still_works(work).await?;
            let written = self
                .change(id, |snapshot, at| {
                    work.may_write(&snapshot.workspace)?;
                    // Somebody may have written meanwhile, and then the serial in the bytes is not
                    // the next one.
                    if rules::rollback(snapshot, lock, &version)? != planned {
                        return Ok(Decided::Nothing(None));
                    }
                    let new = Version {
                        serial: planned.serial,
                        lineage: version.lineage.clone(),
                        md5: state.content.md5.clone(),
                        rollback_of: Some(version.id.clone()),
                        job: work.claim.as_ref().map(|claim| claim.job.id.clone()),
                        ..next_version(snapshot, &work.holder, at)
                    };
                    let head = snapshot.head.as_ref();
                    let lineage = match head.filter(|head| head.lineage != version.lineage) {
                        Some(head) => {
                            format!(", lineage {} instead of {}", version.lineage, head.lineage)
                        }
                        None => String::new(),
                    };
                    let detail = format!(
                        "to {} (serial {}), serial {}{lineage}",
                        version.id, version.serial, planned.serial
                    );
                    let entry = audit_as(
                        &work.who,
                        snapshot,
                        at,
                        "state-version.rollback",
                        &new.id,
                        detail,
                    );
                    let new_id = new.id.clone();
                    let finalize = finalize(
                        snapshot,
                        &new_id,
                        version.lineage.clone(),
                        &state,
                        json_state.clone(),
                        at,
                    );
                    let changes = vec![Change::Insert(Box::new(new)), finalize];
                    Ok(Decided::Write {
                        changes,
                        audit: vec![entry],
                        result: Some(new_id),
                    })
                })
                .await?;
            if let Some(id) = written {
                return Ok(id);
            }
        }
        Err(StoreError::passing("a rollback found no moment to be written").into())
    }

    /// Locks a workspace, makes an earlier version current again, and unlocks it, whatever goes
    /// wrong; under a lock that the principal holds already, it stays locked. `expected` is the
    /// version that must be current until then.
    pub async fn rollback_now(
        &self,
        principal: &Principal,
        id: &WorkspaceId,
        source: &VersionId,
        expected: &VersionId,
    ) -> Result<VersionId, Failure> {
        let (_, holder) = self.writable(principal, id, None).await?;
        let work = Work::of(principal, holder.clone());
        let reason = format!("Rolling back to {source}");
        let own = own_holder(&holder);
        let lock = self
            .change_allowed(principal, id, Permission::Lock, |snapshot, at| {
                work.may_write(&snapshot.workspace)?;
                if snapshot.workspace.head.as_ref() != Some(expected) {
                    let detail = "Another state version has become current since the page was made; nothing was rolled back";
                    return Err(Refusal::new(RefusalKind::PreconditionFailed, detail).into());
                }
                if snapshot.workspace.lock.as_ref().is_some_and(|lock| lock.holder.is(&holder)) {
                    return Ok(Decided::Nothing(None));
                }
                rules::lock(snapshot, &own)?;
                let change = self.taking(&own, &reason, at);
                Ok(Decided::Write { changes: vec![change], audit: Vec::new(), result: Some(own.clone()) })
            })
            .await?;
        let Some(lock) = lock else {
            return self.rollback_under(&work, &holder, id, source).await;
        };
        let held = self.held(id, work.clone(), lock.clone());
        let (service, id, source) = (self.clone(), id.clone(), source.clone());
        held.during(async move { service.rollback_under(&work, &lock, &id, &source).await })
            .await
    }

    /// Makes an earlier version current again for a job, under a lock of its own: nobody looks at
    /// the workspace, so no other lock is one to work under. `expected` is the version that must be
    /// current until then.
    pub(super) async fn rollback_by_job(
        &self,
        work: Work,
        id: &WorkspaceId,
        source: &VersionId,
        expected: &VersionId,
    ) -> Result<VersionId, Failure> {
        let (own, reason) = (
            own_holder(&work.holder),
            format!("Rolling back to {source}"),
        );
        let lock = self
            .change(id, |snapshot, at| {
                if snapshot.workspace.head.as_ref() != Some(expected) {
                    let detail = "Another state version has become current meanwhile, so nothing was written; try again";
                    return Err(Refusal::new(RefusalKind::Unavailable, detail).into());
                }
                if let Some(lock) = snapshot.workspace.lock.as_ref().filter(|lock| lock.until.is_some()) {
                    return Err(
                        Refusal::new(RefusalKind::Unavailable, format!("This workspace is locked by {}", lock.holder)).into()
                    );
                }
                rules::lock(snapshot, &own)?;
                let change = self.taking(&own, &reason, at);
                Ok(Decided::Write { changes: vec![change], audit: Vec::new(), result: own.clone() })
            })
            .await?;
        let held = self.held(id, work.clone(), lock.clone());
        let (service, id, source) = (self.clone(), id.clone(), source.clone());
        held.during(async move { service.rollback_under(&work, &lock, &id, &source).await })
            .await
    }

    /// The bytes of a version with the serial of its rollback: only those digits change.
    async fn rewritten(
        &self,
        source: &Version,
        planned: Rollback,
    ) -> Result<(Readied, Option<Bytes>), Failure> {
        let _turn = self.turn().await?;
        let bytes = self.state_of(source).await?;
        let json_state = self.store.bytes(&source.id, ContentKind::JsonState).await?;
        // Its memory is given back before that of the rewritten state is charged: who holds some
        // and waits for more may keep others waiting.
        let rewriting = self.read_state(bytes.clone()).await?.content.rewriting;
        let refused = |why: &str| {
            Refusal::conflict(format!(
                "State version {} cannot be rolled back to by the server: {why}. Download it and push it with `state push -force`",
                source.id
            ))
        };
        match rewriting {
            Rewriting::Possible => {}
            Rewriting::Encrypted => {
                return Err(refused(
                    "it is encrypted, and the serial inside cannot be replaced without the key",
                )
                .into());
            }
            Rewriting::NoSerial => return Err(refused("it has no serial to replace").into()),
        }
        let rewritten = content::with_serial(&bytes, planned.serial)
            .ok_or_else(|| refused("it has no serial to replace"))?;
        let further = json_state.as_ref().map_or(0, Bytes::len);
        let mut state = self.read_state_beside(rewritten.into(), further).await?;
        if state.content.summary.unreadable.is_some() {
            state.content.outputs = self.kept_outputs(&source.id).await?;
        }
        Ok((state, json_state))
    }
}
