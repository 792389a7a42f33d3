//! Which old versions may go.

use std::collections::HashSet;
use std::time::Duration;

use crate::model::{Retention, Timestamp, VersionId, WorkspaceId};

/// What is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    /// So many of the newest versions of the server are kept in any case.
    pub keep_last: usize,
    /// Older ones are kept for so many days; `None`: for ever.
    pub keep_days: Option<u32>,
}

/// A finalized version, as far as retention looks at it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// Its id.
    pub id: VersionId,
    /// The workspace's id.
    pub workspace: WorkspaceId,
    /// When it was made.
    pub created_at: Timestamp,
    /// Whether it is current.
    pub is_head: bool,
    /// The version it is a rollback to.
    pub rollback_of: Option<VersionId>,
    /// What its workspace says for itself.
    pub own: Option<Retention>,
}

/// Those that may go, given all versions of all workspaces, newest first.
pub fn expired(newest_first: &[Candidate], policy: &Policy, now: Timestamp) -> Vec<VersionId> {
    let is_old = |candidate: &Candidate| {
        let days = match candidate.own {
            Some(Retention::Never) => None,
            Some(Retention::Days(days)) => Some(days),
            None => policy.keep_days,
        };
        days.is_some_and(|days| candidate.created_at < now.before(Duration::from_secs(u64::from(days) * 86_400)))
    };
    let goes: Vec<bool> = newest_first
        .iter()
        .enumerate()
        .map(|(newer, candidate)| newer >= policy.keep_last && !candidate.is_head && is_old(candidate))
        .collect();
    // A rollback that stays keeps what it went back to.
    let stays = newest_first.iter().zip(&goes).filter(|(_, goes)| !**goes);
    let sources: HashSet<&VersionId> = stays.filter_map(|(candidate, _)| candidate.rollback_of.as_ref()).collect();
    let going = newest_first.iter().zip(&goes).filter(|(candidate, goes)| **goes && !sources.contains(&candidate.id));
    going.map(|(candidate, _)| candidate.id.clone()).collect()
}
