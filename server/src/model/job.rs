//! Jobs: the upgrade of many workspaces, their downgrade to a release, or the undoing of such a
//! job.

use serde::{Deserialize, Serialize};

use super::{Holder, JobId, OrganizationId, Timestamp, TokenId, VersionId, WorkspaceId};

/// The status of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum JobStatus {
    /// Servers work on it.
    Running,
    /// Nobody works on it: somebody stopped it, or it stopped at a failure. It can be resumed.
    Stopped,
    /// Every workspace was looked at.
    Done,
}

impl JobStatus {
    /// Its name, as clients and the store have it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Stopped => "stopped",
            Self::Done => "done",
        }
    }

    /// By its name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Running, Self::Stopped, Self::Done]
            .into_iter()
            .find(|status| status.name() == name)
    }
}

/// The goal of a downgrade.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Back {
    /// The release that is to read the state afterwards.
    pub release: String,
    /// True if values are dropped that the release cannot hold; each one is named.
    pub allow_loss: bool,
    /// True if instances go back only where no state of their type could lose anything, whatever
    /// these hold.
    #[serde(default)]
    pub strict: bool,
}

/// The workspaces that a job or a plan takes, of all that it could.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Selection {
    /// These.
    pub workspaces: Option<Vec<WorkspaceId>>,
    /// Those whose names fit this pattern, in which `*` is any part of a name; letters may be small
    /// or large.
    pub names: Option<String>,
    /// Those that have all of these tags.
    pub tags: Vec<String>,
}

/// The upgrade of many workspaces, or their downgrade.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// Its id.
    pub id: JobId,
    /// The organization's id.
    pub organization: OrganizationId,
    /// In whose name versions are made: who began it, or who resumed it last.
    pub requested_by: Holder,
    /// The principal that began it, or resumed it last, as in the audit log.
    pub who: String,
    /// The token of that principal, with which it ends; none in a browser, whose session may be
    /// over before.
    pub token: Option<TokenId>,
    /// The number of workspaces that all servers together upgrade at the same time.
    pub concurrency: u32,
    /// True if it stops when more workspaces have failed than [`max_failures`](Self::max_failures).
    pub stop_at_failure: bool,
    /// The number of failures that do not stop it.
    pub max_failures: u32,
    /// Its status.
    pub status: JobStatus,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it ended.
    pub finished_at: Option<Timestamp>,
    /// The goal of a downgrade; without it, the workspaces are upgraded.
    pub back: Option<Back>,
    /// When a server last worked on it.
    pub worked_on_at: Option<Timestamp>,
    /// The job that it undoes: where the current version is still that job's, the one before
    /// becomes current again.
    pub undoes: Option<JobId>,
    /// Its work: to change workspaces, or only to plan it.
    pub kind: JobKind,
    /// The plan whose versions it takes, and no others.
    pub applies: Option<JobId>,
}

/// The work of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum JobKind {
    /// It makes new versions.
    Change,
    /// It writes nothing, and keeps for each workspace what would change.
    Plan,
}

impl JobKind {
    /// Its name, as the store has it; the first kind there was has none.
    pub(crate) const fn name(self) -> Option<&'static str> {
        match self {
            Self::Change => None,
            Self::Plan => Some("plan"),
        }
    }

    /// By its name.
    pub(crate) fn named(name: Option<&str>) -> Option<Self> {
        [Self::Change, Self::Plan]
            .into_iter()
            .find(|kind| kind.name() == name)
    }
}

/// A workspace of a job that is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewItem {
    /// The workspace's id.
    pub workspace: WorkspaceId,
    /// The version that has to be current still, if the job takes what a plan showed.
    pub expected: Option<VersionId>,
}

/// The outcome for one workspace of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ItemStatus {
    /// Nothing yet.
    Waiting,
    /// It has a new version.
    Upgraded,
    /// There was nothing to upgrade.
    Current,
    /// It is as it was.
    Failed,
}

impl ItemStatus {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Waiting, Self::Upgraded, Self::Current, Self::Failed];

    /// Its name, as clients and the store have it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Upgraded => "upgraded",
            Self::Current => "current",
            Self::Failed => "failed",
        }
    }

    /// By its name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }
}

/// One workspace of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobItem {
    /// The workspace's id.
    pub workspace: WorkspaceId,
    /// The outcome.
    pub status: ItemStatus,
    /// The new version.
    pub version: Option<VersionId>,
    /// The reason of the failure.
    pub detail: String,
    /// The plan of the workspace as JSON, in a job that plans.
    pub planned: Option<String>,
    /// The version that the outcome is about: the one that was current, or the new one.
    pub tried: Option<VersionId>,
}

/// The newest outcome of a job or a plan for a version that is current.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastOutcome {
    /// The version.
    pub version: VersionId,
    /// The job.
    pub job: JobId,
    /// Its work.
    pub kind: JobKind,
    /// The release that it goes back to, of a downgrade.
    pub release: Option<String>,
    /// True if it undoes another job.
    pub undoes: bool,
    /// The outcome.
    pub status: ItemStatus,
    /// The reason of the failure.
    pub detail: String,
    /// When that was.
    pub at: Timestamp,
}

impl LastOutcome {
    /// True if somebody has to look at it: a job failed there, or the plan of an upgrade says that
    /// it would.
    pub const fn is_failure(&self) -> bool {
        let is_upgrade = matches!(self.kind, JobKind::Change) || self.release.is_none();
        matches!(self.status, ItemStatus::Failed) && is_upgrade
    }
}

/// The number of workspaces of a job by outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct JobCounts {
    /// Those that nobody has looked at yet.
    pub waiting: u64,
    /// Those with a new version.
    pub upgraded: u64,
    /// Those with nothing to upgrade.
    pub current: u64,
    /// Those that are as they were.
    pub failed: u64,
}

impl JobCounts {
    /// The counts out of rows of status and count.
    pub(crate) fn of(rows: impl IntoIterator<Item = (ItemStatus, u64)>) -> Self {
        let mut counts = Self::default();
        for (status, count) in rows {
            match status {
                ItemStatus::Waiting => counts.waiting = count,
                ItemStatus::Upgraded => counts.upgraded = count,
                ItemStatus::Current => counts.current = count,
                ItemStatus::Failed => counts.failed = count,
            }
        }
        counts
    }

    /// All of them.
    pub const fn total(self) -> u64 {
        self.waiting + self.upgraded + self.current + self.failed
    }
}

/// A workspace with its current version, as lists over a whole organization need it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The workspace's id.
    pub workspace: WorkspaceId,
    /// The workspace's name.
    pub name: String,
    /// True if it is locked.
    pub locked: bool,
    /// The current version; nothing if there is no state.
    pub version: Option<VersionId>,
}

/// The facts read from a version, for lists over many.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionTypes {
    /// The version.
    pub version: VersionId,
    /// The types in it with their schema versions, as JSON; none before it was read.
    pub types: Option<String>,
    /// The reason why the state cannot be read, if so.
    pub unreadable: Option<String>,
}
