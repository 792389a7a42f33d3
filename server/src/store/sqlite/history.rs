//! What time does: pending versions, retention, quarantine, the audit log.

use std::borrow::Cow;

use rusqlite::types::Value;
use rusqlite::{OptionalExtension as _, Row, Transaction, params_from_iter};

use super::connections::Fault;
use super::{rows, versions, write};
use crate::model::{
    Activity, AuditEntry, AuditFilter, OrganizationId, QuarantineId, Quarantined, Timestamp, VersionId, WorkspaceId,
};
use crate::rules::{Expired, Expiry};
use crate::store::encryption::{self, Keyring};
use crate::store::{Garbage, Listed, Page, retention};

type Done<T> = Result<T, Fault>;

pub(super) fn pending_before(t: &Transaction<'_>, than: Timestamp) -> Done<Vec<(WorkspaceId, VersionId)>> {
    let mut statement =
        t.prepare_cached("SELECT workspace, id FROM state_version WHERE status = 'pending' AND created_at < ?1")?;
    let found = statement.query_map([than.as_millis()], |row| {
        let (workspace, version): (String, String) = (row.get(0)?, row.get(1)?);
        Ok((WorkspaceId::from_text(workspace), VersionId::from_text(version)))
    })?;
    Ok(found.collect::<Result<_, _>>()?)
}

pub(super) fn expired(t: &Transaction<'_>, expiry: Expiry, after: Option<&Expired>, limit: u32) -> Done<Vec<Expired>> {
    let fewest_days = t.prepare_cached(retention::FEWEST_DAYS)?.query_row((), |row| row.get(0))?;
    let Some(latest) = retention::latest(expiry, fewest_days) else { return Ok(Vec::new()) };
    let last_kept: Option<(i64, String)> = match expiry.keep_last.checked_sub(1) {
        None => Some((i64::MAX, String::new())),
        Some(newer) => t
            .prepare_cached(&retention::last_kept('?'))?
            .query_row([i64::try_from(newer).unwrap_or(i64::MAX)], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?,
    };
    let Some((kept_at, kept_id)) = last_kept else { return Ok(Vec::new()) };
    let (now, before) = (expiry.now.as_millis(), expiry.before.map(Timestamp::as_millis));
    let (after_at, after_id) = after.map_or((i64::MIN, ""), |after| (after.created_at.as_millis(), after.id.as_str()));
    let mut statement = t.prepare_cached(&retention::expired('?'))?;
    let found = statement.query_map((now, before, latest, kept_at, kept_id, after_at, after_id, limit), |row| {
        let (id, workspace): (String, String) = (row.get(1)?, row.get(2)?);
        let (id, workspace) = (VersionId::from_text(id), WorkspaceId::from_text(workspace));
        Ok(Expired { created_at: rows::time(row, 0)?, id, workspace })
    })?;
    Ok(found.collect::<Result<_, _>>()?)
}

pub(super) fn purge_workspaces(t: &Transaction<'_>, than: Timestamp, audit: &AuditEntry) -> Done<u64> {
    let mut statement = t.prepare_cached("SELECT id FROM workspace WHERE deleted_at < ?1")?;
    let gone: Vec<String> = statement.query_map([than.as_millis()], |row| row.get(0))?.collect::<Result<_, _>>()?;
    for id in &gone {
        t.execute("UPDATE workspace SET head = NULL, pending = NULL WHERE id = ?1", [id])?;
        t.execute("DELETE FROM state_version WHERE workspace = ?1", [id])?;
        t.execute("DELETE FROM workspace WHERE id = ?1", [id])?;
        let entry = AuditEntry { workspace: Some(WorkspaceId::from_text(id.clone())), subject: id.clone(), ..audit.clone() };
        record(t, &entry)?;
    }
    if !gone.is_empty() {
        write::sweep(t)?;
    }
    Ok(u64::try_from(gone.len()).unwrap_or(u64::MAX))
}

/// Sweeps, or counts what a sweep would remove. Every change sweeps for itself, so there is nothing unless somebody edited the file.
pub(super) fn garbage(t: &Transaction<'_>, dry_run: bool) -> Done<Garbage> {
    let sql = format!("SELECT count(*), coalesce(sum(size), 0) FROM blob WHERE {}", write::UNREFERRED);
    let (rows, bytes) = t.query_row(&sql, (), |row| Ok((row.get(0)?, row.get(1)?)))?;
    if !dry_run {
        write::sweep(t)?;
    }
    Ok(Garbage { rows, objects: 0, bytes })
}

pub(super) fn quarantined(t: &Transaction<'_>, workspace: &WorkspaceId) -> Done<Vec<Quarantined>> {
    let sql = format!("SELECT {} FROM quarantine WHERE workspace = ?1 ORDER BY at DESC, id", rows::QUARANTINED);
    let mut statement = t.prepare_cached(&sql)?;
    let found = statement.query_map([workspace.as_str()], rows::quarantined)?;
    Ok(found.collect::<Result<_, _>>()?)
}

pub(super) fn quarantined_bytes(t: &Transaction<'_>, keyring: &Keyring, id: &QuarantineId) -> Done<Option<Quarantined>> {
    let sql = format!("SELECT {}, state, seal FROM quarantine WHERE id = ?1", rows::QUARANTINED);
    let mut statement = t.prepare_cached(&sql)?;
    let found = statement.query_row([id.as_str()], |row| {
        Ok((rows::quarantined(row)?, row.get::<_, [u8; 32]>(6)?, row.get::<_, Option<String>>(7)?))
    });
    let Some((quarantined, sha256, seal)) = found.optional()? else { return Ok(None) };
    keyring.check(seal.as_deref(), &encryption::late(&quarantined, &sha256))?;
    let bytes = versions::blob(t, keyring, &sha256)?;
    Ok(Some(Quarantined { bytes, ..quarantined }))
}

pub(super) fn record(t: &Transaction<'_>, entry: &AuditEntry) -> Done<()> {
    t.prepare_cached(
        "INSERT INTO audit (at, who, action, organization, workspace, subject, detail) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?
    .execute((
        entry.at.as_millis(),
        &entry.who,
        &*entry.action,
        entry.organization.as_ref().map(OrganizationId::as_str),
        entry.workspace.as_ref().map(WorkspaceId::as_str),
        &entry.subject,
        &entry.detail,
    ))?;
    Ok(())
}

pub(super) fn audit(t: &Transaction<'_>, filter: &AuditFilter, page: Page) -> Done<Listed<AuditEntry>> {
    // Only what is asked for is in the statement: else no index fits it.
    let (mut which, mut values) = ("FROM audit WHERE true".to_owned(), Vec::new());
    let mut add = |condition: &str, texts: &[&str]| {
        which.push_str(condition);
        values.extend(texts.iter().map(|text| Value::from((*text).to_owned())));
    };
    if let Some(organization) = &filter.organization {
        add(" AND organization = ?", &[organization.as_str()]);
    }
    if let Some(workspace) = &filter.workspace {
        add(" AND workspace = ?", &[workspace.as_str()]);
    }
    if let Some(action) = &filter.action {
        add(" AND (action = ? OR instr(action, ? || '.') = 1)", &[action, action]);
    }
    if let Some(actor) = &filter.actor {
        add(" AND instr(lower(who), lower(?)) > 0", &[actor]);
    }
    if filter.without_jobs {
        add(" AND instr(who, ?) = 0", &[AuditEntry::BY_A_JOB]);
    }
    let total = t.prepare_cached(&format!("SELECT count(*) {which}"))?.query_row(params_from_iter(&values), |row| row.get(0))?;
    values.push(i64::from(page.size).into());
    values.push(i64::try_from(page.offset()).unwrap_or(i64::MAX).into());
    let sql =
        format!("SELECT at, who, action, organization, workspace, subject, detail {which} ORDER BY seq DESC LIMIT ? OFFSET ?");
    let mut statement = t.prepare_cached(&sql)?;
    let items = statement.query_map(params_from_iter(&values), entry)?;
    Ok(Listed { items: items.collect::<Result<_, _>>()?, total })
}

fn entry(row: &Row<'_>) -> rusqlite::Result<AuditEntry> {
    Ok(AuditEntry {
        at: rows::time(row, 0)?,
        who: row.get(1)?,
        action: Cow::Owned(row.get(2)?),
        organization: row.get::<_, Option<String>>(3)?.map(OrganizationId::from_text),
        workspace: row.get::<_, Option<String>>(4)?.map(WorkspaceId::from_text),
        subject: row.get(5)?,
        detail: row.get(6)?,
    })
}

pub(super) fn audit_after(
    t: &Transaction<'_>,
    organization: Option<&OrganizationId>,
    after: i64,
    limit: u32,
) -> Done<Vec<(i64, AuditEntry)>> {
    let which = if organization.is_some() { "organization = ?3 AND" } else { "?3 IS NULL AND" };
    let sql = format!(
        "SELECT at, who, action, organization, workspace, subject, detail, seq FROM audit WHERE {which} seq > ?1 ORDER BY seq LIMIT ?2"
    );
    let mut statement = t.prepare_cached(&sql)?;
    let organization = organization.map(OrganizationId::as_str);
    let found = statement.query_map((after, limit, organization), |row| Ok((row.get(7)?, entry(row)?)))?;
    Ok(found.collect::<Result<_, _>>()?)
}

pub(super) fn activity(
    t: &Transaction<'_>,
    organization: &OrganizationId,
    since: Timestamp,
    step: i64,
    most: u32,
) -> Done<Activity> {
    let (organization, since) = (organization.as_str(), since.as_millis());
    let newest = "(SELECT action, at FROM audit WHERE organization = ?1 ORDER BY seq DESC LIMIT ?2)";
    let (lines, first): (u32, Option<i64>) = t
        .prepare_cached(&format!("SELECT count(*), min(at) FROM {newest}"))?
        .query_row((organization, most), |row| Ok((row.get(0)?, row.get(1)?)))?;
    let complete_since = first.filter(|first| lines == most && *first > since).map(Timestamp::from_millis);
    let sql = format!(
        "SELECT action, (at - ?3) / ?4 AS slot, count(*) FROM {newest} WHERE at >= ?3 GROUP BY action, slot ORDER BY action, slot"
    );
    let mut statement = t.prepare_cached(&sql)?;
    let found = statement.query_map((organization, most, since, step), |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    Ok(Activity { complete_since, counts: found.collect::<Result<_, _>>()? })
}

pub(super) fn trim_audit(t: &Transaction<'_>, than: Timestamp, up_to: Option<i64>, audit: &AuditEntry) -> Done<u64> {
    let (before, up_to) = (than.as_millis(), up_to.unwrap_or(i64::MAX));
    let old: u64 = t.query_row("SELECT count(*) FROM audit WHERE at < ?1 AND seq <= ?2", [before, up_to], |row| row.get(0))?;
    if old > 0 {
        // Before the others go, because a table without rows would number from 1 again.
        record(t, &AuditEntry { detail: format!("{old} lines from before {than}"), ..audit.clone() })?;
        let sql = "DELETE FROM audit WHERE at < ?1 AND seq <= ?2 AND seq <> ?3";
        t.execute(sql, [before, up_to, t.last_insert_rowid()])?;
    }
    Ok(old)
}
