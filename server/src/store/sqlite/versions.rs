//! Versions, their bytes and their outputs.

use bytes::Bytes;
use rusqlite::{OptionalExtension as _, Transaction, params_from_iter};

use super::connections::Fault;
use super::rows;
use crate::model::{Backing, ContentKind, OrganizationId, Output, OutputId, Status, Version, VersionId, WorkspaceId};
use crate::store::encryption::{Keyring, Subject, opened_value};
use crate::store::pack::{self, Kept};
use crate::store::page::Stretch;
use crate::store::{Beside, Listed, NAMED_OUTPUTS, Page, StoreError};

type Done<T> = Result<T, Fault>;

/// A version that a workspace's row names. That it is missing would be damage, never "no state".
pub(super) fn existing(t: &Transaction<'_>, id: &VersionId) -> Done<Version> {
    let sql = format!("SELECT {} FROM state_version WHERE id = ?1", rows::VERSION);
    let found = t.prepare_cached(&sql)?.query_row([id.as_str()], rows::version).optional()?;
    found.ok_or_else(|| StoreError::new(format!("the row of state version {id} is missing")).into())
}

/// A version of a workspace that is not deleted.
pub(super) fn visible(t: &Transaction<'_>, id: &VersionId) -> Done<Option<Version>> {
    let sql = format!(
        "SELECT {} FROM state_version WHERE id = ?1
            AND EXISTS (SELECT 1 FROM workspace WHERE workspace.id = state_version.workspace AND workspace.deleted_at IS NULL)",
        rows::VERSION
    );
    Ok(t.prepare_cached(&sql)?.query_row([id.as_str()], rows::version).optional()?)
}

/// The newest version of a run in one of these organizations, of a workspace that is not deleted.
pub(super) fn of_run(t: &Transaction<'_>, run: &str, organizations: &[OrganizationId]) -> Done<Option<Version>> {
    let places = vec!["?"; organizations.len()].join(", ");
    let sql = format!(
        "SELECT {} FROM state_version WHERE run = ? AND EXISTS (SELECT 1 FROM workspace WHERE workspace.id = state_version.workspace
                AND workspace.deleted_at IS NULL AND workspace.organization IN ({places}))
            ORDER BY created_at DESC, seq DESC LIMIT 1",
        rows::VERSION
    );
    let values = std::iter::once(run).chain(organizations.iter().map(OrganizationId::as_str));
    Ok(t.prepare_cached(&sql)?.query_row(params_from_iter(values), rows::version).optional()?)
}

pub(super) fn list(t: &Transaction<'_>, workspace: &WorkspaceId, statuses: &[Status], page: Page) -> Done<Listed<Version>> {
    let mut which = "FROM state_version WHERE workspace = ?".to_owned();
    if !statuses.is_empty() {
        let names: Vec<String> = statuses.iter().map(|status| format!("'{}'", status.name())).collect();
        which = format!("{which} AND status IN ({})", names.join(", "));
    }
    let workspace = workspace.as_str();
    let (total, lowest, highest) = t
        .prepare_cached(&format!("SELECT count(*), coalesce(min(seq), 0), coalesce(max(seq), 0) {which}"))?
        .query_row([workspace], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    let some = |rest: &str, first: i64, second: i64| -> Done<Vec<Version>> {
        let mut statement = t.prepare_cached(&format!("SELECT {} {which} {rest}", rows::VERSION))?;
        Ok(statement.query_map((workspace, first, second), rows::version)?.collect::<Result<_, _>>()?)
    };
    let items = match Stretch::of(page, total, lowest, highest) {
        None => Vec::new(),
        Some(Stretch::Numbers { from, to }) => some("AND seq BETWEEN ? AND ? ORDER BY seq DESC", from, to)?,
        Some(Stretch::Rows { from_lowest: false, skip, take }) => some("ORDER BY seq DESC LIMIT ? OFFSET ?", take, skip)?,
        Some(Stretch::Rows { from_lowest: true, skip, take }) => {
            let mut items = some("ORDER BY seq LIMIT ? OFFSET ?", take, skip)?;
            items.reverse();
            items
        }
    };
    Ok(Listed { items, total })
}

pub(super) fn beside(t: &Transaction<'_>, version: &Version) -> Done<Beside> {
    let neighbour = |sql: &str| -> Done<Option<VersionId>> {
        let found: Option<String> =
            t.prepare_cached(sql)?.query_row((version.workspace.as_str(), version.seq), |row| row.get(0)).optional()?;
        Ok(found.map(VersionId::from_text))
    };
    // Those that were sent with a version that waits for its bytes are nobody's yet.
    let mut statement = t.prepare_cached(
        "SELECT output.id FROM output JOIN state_version v ON v.id = version WHERE version = ?1 AND v.status = 'finalized' ORDER BY name
            LIMIT ?2",
    )?;
    let outputs =
        statement.query_map((version.id.as_str(), NAMED_OUTPUTS + 1), |row| row.get::<_, String>(0).map(OutputId::from_text))?;
    Ok(Beside {
        previous: neighbour(
            "SELECT id FROM state_version WHERE workspace = ?1 AND seq < ?2 AND status = 'finalized' ORDER BY seq DESC LIMIT 1",
        )?,
        next: neighbour(
            "SELECT id FROM state_version WHERE workspace = ?1 AND seq > ?2 AND status = 'finalized' ORDER BY seq LIMIT 1",
        )?,
        outputs: outputs.collect::<Result<_, _>>()?,
        summary: t
            .prepare_cached("SELECT modules, providers, resources, unreadable FROM state_version WHERE id = ?1")?
            .query_row([version.id.as_str()], rows::summary)
            .optional()?
            .flatten(),
    })
}

pub(super) fn bytes(t: &Transaction<'_>, keyring: &Keyring, version: &VersionId, kind: ContentKind) -> Done<Option<Bytes>> {
    let column = pack::column(kind);
    let sql = format!("SELECT {column}, status, backing, workspace, {column}_seal FROM state_version WHERE id = ?1");
    let found = t.prepare_cached(&sql)?.query_row([version.as_str()], |row| {
        Ok((
            row.get::<_, Option<[u8; 32]>>(0)?,
            row.get::<_, String>(1)?,
            row.get::<_, String>(2)?,
            row.get::<_, String>(3)?,
            row.get::<_, Option<String>>(4)?,
        ))
    });
    let Some((sha256, status, backing, workspace, seal)) = found.optional()? else { return Ok(None) };
    match sha256 {
        Some(sha256) => {
            let subject =
                Subject::Reference { workspace: &workspace, owner: version.as_str(), kind: kind.name(), sha256: &sha256 };
            keyring.check(seal.as_deref(), &subject)?;
            blob(t, keyring, &sha256).map(Some)
        }
        None if kind == ContentKind::State
            && status == Status::Finalized.name()
            && backing != Backing::PermanentlyDeleted.name() =>
        {
            Err(StoreError::new(format!("the state of version {version} is missing")).into())
        }
        None => Ok(None),
    }
}

/// Bytes by what they are, as they came.
pub(super) fn blob(t: &Transaction<'_>, keyring: &Keyring, sha256: &[u8; 32]) -> Done<Bytes> {
    let mut statement = t.prepare_cached("SELECT size, bytes, data_key FROM blob WHERE sha256 = ?1")?;
    let kept = statement
        .query_row([sha256], |row| Ok(Kept { sha256: *sha256, size: row.get(0)?, bytes: row.get(1)?, key: row.get(2)? }))
        .optional()?
        .ok_or_else(|| StoreError::new("bytes that a row refers to are missing"))?;
    Ok(pack::read(kept, keyring)?)
}

pub(super) fn outputs(t: &Transaction<'_>, keyring: &Keyring, version: &VersionId, page: Page) -> Done<Listed<Output>> {
    let total =
        t.prepare_cached("SELECT count(*) FROM output WHERE version = ?1")?.query_row([version.as_str()], |row| row.get(0))?;
    let mut statement =
        t.prepare_cached(&format!("SELECT {} FROM output WHERE version = ? ORDER BY name LIMIT ? OFFSET ?", rows::OUTPUT))?;
    let offset = i64::try_from(page.offset()).unwrap_or(i64::MAX);
    let mut items = Vec::new();
    for row in statement.query_map((version.as_str(), page.size, offset), rows::output)? {
        let (output, key, workspace) = row?;
        items.push(opened_value(output, &workspace, key.as_deref(), keyring)?);
    }
    Ok(Listed { items, total })
}

pub(super) fn output(t: &Transaction<'_>, keyring: &Keyring, id: &OutputId) -> Done<Option<Output>> {
    let sql = format!("SELECT {} FROM output WHERE id = ?1", rows::OUTPUT);
    let found = t.prepare_cached(&sql)?.query_row([id.as_str()], rows::output).optional()?;
    let Some((output, key, workspace)) = found else { return Ok(None) };
    Ok(Some(opened_value(output, &workspace, key.as_deref(), keyring)?))
}
