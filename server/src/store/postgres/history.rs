//! What time does: pending versions, retention, quarantine, the audit log.

use std::borrow::Cow;
use std::fmt::Write as _;

use deadpool_postgres::{GenericClient, Transaction};
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use super::sql::{Done, Text, Values, all, count, int, maybe, optional, run, sha256, size, text, time, wrong};
use super::versions::Blob;
use super::{blobs, rows, versions};
use crate::model::{
    Activity, AuditEntry, AuditFilter, OrganizationId, QuarantineId, Quarantined, Timestamp, VersionId, WorkspaceId,
};
use crate::rules::{Expired, Expiry};
use crate::store::encryption::{self, Keyring};
use crate::store::{Listed, Page, retention};

pub(super) async fn pending_before(client: &impl GenericClient, than: Timestamp) -> Done<Vec<(WorkspaceId, VersionId)>> {
    let sql = "SELECT workspace, id FROM state_version WHERE status = 'pending' AND created_at < $1";
    let rows = all(client, sql, &[&than.as_millis()]).await?;
    let found = rows.iter().map(|row| Ok((WorkspaceId::from_text(text(row, 0)?), VersionId::from_text(text(row, 1)?))));
    found.collect()
}

pub(super) async fn expired(t: &Transaction<'_>, expiry: Expiry, after: Option<&Expired>, limit: u32) -> Done<Vec<Expired>> {
    let fewest_days = maybe(t, retention::FEWEST_DAYS, &[]).await?.map(|row| row.try_get(0)).transpose()?.flatten();
    let Some(latest) = retention::latest(expiry, fewest_days) else { return Ok(Vec::new()) };
    let (kept_at, kept_id) = match expiry.keep_last.checked_sub(1) {
        None => (i64::MAX, String::new()),
        Some(newer) => match maybe(t, &retention::last_kept('$'), &[&int(newer)]).await? {
            Some(row) => (row.try_get(0)?, text(&row, 1)?),
            None => return Ok(Vec::new()),
        },
    };
    let (now, before) = (expiry.now.as_millis(), expiry.before.map(Timestamp::as_millis));
    let (after_at, after_id) = after.map_or((i64::MIN, ""), |after| (after.created_at.as_millis(), after.id.as_str()));
    let values: Values<'_> = &[&now, &before, &latest, &kept_at, &Text(&kept_id), &after_at, &Text(after_id), &i64::from(limit)];
    let rows = all(t, &retention::expired('$'), values).await?;
    let found = rows.iter().map(|row| {
        let (id, workspace) = (VersionId::from_text(text(row, 1)?), WorkspaceId::from_text(text(row, 2)?));
        Ok(Expired { created_at: time(row, 0)?, id, workspace })
    });
    found.collect()
}

/// Destroys workspaces that were deleted long ago: how many, and the objects to which nothing refers any more. What another process
/// destroys at this moment is left to it.
pub(super) async fn purge_workspaces(t: &Transaction<'_>, than: Timestamp, audit: &AuditEntry) -> Done<(u64, Vec<String>)> {
    let sql = "SELECT id FROM workspace WHERE deleted_at < $1 FOR UPDATE SKIP LOCKED";
    let gone = all(t, sql, &[&than.as_millis()]).await?;
    let mut unused = Vec::new();
    for row in &gone {
        let id = text(row, 0)?;
        let key = Text(&id);
        for sql in [
            "SELECT state FROM state_version WHERE workspace = $1 AND state IS NOT NULL",
            "SELECT json_state FROM state_version WHERE workspace = $1 AND json_state IS NOT NULL",
            "SELECT state FROM quarantine WHERE workspace = $1",
        ] {
            for row in all(t, sql, &[&key]).await? {
                unused.extend(sha256(&row, 0)?);
            }
        }
        run(t, "UPDATE workspace SET head = NULL, pending = NULL WHERE id = $1", &[&key]).await?;
        run(t, "DELETE FROM state_version WHERE workspace = $1", &[&key]).await?;
        run(t, "DELETE FROM workspace WHERE id = $1", &[&key]).await?;
        let entry = AuditEntry { workspace: Some(WorkspaceId::from_text(id.clone())), subject: id.clone(), ..audit.clone() };
        record(t, &entry).await?;
    }
    let objects = blobs::sweep(t, &unused).await?.objects;
    Ok((u64::try_from(gone.len()).unwrap_or(u64::MAX), objects))
}

pub(super) async fn quarantined(client: &impl GenericClient, workspace: &WorkspaceId) -> Done<Vec<Quarantined>> {
    let sql = format!("SELECT {} FROM quarantine WHERE workspace = $1 ORDER BY at DESC, id", rows::QUARANTINED);
    all(client, &sql, &[&Text(workspace.as_str())]).await?.iter().map(rows::quarantined).collect()
}

pub(super) async fn quarantined_blob(
    t: &Transaction<'_>,
    keyring: &Keyring,
    id: &QuarantineId,
) -> Done<Option<(Quarantined, Blob)>> {
    let sql = format!("SELECT {}, seal FROM quarantine WHERE id = $1", rows::QUARANTINED);
    let id = Text(id.as_str());
    let Some(row) = maybe(t, &sql, &[&id]).await? else { return Ok(None) };
    let sql = "SELECT sha256, blob.size, bytes, object, data_key FROM blob JOIN quarantine ON blob.sha256 = quarantine.state
        WHERE quarantine.id = $1";
    let found = maybe(t, sql, &[&id]).await?.ok_or_else(|| wrong(0, "the bytes of a late upload are missing"))?;
    let sha256 = sha256(&found, 0)?.ok_or_else(|| wrong(0, "no SHA-256"))?;
    let quarantined = rows::quarantined(&row)?;
    keyring.check(optional(&row, 6)?.as_deref(), &encryption::late(&quarantined, &sha256))?;
    Ok(Some((quarantined, versions::blob_row(&found, sha256)?)))
}

pub(super) async fn record(client: &impl GenericClient, entry: &AuditEntry) -> Done<()> {
    let sql = "INSERT INTO audit (at, who, action, organization, workspace, subject, detail) VALUES ($1, $2, $3, $4, $5, $6, $7)";
    let values: Values<'_> = &[
        &entry.at.as_millis(),
        &Text(&entry.who),
        &Text(&entry.action),
        &entry.organization.as_ref().map(|id| Text(id.as_str())),
        &entry.workspace.as_ref().map(|id| Text(id.as_str())),
        &Text(&entry.subject),
        &Text(&entry.detail),
    ];
    run(client, sql, values).await.map(drop)
}

pub(super) async fn audit(t: &Transaction<'_>, filter: &AuditFilter, page: Page) -> Done<Listed<AuditEntry>> {
    // Only what is asked for is in the statement: else no index fits it.
    let (mut which, mut texts) = ("FROM audit WHERE true".to_owned(), Vec::new());
    let mut next = |text| {
        texts.push(Text(text));
        format!("${}", texts.len())
    };
    if let Some(organization) = &filter.organization {
        let _ = write!(which, " AND organization = {}", next(organization.as_str()));
    }
    if let Some(workspace) = &filter.workspace {
        let _ = write!(which, " AND workspace = {}", next(workspace.as_str()));
    }
    if let Some(action) = &filter.action {
        let action = next(action);
        let _ = write!(which, " AND (action = {action} OR starts_with(action, {action}::text || '.'))");
    }
    if let Some(actor) = &filter.actor {
        let _ = write!(which, r#" AND strpos(lower(who), lower({}::text COLLATE "C")) > 0"#, next(actor));
    }
    if filter.without_jobs {
        let _ = write!(which, " AND strpos(who, {}) = 0", next(AuditEntry::BY_A_JOB));
    }
    let mut values: Vec<&(dyn ToSql + Sync)> = texts.iter().map(|text| text as &(dyn ToSql + Sync)).collect();
    let total = count(t, &format!("SELECT count(*) {which}"), &values).await?;
    let (size, offset, place) = (int(page.size), int(page.offset()), values.len());
    values.extend([&size as &(dyn ToSql + Sync), &offset]);
    let sql = format!(
        "SELECT at, who, action, organization, workspace, subject, detail {which} ORDER BY seq DESC LIMIT ${} OFFSET ${}",
        place + 1,
        place + 2
    );
    let found = all(t, &sql, &values).await?;
    Ok(Listed { items: found.iter().map(entry).collect::<Done<_>>()?, total })
}

fn entry(row: &Row) -> Done<AuditEntry> {
    Ok(AuditEntry {
        at: time(row, 0)?,
        who: text(row, 1)?,
        action: Cow::Owned(text(row, 2)?),
        organization: optional(row, 3)?.map(OrganizationId::from_text),
        workspace: optional(row, 4)?.map(WorkspaceId::from_text),
        subject: text(row, 5)?,
        detail: text(row, 6)?,
    })
}

pub(super) async fn audit_after(
    t: &Transaction<'_>,
    organization: Option<&OrganizationId>,
    after: i64,
    limit: u32,
) -> Done<Vec<(i64, AuditEntry)>> {
    // Numbers are taken before their transactions end, so that a lower one may come later: this waits for all that have one.
    t.batch_execute("LOCK TABLE audit IN SHARE MODE").await?;
    let columns = "SELECT at, who, action, organization, workspace, subject, detail, seq FROM audit";
    let limit = i64::from(limit);
    let found = match organization {
        Some(organization) => {
            let sql = format!("{columns} WHERE seq > $1 AND organization = $3 ORDER BY seq LIMIT $2");
            all(t, &sql, &[&after, &limit, &Text(organization.as_str())]).await?
        }
        None => all(t, &format!("{columns} WHERE seq > $1 ORDER BY seq LIMIT $2"), &[&after, &limit]).await?,
    };
    found.iter().map(|row| Ok((row.try_get(7)?, entry(row)?))).collect()
}

pub(super) async fn activity(
    client: &impl GenericClient,
    organization: &OrganizationId,
    since: Timestamp,
    step: i64,
    most: u32,
) -> Done<Activity> {
    let (organization, since, most) = (Text(organization.as_str()), since.as_millis(), i64::from(most));
    let newest = "(SELECT action, at FROM audit WHERE organization = $1 ORDER BY seq DESC LIMIT $2) AS newest";
    let sql = format!("SELECT count(*), min(at) FROM {newest}");
    let row = maybe(client, &sql, &[&organization, &most]).await?.ok_or_else(|| wrong(0, "no count"))?;
    let (lines, first): (i64, Option<i64>) = (row.try_get(0)?, row.try_get(1)?);
    let complete_since = first.filter(|first| lines == most && *first > since).map(Timestamp::from_millis);
    let sql = format!(
        "SELECT action, (at - $3) / $4 AS slot, count(*) FROM {newest} WHERE at >= $3 GROUP BY action, slot ORDER BY action, slot"
    );
    let found = all(client, &sql, &[&organization, &most, &since, &step]).await?;
    let counts = found.iter().map(|row| Ok((text(row, 0)?, row.try_get(1)?, size(row, 2)?)));
    Ok(Activity { complete_since, counts: counts.collect::<Done<_>>()? })
}

pub(super) async fn trim_audit(t: &Transaction<'_>, than: Timestamp, up_to: Option<i64>, audit: &AuditEntry) -> Done<u64> {
    let values: Values<'_> = &[&than.as_millis(), &up_to.unwrap_or(i64::MAX)];
    let removed = run(t, "DELETE FROM audit WHERE at < $1 AND seq <= $2", values).await?;
    if removed > 0 {
        record(t, &AuditEntry { detail: format!("{removed} lines from before {than}"), ..audit.clone() }).await?;
    }
    Ok(removed)
}
