//! Rows as records.

use bytes::Bytes;
use tokio_postgres::Row;

use super::sql::{Done, json, optional, sha256, size, text, texts, time, wrong};
use crate::model::{
    Backing, Finalized, Holder, JobId, OrganizationId, Output, OutputId, ProjectId, QuarantineId, Quarantined, Status, Summary,
    Version, VersionId, Workspace, WorkspaceId,
};
use crate::store::days;

/// The columns of [`workspace`].
pub(super) const WORKSPACE: &str = "id, organization, name, revision, last_seq, head, pending, max_serial, lock, unlocked, \
     description, terraform_version, retention_days, created_at, updated_at, project, \
     sharing IS NOT NULL, \
     ARRAY(SELECT key FROM tag WHERE tag.workspace = workspace.id ORDER BY key), \
     ARRAY(SELECT value FROM tag WHERE tag.workspace = workspace.id ORDER BY key)";

/// The columns of [`version`].
pub(super) const VERSION: &str = "id, workspace, seq, serial, lineage, md5, status, backing, json_state IS NOT NULL, size, sha256, \
     format_version, terraform_version, finalized_at, forced, creator, created_at, run, \
     rollback_of, upgraded_from, downgraded_to, job";

/// The columns of [`output`].
pub(super) const OUTPUT: &str = "id, version, name, sensitive, kind, detailed_type, value, data_key, \
     (SELECT workspace FROM state_version WHERE state_version.id = version)";

/// The columns of [`quarantined`].
pub(super) const QUARANTINED: &str = "id, workspace, version, at, reason, size";

pub(super) fn workspace(row: &Row) -> Done<Workspace> {
    let keys = texts(row, 17)?.into_iter().flatten();
    Ok(Workspace {
        id: WorkspaceId::from_text(text(row, 0)?),
        organization: OrganizationId::from_text(text(row, 1)?),
        name: text(row, 2)?,
        revision: row.try_get(3)?,
        last_seq: row.try_get(4)?,
        head: optional(row, 5)?.map(VersionId::from_text),
        pending: optional(row, 6)?.map(VersionId::from_text),
        max_serial: row.try_get(7)?,
        lock: json(row, 8)?,
        unlocked: json(row, 9)?,
        description: text(row, 10)?,
        terraform_version: text(row, 11)?,
        tags: keys.zip(texts(row, 18)?).collect(),
        retention: days::read(row.try_get(12)?),
        created_at: time(row, 13)?,
        updated_at: time(row, 14)?,
        project: ProjectId::from_text(text(row, 15)?),
        shared: row.try_get(16)?,
    })
}

pub(super) fn version(row: &Row) -> Done<Version> {
    let (status, backing) = (text(row, 6)?, text(row, 7)?);
    let finalized = match sha256(row, 10)? {
        None => None,
        Some(sha256) => Some(Finalized {
            size: size(row, 9)?,
            sha256,
            format_version: row.try_get(11)?,
            terraform_version: text(row, 12)?,
            at: time(row, 13)?,
        }),
    };
    let creator: Option<Holder> = json(row, 15)?;
    Ok(Version {
        id: VersionId::from_text(text(row, 0)?),
        workspace: WorkspaceId::from_text(text(row, 1)?),
        seq: row.try_get(2)?,
        serial: row.try_get(3)?,
        lineage: text(row, 4)?,
        md5: text(row, 5)?,
        status: Status::named(&status).ok_or_else(|| wrong(6, format!("unknown status {status:?}")))?,
        backing: Backing::named(&backing).ok_or_else(|| wrong(7, format!("unknown backing {backing:?}")))?,
        has_json_state: row.try_get(8)?,
        finalized,
        forced: row.try_get(14)?,
        creator: creator.ok_or_else(|| wrong(15, "no creator"))?,
        created_at: time(row, 16)?,
        run: optional(row, 17)?,
        rollback_of: optional(row, 18)?.map(VersionId::from_text),
        upgraded_from: optional(row, 19)?.map(VersionId::from_text),
        downgraded_to: optional(row, 20)?,
        job: optional(row, 21)?.map(JobId::from_text),
    })
}

/// The contents of the columns `modules`, `providers`, `resources` and `unreadable`, if the version has its bytes.
pub(super) fn summary(row: &Row) -> Done<Option<Summary>> {
    let Some(modules) = optional(row, 0)? else { return Ok(None) };
    Ok(Some(Summary { modules, providers: text(row, 1)?, resources: text(row, 2)?, unreadable: optional(row, 3)? }))
}

/// An output as it is stored, with its data key and its workspace.
pub(super) fn output(row: &Row) -> Done<(Output, Option<String>, String)> {
    let output = Output {
        id: OutputId::from_text(text(row, 0)?),
        version: VersionId::from_text(text(row, 1)?),
        name: text(row, 2)?,
        sensitive: row.try_get(3)?,
        kind: text(row, 4)?,
        detailed_type: text(row, 5)?,
        value: text(row, 6)?,
    };
    Ok((output, optional(row, 7)?, text(row, 8)?))
}

/// A late upload, without its bytes.
pub(super) fn quarantined(row: &Row) -> Done<Quarantined> {
    Ok(Quarantined {
        id: QuarantineId::from_text(text(row, 0)?),
        workspace: WorkspaceId::from_text(text(row, 1)?),
        version: VersionId::from_text(text(row, 2)?),
        at: time(row, 3)?,
        reason: text(row, 4)?,
        size: size(row, 5)?,
        bytes: Bytes::new(),
    })
}
