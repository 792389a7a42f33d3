//! What a whole organization holds.

use async_trait::async_trait;
use rusqlite::OptionalExtension as _;

use super::Sqlite;
use crate::model::{Head, OrganizationId, VersionId, VersionTypes, WorkspaceId};
use crate::store::{Heads, StoreError};

impl Sqlite {
    async fn column(&self, sql: &'static str, version: &VersionId) -> Result<Option<String>, StoreError> {
        let version = version.clone();
        self.read(move |t| {
            Ok(t.prepare_cached(sql)?.query_row([version.as_str()], |row| row.get::<_, Option<String>>(0)).optional()?.flatten())
        })
        .await
    }
}

#[async_trait]
impl Heads for Sqlite {
    async fn heads(&self, organization: &OrganizationId, after: Option<&str>, limit: u32) -> Result<Vec<Head>, StoreError> {
        let (organization, after) = (organization.clone(), after.unwrap_or_default().to_owned());
        self.read(move |t| {
            let mut statement = t.prepare_cached(
                "SELECT id, name, lock IS NOT NULL, head FROM workspace
                    WHERE organization = ?1 AND name > ?2 AND deleted_at IS NULL ORDER BY name LIMIT ?3",
            )?;
            let found = statement.query_map((organization.as_str(), after, limit), |row| {
                Ok(Head {
                    workspace: WorkspaceId::from_text(row.get::<_, String>(0)?),
                    name: row.get(1)?,
                    locked: row.get(2)?,
                    version: row.get::<_, Option<String>>(3)?.map(VersionId::from_text),
                })
            })?;
            Ok(found.collect::<Result<_, _>>()?)
        })
        .await
    }

    async fn types(&self, versions: &[VersionId]) -> Result<Vec<VersionTypes>, StoreError> {
        let versions = versions.to_vec();
        self.read(move |t| {
            let mut statement = t.prepare_cached("SELECT types, unreadable FROM state_version WHERE id = ?1")?;
            let mut found = Vec::with_capacity(versions.len());
            for version in versions {
                let row = statement.query_row([version.as_str()], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
                found.extend(row.map(|(types, unreadable)| VersionTypes { version, types, unreadable }));
            }
            Ok(found)
        })
        .await
    }

    async fn keep_types(&self, version: &VersionId, types: &str) -> Result<(), StoreError> {
        let (version, types) = (version.clone(), types.to_owned());
        self.write(move |t| {
            t.prepare_cached("UPDATE state_version SET types = ?2 WHERE id = ?1 AND status = 'finalized' AND types IS NULL")?
                .execute((version.as_str(), types))?;
            Ok(())
        })
        .await
    }

    async fn report(&self, version: &VersionId) -> Result<Option<String>, StoreError> {
        self.column("SELECT report FROM state_version WHERE id = ?1", version).await
    }
}
