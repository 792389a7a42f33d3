//! Workspaces and their tags.

use std::fmt::Write as _;

use async_trait::async_trait;

use super::audit::{changed, record};
use super::commit::Committed;
use super::error::StoreError;
use super::page::{Listed, Page};
use super::session::{
    Database, Dialect, Done, Fault, Mode, Param, Row, Session, committed, params,
};
use super::versions::Beside;
use super::{accounts, blobs, days, versions};
use crate::model::{
    AuditEntry, Lock, OrganizationId, Place, Principal, ProjectId, Timestamp, TokenId, Version,
    VersionId, Workspace, WorkspaceId,
};
use crate::rules::Snapshot;

/// A filter that selects workspaces of an organization.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WorkspaceFilter {
    /// Only those whose name contains this.
    pub name: Option<String>,
    /// Only those with this name, in which a `*` at the start or the end means any letters.
    pub pattern: Option<String>,
    /// Only those with all of these tags; a value, where one is given, must be equal.
    pub tags: Vec<(String, Option<String>)>,
    /// Only those without any of these tags.
    pub without_tags: Vec<String>,
    /// Only those of a project.
    pub project: Option<ProjectId>,
    /// Only those in one of these parts of the organization, if it is not all of it.
    pub within: Option<Vec<Place>>,
}

/// Workspaces.
#[async_trait]
pub trait Workspaces {
    /// Adds a workspace, unless its organization has one of this name, or one that had it is locked
    /// by an apply that knows no other.
    async fn add_workspace(
        &self,
        workspace: &Workspace,
        audit: AuditEntry,
    ) -> Result<bool, StoreError>;
    /// The workspace of this name. Deleted ones are not found.
    async fn workspace(
        &self,
        organization: &OrganizationId,
        name: &str,
    ) -> Result<Option<Workspace>, StoreError>;
    /// The workspace to which a name leads: the one that has it; else the one that had it before it
    /// was renamed; else the one that had it when it was deleted. With it, when it was deleted. A
    /// deleted one is found only as long as its state has managed resources, or may have.
    async fn named(
        &self,
        organization: &OrganizationId,
        name: &str,
    ) -> Result<Option<(Workspace, Option<Timestamp>)>, StoreError>;
    /// The workspaces of an organization, by name.
    async fn workspaces(
        &self,
        organization: &OrganizationId,
        filter: &WorkspaceFilter,
        page: Page,
    ) -> Result<Listed<Workspace>, StoreError>;
    /// The tags of an organization's workspaces by key and value, each with the number of
    /// workspaces that have it. Deleted ones do not count.
    async fn used_tags(
        &self,
        organization: &OrganizationId,
    ) -> Result<Vec<(String, Option<String>, u64)>, StoreError>;
    /// The workspaces of an organization with a tag, which has this value if there is one. Deleted
    /// ones are not found.
    async fn with_tag(
        &self,
        organization: &OrganizationId,
        key: &str,
        value: Option<&str>,
    ) -> Result<Vec<WorkspaceId>, StoreError>;
    /// A workspace with its current and its pending version, all of the same moment. Deleted ones
    /// are not found.
    async fn snapshot(&self, workspace: &WorkspaceId) -> Result<Option<Snapshot>, StoreError>;
    /// A version with its workspace, both of the same moment. Versions of deleted workspaces are
    /// not found.
    async fn version_in(
        &self,
        version: &VersionId,
    ) -> Result<Option<(Version, Workspace)>, StoreError>;
    /// A version as [`version_in`](Self::version_in) finds it, with what
    /// [`beside`](super::Versions::beside) says of it at the same moment; of a large state that is
    /// to be asked by itself.
    async fn version_beside(
        &self,
        version: &VersionId,
    ) -> Result<Option<(Version, Workspace, Option<Beside>)>, StoreError>;
    /// For whom a token speaks, as [`principal_of`](super::Accounts::principal_of) finds it, and a
    /// version as [`version_in`](Self::version_in) does, all of the same moment.
    async fn principal_and_version(
        &self,
        token: &TokenId,
        version: &VersionId,
    ) -> Result<OfUrl, StoreError>;
    /// Workspaces with a lock that has [ended](crate::model::Lock::has_ended) by itself. Deleted
    /// ones are not found.
    async fn ended_locks(&self, now: Timestamp) -> Result<Vec<WorkspaceId>, StoreError>;
    /// Deleted workspaces that are not destroyed yet, with when they were deleted, the newest
    /// first.
    async fn deleted_workspaces(&self) -> Result<Vec<(Workspace, Timestamp)>, StoreError>;
    /// Brings a deleted workspace back, under this name; [`Committed::Gone`] if there is none to
    /// bring back.
    async fn restore_workspace(
        &self,
        id: &WorkspaceId,
        name: &str,
        audit: AuditEntry,
    ) -> Result<Committed, StoreError>;
    /// Destroys workspaces that were deleted before `than`, with all they hold; how many.
    async fn purge_workspaces(&self, than: Timestamp, audit: AuditEntry)
    -> Result<u64, StoreError>;
}

/// The principal and the version of a signed URL, where they are found.
pub type OfUrl = (Option<Principal>, Option<(Version, Workspace)>);

/// The columns of [`workspace`].
fn columns(dialect: Dialect) -> String {
    let of = "FROM tag WHERE tag.workspace = workspace.id";
    format!(
        "id, organization, name, revision, last_seq, head, pending, max_serial, lock, unlocked, description, terraform_version, \
         retention_days, created_at, updated_at, project, sharing IS NOT NULL, {}, {}, deleted_at",
        dialect.list("key", of, "key"),
        dialect.list("value", of, "key")
    )
}

fn workspace(row: &Row) -> Done<Workspace> {
    let keys = row.list(17)?.into_iter().flatten();
    Ok(Workspace {
        id: WorkspaceId::from_text(row.text(0)?),
        organization: OrganizationId::from_text(row.text(1)?),
        name: row.text(2)?,
        revision: row.int(3)?,
        last_seq: row.int(4)?,
        head: row.optional(5)?.map(VersionId::from_text),
        pending: row.optional(6)?.map(VersionId::from_text),
        max_serial: row.optional_int(7)?,
        lock: row.json(8)?,
        unlocked: row.json(9)?,
        description: row.text(10)?,
        terraform_version: row.text(11)?,
        tags: keys.zip(row.list(18)?).collect(),
        retention: days::read(row.optional_int(12)?),
        created_at: row.time(13)?,
        updated_at: row.time(14)?,
        project: ProjectId::from_text(row.text(15)?),
        shared: row.bool(16)?,
    })
}

/// Replaces a workspace's tags.
pub(super) async fn set_tags(
    s: &mut dyn Session,
    workspace: &WorkspaceId,
    tags: &[(String, Option<String>)],
) -> Done<()> {
    s.run(
        "DELETE FROM tag WHERE workspace = $1",
        &params![workspace.as_str()],
    )
    .await?;
    for (key, value) in tags {
        let params = params![workspace.as_str(), key, value.as_deref()];
        s.run(
            "INSERT INTO tag (workspace, key, value) VALUES ($1, $2, $3)",
            &params,
        )
        .await?;
    }
    Ok(())
}

/// Makes the name that a workspace has until it gets another one lead to it afterwards, too, unless
/// another workspace has that, or had it since this one was deleted.
pub(super) async fn leave_name(s: &mut dyn Session, workspace: &str, to: &str) -> Done<()> {
    let sql = "INSERT INTO former_name (organization, name, workspace)
        SELECT organization, name, id FROM workspace WHERE id = $1 AND name <> $2 AND NOT EXISTS (
            SELECT 1 FROM workspace other WHERE other.organization = workspace.organization
                AND other.name = workspace.name AND other.id <> workspace.id AND other.deleted_at IS NULL)
        AND (deleted_at IS NULL OR NOT EXISTS (
            SELECT 1 FROM former_name former WHERE former.organization = workspace.organization AND former.name = workspace.name))
        ON CONFLICT (organization, name) DO UPDATE SET workspace = excluded.workspace";
    s.run(sql, &params![workspace, to]).await.map(drop)
}

/// Makes a name lead to nobody but the workspace that got it. It has to have it already: the row of
/// another one that leaves the name at this moment can be seen only after that one was waited for.
/// Gives up while an apply knows that other one by the name.
pub(super) async fn take_name(s: &mut dyn Session, workspace: &str, name: &str) -> Done<()> {
    let sql = "SELECT other.lock FROM former_name former JOIN workspace other ON other.id = former.workspace
        WHERE former.organization = (SELECT organization FROM workspace WHERE id = $1) AND former.name = $2
            AND other.id <> $1 AND other.lock IS NOT NULL AND other.deleted_at IS NULL";
    if let Some(row) = s.maybe(sql, &params![workspace, name]).await?
        && row.json::<Lock>(0)?.is_some_and(|lock| lock.is_of_http())
    {
        return Err(Fault::undone(Committed::NameTaken));
    }
    let sql = "DELETE FROM former_name
        WHERE organization = (SELECT organization FROM workspace WHERE id = $1) AND name = $2";
    s.run(sql, &params![workspace, name]).await.map(drop)
}

/// The condition of a filter, and its parameters.
fn filtered(
    dialect: Dialect,
    organization: &OrganizationId,
    filter: &WorkspaceFilter,
) -> (String, Vec<Param>) {
    let mut which = "FROM workspace WHERE organization = $1 AND deleted_at IS NULL".to_owned();
    let mut params = vec![Param::from(organization.as_str())];
    let mut next = |text: &str| {
        params.push(Param::from(text));
        format!("${}", params.len())
    };
    if let Some(name) = &filter.name {
        let place = dialect.place(&dialect.lower(&next(name)), &dialect.lower("name"));
        let _ = write!(which, " AND {place} > 0");
    }
    if let Some(pattern) = &filter.pattern {
        // At an end without `*`, because no name holds this letter.
        let end = |is_open: bool| if is_open { "" } else { "/" };
        let part = format!(
            "{}{}{}",
            end(pattern.starts_with('*')),
            pattern.trim_matches('*'),
            end(pattern.ends_with('*'))
        );
        let place = dialect.place(
            &dialect.lower(&next(&part)),
            &dialect.lower("'/' || name || '/'"),
        );
        let _ = write!(which, " AND {place} > 0");
    }
    for (key, value) in &filter.tags {
        let _ = write!(
            which,
            " AND EXISTS (SELECT 1 FROM tag WHERE tag.workspace = workspace.id AND tag.key = {}",
            next(key)
        );
        if let Some(value) = value {
            let _ = write!(which, " AND tag.value = {}", next(value));
        }
        which.push(')');
    }
    for key in &filter.without_tags {
        let _ = write!(
            which,
            " AND NOT EXISTS (SELECT 1 FROM tag WHERE tag.workspace = workspace.id AND tag.key = {})",
            next(key)
        );
    }
    if let Some(project) = &filter.project {
        let _ = write!(which, " AND project = {}", next(project.as_str()));
    }
    // In lists, because somebody may be in thousands of parts, and a statement has no room for a
    // condition of each.
    if let Some(places) = &filter.within
        && !places.contains(&Place::Organization)
    {
        let (mut projects, mut workspaces) = (Vec::new(), Vec::new());
        for place in places {
            match place {
                Place::Organization => {}
                Place::Project(id) => projects.push(id.to_string()),
                Place::Workspace(id) => workspaces.push(id.to_string()),
            }
        }
        let first = params.len() + 1;
        params.extend([Param::from(projects), Param::from(workspaces)]);
        let _ = write!(
            which,
            " AND ({} OR {})",
            dialect.among("project", first),
            dialect.among("id", first + 1)
        );
    }
    (which, params)
}

/// Destroys workspaces that were deleted long ago: how many, and the objects to which nothing
/// refers any more. What another process destroys at this moment is left to it.
async fn purge(
    s: &mut dyn Session,
    than: Timestamp,
    audit: &AuditEntry,
) -> Done<(u64, Vec<String>)> {
    let sql = format!(
        "SELECT id FROM workspace WHERE deleted_at < $1{}",
        s.dialect().unless_taken()
    );
    let gone = s.all(&sql, &params![than]).await?;
    let mut unused = Vec::new();
    for row in &gone {
        let id = row.text(0)?;
        for sql in [
            "SELECT state FROM state_version WHERE workspace = $1 AND state IS NOT NULL",
            "SELECT json_state FROM state_version WHERE workspace = $1 AND json_state IS NOT NULL",
            "SELECT state FROM quarantine WHERE workspace = $1",
        ] {
            for row in s.all(sql, &params![&id]).await? {
                unused.push(row.sha256(0)?);
            }
        }
        for sql in [
            "UPDATE workspace SET head = NULL, pending = NULL WHERE id = $1",
            "DELETE FROM state_version WHERE workspace = $1",
            "DELETE FROM workspace WHERE id = $1",
        ] {
            s.run(sql, &params![&id]).await?;
        }
        let workspace = Some(WorkspaceId::from_text(id.clone()));
        record(
            s,
            &AuditEntry {
                workspace,
                subject: id,
                ..audit.clone()
            },
        )
        .await?;
    }
    let objects = blobs::sweep(s, unused).await?.objects;
    Ok((u64::try_from(gone.len()).unwrap_or(u64::MAX), objects))
}

/// A workspace, unless it is deleted.
async fn existing(s: &mut dyn Session, id: &WorkspaceId) -> Done<Option<Workspace>> {
    let sql = format!(
        "SELECT {} FROM workspace WHERE id = $1 AND deleted_at IS NULL",
        columns(s.dialect())
    );
    s.maybe(&sql, &params![id.as_str()])
        .await?
        .as_ref()
        .map(workspace)
        .transpose()
}

/// A version with its workspace, unless that is deleted.
async fn version_in(s: &mut dyn Session, id: &VersionId) -> Done<Option<(Version, Workspace)>> {
    let Some(version) = versions::any(s, id).await? else {
        return Ok(None);
    };
    Ok(existing(s, &version.workspace)
        .await?
        .map(|workspace| (version, workspace)))
}

/// A workspace with its current and its pending version, unless it is deleted.
async fn snapshot(s: &mut dyn Session, id: &WorkspaceId) -> Done<Option<Snapshot>> {
    let Some(workspace) = existing(s, id).await? else {
        return Ok(None);
    };
    let mut snapshot = Snapshot {
        workspace,
        head: None,
        pending: None,
    };
    if let Some(id) = &snapshot.workspace.head {
        snapshot.head = Some(versions::existing(s, id).await?);
    }
    if let Some(id) = &snapshot.workspace.pending {
        snapshot.pending = Some(versions::existing(s, id).await?);
    }
    Ok(Some(snapshot))
}

#[async_trait]
impl<D: Database> Workspaces for D {
    async fn add_workspace(
        &self,
        workspace: &Workspace,
        audit: AuditEntry,
    ) -> Result<bool, StoreError> {
        let workspace = workspace.clone();
        let work = self.work(Mode::Write, move |s| {
            Box::pin(async move {
                let sql =
                    "INSERT INTO workspace (id, organization, name, revision, description, terraform_version, retention_days,
                        created_at, updated_at, project, sharing)
                    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
                    ON CONFLICT (organization, name) WHERE deleted_at IS NULL DO NOTHING";
                let params = params![
                    workspace.id.as_str(),
                    workspace.organization.as_str(),
                    &workspace.name,
                    workspace.revision,
                    &workspace.description,
                    &workspace.terraform_version,
                    days::write(workspace.retention),
                    workspace.created_at,
                    workspace.updated_at,
                    workspace.project.as_str(),
                    workspace.shared.then_some("all"),
                ];
                let added = changed(s, sql, &params, &audit).await?;
                if added {
                    take_name(s, workspace.id.as_str(), &workspace.name).await?;
                    set_tags(s, &workspace.id, &workspace.tags).await?;
                }
                Ok(added)
            })
        });
        match work.await {
            Err(fault) if fault.why_undone() == Some(Committed::NameTaken) => Ok(false),
            done => Ok(done?),
        }
    }

    async fn workspace(
        &self,
        organization: &OrganizationId,
        name: &str,
    ) -> Result<Option<Workspace>, StoreError> {
        let columns = columns(D::DIALECT);
        let sql = format!(
            "SELECT {columns} FROM workspace WHERE organization = $1 AND name = $2 AND deleted_at IS NULL"
        );
        self.one(sql, params![organization.as_str(), name], workspace)
            .await
    }

    async fn named(
        &self,
        organization: &OrganizationId,
        name: &str,
    ) -> Result<Option<(Workspace, Option<Timestamp>)>, StoreError> {
        let columns = columns(D::DIALECT);
        // One statement, because a workspace that comes back between two would be at no name. Data
        // sources are left out, since they are only read.
        let sql = format!(
            "SELECT {columns} FROM workspace
            WHERE id IN (
                SELECT id FROM workspace WHERE organization = $1 AND name = $2 AND deleted_at IS NULL
                UNION ALL SELECT workspace FROM former_name WHERE organization = $1 AND name = $2
                UNION ALL SELECT id FROM workspace WHERE organization = $1 AND name = $2 AND deleted_at IS NOT NULL)
            AND (deleted_at IS NULL OR EXISTS (
                SELECT 1 FROM state_version version WHERE version.id = workspace.head
                    AND (version.unreadable IS NOT NULL OR version.resources IS NULL
                        OR replace(version.resources, '\"type\":\"data.', '') LIKE '%\"type\":\"%')))
            ORDER BY CASE WHEN name <> $2 THEN 1 WHEN deleted_at IS NULL THEN 0 ELSE 2 END, deleted_at DESC LIMIT 1"
        );
        self.one(sql, params![organization.as_str(), name], |row| {
            Ok((workspace(row)?, row.optional_time(19)?))
        })
        .await
    }

    async fn workspaces(
        &self,
        organization: &OrganizationId,
        filter: &WorkspaceFilter,
        page: Page,
    ) -> Result<Listed<Workspace>, StoreError> {
        let (which, params) = filtered(D::DIALECT, organization, filter);
        let work = self.work(Mode::Read, move |s| {
            Box::pin(async move {
                s.listed(
                    &columns(D::DIALECT),
                    &which,
                    "name",
                    params,
                    page,
                    workspace,
                )
                .await
            })
        });
        Ok(work.await?)
    }

    async fn used_tags(
        &self,
        organization: &OrganizationId,
    ) -> Result<Vec<(String, Option<String>, u64)>, StoreError> {
        let sql = "SELECT tag.key, tag.value, count(*) FROM tag JOIN workspace w ON w.id = tag.workspace
            WHERE w.organization = $1 AND w.deleted_at IS NULL GROUP BY tag.key, tag.value ORDER BY tag.key, coalesce(tag.value, '')";
        let tag = |row: &Row| Ok((row.text(0)?, row.optional(1)?, row.size(2)?));
        self.every(sql, params![organization.as_str()], tag).await
    }

    async fn with_tag(
        &self,
        organization: &OrganizationId,
        key: &str,
        value: Option<&str>,
    ) -> Result<Vec<WorkspaceId>, StoreError> {
        let sql = "SELECT w.id FROM tag JOIN workspace w ON w.id = tag.workspace
            WHERE w.organization = $1 AND w.deleted_at IS NULL AND tag.key = $2";
        let id = |row: &Row| row.text(0).map(WorkspaceId::from_text);
        match value {
            Some(value) => {
                self.every(
                    format!("{sql} AND tag.value = $3"),
                    params![organization.as_str(), key, value],
                    id,
                )
                .await
            }
            None => {
                self.every(sql, params![organization.as_str(), key], id)
                    .await
            }
        }
    }

    async fn snapshot(&self, workspace: &WorkspaceId) -> Result<Option<Snapshot>, StoreError> {
        let id = workspace.clone();
        let work = self.work(Mode::Rows, move |s| {
            Box::pin(async move { snapshot(s, &id).await })
        });
        Ok(work.await?)
    }

    async fn version_in(
        &self,
        version: &VersionId,
    ) -> Result<Option<(Version, Workspace)>, StoreError> {
        let id = version.clone();
        Ok(self
            .work(Mode::Rows, move |s| {
                Box::pin(async move { version_in(s, &id).await })
            })
            .await?)
    }

    async fn version_beside(
        &self,
        version: &VersionId,
    ) -> Result<Option<(Version, Workspace, Option<Beside>)>, StoreError> {
        let id = version.clone();
        let work = self.work(Mode::Rows, move |s| {
            Box::pin(async move {
                let Some((version, workspace)) = version_in(s, &id).await? else {
                    return Ok(None);
                };
                let beside = if versions::has_few_beside(&version) {
                    Some(versions::beside(s, &version).await?)
                } else {
                    None
                };
                Ok(Some((version, workspace, beside)))
            })
        });
        Ok(work.await?)
    }

    async fn principal_and_version(
        &self,
        token: &TokenId,
        version: &VersionId,
    ) -> Result<OfUrl, StoreError> {
        let (token, id) = (Param::from(token.as_str()), version.clone());
        let work = self.work(Mode::Rows, move |s| {
            Box::pin(async move {
                Ok((
                    accounts::principal(s, "id", token).await?,
                    version_in(s, &id).await?,
                ))
            })
        });
        Ok(work.await?)
    }

    async fn ended_locks(&self, now: Timestamp) -> Result<Vec<WorkspaceId>, StoreError> {
        let sql = "SELECT id, lock FROM workspace WHERE lock IS NOT NULL AND deleted_at IS NULL";
        let locks = self
            .every(sql, [], |row| Ok((row.text(0)?, row.json::<Lock>(1)?)))
            .await?;
        let ended = locks
            .into_iter()
            .filter(|(_, lock)| lock.as_ref().is_some_and(|lock| lock.has_ended(now)));
        Ok(ended.map(|(id, _)| WorkspaceId::from_text(id)).collect())
    }

    async fn deleted_workspaces(&self) -> Result<Vec<(Workspace, Timestamp)>, StoreError> {
        let columns = columns(D::DIALECT);
        let sql = format!(
            "SELECT {columns} FROM workspace WHERE deleted_at IS NOT NULL ORDER BY deleted_at DESC, id"
        );
        self.every(sql, [], |row| Ok((workspace(row)?, row.time(19)?)))
            .await
    }

    async fn restore_workspace(
        &self,
        id: &WorkspaceId,
        name: &str,
        audit: AuditEntry,
    ) -> Result<Committed, StoreError> {
        let params = params![id.as_str(), name, audit.at];
        let (id, name) = (id.clone(), name.to_owned());
        let work = self.work(Mode::Write, move |s| {
            Box::pin(async move {
                leave_name(s, id.as_str(), &name).await?;
                let sql = "UPDATE workspace SET deleted_at = NULL, name = $2, revision = revision + 1, updated_at = $3
                    WHERE id = $1 AND deleted_at IS NOT NULL";
                if !changed(s, sql, &params, &audit).await? {
                    return Err(Fault::undone(Committed::Gone));
                }
                take_name(s, id.as_str(), &name).await
            })
        });
        committed(work.await, "workspace_name")
    }

    async fn purge_workspaces(
        &self,
        than: Timestamp,
        audit: AuditEntry,
    ) -> Result<u64, StoreError> {
        let work = self.work(Mode::Write, move |s| {
            Box::pin(async move { purge(s, than, &audit).await })
        });
        let (purged, unused) = work.await?;
        self.delete_objects(&unused).await;
        Ok(purged)
    }
}
