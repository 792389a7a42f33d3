//! Projects, what teams may do in a part of an organization, and who is in it.

use async_trait::async_trait;
use deadpool_postgres::Transaction;
use tokio_postgres::Row;

use super::accounts::{permissions, user_row};
use super::pool::{begin, done};
use super::sql::{Done, Text, Values, all, maybe, optional, run, text, time};
use super::{Postgres, history};
use crate::model::{
    AccessId, AuditEntry, OrganizationId, Permissions, Place, Project, ProjectId, TeamAccess, TeamId, User, UserId, WorkspaceId,
};
use crate::store::places::{ConsumerChange, Places, sql};
use crate::store::{Committed, StoreError};

fn project_row(row: &Row) -> Done<Project> {
    Ok(Project {
        id: ProjectId::from_text(text(row, 0)?),
        organization: OrganizationId::from_text(text(row, 1)?),
        name: text(row, 2)?,
        description: text(row, 3)?,
        created_at: time(row, 4)?,
    })
}

fn access_row(row: &Row) -> Done<TeamAccess> {
    Ok(TeamAccess {
        id: AccessId::from_text(text(row, 0)?),
        team: TeamId::from_text(text(row, 1)?),
        place: Place::of_columns(optional(row, 2)?, optional(row, 3)?),
        permissions: permissions(row, 4)?,
    })
}

pub(super) async fn add_project(t: &Transaction<'_>, project: &Project) -> Done<bool> {
    let Project { id, organization, name, description, created_at } = project;
    let values: Values<'_> =
        &[&Text(id.as_str()), &Text(organization.as_str()), &Text(name), &Text(description), &created_at.as_millis()];
    Ok(run(t, sql::ADD_PROJECT, values).await? > 0)
}

impl Postgres {
    /// Runs a statement, and writes a line to the audit log if it changed something; whether it did.
    pub(super) async fn changed(&self, sql: &str, values: Values<'_>, audit: &AuditEntry) -> Result<bool, StoreError> {
        let mut client = self.client().await?;
        let t = begin(&mut client).await?;
        let changed = run(&t, sql, values).await? > 0;
        if changed {
            history::record(&t, audit).await?;
        }
        done(t).await?;
        Ok(changed)
    }
}

#[async_trait]
impl Places for Postgres {
    async fn add_project(&self, project: &Project, audit: AuditEntry) -> Result<bool, StoreError> {
        let mut client = self.client().await?;
        let t = begin(&mut client).await?;
        let added = add_project(&t, project).await?;
        if added {
            history::record(&t, &audit).await?;
        }
        done(t).await?;
        Ok(added)
    }

    async fn project(&self, id: &ProjectId) -> Result<Option<Project>, StoreError> {
        let row = maybe(&self.client().await?, sql::PROJECT, &[&Text(id.as_str())]).await?;
        Ok(row.as_ref().map(project_row).transpose()?)
    }

    async fn projects(&self, organization: &OrganizationId) -> Result<Vec<Project>, StoreError> {
        let rows = all(&self.client().await?, sql::PROJECTS, &[&Text(organization.as_str())]).await?;
        Ok(rows.iter().map(project_row).collect::<Done<_>>()?)
    }

    async fn change_project(&self, project: &Project, audit: AuditEntry) -> Result<Committed, StoreError> {
        let mut client = self.client().await?;
        let t = begin(&mut client).await?;
        let values: Values<'_> = &[&Text(&project.name), &Text(&project.description), &Text(project.id.as_str())];
        match run(&t, sql::CHANGE_PROJECT, values).await {
            Err(fault) if fault.is_duplicate_in("project_organization_name_key") => return Ok(Committed::NameTaken),
            Ok(0) => return Ok(Committed::Gone),
            changed => changed?,
        };
        history::record(&t, &audit).await?;
        done(t).await?;
        Ok(Committed::Done)
    }

    async fn remove_project(&self, id: &ProjectId, instead: &ProjectId, audit: AuditEntry) -> Result<bool, StoreError> {
        let mut client = self.client().await?;
        let t = begin(&mut client).await?;
        run(&t, sql::EMPTY_PROJECT, &[&Text(instead.as_str()), &Text(id.as_str())]).await?;
        let removed = run(&t, sql::REMOVE_PROJECT, &[&Text(id.as_str())]).await? > 0;
        if removed {
            history::record(&t, &audit).await?;
        }
        done(t).await?;
        Ok(removed)
    }

    async fn add_team_access(&self, access: &TeamAccess, audit: AuditEntry) -> Result<bool, StoreError> {
        let (project, workspace) = access.place.columns();
        let permissions = access.permissions.to_string();
        let values: Values<'_> = &[
            &Text(access.id.as_str()),
            &Text(access.team.as_str()),
            &project.map(Text),
            &workspace.map(Text),
            &Text(&permissions),
        ];
        self.changed(sql::ADD_ACCESS, values, &audit).await
    }

    async fn team_access(&self, id: &AccessId) -> Result<Option<TeamAccess>, StoreError> {
        let row = maybe(&self.client().await?, sql::ACCESS, &[&Text(id.as_str())]).await?;
        Ok(row.as_ref().map(access_row).transpose()?)
    }

    async fn team_accesses(&self, place: &Place) -> Result<Vec<TeamAccess>, StoreError> {
        let Some(id) = place.id() else { return Ok(Vec::new()) };
        let rows = all(&self.client().await?, sql::ACCESSES, &[&Text(id)]).await?;
        Ok(rows.iter().map(access_row).collect::<Done<_>>()?)
    }

    async fn set_team_access(&self, id: &AccessId, to: Permissions, audit: AuditEntry) -> Result<(), StoreError> {
        let to = to.to_string();
        self.changed(sql::SET_ACCESS, &[&Text(&to), &Text(id.as_str())], &audit).await.map(drop)
    }

    async fn remove_team_access(&self, id: &AccessId, audit: AuditEntry) -> Result<bool, StoreError> {
        self.changed(sql::REMOVE_ACCESS, &[&Text(id.as_str())], &audit).await
    }

    async fn consumers(&self, of: &WorkspaceId) -> Result<Vec<WorkspaceId>, StoreError> {
        let rows = all(&self.client().await?, sql::CONSUMERS, &[&Text(of.as_str())]).await?;
        Ok(rows.iter().map(|row| Ok(WorkspaceId::from_text(text(row, 0)?))).collect::<Done<_>>()?)
    }

    async fn change_consumers(&self, of: &WorkspaceId, change: &ConsumerChange, audit: AuditEntry) -> Result<(), StoreError> {
        let mut client = self.client().await?;
        let t = begin(&mut client).await?;
        let of = Text(of.as_str());
        if change.replace {
            run(&t, sql::CLEAR_CONSUMERS, &[&of]).await?;
        }
        for id in &change.remove {
            run(&t, sql::REMOVE_CONSUMER, &[&of, &Text(id.as_str())]).await?;
        }
        for id in &change.add {
            run(&t, sql::ADD_CONSUMER, &[&of, &Text(id.as_str())]).await?;
        }
        history::record(&t, &audit).await?;
        done(t).await?;
        Ok(())
    }

    async fn users_of(&self, organization: &OrganizationId) -> Result<Vec<User>, StoreError> {
        let rows = all(&self.client().await?, sql::USERS, &[&Text(organization.as_str())]).await?;
        Ok(rows.iter().map(user_row).collect::<Done<_>>()?)
    }

    async fn remove_user(&self, user: &UserId, of: Option<&OrganizationId>, audit: AuditEntry) -> Result<bool, StoreError> {
        let mut client = self.client().await?;
        let t = begin(&mut client).await?;
        let (user, of) = (Text(user.as_str()), of.map(|id| Text(id.as_str())));
        let revoked = format!(
            "INSERT INTO setting (name, value) SELECT 'revoked/' || encode(hash, 'hex'), '\\x00'::bytea {} ON CONFLICT DO NOTHING",
            sql::THEIR_TOKENS
        );
        run(&t, &revoked, &[&user, &of]).await?;
        let tokens = run(&t, &format!("DELETE {}", sql::THEIR_TOKENS), &[&user, &of]).await?;
        let teams = run(&t, sql::LEAVE_TEAMS, &[&user, &of]).await?;
        let known = run(&t, sql::FORGET, &[&of, &user]).await?;
        let removed = tokens + teams + known > 0;
        if removed {
            history::record(&t, &audit).await?;
        }
        done(t).await?;
        Ok(removed)
    }
}
