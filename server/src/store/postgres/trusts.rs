//! Trust in the jobs of CI systems.

use async_trait::async_trait;
use tokio_postgres::Row;

use super::accounts::permissions;
use super::pool::{begin, done};
use super::sql::{Done, Text, Values, all, maybe, optional, run, text, time, wrong};
use super::{Postgres, history};
use crate::model::{AuditEntry, OrganizationId, Place, Timestamp, Trust, TrustId, UserId};
use crate::store::StoreError;
use crate::store::trusts::{Trusts, sql, used_up};

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

    async fn user_of_subject(&self, issuer: &str, subject: &str) -> Result<Option<UserId>, StoreError> {
        let row = maybe(&self.client().await?, sql::SUBJECT, &[&Text(issuer), &Text(subject)]).await?;
        Ok(row.map(|row| text(&row, 0).map(UserId::from_text)).transpose()?)
    }

    async fn bind_subject(
        &self,
        user: &UserId,
        (issuer, subject): (&str, &str),
        organization: Option<&OrganizationId>,
        audit: AuditEntry,
    ) -> Result<bool, StoreError> {
        let mut client = self.client().await?;
        let t = begin(&mut client).await?;
        let bound = run(&t, sql::BIND, &[&Text(user.as_str()), &Text(issuer), &Text(subject)]).await? > 0;
        if bound {
            if let Some(organization) = organization {
                let known = format!("user-of/{organization}/{user}");
                let sql = r"INSERT INTO setting (name, value) VALUES ($1, '\x00'::bytea) ON CONFLICT DO NOTHING";
                run(&t, sql, &[&Text(&known)]).await?;
            }
            history::record(&t, &audit).await?;
        }
        done(t).await?;
        Ok(bound)
    }

    async fn use_up(&self, what: &str, until: Timestamp) -> Result<bool, StoreError> {
        let sql = r"INSERT INTO setting (name, value) VALUES ($1, '\x00'::bytea) ON CONFLICT DO NOTHING";
        Ok(run(&self.client().await?, sql, &[&Text(&used_up(what, until))]).await? > 0)
    }

    async fn forget_expired(&self, than: Timestamp) -> Result<u64, StoreError> {
        let client = self.client().await?;
        run(&client, sql::FORGET_USED, &[&Text(&used_up("", than))]).await?;
        Ok(run(&client, sql::FORGET, &[&than.as_millis()]).await?)
    }
}
