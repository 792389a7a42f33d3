//! The audit log.

use std::borrow::Cow;

use super::{OrganizationId, Timestamp, WorkspaceId};

/// One line of the audit log: who did what to what. It holds no secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEntry {
    /// When.
    pub at: Timestamp,
    /// Who: the kind and name of the token's owner, and the token's id; `server` for what the server does of itself.
    pub who: String,
    /// What was done, such as `state-version.create`.
    pub action: Cow<'static, str>,
    /// In which organization.
    pub organization: Option<OrganizationId>,
    /// In which workspace.
    pub workspace: Option<WorkspaceId>,
    /// The id or name of what it was done to.
    pub subject: String,
    /// What else is worth knowing, in a sentence.
    pub detail: String,
}

/// Which lines of the audit log are asked for, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AuditFilter {
    /// Only those of an organization.
    pub organization: Option<OrganizationId>,
    /// Only those of a workspace.
    pub workspace: Option<WorkspaceId>,
    /// Only those of an action such as `workspace.lock`, or of all whose name begins with a word and a dot, such as `workspace`.
    pub action: Option<String>,
    /// Only those that have this in `who`, in any case: a name, a token's id, a job's id.
    pub actor: Option<String>,
    /// Not those that jobs wrote, which are one for each of their workspaces.
    pub without_jobs: bool,
}

impl AuditEntry {
    /// What `who` has, before a job's id, where a job did it. No name has a space.
    pub const BY_A_JOB: &str = " by job-";
}
