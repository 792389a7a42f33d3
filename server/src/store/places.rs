//! Projects, what teams may do in a part of an organization, and who is in it.

use async_trait::async_trait;

use super::{Committed, StoreError};
use crate::model::{
    AccessId, AuditEntry, OrganizationId, Permissions, Place, Project, ProjectId, TeamAccess, User, UserId, WorkspaceId,
};

/// A change to the workspaces that may read the state of one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ConsumerChange {
    /// True if all that are not added are removed.
    pub replace: bool,
    /// Those that are added.
    pub add: Vec<WorkspaceId>,
    /// Those that are removed.
    pub remove: Vec<WorkspaceId>,
}

/// The parts of organizations, and people.
#[async_trait]
pub trait Places {
    /// Adds a project, unless its organization has one of this name.
    async fn add_project(&self, project: &Project, audit: AuditEntry) -> Result<bool, StoreError>;
    /// The project of this id.
    async fn project(&self, id: &ProjectId) -> Result<Option<Project>, StoreError>;
    /// The projects of an organization, by name.
    async fn projects(&self, organization: &OrganizationId) -> Result<Vec<Project>, StoreError>;
    /// Changes the name and the description of a project.
    async fn change_project(&self, project: &Project, audit: AuditEntry) -> Result<Committed, StoreError>;
    /// Removes a project, unless a workspace is in it; whether it did. Deleted workspaces go to `instead`.
    async fn remove_project(&self, id: &ProjectId, instead: &ProjectId, audit: AuditEntry) -> Result<bool, StoreError>;

    /// Adds what a team may do at a place, unless there is something already.
    async fn add_team_access(&self, access: &TeamAccess, audit: AuditEntry) -> Result<bool, StoreError>;
    /// The access of a team to a place.
    async fn team_access(&self, id: &AccessId) -> Result<Option<TeamAccess>, StoreError>;
    /// The accesses of teams to a place itself, by the teams' names.
    async fn team_accesses(&self, place: &Place) -> Result<Vec<TeamAccess>, StoreError>;
    /// Changes what a team may do at a place.
    async fn set_team_access(&self, id: &AccessId, to: Permissions, audit: AuditEntry) -> Result<(), StoreError>;
    /// Removes what a team may do at a place; whether there was something.
    async fn remove_team_access(&self, id: &AccessId, audit: AuditEntry) -> Result<bool, StoreError>;

    /// The workspaces that may read a workspace's state, by name.
    async fn consumers(&self, of: &WorkspaceId) -> Result<Vec<WorkspaceId>, StoreError>;
    /// Changes which workspaces may read a workspace's state.
    async fn change_consumers(&self, of: &WorkspaceId, change: &ConsumerChange, audit: AuditEntry) -> Result<(), StoreError>;

    /// The users that have a token or a team in an organization, by name.
    async fn users_of(&self, organization: &OrganizationId) -> Result<Vec<User>, StoreError>;
    /// Takes a user's teams and tokens in an organization away, or in all; whether there were any.
    async fn remove_user(&self, user: &UserId, of: Option<&OrganizationId>, audit: AuditEntry) -> Result<bool, StoreError>;
}

/// The statements, which both dialects take: each parameter comes first where its number says.
pub(super) mod sql {
    pub(in crate::store) const ADD_PROJECT: &str = "INSERT INTO project (id, organization, name, description, created_at) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING";
    pub(in crate::store) const PROJECT: &str =
        "SELECT id, organization, name, description, created_at FROM project WHERE id = $1";
    pub(in crate::store) const PROJECTS: &str =
        "SELECT id, organization, name, description, created_at FROM project WHERE organization = $1 ORDER BY name";
    pub(in crate::store) const CHANGE_PROJECT: &str = "UPDATE project SET name = $1, description = $2 WHERE id = $3";
    /// Those of a project that stays are left where they are.
    pub(in crate::store) const EMPTY_PROJECT: &str =
        "UPDATE workspace SET project = $1 WHERE project = $2 AND deleted_at IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM workspace other WHERE other.project = $2 AND other.deleted_at IS NULL)";
    pub(in crate::store) const REMOVE_PROJECT: &str =
        "DELETE FROM project WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM workspace WHERE project = $1)";

    pub(in crate::store) const ADD_ACCESS: &str =
        "INSERT INTO team_access (id, team, project, workspace, permissions) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING";
    pub(in crate::store) const ACCESS: &str = "SELECT id, team, project, workspace, permissions FROM team_access WHERE id = $1";
    pub(in crate::store) const ACCESSES: &str = "SELECT a.id, a.team, a.project, a.workspace, a.permissions FROM team_access a
        JOIN team t ON t.id = a.team WHERE a.project = $1 OR a.workspace = $1 ORDER BY t.name";
    pub(in crate::store) const SET_ACCESS: &str = "UPDATE team_access SET permissions = $1 WHERE id = $2";
    pub(in crate::store) const REMOVE_ACCESS: &str = "DELETE FROM team_access WHERE id = $1";

    pub(in crate::store) const CONSUMERS: &str = "SELECT w.id FROM consumer c JOIN workspace w ON w.id = c.consumer
        WHERE c.workspace = $1 AND w.deleted_at IS NULL ORDER BY w.name";
    pub(in crate::store) const CLEAR_CONSUMERS: &str = "DELETE FROM consumer WHERE workspace = $1";
    pub(in crate::store) const ADD_CONSUMER: &str =
        "INSERT INTO consumer (workspace, consumer) VALUES ($1, $2) ON CONFLICT DO NOTHING";
    pub(in crate::store) const REMOVE_CONSUMER: &str = "DELETE FROM consumer WHERE workspace = $1 AND consumer = $2";
    /// A workspace, unless it is deleted.
    pub(in crate::store) const OWN: &str = "SELECT id FROM workspace WHERE id = $1 AND deleted_at IS NULL";
    /// The workspaces whose state one may read.
    pub(in crate::store) const SHARED_WITH: &str = "SELECT w.id FROM consumer c JOIN workspace w ON w.id = c.workspace
        WHERE c.consumer = $1 AND w.deleted_at IS NULL";

    pub(in crate::store) const USERS: &str = r#"SELECT id, name, created_at FROM "user" u
        WHERE EXISTS (SELECT 1 FROM token t WHERE t."user" = u.id AND t.organization = $1)
        OR EXISTS (SELECT 1 FROM team_member m JOIN team ON team.id = m.team WHERE m."user" = u.id AND team.organization = $1)
        ORDER BY name"#;
    /// The tokens of a user, everywhere or in one organization.
    pub(in crate::store) const THEIR_TOKENS: &str =
        r#"FROM token WHERE "user" = $1 AND (CAST($2 AS TEXT) IS NULL OR organization = $2)"#;
    pub(in crate::store) const LEAVE_TEAMS: &str = r#"DELETE FROM team_member WHERE "user" = $1
        AND (CAST($2 AS TEXT) IS NULL OR team IN (SELECT id FROM team WHERE organization = $2))"#;
    pub(in crate::store) const FORGET: &str =
        "DELETE FROM setting WHERE name LIKE 'user-of/' || coalesce(CAST($1 AS TEXT), '%') || '/' || $2";

    /// The grants of teams at every place; `which` begins with a join or a condition.
    pub(in crate::store) fn grants(which: &str) -> String {
        format!(
            "SELECT team.organization, team.permissions, CAST(NULL AS TEXT), CAST(NULL AS TEXT) FROM team {which}
            UNION ALL SELECT team.organization, a.permissions, a.project, a.workspace
            FROM team JOIN team_access a ON a.team = team.id {which}"
        )
    }

    /// The teams of a user.
    pub(in crate::store) const OF_USER: &str = r#"JOIN team_member ON team_member.team = team.id WHERE team_member."user" = $1"#;
    /// One team.
    pub(in crate::store) const OF_TEAM: &str = "WHERE team.id = $1";
}
