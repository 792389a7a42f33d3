//! The contents of a whole organization, workspace by workspace.

use async_trait::async_trait;

use super::error::StoreError;
use super::session::{Database, Done, Row, params};
use crate::model::{Head, JobId, OrganizationId, VersionId, VersionTypes, WorkspaceId};

/// Current versions, and what was read out of versions for lists over many of them.
#[async_trait]
pub trait Heads {
    /// The workspaces of an organization with their current versions: at most `limit`, by name,
    /// those behind the name `after`.
    async fn heads(
        &self,
        organization: &OrganizationId,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Vec<Head>, StoreError>;
    /// The workspaces of a job that were looked at or changed and whose current version is still
    /// the one that it notes, by id.
    async fn unchanged_heads(&self, job: &JobId) -> Result<Vec<Head>, StoreError>;
    /// The types that these versions hold, in any order; a version that does not exist is left out.
    async fn types(&self, versions: &[VersionId]) -> Result<Vec<VersionTypes>, StoreError>;
    /// Keeps what was found for a version that a release before this one finalized.
    async fn keep_types(&self, version: &VersionId, types: &str) -> Result<(), StoreError>;
    /// The report of the upgrade that made a version, as JSON.
    async fn report(&self, version: &VersionId) -> Result<Option<String>, StoreError>;
}

fn head(row: &Row) -> Done<Head> {
    Ok(Head {
        workspace: WorkspaceId::from_text(row.text(0)?),
        name: row.text(1)?,
        locked: row.bool(2)?,
        version: row.optional(3)?.map(VersionId::from_text),
    })
}

#[async_trait]
impl<D: Database> Heads for D {
    async fn heads(
        &self,
        organization: &OrganizationId,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Vec<Head>, StoreError> {
        let sql = "SELECT id, name, lock IS NOT NULL, head FROM workspace
            WHERE organization = $1 AND name > $2 AND deleted_at IS NULL ORDER BY name LIMIT $3";
        self.every(
            sql,
            params![organization.as_str(), after.unwrap_or_default(), limit],
            head,
        )
        .await
    }

    async fn unchanged_heads(&self, job: &JobId) -> Result<Vec<Head>, StoreError> {
        let sql = "SELECT w.id, w.name, w.lock IS NOT NULL, w.head FROM job_item i JOIN workspace w ON w.id = i.workspace
            WHERE i.job = $1 AND i.status = 'upgraded' AND i.version = w.head AND w.deleted_at IS NULL ORDER BY w.id";
        self.every(sql, params![job.as_str()], head).await
    }

    async fn types(&self, versions: &[VersionId]) -> Result<Vec<VersionTypes>, StoreError> {
        let ids: Vec<String> = versions.iter().map(ToString::to_string).collect();
        let sql = format!(
            "SELECT id, types, unreadable FROM state_version WHERE {}",
            D::DIALECT.among("id", 1)
        );
        let types = |row: &Row| {
            let (types, unreadable) = (row.optional(1)?, row.optional(2)?);
            Ok(VersionTypes {
                version: VersionId::from_text(row.text(0)?),
                types,
                unreadable,
            })
        };
        self.every(sql, params![ids], types).await
    }

    async fn keep_types(&self, version: &VersionId, types: &str) -> Result<(), StoreError> {
        let sql = "UPDATE state_version SET types = $2 WHERE id = $1 AND status = 'finalized' AND types IS NULL";
        self.once(sql, params![version.as_str(), types])
            .await
            .map(drop)
    }

    async fn report(&self, version: &VersionId) -> Result<Option<String>, StoreError> {
        let sql = "SELECT report FROM state_version WHERE id = $1";
        Ok(self
            .one(sql, params![version.as_str()], |row| row.optional(0))
            .await?
            .flatten())
    }
}
