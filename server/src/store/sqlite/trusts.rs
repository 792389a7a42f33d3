//! Trust in the jobs of CI systems.

use async_trait::async_trait;
use rusqlite::{OptionalExtension as _, Row};

use super::accounts::permissions;
use super::{Sqlite, history, rows};
use crate::model::{AuditEntry, OrganizationId, Place, Timestamp, Trust, TrustId, UserId};
use crate::store::StoreError;
use crate::store::trusts::{Trusts, sql, used_up};

pub(super) fn trust_row(row: &Row<'_>) -> rusqlite::Result<Trust> {
    Ok(Trust {
        id: TrustId::from_text(row.get::<_, String>(0)?),
        organization: OrganizationId::from_text(row.get::<_, String>(1)?),
        name: row.get(2)?,
        issuer: row.get(3)?,
        audience: row.get(4)?,
        claims: Trust::claims_of(&row.get::<_, String>(5)?).map_err(|error| rows::wrong(5, error))?,
        place: Place::of_columns(row.get(6)?, row.get(7)?),
        permissions: permissions(row, 8)?,
        created_at: rows::time(row, 9)?,
    })
}

#[async_trait]
impl Trusts for Sqlite {
    async fn add_trust(&self, trust: &Trust, audit: AuditEntry) -> Result<bool, StoreError> {
        let claims = trust.claims_text();
        let Trust { id, organization, name, issuer, audience, claims: _, place, permissions, created_at } = trust.clone();
        let (project, workspace) = place.columns();
        let (project, workspace) = (project.map(str::to_owned), workspace.map(str::to_owned));
        let (id, organization, permissions) = (id.to_string(), organization.to_string(), permissions.to_string());
        let created = created_at.as_millis();
        let values = (id, organization, name, issuer, audience, claims, project, workspace, permissions, created);
        self.changed(sql::ADD, values, audit).await
    }

    async fn trust(&self, id: &TrustId) -> Result<Option<Trust>, StoreError> {
        let id = id.clone();
        self.read(move |t| Ok(t.prepare_cached(sql::ONE)?.query_row([id.as_str()], trust_row).optional()?)).await
    }

    async fn trusts(&self, organization: &OrganizationId) -> Result<Vec<Trust>, StoreError> {
        let organization = organization.clone();
        self.read(move |t| {
            let mut statement = t.prepare_cached(sql::ALL)?;
            let found = statement.query_map([organization.as_str()], trust_row)?;
            Ok(found.collect::<Result<_, _>>()?)
        })
        .await
    }

    async fn remove_trust(&self, id: &TrustId, audit: AuditEntry) -> Result<bool, StoreError> {
        self.changed(sql::REMOVE, [id.to_string()], audit).await
    }

    async fn user_of_subject(&self, issuer: &str, subject: &str) -> Result<Option<UserId>, StoreError> {
        let values = (issuer.to_owned(), subject.to_owned());
        self.read(move |t| {
            let found: Option<String> = t.prepare_cached(sql::SUBJECT)?.query_row(values, |row| row.get(0)).optional()?;
            Ok(found.map(UserId::from_text))
        })
        .await
    }

    async fn bind_subject(
        &self,
        user: &UserId,
        (issuer, subject): (&str, &str),
        organization: Option<&OrganizationId>,
        audit: AuditEntry,
    ) -> Result<bool, StoreError> {
        let known = organization.map(|organization| format!("user-of/{organization}/{user}"));
        let values = (user.to_string(), issuer.to_owned(), subject.to_owned());
        self.write(move |t| {
            let bound = t.prepare_cached(sql::BIND)?.execute(values)? > 0;
            if bound {
                t.execute("INSERT OR IGNORE INTO setting (name, value) SELECT ?1, x'00' WHERE ?1 IS NOT NULL", [known])?;
                history::record(t, &audit)?;
            }
            Ok(bound)
        })
        .await
    }

    async fn use_up(&self, what: &str, until: Timestamp) -> Result<bool, StoreError> {
        let name = used_up(what, until);
        let sql = "INSERT OR IGNORE INTO setting (name, value) VALUES (?1, x'00')";
        self.write(move |t| Ok(t.execute(sql, [name])? > 0)).await
    }

    async fn forget_expired(&self, than: Timestamp) -> Result<u64, StoreError> {
        self.write(move |t| {
            t.prepare_cached(sql::FORGET_USED)?.execute([used_up("", than)])?;
            Ok(t.prepare_cached(sql::FORGET)?.execute([than.as_millis()])? as u64)
        })
        .await
    }
}
