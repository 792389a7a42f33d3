//! What a whole organization holds.

use async_trait::async_trait;

use super::Postgres;
use super::sql::{self, Text, Values, all, maybe, optional, text};
use crate::model::{Head, OrganizationId, VersionId, VersionTypes, WorkspaceId};
use crate::store::{Heads, StoreError};

impl Postgres {
    async fn column(&self, sql: &str, version: &VersionId) -> Result<Option<String>, StoreError> {
        let row = maybe(&self.client().await?, sql, &[&Text(version.as_str())]).await?;
        Ok(row.map(|row| optional(&row, 0)).transpose()?.flatten())
    }
}

#[async_trait]
impl Heads for Postgres {
    async fn heads(&self, organization: &OrganizationId, after: Option<&str>, limit: u32) -> Result<Vec<Head>, StoreError> {
        let sql = "SELECT id, name, lock IS NOT NULL, head FROM workspace
            WHERE organization = $1 AND name > $2 AND deleted_at IS NULL ORDER BY name LIMIT $3";
        let values: Values<'_> = &[&Text(organization.as_str()), &Text(after.unwrap_or_default()), &i64::from(limit)];
        let found = all(&self.client().await?, sql, values).await?;
        let heads = found.iter().map(|row| {
            Ok(Head {
                workspace: WorkspaceId::from_text(text(row, 0)?),
                name: text(row, 1)?,
                locked: row.try_get(2)?,
                version: optional(row, 3)?.map(VersionId::from_text),
            })
        });
        Ok(heads.collect::<sql::Done<_>>()?)
    }

    async fn types(&self, versions: &[VersionId]) -> Result<Vec<VersionTypes>, StoreError> {
        let ids: Vec<&str> = versions.iter().map(VersionId::as_str).collect();
        let sql = "SELECT id, types, unreadable FROM state_version WHERE id = ANY ($1::text[])";
        let found = all(&self.client().await?, sql, &[&ids]).await?;
        let types = found.iter().map(|row| {
            let (version, types) = (VersionId::from_text(text(row, 0)?), optional(row, 1)?);
            Ok(VersionTypes { version, types, unreadable: optional(row, 2)? })
        });
        Ok(types.collect::<sql::Done<_>>()?)
    }

    async fn keep_types(&self, version: &VersionId, types: &str) -> Result<(), StoreError> {
        let sql = "UPDATE state_version SET types = $2 WHERE id = $1 AND status = 'finalized' AND types IS NULL";
        sql::run(&self.client().await?, sql, &[&Text(version.as_str()), &Text(types)]).await?;
        Ok(())
    }

    async fn report(&self, version: &VersionId) -> Result<Option<String>, StoreError> {
        self.column("SELECT report FROM state_version WHERE id = $1", version).await
    }
}
