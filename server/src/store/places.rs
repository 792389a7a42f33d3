//! Projects, what teams may do in a part of an organization, and who is in it.

use async_trait::async_trait;

use super::accounts::{known, permissions, revoked, user_row};
use super::audit::{Recorded as _, changed, record};
use super::commit::Committed;
use super::error::StoreError;
use super::jobs::stop_jobs_of;
use super::session::{Database, Done, Fault, Mode, Param, Row, Session, committed, params};
use super::settings;
use crate::model::{
    AccessId, AuditEntry, HolderKind, OrganizationId, Permissions, Place, Project, ProjectId,
    TeamAccess, TeamId, User, UserId, WorkspaceId,
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
    /// Changes the name and the description of a project, if they still are as they were before.
    async fn change_project(
        &self,
        before: &Project,
        project: &Project,
        audit: AuditEntry,
    ) -> Result<Committed, StoreError>;
    /// Removes a project, unless a workspace is in it, or comes into it at the same moment; whether
    /// it did. Deleted workspaces go to `instead`.
    async fn remove_project(
        &self,
        id: &ProjectId,
        instead: &ProjectId,
        audit: AuditEntry,
    ) -> Result<bool, StoreError>;

    /// Adds what a team may do at a place, unless there is something already; in a workspace only
    /// if that still is in a project, where one is given. Whether it did.
    async fn add_team_access(
        &self,
        access: &TeamAccess,
        project: Option<&ProjectId>,
        audit: AuditEntry,
    ) -> Result<bool, StoreError>;
    /// The access of a team to a place.
    async fn team_access(&self, id: &AccessId) -> Result<Option<TeamAccess>, StoreError>;
    /// The accesses of teams to a place itself, by the teams' names.
    async fn team_accesses(&self, place: &Place) -> Result<Vec<TeamAccess>, StoreError>;
    /// Changes what a team may do at a place, if it still may what it might before, and a workspace
    /// still is in its project; whether it did.
    async fn set_team_access(
        &self,
        before: &TeamAccess,
        to: Permissions,
        project: Option<&ProjectId>,
        audit: AuditEntry,
    ) -> Result<bool, StoreError>;
    /// Removes what a team may do at a place, if there is something, and a workspace still is in
    /// its project; whether it did.
    async fn remove_team_access(
        &self,
        access: &TeamAccess,
        project: Option<&ProjectId>,
        audit: AuditEntry,
    ) -> Result<bool, StoreError>;

    /// The workspaces that may read a workspace's state, by name.
    async fn consumers(&self, of: &WorkspaceId) -> Result<Vec<WorkspaceId>, StoreError>;
    /// Changes which workspaces may read a workspace's state, if it still is in a project; whether
    /// it did.
    async fn change_consumers(
        &self,
        of: &WorkspaceId,
        project: &ProjectId,
        change: &ConsumerChange,
        audit: AuditEntry,
    ) -> Result<bool, StoreError>;

    /// The users that have a token or a team in an organization, by name.
    async fn users_of(&self, organization: &OrganizationId) -> Result<Vec<User>, StoreError>;
    /// Takes a user's teams and tokens in an organization away, or in all; whether there were any.
    /// The jobs that the user requested there stop: others may let them run again.
    async fn remove_user(
        &self,
        user: &UserId,
        of: Option<&OrganizationId>,
        audit: AuditEntry,
    ) -> Result<bool, StoreError>;
}

fn project_row(row: &Row) -> Done<Project> {
    Ok(Project {
        id: ProjectId::from_text(row.text(0)?),
        organization: OrganizationId::from_text(row.text(1)?),
        name: row.text(2)?,
        description: row.text(3)?,
        created_at: row.time(4)?,
    })
}

fn access_row(row: &Row) -> Done<TeamAccess> {
    Ok(TeamAccess {
        id: AccessId::from_text(row.text(0)?),
        team: TeamId::from_text(row.text(1)?),
        place: Place::of_columns(row.optional(2)?, row.optional(3)?),
        permissions: permissions(row, 4)?,
    })
}

/// True if a workspace still is in a project, and stays there until the transaction ends.
async fn stays(s: &mut dyn Session, workspace: &WorkspaceId, project: &ProjectId) -> Done<bool> {
    // This locks the row, so that nobody moves it before the end.
    let sql = "UPDATE workspace SET project = project WHERE id = $1 AND project = $2 AND deleted_at IS NULL";
    let params = params![workspace.as_str(), project.as_str()];
    Ok(s.run(sql, &params).await? > 0)
}

/// Runs a statement for the access of a team, with its line in the audit log, if a workspace still
/// is in the project that says who administrates it; whether it changed something.
async fn changed_at<D: Database, const N: usize>(
    database: &D,
    (place, project): (&Place, Option<&ProjectId>),
    sql: &'static str,
    params: [Param; N],
    audit: AuditEntry,
) -> Result<bool, StoreError> {
    let workspace = match place {
        Place::Workspace(workspace) => project.map(|project| (workspace.clone(), project.clone())),
        Place::Organization | Place::Project(_) => None,
    };
    let work = database.work(Mode::Write, move |s| {
        Box::pin(async move {
            if let Some((workspace, project)) = &workspace
                && !stays(s, workspace, project).await?
            {
                return Ok(false);
            }
            changed(s, sql, &params, &audit).await
        })
    });
    Ok(work.await?)
}

const ADD_PROJECT: &str = "INSERT INTO project (id, organization, name, description, created_at) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING";

fn project_params(project: &Project) -> [Param; 5] {
    let Project {
        id,
        organization,
        name,
        description,
        created_at,
    } = project;
    params![
        id.as_str(),
        organization.as_str(),
        name,
        description,
        *created_at
    ]
}

pub(super) async fn add_project(s: &mut dyn Session, project: &Project) -> Done<bool> {
    Ok(s.run(ADD_PROJECT, &project_params(project)).await? > 0)
}

#[async_trait]
impl<D: Database> Places for D {
    async fn add_project(&self, project: &Project, audit: AuditEntry) -> Result<bool, StoreError> {
        self.changed(ADD_PROJECT, project_params(project), audit)
            .await
    }

    async fn project(&self, id: &ProjectId) -> Result<Option<Project>, StoreError> {
        let sql =
            "SELECT id, organization, name, description, created_at FROM project WHERE id = $1";
        self.one(sql, params![id.as_str()], project_row).await
    }

    async fn projects(&self, organization: &OrganizationId) -> Result<Vec<Project>, StoreError> {
        let sql = "SELECT id, organization, name, description, created_at FROM project WHERE organization = $1 ORDER BY name";
        self.every(sql, params![organization.as_str()], project_row)
            .await
    }

    async fn change_project(
        &self,
        before: &Project,
        project: &Project,
        audit: AuditEntry,
    ) -> Result<Committed, StoreError> {
        let params = params![
            &project.name,
            &project.description,
            before.id.as_str(),
            &before.name,
            &before.description
        ];
        let work = self.work(Mode::Write, move |s| {
            Box::pin(async move {
                let sql = "UPDATE project SET name = $1, description = $2 WHERE id = $3 AND name = $4 AND description = $5";
                if changed(s, sql, &params, &audit).await? {
                    Ok(())
                } else {
                    Err(Fault::undone(Committed::Stale))
                }
            })
        });
        committed(work.await, "project_organization_name_key")
    }

    async fn remove_project(
        &self,
        id: &ProjectId,
        instead: &ProjectId,
        audit: AuditEntry,
    ) -> Result<bool, StoreError> {
        let (id, instead) = (id.clone(), instead.clone());
        let work = self.work(Mode::Write, move |s| {
            Box::pin(async move {
                // Those of a project that stays are left where they are.
                let empty = "UPDATE workspace SET project = $1 WHERE project = $2 AND deleted_at IS NOT NULL
                    AND NOT EXISTS (SELECT 1 FROM workspace other WHERE other.project = $2 AND other.deleted_at IS NULL)";
                s.run(empty, &params![instead.as_str(), id.as_str()]).await?;
                let remove = "DELETE FROM project WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM workspace WHERE project = $1)";
                changed(s, remove, &params![id.as_str()], &audit).await
            })
        });
        match work.await {
            // Because the statement sees no workspace whose transaction has not ended yet.
            Err(fault) if fault.breaks_reference() => Ok(false),
            removed => Ok(removed?),
        }
    }

    async fn add_team_access(
        &self,
        access: &TeamAccess,
        project: Option<&ProjectId>,
        audit: AuditEntry,
    ) -> Result<bool, StoreError> {
        let TeamAccess {
            id,
            team,
            place,
            permissions,
        } = access;
        let (of_project, of_workspace) = place.columns();
        let sql = "INSERT INTO team_access (id, team, project, workspace, permissions) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING";
        let params = params![
            id.as_str(),
            team.as_str(),
            of_project,
            of_workspace,
            permissions.to_string()
        ];
        changed_at(self, (place, project), sql, params, audit).await
    }

    async fn team_access(&self, id: &AccessId) -> Result<Option<TeamAccess>, StoreError> {
        let sql = "SELECT id, team, project, workspace, permissions FROM team_access WHERE id = $1";
        self.one(sql, params![id.as_str()], access_row).await
    }

    async fn team_accesses(&self, place: &Place) -> Result<Vec<TeamAccess>, StoreError> {
        let Some(id) = place.id() else {
            return Ok(Vec::new());
        };
        let sql = "SELECT a.id, a.team, a.project, a.workspace, a.permissions FROM team_access a
            JOIN team t ON t.id = a.team WHERE a.project = $1 OR a.workspace = $1 ORDER BY t.name";
        self.every(sql, params![id], access_row).await
    }

    async fn set_team_access(
        &self,
        before: &TeamAccess,
        to: Permissions,
        project: Option<&ProjectId>,
        audit: AuditEntry,
    ) -> Result<bool, StoreError> {
        let sql = "UPDATE team_access SET permissions = $1 WHERE id = $2 AND permissions = $3";
        let params = params![
            to.to_string(),
            before.id.as_str(),
            before.permissions.to_string()
        ];
        changed_at(self, (&before.place, project), sql, params, audit).await
    }

    async fn remove_team_access(
        &self,
        access: &TeamAccess,
        project: Option<&ProjectId>,
        audit: AuditEntry,
    ) -> Result<bool, StoreError> {
        let sql = "DELETE FROM team_access WHERE id = $1";
        let params = params![access.id.as_str()];
        changed_at(self, (&access.place, project), sql, params, audit).await
    }

    async fn consumers(&self, of: &WorkspaceId) -> Result<Vec<WorkspaceId>, StoreError> {
        let sql = "SELECT w.id FROM consumer c JOIN workspace w ON w.id = c.consumer
            WHERE c.workspace = $1 AND w.deleted_at IS NULL ORDER BY w.name";
        self.every(sql, params![of.as_str()], |row| {
            row.text(0).map(WorkspaceId::from_text)
        })
        .await
    }

    async fn change_consumers(
        &self,
        of: &WorkspaceId,
        project: &ProjectId,
        change: &ConsumerChange,
        audit: AuditEntry,
    ) -> Result<bool, StoreError> {
        let (of, project, change) = (of.clone(), project.clone(), change.clone());
        let work = self.work(Mode::Write, move |s| {
            Box::pin(async move {
                if !stays(s, &of, &project).await? {
                    return Ok(false);
                }
                if change.replace {
                    s.run("DELETE FROM consumer WHERE workspace = $1", &params![of.as_str()]).await?;
                }
                let remove = "DELETE FROM consumer WHERE workspace = $1 AND consumer = $2";
                let add = "INSERT INTO consumer (workspace, consumer) VALUES ($1, $2) ON CONFLICT DO NOTHING";
                for (sql, ids) in [(remove, &change.remove), (add, &change.add)] {
                    for id in ids {
                        s.run(sql, &params![of.as_str(), id.as_str()]).await?;
                    }
                }
                record(s, &audit).await?;
                Ok(true)
            })
        });
        Ok(work.await?)
    }

    async fn users_of(&self, organization: &OrganizationId) -> Result<Vec<User>, StoreError> {
        let sql = r#"SELECT id, name, created_at FROM "user" u
            WHERE EXISTS (SELECT 1 FROM token t WHERE t."user" = u.id AND t.organization = $1)
            OR EXISTS (SELECT 1 FROM team_member m JOIN team ON team.id = m.team WHERE m."user" = u.id AND team.organization = $1)
            ORDER BY name"#;
        self.every(sql, params![organization.as_str()], user_row)
            .await
    }

    async fn remove_user(
        &self,
        user: &UserId,
        of: Option<&OrganizationId>,
        audit: AuditEntry,
    ) -> Result<bool, StoreError> {
        let known = known(of.map_or("%", OrganizationId::as_str), user.as_str());
        let (user, of) = (user.clone(), of.cloned());
        let work = self.work(Mode::Write, move |s| {
            Box::pin(async move {
                let params = params![user.as_str(), of.as_ref().map(OrganizationId::as_str)];
                let tokens =
                    r#"DELETE FROM token WHERE "user" = $1 AND (CAST($2 AS TEXT) IS NULL OR organization = $2) RETURNING hash"#;
                let removed = s.all(tokens, &params).await?;
                for row in &removed {
                    settings::set(s, &revoked(&row.sha256(0)?)).await?;
                }
                // After the tokens, so that a job is found that one of them was just adding.
                stop_jobs_of(s, (HolderKind::User, user.as_str()), of.as_ref(), &audit).await?;
                let teams = r#"DELETE FROM team_member WHERE "user" = $1
                    AND (CAST($2 AS TEXT) IS NULL OR team IN (SELECT id FROM team WHERE organization = $2))"#;
                let teams = s.run(teams, &params).await?;
                let known = s.run("DELETE FROM setting WHERE name LIKE $1", &params![known]).await?;
                let any = !removed.is_empty() || teams + known > 0;
                if any {
                    record(s, &audit).await?;
                }
                Ok(any)
            })
        });
        Ok(work.await?)
    }
}

/// Statements about what a token grants.
pub(super) mod sql {
    /// A workspace, unless it is deleted.
    pub(in crate::store) const OWN: &str =
        "SELECT id FROM workspace WHERE id = $1 AND deleted_at IS NULL";
    /// The workspaces whose state one may read.
    pub(in crate::store) const SHARED_WITH: &str =
        "SELECT w.id FROM consumer c JOIN workspace w ON w.id = c.workspace
        WHERE c.consumer = $1 AND w.deleted_at IS NULL";

    /// The grants of teams at every place; `which` begins with a join or a condition.
    pub(in crate::store) fn grants(which: &str) -> String {
        format!(
            "SELECT team.organization, team.permissions, CAST(NULL AS TEXT), CAST(NULL AS TEXT) FROM team {which}
            UNION ALL SELECT team.organization, a.permissions, a.project, a.workspace
            FROM team JOIN team_access a ON a.team = team.id {which}"
        )
    }

    /// The teams of a user.
    pub(in crate::store) const OF_USER: &str =
        r#"JOIN team_member ON team_member.team = team.id WHERE team_member."user" = $1"#;
    /// One team.
    pub(in crate::store) const OF_TEAM: &str = "WHERE team.id = $1";
}
