//! Projects, what teams may do in a part of an organization, and who is in it.

use async_trait::async_trait;
use rusqlite::{ErrorCode, OptionalExtension as _, Row, Transaction};

use super::accounts::{permissions, user_row};
use super::connections::Fault;
use super::{Sqlite, history, rows};
use crate::model::{
    AccessId, AuditEntry, OrganizationId, Permissions, Place, Project, ProjectId, TeamAccess, TeamId, User, UserId, WorkspaceId,
};
use crate::store::places::{ConsumerChange, Places, sql};
use crate::store::{Committed, StoreError};

fn project_row(row: &Row<'_>) -> rusqlite::Result<Project> {
    Ok(Project {
        id: ProjectId::from_text(row.get::<_, String>(0)?),
        organization: OrganizationId::from_text(row.get::<_, String>(1)?),
        name: row.get(2)?,
        description: row.get(3)?,
        created_at: rows::time(row, 4)?,
    })
}

fn access_row(row: &Row<'_>) -> rusqlite::Result<TeamAccess> {
    Ok(TeamAccess {
        id: AccessId::from_text(row.get::<_, String>(0)?),
        team: TeamId::from_text(row.get::<_, String>(1)?),
        place: Place::of_columns(row.get(2)?, row.get(3)?),
        permissions: permissions(row, 4)?,
    })
}

pub(super) fn add_project(t: &Transaction<'_>, project: &Project) -> Result<bool, Fault> {
    let Project { id, organization, name, description, created_at } = project;
    let values = (id.as_str(), organization.as_str(), name, description, created_at.as_millis());
    Ok(t.prepare_cached(sql::ADD_PROJECT)?.execute(values)? > 0)
}

impl Sqlite {
    /// Runs a statement, and writes a line to the audit log if it changed something; whether it did.
    pub(super) async fn changed<P: rusqlite::Params + Send + 'static>(
        &self,
        sql: &'static str,
        values: P,
        audit: AuditEntry,
    ) -> Result<bool, StoreError> {
        self.write(move |t| {
            let changed = t.prepare_cached(sql)?.execute(values)? > 0;
            if changed {
                history::record(t, &audit)?;
            }
            Ok(changed)
        })
        .await
    }
}

#[async_trait]
impl Places for Sqlite {
    async fn add_project(&self, project: &Project, audit: AuditEntry) -> Result<bool, StoreError> {
        let project = project.clone();
        self.write(move |t| {
            let added = add_project(t, &project)?;
            if added {
                history::record(t, &audit)?;
            }
            Ok(added)
        })
        .await
    }

    async fn project(&self, id: &ProjectId) -> Result<Option<Project>, StoreError> {
        let id = id.clone();
        self.read(move |t| Ok(t.prepare_cached(sql::PROJECT)?.query_row([id.as_str()], project_row).optional()?)).await
    }

    async fn projects(&self, organization: &OrganizationId) -> Result<Vec<Project>, StoreError> {
        let organization = organization.clone();
        self.read(move |t| {
            let mut statement = t.prepare_cached(sql::PROJECTS)?;
            let found = statement.query_map([organization.as_str()], project_row)?;
            Ok(found.collect::<Result<_, _>>()?)
        })
        .await
    }

    async fn change_project(&self, project: &Project, audit: AuditEntry) -> Result<Committed, StoreError> {
        let project = project.clone();
        self.write(move |t| {
            let changed =
                t.prepare_cached(sql::CHANGE_PROJECT)?.execute((&project.name, &project.description, project.id.as_str()));
            match changed {
                Err(error) if error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation) => {
                    return Ok(Committed::NameTaken);
                }
                Ok(0) => return Ok(Committed::Gone),
                done => done?,
            };
            history::record(t, &audit)?;
            Ok(Committed::Done)
        })
        .await
    }

    async fn remove_project(&self, id: &ProjectId, instead: &ProjectId, audit: AuditEntry) -> Result<bool, StoreError> {
        let (id, instead) = (id.clone(), instead.clone());
        self.write(move |t| {
            t.prepare_cached(sql::EMPTY_PROJECT)?.execute((instead.as_str(), id.as_str()))?;
            let removed = t.prepare_cached(sql::REMOVE_PROJECT)?.execute([id.as_str()])? > 0;
            if removed {
                history::record(t, &audit)?;
            }
            Ok(removed)
        })
        .await
    }

    async fn add_team_access(&self, access: &TeamAccess, audit: AuditEntry) -> Result<bool, StoreError> {
        let access = access.clone();
        self.write(move |t| {
            let TeamAccess { id, team, place, permissions } = &access;
            let (project, workspace) = place.columns();
            let values = (id.as_str(), team.as_str(), project, workspace, permissions.to_string());
            let added = t.prepare_cached(sql::ADD_ACCESS)?.execute(values)? > 0;
            if added {
                history::record(t, &audit)?;
            }
            Ok(added)
        })
        .await
    }

    async fn team_access(&self, id: &AccessId) -> Result<Option<TeamAccess>, StoreError> {
        let id = id.clone();
        self.read(move |t| Ok(t.prepare_cached(sql::ACCESS)?.query_row([id.as_str()], access_row).optional()?)).await
    }

    async fn team_accesses(&self, place: &Place) -> Result<Vec<TeamAccess>, StoreError> {
        let Some(id) = place.id().map(str::to_owned) else { return Ok(Vec::new()) };
        self.read(move |t| {
            let mut statement = t.prepare_cached(sql::ACCESSES)?;
            let found = statement.query_map([&id], access_row)?;
            Ok(found.collect::<Result<_, _>>()?)
        })
        .await
    }

    async fn set_team_access(&self, id: &AccessId, to: Permissions, audit: AuditEntry) -> Result<(), StoreError> {
        self.changed(sql::SET_ACCESS, (to.to_string(), id.to_string()), audit).await.map(drop)
    }

    async fn remove_team_access(&self, id: &AccessId, audit: AuditEntry) -> Result<bool, StoreError> {
        self.changed(sql::REMOVE_ACCESS, [id.to_string()], audit).await
    }

    async fn consumers(&self, of: &WorkspaceId) -> Result<Vec<WorkspaceId>, StoreError> {
        let of = of.clone();
        self.read(move |t| {
            let mut statement = t.prepare_cached(sql::CONSUMERS)?;
            let found = statement.query_map([of.as_str()], |row| Ok(WorkspaceId::from_text(row.get::<_, String>(0)?)))?;
            Ok(found.collect::<Result<_, _>>()?)
        })
        .await
    }

    async fn change_consumers(&self, of: &WorkspaceId, change: &ConsumerChange, audit: AuditEntry) -> Result<(), StoreError> {
        let (of, change) = (of.clone(), change.clone());
        self.write(move |t| {
            if change.replace {
                t.prepare_cached(sql::CLEAR_CONSUMERS)?.execute([of.as_str()])?;
            }
            for id in &change.remove {
                t.prepare_cached(sql::REMOVE_CONSUMER)?.execute((of.as_str(), id.as_str()))?;
            }
            for id in &change.add {
                t.prepare_cached(sql::ADD_CONSUMER)?.execute((of.as_str(), id.as_str()))?;
            }
            history::record(t, &audit)
        })
        .await
    }

    async fn users_of(&self, organization: &OrganizationId) -> Result<Vec<User>, StoreError> {
        let organization = organization.clone();
        self.read(move |t| {
            let mut statement = t.prepare_cached(sql::USERS)?;
            let found = statement.query_map([organization.as_str()], user_row)?;
            Ok(found.collect::<Result<_, _>>()?)
        })
        .await
    }

    async fn remove_user(&self, user: &UserId, of: Option<&OrganizationId>, audit: AuditEntry) -> Result<bool, StoreError> {
        let (user, of) = (user.to_string(), of.map(ToString::to_string));
        self.write(move |t| {
            let revoked = format!(
                "INSERT OR IGNORE INTO setting (name, value) SELECT 'revoked/' || lower(hex(hash)), x'00' {}",
                sql::THEIR_TOKENS
            );
            t.prepare_cached(&revoked)?.execute((&user, &of))?;
            let tokens = t.prepare_cached(&format!("DELETE {}", sql::THEIR_TOKENS))?.execute((&user, &of))?;
            let teams = t.prepare_cached(sql::LEAVE_TEAMS)?.execute((&user, &of))?;
            let known = t.prepare_cached(sql::FORGET)?.execute((&of, &user))?;
            let removed = tokens + teams + known > 0;
            if removed {
                history::record(t, &audit)?;
            }
            Ok(removed)
        })
        .await
    }
}
