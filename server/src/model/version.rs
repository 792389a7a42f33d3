//! State versions.

use std::fmt;

use bytes::Bytes;

use super::{Holder, JobId, OutputId, QuarantineId, Timestamp, VersionId, WorkspaceId};

/// The status of a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    /// It waits for its bytes.
    Pending,
    /// It has its bytes, and was current from then on.
    Finalized,
    /// Its bytes never came in time.
    Discarded,
}

impl Status {
    /// Its name, as clients and the store have it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Finalized => "finalized",
            Self::Discarded => "discarded",
        }
    }

    /// By its name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Pending, Self::Finalized, Self::Discarded]
            .into_iter()
            .find(|status| status.name() == name)
    }
}

/// True if a version's bytes can be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Backing {
    /// They can.
    Available,
    /// They are hidden, and can be restored.
    SoftDeleted,
    /// They are gone.
    PermanentlyDeleted,
}

impl Backing {
    /// Its name, as clients and the store have it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Available => "available",
            Self::SoftDeleted => "soft-deleted",
            Self::PermanentlyDeleted => "permanently-deleted",
        }
    }

    /// By its name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Available, Self::SoftDeleted, Self::PermanentlyDeleted]
            .into_iter()
            .find(|backing| backing.name() == name)
    }
}

/// The kinds of a version's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ContentKind {
    /// The state file.
    State,
    /// Terraform's JSON form of it.
    JsonState,
}

impl ContentKind {
    /// Its name, as URLs and the store have it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::State => "state",
            Self::JsonState => "json-state",
        }
    }

    /// By its name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::State, Self::JsonState]
            .into_iter()
            .find(|kind| kind.name() == name)
    }
}

/// The parts of a state file that the API shows, as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Summary {
    /// Counts by module and type.
    pub modules: String,
    /// Counts by provider and type.
    pub providers: String,
    /// Resources with counts.
    pub resources: String,
    /// The reason why nothing could be read, if so.
    pub unreadable: Option<String>,
}

/// The facts about a version whose bytes are there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finalized {
    /// The number of bytes of the state.
    pub size: u64,
    /// SHA-256 of the state.
    pub sha256: [u8; 32],
    /// The format version of the file, 4 today.
    pub format_version: Option<i64>,
    /// The Terraform version that wrote it; empty if it does not say.
    pub terraform_version: String,
    /// When its bytes came.
    pub at: Timestamp,
}

/// A state version, without its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    /// Its id.
    pub id: VersionId,
    /// The workspace's id.
    pub workspace: WorkspaceId,
    /// Grows with every version of the workspace: the order of creation.
    pub seq: i64,
    /// The serial.
    pub serial: i64,
    /// The lineage; empty if there is none.
    pub lineage: String,
    /// MD5 of the state, in lower-case hexadecimal digits, as the client declared it and the bytes
    /// confirmed it.
    pub md5: String,
    /// Its status.
    pub status: Status,
    /// True if its bytes can be had.
    pub backing: Backing,
    /// True if it has a JSON state.
    pub has_json_state: bool,
    /// The facts about it, once its bytes are there.
    pub finalized: Option<Finalized>,
    /// True if serial and lineage were not compared.
    pub forced: bool,
    /// The author, as the lock knew them then.
    pub creator: Holder,
    /// When it was made.
    pub created_at: Timestamp,
    /// The run it belongs to, as the client said.
    pub run: Option<String>,
    /// The version it is a rollback to.
    pub rollback_of: Option<VersionId>,
    /// The version it was upgraded from, or taken back from.
    pub upgraded_from: Option<VersionId>,
    /// The release that it was taken back to, of a downgrade.
    pub downgraded_to: Option<String>,
    /// The job that made it.
    pub job: Option<JobId>,
}

/// An output of a state version.
#[derive(Clone, PartialEq, Eq)]
pub struct Output {
    /// Its id.
    pub id: OutputId,
    /// The version's id.
    pub version: VersionId,
    /// Its name.
    pub name: String,
    /// True if lists hide its value.
    pub sensitive: bool,
    /// `string`, `number`, `bool`, `array` or `object`.
    pub kind: String,
    /// Terraform's type, a JSON text.
    pub detailed_type: String,
    /// The value, a JSON text. May be secret.
    pub value: String,
}

/// Without the value, which may be secret.
impl fmt::Debug for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Output")
            .field("id", &self.id)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// Bytes that came too late to become a version, kept aside: they may be the only copy.
#[derive(Clone, PartialEq, Eq)]
pub struct Quarantined {
    /// Their id.
    pub id: QuarantineId,
    /// The workspace's id.
    pub workspace: WorkspaceId,
    /// The version they were meant for.
    pub version: VersionId,
    /// When they came.
    pub at: Timestamp,
    /// The reason why they were refused.
    pub reason: String,
    /// Their number.
    pub size: u64,
    /// They themselves; empty in lists.
    pub bytes: Bytes,
}

/// Without the bytes, which may hold secrets.
impl fmt::Debug for Quarantined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Quarantined")
            .field("id", &self.id)
            .field("version", &self.version)
            .finish_non_exhaustive()
    }
}
