//! The statements by which stores find what a policy lets go.

use super::session::{Done, Session, params};
use crate::model::{Timestamp, VersionId, WorkspaceId};
use crate::rules::{DAY, Expired, Expiry};

/// Up to when anything can have been made that goes; `None`: nothing goes. Mostly that is long ago,
/// and what is younger is not looked at.
async fn latest(s: &mut dyn Session, expiry: Expiry) -> Done<Option<i64>> {
    // The fewest days that a workspace keeps its versions, of those that say so themselves.
    let sql = "SELECT min(retention_days) FROM workspace WHERE retention_days >= 0 AND deleted_at IS NULL";
    let fewest = s
        .maybe(sql, &[])
        .await?
        .map(|row| row.optional_int(0))
        .transpose()?
        .flatten();
    let own = fewest.map(|days| {
        expiry
            .now
            .as_millis()
            .saturating_sub(days.saturating_mul(DAY))
    });
    Ok(own.max(expiry.before.map(Timestamp::as_millis)))
}

/// The last of the newest versions that are kept in any case: when it was made, and its id; `None`:
/// all are kept.
async fn last_kept(s: &mut dyn Session, expiry: Expiry) -> Done<Option<(i64, String)>> {
    let Some(newer) = expiry.keep_last.checked_sub(1) else {
        return Ok(Some((i64::MAX, String::new())));
    };
    let sql = "SELECT v.created_at, v.id FROM state_version v JOIN workspace w ON w.id = v.workspace
        WHERE v.status = 'finalized' AND w.deleted_at IS NULL ORDER BY v.created_at DESC, v.id DESC LIMIT 1 OFFSET $1";
    s.maybe(sql, &params![newer])
        .await?
        .map(|row| Ok((row.int(0)?, row.text(1)?)))
        .transpose()
}

/// The versions that go, the oldest first.
pub(super) async fn expired(
    s: &mut dyn Session,
    expiry: Expiry,
    after: Option<&Expired>,
    limit: u32,
) -> Done<Vec<Expired>> {
    let Some(latest) = latest(s, expiry).await? else {
        return Ok(Vec::new());
    };
    let Some((kept_at, kept_id)) = last_kept(s, expiry).await? else {
        return Ok(Vec::new());
    };
    let goes = |version: char| {
        format!(
            "{version}.id IS DISTINCT FROM w.head AND ({version}.created_at, {version}.id) < ($4, $5)
                AND {version}.created_at < CASE WHEN w.retention_days IS NULL THEN $2
                    WHEN w.retention_days >= 0 THEN $1 - w.retention_days * {DAY} END"
        )
    };
    let sql = format!(
        "SELECT v.created_at, v.id, v.workspace FROM state_version v JOIN workspace w ON w.id = v.workspace
            WHERE v.created_at < $3 AND (v.created_at, v.id) > ($6, $7)
                AND v.status = 'finalized' AND w.deleted_at IS NULL AND {}
                AND NOT EXISTS (SELECT 1 FROM state_version r WHERE r.rollback_of = v.id AND r.status = 'finalized'
                    AND ({}) IS NOT TRUE)
                AND NOT EXISTS (SELECT 1 FROM state_version u WHERE u.upgraded_from = v.id AND u.status = 'finalized'
                    AND ({}) IS NOT TRUE)
            ORDER BY v.created_at, v.id LIMIT $8",
        goes('v'),
        goes('r'),
        goes('u'),
    );
    let (after_at, after_id) = after.map_or((i64::MIN, ""), |after| {
        (after.created_at.as_millis(), after.id.as_str())
    });
    let params = params![
        expiry.now,
        expiry.before,
        latest,
        kept_at,
        kept_id,
        after_at,
        after_id,
        limit
    ];
    let found = s.all(&sql, &params).await?;
    let expired = found.iter().map(|row| {
        let (id, workspace) = (
            VersionId::from_text(row.text(1)?),
            WorkspaceId::from_text(row.text(2)?),
        );
        Ok(Expired {
            created_at: row.time(0)?,
            id,
            workspace,
        })
    });
    expired.collect()
}
