//! The audit log.

use std::borrow::Cow;
use std::net::IpAddr;

use super::{OrganizationId, Timestamp, WorkspaceId};

/// One line of the audit log: who did what to what. It holds no secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEntry {
    /// When.
    pub at: Timestamp,
    /// The principal: the kind and name of the token's owner, and the token's id; `server` for what
    /// the server does of itself.
    pub who: String,
    /// The action, such as `state-version.create`.
    pub action: Cow<'static, str>,
    /// In which organization.
    pub organization: Option<OrganizationId>,
    /// In which workspace.
    pub workspace: Option<WorkspaceId>,
    /// The id or name of what it was done to.
    pub subject: String,
    /// More details, in a sentence.
    pub detail: String,
}

/// A request for lines of the audit log, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AuditFilter {
    /// Only those of an organization.
    pub organization: Option<OrganizationId>,
    /// Only those of a workspace.
    pub workspace: Option<WorkspaceId>,
    /// Only those of an action such as `workspace.lock`, or of all whose name begins with a word
    /// and a dot, such as `workspace`.
    pub action: Option<String>,
    /// Only those that have this in `who`, in any case: a name, a token's id, a job's id.
    pub actor: Option<String>,
    /// Not those that jobs wrote, which are one for each of their workspaces.
    pub without_jobs: bool,
}

impl AuditEntry {
    /// The line as an object of JSON, with its number and, apart, the address in `who`.
    pub fn to_json(&self, seq: i64) -> serde_json::Value {
        let from = self
            .who
            .rsplit_once(" from ")
            .and_then(|(_, from)| from.parse::<IpAddr>().ok());
        serde_json::json!({
            "seq": seq,
            "at": self.at.to_string(),
            "who": self.who,
            "from": from,
            "action": self.action,
            "organization": self.organization.as_ref().map(OrganizationId::as_str),
            "workspace": self.workspace.as_ref().map(WorkspaceId::as_str),
            "subject": self.subject,
            "detail": self.detail,
        })
    }

    /// The prefix of `who` before a job's id, if a job did it. No name has a space.
    pub const BY_A_JOB: &str = " by job-";
}

/// The lines of the audit log in a window of time, counted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Activity {
    /// The moment from which on all lines are counted, if that is not the beginning of the window:
    /// there are too many.
    pub complete_since: Option<Timestamp>,
    /// The number of lines with an action in a step of the window.
    pub counts: Vec<(String, i64, u64)>,
}
