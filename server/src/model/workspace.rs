//! Workspaces and their locks.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{OrganizationId, ProjectId, Timestamp, VersionId, WorkspaceId};

/// The holder of a lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HolderKind {
    /// A user.
    User,
    /// A team.
    Team,
    /// A workspace, by a token of its own.
    Workspace,
    /// Jobs of a CI system, by a trust.
    Workload,
}

/// The holder of a lock.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Holder {
    /// Its kind.
    pub kind: HolderKind,
    /// The id of the user, team, workspace or trust.
    pub id: String,
    /// Its name, for messages.
    pub name: String,
    /// The id that `backend "http"` gave its lock; it distinguishes the processes of one user.
    pub lock_id: Option<String>,
}

impl Holder {
    /// True if both are the same holder; names may have changed meanwhile.
    pub fn is(&self, other: &Self) -> bool {
        self.kind == other.kind && self.id == other.id && self.lock_id == other.lock_id
    }
}

/// As go-tfe reads it: `User x`, `Team x`.
impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            HolderKind::User => "User",
            HolderKind::Team => "Team",
            HolderKind::Workspace => "Workspace",
            HolderKind::Workload => "Workload",
        };
        write!(f, "{kind} {}", self.name)?;
        self.lock_id
            .as_ref()
            .map_or(Ok(()), |id| write!(f, " (lock id {id})"))
    }
}

/// A workspace's lock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lock {
    /// Its holder.
    pub holder: Holder,
    /// The reason, as the client gave it.
    pub reason: String,
    /// Since when.
    pub at: Timestamp,
    /// The client, by its `User-Agent` and Terraform version.
    pub client: String,
    /// The body that `backend "http"` sent, and gets back when the lock is taken: a JSON object.
    pub info: Option<String>,
    /// When it ends by itself, if the server took it for work of its own: one that was killed
    /// leaves no lock behind for long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
}

impl Lock {
    /// True if it has ended by itself.
    pub fn has_ended(&self, now: Timestamp) -> bool {
        self.until.is_some_and(|until| until <= now)
    }

    /// True if `backend "http"` took it, for an apply that knows the workspace by its name alone.
    pub(crate) const fn is_of_http(&self) -> bool {
        self.info.is_some()
    }
}

/// The last unlock: a client that lost the answer may ask again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unlocked {
    /// The holder of the lock.
    pub holder: Holder,
    /// When it was given back.
    pub at: Timestamp,
}

/// The policy by which a workspace keeps versions, where it differs from the server's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retention {
    /// For ever.
    Never,
    /// A number of days.
    Days(u32),
}

/// A workspace, as it is at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workspace {
    /// Its id.
    pub id: WorkspaceId,
    /// The organization's id.
    pub organization: OrganizationId,
    /// The project's id.
    pub project: ProjectId,
    /// Its name, unique in the organization.
    pub name: String,
    /// Grows with every change of the row: what a commit compares.
    pub revision: i64,
    /// The `seq` of its newest version, deleted ones among them.
    pub last_seq: i64,
    /// The current version; `None` only if there has never been one.
    pub head: Option<VersionId>,
    /// The version that waits for its bytes.
    pub pending: Option<VersionId>,
    /// The highest serial that a version ever had, deleted ones among them.
    pub max_serial: Option<i64>,
    /// The lock.
    pub lock: Option<Lock>,
    /// The last unlock.
    pub unlocked: Option<Unlocked>,
    /// Its purpose.
    pub description: String,
    /// The Terraform version that a client wrote there.
    pub terraform_version: String,
    /// Tags: plain ones have no value.
    pub tags: Vec<(String, Option<String>)>,
    /// True if every workspace of the organization may read its state, not only its consumers.
    pub shared: bool,
    /// Its own policy for keeping versions, if it has one.
    pub retention: Option<Retention>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}
