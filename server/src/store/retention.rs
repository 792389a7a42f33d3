//! The statements by which stores find what a policy lets go: both kinds of database understand them.

use crate::model::Timestamp;
use crate::rules::{DAY, Expiry};

/// The fewest days that a workspace keeps its versions, of those that say so themselves.
pub(super) const FEWEST_DAYS: &str = "SELECT min(retention_days) FROM workspace WHERE retention_days >= 0 AND deleted_at IS NULL";

/// Up to when anything can have been made that goes, given [`FEWEST_DAYS`]; `None`: nothing goes. Mostly that is long ago, and what is
/// younger is not looked at.
pub(super) fn latest(expiry: Expiry, fewest_days: Option<i64>) -> Option<i64> {
    let own = fewest_days.map(|days| expiry.now.as_millis().saturating_sub(days.saturating_mul(DAY)));
    own.max(expiry.before.map(Timestamp::as_millis))
}

/// The last of the newest versions that are kept in any case: when it was made, and its id. The parameter is how many are newer.
pub(super) fn last_kept(parameter: char) -> String {
    format!(
        "SELECT v.created_at, v.id FROM state_version v JOIN workspace w ON w.id = v.workspace
            WHERE v.status = 'finalized' AND w.deleted_at IS NULL ORDER BY v.created_at DESC, v.id DESC LIMIT 1 OFFSET {parameter}1"
    )
}

/// What goes: when it was made, its id, its workspace. The parameters: now, before when versions are old, [`latest`], time and id of
/// [`last_kept`], time and id after which to begin, and how many.
pub(super) fn expired(parameter: char) -> String {
    let goes = |version: char| {
        format!(
            "{version}.id IS DISTINCT FROM w.head AND ({version}.created_at, {version}.id) < ({parameter}4, {parameter}5)
                AND {version}.created_at < CASE WHEN w.retention_days IS NULL THEN {parameter}2
                    WHEN w.retention_days >= 0 THEN {parameter}1 - w.retention_days * {DAY} END"
        )
    };
    format!(
        "SELECT v.created_at, v.id, v.workspace FROM state_version v JOIN workspace w ON w.id = v.workspace
            WHERE v.created_at < {parameter}3 AND (v.created_at, v.id) > ({parameter}6, {parameter}7)
                AND v.status = 'finalized' AND w.deleted_at IS NULL AND {}
                AND NOT EXISTS (SELECT 1 FROM state_version r WHERE r.rollback_of = v.id AND r.status = 'finalized'
                    AND ({}) IS NOT TRUE)
            ORDER BY v.created_at, v.id LIMIT {parameter}8",
        goes('v'),
        goes('r'),
    )
}
