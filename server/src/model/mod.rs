//! The records that the service keeps: plain records, and the few types their fields have.

mod account;
mod audit;
mod id;
mod job;
mod place;
mod time;
mod trust;
mod version;
mod workspace;

pub(crate) use account::KindColumns;
pub use account::{
    Grants, Organization, Permission, Permissions, Principal, Team, Token, TokenKind, User,
};
pub use audit::{Activity, AuditEntry, AuditFilter};
pub(crate) use id::is_after_prefix;
pub use id::{
    AccessId, JobId, LockId, OrganizationId, OutputId, ProjectId, QuarantineId, TeamId, TokenId,
    TrustId, UserId, VersionId, WorkspaceId,
};
pub use job::{
    Back, Head, ItemStatus, Job, JobCounts, JobItem, JobKind, JobStatus, LastOutcome, NewItem,
    Selection, VersionTypes,
};
pub use place::{Place, Project, TeamAccess};
pub use time::Timestamp;
pub use trust::{Pattern, Trust};
pub use version::{Backing, ContentKind, Finalized, Output, Quarantined, Status, Summary, Version};
pub use workspace::{Holder, HolderKind, Lock, Retention, Unlocked, Workspace};
