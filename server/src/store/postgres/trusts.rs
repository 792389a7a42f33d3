//! Trust in the jobs of CI systems.

use async_trait::async_trait;
use tokio_postgres::Row;

use super::Postgres;
use super::accounts::permissions;
use super::sql::{Done, Text, Values, all, maybe, optional, run, text, time, wrong};
use crate::model::{AuditEntry, OrganizationId, Place, Timestamp, Trust, TrustId};
use crate::store::StoreError;
use crate::store::trusts::{Trusts, sql};

pub(super) fn trust_row(row: &Row) -> Done<Trust> {
    Ok(Trust {
        id: TrustId::from_text(text(row, 0)?),
        organization: OrganizationId::from_text(text(row, 1)?),
        name: text(row, 2)?,
        issuer: text(row, 3)?,
        audience: text(row, 4)?,
        claims: Trust::claims_of(&text(row, 5)?).map_err(|error| wrong(5, error))?,
        place: Place::of_columns(optional(row, 6)?, optional(row, 7)?),
        permissions: permissions(row, 8)?,
        created_at: time(row, 9)?,
    })
}

#[async_trait]
impl Trusts for Postgres {
    async fn add_trust(&self, trust: &Trust, audit: AuditEntry) -> Result<bool, StoreError> {
        let (claims, permissions) = (trust.claims_text(), trust.permissions.to_string());
        let (project, workspace) = trust.place.columns();
        let values: Values<'_> = &[
            &Text(trust.id.as_str()),
            &Text(trust.organization.as_str()),
            &Text(&trust.name),
            &Text(&trust.issuer),
            &Text(&trust.audience),
            &Text(&claims),
            &project.map(Text),
            &workspace.map(Text),
            &Text(&permissions),
            &trust.created_at.as_millis(),
        ];
        self.changed(sql::ADD, values, &audit).await
    }

    async fn trust(&self, id: &TrustId) -> Result<Option<Trust>, StoreError> {
        let row = maybe(&self.client().await?, sql::ONE, &[&Text(id.as_str())]).await?;
        Ok(row.as_ref().map(trust_row).transpose()?)
    }

    async fn trusts(&self, organization: &OrganizationId) -> Result<Vec<Trust>, StoreError> {
        let rows = all(&self.client().await?, sql::ALL, &[&Text(organization.as_str())]).await?;
        Ok(rows.iter().map(trust_row).collect::<Done<_>>()?)
    }

    async fn remove_trust(&self, id: &TrustId, audit: AuditEntry) -> Result<bool, StoreError> {
        self.changed(sql::REMOVE, &[&Text(id.as_str())], &audit).await
    }

    async fn forget_workloads(&self, than: Timestamp) -> Result<u64, StoreError> {
        Ok(run(&self.client().await?, sql::FORGET, &[&than.as_millis()]).await?)
    }
}
