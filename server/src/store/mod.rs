//! Where everything is kept.
//!
//! [`Store`] is small on purpose. It keeps rows and bytes and decides nothing: what may change is decided by the
//! [rules](crate::rules) on a [`Snapshot`], and written by [`Store::commit`] in one transaction, under the condition that the
//! workspace is still the one of the snapshot. So all stores behave in one way, and one suite of tests checks that.

mod bucket;
mod commit;
pub mod copy;
mod days;
mod deliveries;
pub mod encryption;
mod error;
mod heads;
mod jobs;
mod pack;
mod page;
mod places;
pub mod postgres;
mod retention;
pub mod sqlite;
mod trusts;

pub use bucket::BucketSettings;
use copy::{Part, Row};
use encryption::Sealing;

pub use commit::{Change, Commit, Committed, Details, NewContent};
pub use deliveries::Deliveries;
pub use error::StoreError;
pub use heads::Heads;
pub use jobs::{Claim, Jobs};
pub use places::{ConsumerChange, Places};
pub use trusts::Trusts;

use async_trait::async_trait;
use bytes::Bytes;
use tokio::sync::mpsc::{Receiver, Sender};

use crate::model::{
    Activity, AuditEntry, AuditFilter, ContentKind, Organization, OrganizationId, Output, OutputId, Permissions, Place,
    Principal, ProjectId, QuarantineId, Quarantined, Status, Summary, Team, TeamId, Timestamp, Token, TokenId, User, UserId,
    Version, VersionId, Workspace, WorkspaceId,
};
use crate::rules::{Expired, Expiry, Snapshot};

/// A page of a list: its number counts from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// Which one.
    pub number: u32,
    /// How many things it has.
    pub size: u32,
}

impl Page {
    /// How many things stand on the pages before it.
    pub fn offset(self) -> u64 {
        u64::from(self.number.saturating_sub(1)) * u64::from(self.size)
    }
}

/// One page of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed<T> {
    /// The items of the page.
    pub items: Vec<T>,
    /// How many things all pages have.
    pub total: u64,
}

/// Which workspaces of an organization are asked for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WorkspaceFilter {
    /// Only those whose name contains this.
    pub name: Option<String>,
    /// Only those with all of these tags; a value, where one is given, must be equal.
    pub tags: Vec<(String, Option<String>)>,
    /// Only those without any of these tags.
    pub without_tags: Vec<String>,
    /// Only those of a project.
    pub project: Option<ProjectId>,
    /// Only those in one of these parts of the organization, if it is not all of it.
    pub within: Option<Vec<Place>>,
}

/// What is stored beside a version, and is looked up only where the version is shown: the counts of a large state are long.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Beside {
    /// The finalized version before it.
    pub previous: Option<VersionId>,
    /// The finalized version after it.
    pub next: Option<VersionId>,
    /// Its outputs, by id, in the order of their names; of one that has more than [`NAMED_OUTPUTS`], so many and one.
    pub outputs: Vec<OutputId>,
    /// Counts of what is in it, once its bytes are there.
    pub summary: Option<Summary>,
}

/// So many outputs are named beside a version: those of one that has more are long in every list, and there is a list of their own.
pub const NAMED_OUTPUTS: u32 = 1000;

/// What nothing refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Garbage {
    /// How many rows of bytes.
    pub rows: u64,
    /// How many objects of a bucket without a row.
    pub objects: u64,
    /// How many bytes these are, as far as is known.
    pub bytes: u64,
}

/// Where organizations, workspaces, versions and their bytes are kept.
#[async_trait]
pub trait Store: Deliveries + Heads + Jobs + Places + Sealing + Trusts + Send + Sync + std::fmt::Debug + 'static {
    /// What it is, for messages: `SQLite in /var/lib/upstate`. Without passwords.
    fn describe(&self) -> String;

    /// Whether it can be read and written.
    async fn ready(&self) -> Result<(), StoreError>;

    /// The secret of this name, made when it is first asked for; the same for every process on this store.
    async fn secret(&self, name: &str) -> Result<[u8; 32], StoreError>;

    /// Adds an organization, unless there is one of this name.
    async fn add_organization(&self, organization: &Organization, audit: AuditEntry) -> Result<bool, StoreError>;
    /// The organizations, by name.
    async fn organizations(&self) -> Result<Vec<Organization>, StoreError>;
    /// The organization of this name.
    async fn organization(&self, name: &str) -> Result<Option<Organization>, StoreError>;
    /// The organization of this id.
    async fn organization_by_id(&self, id: &OrganizationId) -> Result<Option<Organization>, StoreError>;

    /// Adds a user, unless there is one of this name.
    async fn add_user(&self, user: &User, audit: AuditEntry) -> Result<bool, StoreError>;
    /// The user of this name.
    async fn user(&self, name: &str) -> Result<Option<User>, StoreError>;
    /// The user of this id.
    async fn user_by_id(&self, id: &UserId) -> Result<Option<User>, StoreError>;

    /// Adds a team, unless its organization has one of this name.
    async fn add_team(&self, team: &Team, audit: AuditEntry) -> Result<bool, StoreError>;
    /// The team of this id.
    async fn team_by_id(&self, id: &TeamId) -> Result<Option<Team>, StoreError>;
    /// The teams of an organization, by name.
    async fn teams(&self, organization: &OrganizationId) -> Result<Vec<Team>, StoreError>;
    /// Changes what the members of a team may do.
    async fn set_team_permissions(&self, team: &TeamId, to: Permissions, audit: AuditEntry) -> Result<(), StoreError>;
    /// Removes a team with its tokens; whether there was one.
    async fn remove_team(&self, team: &TeamId, audit: AuditEntry) -> Result<bool, StoreError>;
    /// Whether a user has, or had, to do with an organization: by a token, a team, or a version.
    async fn is_user_of(&self, user: &UserId, organization: &OrganizationId) -> Result<bool, StoreError>;
    /// The members of a team, by name.
    async fn members(&self, team: &TeamId) -> Result<Vec<User>, StoreError>;
    /// Makes a user a member of a team, or no longer one.
    async fn set_member(&self, team: &TeamId, user: &UserId, member: bool, audit: AuditEntry) -> Result<(), StoreError>;

    /// Adds a token, unless there is one with this hash, or there was one that was [removed](Self::remove_token).
    async fn add_token(&self, token: &Token, audit: AuditEntry) -> Result<bool, StoreError>;
    /// Adds a token, unless there is any. Of several processes that ask at the same time, one adds it.
    async fn add_first_token(&self, token: &Token, audit: AuditEntry) -> Result<bool, StoreError>;
    /// All tokens, the newest first.
    async fn tokens(&self) -> Result<Vec<Token>, StoreError>;
    /// Removes a token; whether there was one.
    async fn remove_token(&self, id: &TokenId, audit: AuditEntry) -> Result<bool, StoreError>;
    /// For whom the token with this hash speaks and what it grants, expired or not.
    async fn principal(&self, hash: &[u8; 32]) -> Result<Option<Principal>, StoreError>;

    /// For whom a token speaks, by its id, as above.
    async fn principal_of(&self, token: &TokenId) -> Result<Option<Principal>, StoreError>;
    /// Adds a workspace, unless its organization has one of this name.
    async fn add_workspace(&self, workspace: &Workspace, audit: AuditEntry) -> Result<bool, StoreError>;
    /// The workspace of this name. Deleted ones are not found.
    async fn workspace(&self, organization: &OrganizationId, name: &str) -> Result<Option<Workspace>, StoreError>;
    /// The workspaces of an organization, by name.
    async fn workspaces(
        &self,
        organization: &OrganizationId,
        filter: &WorkspaceFilter,
        page: Page,
    ) -> Result<Listed<Workspace>, StoreError>;
    /// A workspace with its current and its pending version, all of the same moment. Deleted ones are not found.
    async fn snapshot(&self, workspace: &WorkspaceId) -> Result<Option<Snapshot>, StoreError>;
    /// Writes all changes of a commit, or, if the workspace is not at the revision that the commit expects, none.
    async fn commit(&self, commit: Commit) -> Result<Committed, StoreError>;

    /// A version. Those of deleted workspaces are not found.
    async fn version(&self, id: &VersionId) -> Result<Option<Version>, StoreError>;
    /// The newest version that was made for a run in one of these organizations. Those of deleted workspaces are not found.
    async fn version_of_run(&self, run: &str, organizations: &[OrganizationId]) -> Result<Option<Version>, StoreError>;
    /// The versions of a workspace with one of these statuses, all if there are none; the newest first.
    async fn versions(&self, workspace: &WorkspaceId, statuses: &[Status], page: Page) -> Result<Listed<Version>, StoreError>;
    /// What is stored beside versions of one workspace, in their order.
    async fn beside(&self, versions: &[Version]) -> Result<Vec<Beside>, StoreError>;
    /// The bytes of a version, exactly as they came; `None` only if it has none of this kind.
    async fn bytes(&self, version: &VersionId, kind: ContentKind) -> Result<Option<Bytes>, StoreError>;
    /// The outputs of a version, by name.
    async fn outputs(&self, version: &VersionId, page: Page) -> Result<Listed<Output>, StoreError>;
    /// An output.
    async fn output(&self, id: &OutputId) -> Result<Option<Output>, StoreError>;

    /// Pending versions made before `than`, with their workspaces.
    async fn pending_before(&self, than: Timestamp) -> Result<Vec<(WorkspaceId, VersionId)>, StoreError>;
    /// Workspaces with a lock that has [ended](crate::model::Lock::has_ended) by itself. Deleted ones are not found.
    async fn ended_locks(&self, now: Timestamp) -> Result<Vec<WorkspaceId>, StoreError>;
    /// The oldest versions that [`Expiry`] lets go and that stand after `after`, at most `limit` of them, the oldest first.
    async fn expired(&self, expiry: Expiry, after: Option<&Expired>, limit: u32) -> Result<Vec<Expired>, StoreError>;
    /// Deleted workspaces that are not destroyed yet, with when they were deleted, the newest first.
    async fn deleted_workspaces(&self) -> Result<Vec<(Workspace, Timestamp)>, StoreError>;
    /// Brings a deleted workspace back, under this name; [`Committed::Gone`] if there is none to bring back.
    async fn restore_workspace(&self, id: &WorkspaceId, name: &str, audit: AuditEntry) -> Result<Committed, StoreError>;
    /// Destroys workspaces that were deleted before `than`, with all they hold; how many.
    async fn purge_workspaces(&self, than: Timestamp, audit: AuditEntry) -> Result<u64, StoreError>;

    /// Removes bytes to which nothing refers, and objects without a row that were written before `older_than`: a writer may be about to
    /// refer to younger ones. With `dry_run` they are only counted.
    async fn collect_garbage(&self, older_than: Timestamp, dry_run: bool) -> Result<Garbage, StoreError>;

    /// Sends all rows of all [tables](copy::TABLES), in their order and as they are at one moment, also while others write.
    async fn export(&self, rows: Sender<Row>) -> Result<(), StoreError>;
    /// Takes such rows, all or, without [`Part::End`] or where this store is not empty, none.
    async fn import(&self, parts: Receiver<Part>) -> Result<(), StoreError>;

    /// The late uploads that were kept aside, without their bytes, the newest first.
    async fn quarantined(&self, workspace: &WorkspaceId) -> Result<Vec<Quarantined>, StoreError>;
    /// A late upload with its bytes.
    async fn quarantined_bytes(&self, id: &QuarantineId) -> Result<Option<Quarantined>, StoreError>;

    /// Lines of the audit log, the newest first.
    async fn audit(&self, filter: &AuditFilter, page: Page) -> Result<Listed<AuditEntry>, StoreError>;
    /// Lines of the audit log with their numbers, those above `after`, the oldest first. No line comes later below one that was given.
    async fn audit_after(
        &self,
        organization: Option<&OrganizationId>,
        after: i64,
        limit: u32,
    ) -> Result<Vec<(i64, AuditEntry)>, StoreError>;
    /// The newest lines of an organization, at most `most`, counted by action and step of so many milliseconds since a moment.
    async fn activity(
        &self,
        organization: &OrganizationId,
        since: Timestamp,
        step: i64,
        most: u32,
    ) -> Result<Activity, StoreError>;
    /// Removes lines of the audit log from before `than`, none above the number `up_to`, and writes this one if there were any; their number.
    async fn trim_audit(&self, than: Timestamp, up_to: Option<i64>, audit: AuditEntry) -> Result<u64, StoreError>;
    /// Adds a line to the audit log that belongs to no change. It outlives the process at once, and a power failure soon after: readers need not wait for
    /// the disk.
    async fn record(&self, audit: AuditEntry) -> Result<(), StoreError>;
}
