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
}
