//! Bytes that come for a pending version.

use bytes::Bytes;
use serde::de::IgnoredAny;

use super::versions::{Readied, check_lineage, finalize};
use super::{Decided, Failure, Service, Use, access, who};
use crate::model::{
    AuditEntry, ContentKind, Principal, QuarantineId, Quarantined, Status, Timestamp, Version,
    VersionId,
};
use crate::rules::{self, Refusal, RefusalKind, Snapshot, Upload, Uploaded};
use crate::store::{Change, StoreError};

/// The outcome of an upload.
enum Outcome {
    Taken,
    Refused(Refusal),
}

impl Service {
    /// Takes the state of a version, as it was when the URL was verified.
    pub async fn upload_state(
        &self,
        by: &Principal,
        mut version: Version,
        bytes: Bytes,
    ) -> Result<(), Failure> {
        let id = &version.id.clone();
        let workspace = version.workspace.clone();
        let mut state = self.read_sent(by, bytes).await?;
        if state.content.summary.unreadable.is_some() {
            state.content.outputs = self.kept_outputs(id).await?;
        }
        for _ in 0..super::ATTEMPTS {
            let strict = self.conduct.strict_metadata;
            if version.status == Status::Pending {
                state.check(version.serial, &version.lineage, &version.md5, strict)?;
            }
            let outcome = self
                .change(&workspace, |snapshot, at| {
                    // The workspace may have been moved out of reach while the bytes came.
                    access::on(by, &snapshot.workspace)?.require(Use::Put.needs())?;
                    // A version that was pending and is not here was decided meanwhile: the next
                    // round sees how.
                    if version.status == Status::Pending {
                        if snapshot.workspace.pending.as_ref() != Some(id) {
                            return Ok(Decided::Nothing(None));
                        }
                        check_lineage(snapshot, &state.lineage(&version.lineage))?;
                    }
                    Ok(take(&who(by), snapshot, &version, &state, at))
                })
                .await?;
            match outcome {
                Some(Outcome::Taken) => return Ok(()),
                Some(Outcome::Refused(refusal)) => return Err(refusal.into()),
                None => {
                    let found = self.store.version(id).await?;
                    version =
                        found.ok_or_else(|| Refusal::not_found(format!("state version {id}")))?;
                }
            }
        }
        Err(StoreError::passing("an upload found no moment to be written").into())
    }

    /// Takes the JSON state of a version. The URL was verified.
    pub async fn upload_json_state(
        &self,
        by: &Principal,
        id: &VersionId,
        bytes: Bytes,
    ) -> Result<(), Failure> {
        if let Err(error) = serde_json::from_slice::<IgnoredAny>(&bytes) {
            let detail = format!(
                "The JSON state is not JSON (line {}, column {})",
                error.line(),
                error.column()
            );
            return Err(Refusal::unprocessable("/data/attributes/json-state", detail).into());
        }
        let unknown = || Refusal::not_found(format!("state version {id}"));
        for _ in 0..super::ATTEMPTS {
            // Both of one moment, so that the revision of the workspace guards the version, too.
            let (version, workspace) = self.store.version_in(id).await?.ok_or_else(unknown)?;
            access::on(by, &workspace)?.require(Use::Put.needs())?;
            // Unlike a state, nobody declared its digest, so that everybody who may write could say
            // of another's state what it holds.
            let creator = &version.creator;
            if !access::is_holder(by, creator) {
                let detail = format!(
                    "State version {id} takes a JSON state only from {creator}, its creator"
                );
                return Err(Refusal::new(RefusalKind::Forbidden, detail).into());
            }
            if version.status == Status::Discarded {
                return Err(Refusal::conflict(format!(
                    "State version {id} was discarded and takes no bytes any more"
                ))
                .into());
            }
            if version.has_json_state {
                let _turn = self.turn().await?;
                let same = self
                    .store
                    .bytes(id, ContentKind::JsonState)
                    .await?
                    .is_some_and(|kept| kept == bytes);
                return if same {
                    Ok(())
                } else {
                    Err(
                        Refusal::conflict(format!("State version {id} has another JSON state"))
                            .into(),
                    )
                };
            }
            let at = self.now();
            let entry = AuditEntry {
                at,
                who: who(by),
                action: "json-state.upload".into(),
                organization: Some(workspace.organization),
                workspace: Some(version.workspace.clone()),
                subject: id.to_string(),
                detail: format!("{} bytes", bytes.len()),
            };
            let commit = crate::store::Commit {
                workspace: version.workspace,
                expected: workspace.revision,
                at,
                changes: vec![Change::JsonState {
                    version: id.clone(),
                    bytes: bytes.clone(),
                }],
                audit: vec![entry],
            };
            if self.store.commit(commit).await? == crate::store::Committed::Done {
                return Ok(());
            }
        }
        Err(StoreError::passing(format!(
            "the JSON state of {id} found no moment to be written"
        ))
        .into())
    }
}

/// Decides on an upload.
fn take(
    who: &str,
    snapshot: &Snapshot,
    version: &Version,
    state: &Readied,
    at: Timestamp,
) -> Decided<Option<Outcome>> {
    let lineage = state.lineage(&version.lineage);
    let upload = Upload {
        md5: &state.content.md5,
        lineage: &lineage,
    };
    let entry = |action: &'static str, detail: String| AuditEntry {
        at,
        who: who.to_owned(),
        action: action.into(),
        organization: Some(snapshot.workspace.organization.clone()),
        workspace: Some(snapshot.workspace.id.clone()),
        subject: version.id.to_string(),
        detail,
    };
    match rules::upload(snapshot, version, &upload) {
        Ok(Uploaded::Replay) => Decided::Nothing(Some(Outcome::Taken)),
        Ok(Uploaded::Finalize) => Decided::Write {
            changes: vec![finalize(
                snapshot,
                &version.id,
                lineage.clone(),
                state,
                None,
                at,
            )],
            audit: vec![entry(
                "state-version.upload",
                format!("serial {}", version.serial),
            )],
            result: Some(Outcome::Taken),
        },
        Err(refused) if refused.keep => {
            let quarantined = Quarantined {
                id: QuarantineId::new(),
                workspace: version.workspace.clone(),
                version: version.id.clone(),
                at,
                reason: refused.refusal.detail.clone(),
                size: state.content.size,
                bytes: state.bytes.clone(),
            };
            Decided::Write {
                audit: vec![entry(
                    "state-version.quarantine",
                    quarantined.reason.clone(),
                )],
                changes: vec![Change::Quarantine(Box::new(quarantined))],
                result: Some(Outcome::Refused(refused.refusal)),
            }
        }
        Err(refused) => Decided::Nothing(Some(Outcome::Refused(refused.refusal))),
    }
}
