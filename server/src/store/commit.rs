//! The changes that a commit writes.

use bytes::Bytes;

use crate::model::{
    AuditEntry, Backing, Finalized, Lock, Output, ProjectId, Quarantined, Retention, Summary,
    Timestamp, Unlocked, Version, VersionId, WorkspaceId,
};

/// Changes to one workspace that are written together or not at all.
#[derive(Debug, Clone)]
pub struct Commit {
    /// The workspace.
    pub workspace: WorkspaceId,
    /// The revision it must still have. It has the next one afterwards.
    pub expected: i64,
    /// When.
    pub at: Timestamp,
    /// The changes that are written, in this order.
    pub changes: Vec<Change>,
    /// The entries of the audit log about it.
    pub audit: Vec<AuditEntry>,
}

/// The outcome of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Committed {
    /// It is written, and stays written if the machine loses power now.
    Done,
    /// Nothing is written: the workspace has another revision, or the project is another than it
    /// was; or it is gone.
    Stale,
    /// Nothing is written: another workspace of the organization has this name, or had it and is
    /// locked by an apply that knows no other.
    NameTaken,
    /// Nothing is written: a version that was to be deleted is gone already.
    Gone,
    /// Nothing is written: the project that the workspace was to be in is gone.
    ProjectGone,
}

/// One change to a workspace.
#[derive(Debug, Clone)]
pub enum Change {
    /// It gets locked.
    Lock(Lock),
    /// Its lock is given back, or, with `None`, taken away.
    Unlock(Option<Unlocked>),
    /// A version that waits for its bytes becomes the pending one.
    Insert(Box<Version>),
    /// A version gets its bytes, and becomes current in place of `from`; it is pending no longer.
    Finalize {
        /// The version.
        version: VersionId,
        /// The version that must be current until now.
        from: Option<VersionId>,
        /// Its lineage, as the file has it.
        lineage: String,
        /// Its bytes and what was read out of them.
        content: Box<NewContent>,
    },
    /// A version will not get its bytes; it is pending no longer.
    Discard(VersionId),
    /// A version gets its JSON state.
    JsonState {
        /// The version.
        version: VersionId,
        /// The JSON state.
        bytes: Bytes,
    },
    /// A version that waits for its bytes has these outputs, in place of any others, until it is
    /// finalized or discarded.
    Outputs {
        /// The version.
        version: VersionId,
        /// The outputs.
        outputs: Vec<Output>,
    },
    /// A version's bytes are hidden, shown again, or destroyed together with its outputs.
    Backing {
        /// The version.
        version: VersionId,
        /// The backing of the bytes afterwards.
        to: Backing,
    },
    /// A version goes, with all it has. Never the current one. If it is gone already, nothing of
    /// the commit is written.
    Delete(VersionId),
    /// Late bytes are kept aside.
    Quarantine(Box<Quarantined>),
    /// The details of the workspace change.
    Details(Box<Details>),
    /// The workspace is deleted: its name is free, and what it holds is kept until it is purged.
    Remove,
}

/// The bytes of a version and what was read out of them.
#[derive(Clone)]
pub struct NewContent {
    /// The state.
    pub state: Bytes,
    /// The state as the store keeps it, if it was compressed already.
    pub compressed: Option<Bytes>,
    /// The JSON state, if it came with it.
    pub json_state: Option<Bytes>,
    /// The facts that the version has from now on.
    pub finalized: Finalized,
    /// Counts of what is in it.
    pub summary: Summary,
    /// The types that the state holds and their schema versions, as JSON.
    pub types: String,
    /// The report of the upgrade that made it, as JSON.
    pub report: Option<String>,
    /// Its outputs, in place of any that it had while it waited.
    pub outputs: Vec<Output>,
}

/// Without the bytes, which may hold secrets.
impl std::fmt::Debug for NewContent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NewContent")
            .field("size", &self.finalized.size)
            .finish_non_exhaustive()
    }
}

/// The details of a workspace: its name, its description, and other facts that clients can change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Details {
    /// Its name.
    pub name: String,
    /// The purpose of the workspace.
    pub description: String,
    /// The Terraform version that a client wrote there.
    pub terraform_version: String,
    /// Tags.
    pub tags: Vec<(String, Option<String>)>,
    /// True if every workspace of the organization may read its state.
    pub shared: bool,
    /// The project it is in.
    pub project: ProjectId,
    /// The time for which its versions are kept, if the workspace has a time of its own.
    pub retention: Option<Retention>,
}
