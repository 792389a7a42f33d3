//! Rows as records.

use bytes::Bytes;
use rusqlite::Row;
use rusqlite::types::Type;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::connections::Fault;
use crate::model::{
    Backing, Finalized, JobId, Output, OutputId, QuarantineId, Quarantined, Status, Summary, Timestamp, Version, VersionId,
    Workspace, WorkspaceId,
};
use crate::model::{Holder, OrganizationId, ProjectId};
use crate::store::{StoreError, days};

/// The columns of [`workspace`].
pub(super) const WORKSPACE: &str = "id, organization, name, revision, last_seq, head, pending, max_serial, lock, unlocked, \
     description, terraform_version, retention_days, created_at, updated_at, project, \
     sharing IS NOT NULL";

/// The columns of [`version`].
pub(super) const VERSION: &str = "id, workspace, seq, serial, lineage, md5, status, backing, json_state IS NOT NULL, size, sha256, \
     format_version, terraform_version, finalized_at, forced, creator, created_at, run, \
     rollback_of, upgraded_from, downgraded_to, job";

/// The columns of [`output`].
pub(super) const OUTPUT: &str = "id, version, name, sensitive, kind, detailed_type, value, data_key, \
     (SELECT workspace FROM state_version WHERE state_version.id = version)";

/// The columns of [`quarantined`].
pub(super) const QUARANTINED: &str = "id, workspace, version, at, reason, size";

pub(super) fn time(row: &Row<'_>, column: usize) -> rusqlite::Result<Timestamp> {
    row.get(column).map(Timestamp::from_millis)
}

/// What is wrong with a column.
pub(super) fn wrong(column: usize, what: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, Type::Text, what.into())
}

/// A record that is kept as a JSON text.
pub(super) fn json<T: DeserializeOwned>(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<T>> {
    let text: Option<String> = row.get(column)?;
    text.map(|text| serde_json::from_str(&text).map_err(|error| wrong(column, error))).transpose()
}

/// A record as a JSON text.
pub(super) fn to_json<T: Serialize>(value: &T) -> Result<String, Fault> {
    serde_json::to_string(value).map_err(|error| StoreError::new("a record cannot be written").because(error).into())
}

/// A workspace; its tags are read on their own.
pub(super) fn workspace(row: &Row<'_>) -> rusqlite::Result<Workspace> {
    Ok(Workspace {
        id: WorkspaceId::from_text(row.get::<_, String>(0)?),
        organization: OrganizationId::from_text(row.get::<_, String>(1)?),
        name: row.get(2)?,
        revision: row.get(3)?,
        last_seq: row.get(4)?,
        head: row.get::<_, Option<String>>(5)?.map(VersionId::from_text),
        pending: row.get::<_, Option<String>>(6)?.map(VersionId::from_text),
        max_serial: row.get(7)?,
        lock: json(row, 8)?,
        unlocked: json(row, 9)?,
        description: row.get(10)?,
        terraform_version: row.get(11)?,
        tags: Vec::new(),
        retention: days::read(row.get(12)?),
        created_at: time(row, 13)?,
        updated_at: time(row, 14)?,
        project: ProjectId::from_text(row.get::<_, String>(15)?),
        shared: row.get(16)?,
    })
}

pub(super) fn version(row: &Row<'_>) -> rusqlite::Result<Version> {
    let status: String = row.get(6)?;
    let backing: String = row.get(7)?;
    let sha256: Option<[u8; 32]> = row.get(10)?;
    let finalized = match sha256 {
        None => None,
        Some(sha256) => Some(Finalized {
            size: row.get(9)?,
            sha256,
            format_version: row.get(11)?,
            terraform_version: row.get(12)?,
            at: time(row, 13)?,
        }),
    };
    let creator: Option<Holder> = json(row, 15)?;
    Ok(Version {
        id: VersionId::from_text(row.get::<_, String>(0)?),
        workspace: WorkspaceId::from_text(row.get::<_, String>(1)?),
        seq: row.get(2)?,
        serial: row.get(3)?,
        lineage: row.get(4)?,
        md5: row.get(5)?,
        status: Status::named(&status).ok_or_else(|| wrong(6, format!("unknown status {status:?}")))?,
        backing: Backing::named(&backing).ok_or_else(|| wrong(7, format!("unknown backing {backing:?}")))?,
        has_json_state: row.get(8)?,
        finalized,
        forced: row.get(14)?,
        creator: creator.ok_or_else(|| wrong(15, "no creator"))?,
        created_at: time(row, 16)?,
        run: row.get(17)?,
        rollback_of: row.get::<_, Option<String>>(18)?.map(VersionId::from_text),
        upgraded_from: row.get::<_, Option<String>>(19)?.map(VersionId::from_text),
        downgraded_to: row.get(20)?,
        job: row.get::<_, Option<String>>(21)?.map(JobId::from_text),
    })
}

/// The contents of the columns `modules`, `providers`, `resources` and `unreadable`, if the version has its bytes.
pub(super) fn summary(row: &Row<'_>) -> rusqlite::Result<Option<Summary>> {
    let Some(modules) = row.get::<_, Option<String>>(0)? else { return Ok(None) };
    Ok(Some(Summary { modules, providers: row.get(1)?, resources: row.get(2)?, unreadable: row.get(3)? }))
}

/// An output as it is stored, with its data key and its workspace.
pub(super) fn output(row: &Row<'_>) -> rusqlite::Result<(Output, Option<String>, String)> {
    let output = Output {
        id: OutputId::from_text(row.get::<_, String>(0)?),
        version: VersionId::from_text(row.get::<_, String>(1)?),
        name: row.get(2)?,
        sensitive: row.get(3)?,
        kind: row.get(4)?,
        detailed_type: row.get(5)?,
        value: row.get(6)?,
    };
    Ok((output, row.get(7)?, row.get(8)?))
}

/// A late upload, without its bytes.
pub(super) fn quarantined(row: &Row<'_>) -> rusqlite::Result<Quarantined> {
    Ok(Quarantined {
        id: QuarantineId::from_text(row.get::<_, String>(0)?),
        workspace: WorkspaceId::from_text(row.get::<_, String>(1)?),
        version: VersionId::from_text(row.get::<_, String>(2)?),
        at: time(row, 3)?,
        reason: row.get(4)?,
        size: row.get(5)?,
        bytes: Bytes::new(),
    })
}
