//! Old versions that may be deleted.

use std::time::Duration;

use crate::model::{Retention, Timestamp, VersionId, WorkspaceId};

/// The versions that are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    /// The number of newest versions that are kept in any case.
    pub keep_last: usize,
    /// Older ones are kept for so many days; `None`: for ever.
    pub keep_days: Option<u32>,
}

/// A policy at one moment. It lets a finalized version go if
///
/// - it is not the current one of its workspace,
/// - so many finalized versions of the server are newer, and
/// - it is older than its workspace says for itself, or, where that says nothing, than
///   [`before`](Self::before);
///
/// but not while a version stays that a rollback, an upgrade or a downgrade made from it. Stores
/// look for these versions themselves: there may be far more than fit in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Expiry {
    /// The number of newest versions that are kept in any case.
    pub keep_last: usize,
    /// When it is now.
    pub now: Timestamp,
    /// The time before which versions are old; `None`: none is.
    pub before: Option<Timestamp>,
}

impl Expiry {
    /// True if a version that was made at a time is old, in a workspace that says this for itself.
    pub(crate) fn is_old(&self, created_at: Timestamp, own: Option<Retention>) -> bool {
        let before = match own {
            None => self.before,
            Some(Retention::Never) => None,
            Some(Retention::Days(days)) => Some(days_before(self.now, days)),
        };
        before.is_some_and(|before| created_at < before)
    }
}

fn days_before(now: Timestamp, days: u32) -> Timestamp {
    now.before(Duration::from_secs(u64::from(days) * 86_400))
}

/// A version that may go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expired {
    /// When it was made.
    pub created_at: Timestamp,
    /// Its id.
    pub id: VersionId,
    /// The workspace's id.
    pub workspace: WorkspaceId,
}

/// A day, in milliseconds.
pub(crate) const DAY: i64 = 86_400_000;

impl Policy {
    /// The present policy.
    pub fn at(&self, now: Timestamp) -> Expiry {
        let before = self.keep_days.map(|days| days_before(now, days));
        Expiry {
            keep_last: self.keep_last,
            now,
            before,
        }
    }
}
