//! Trust in the jobs of CI systems, and the tokens that they got.

use async_trait::async_trait;

use super::accounts::{known, permissions};
use super::audit::{Recorded as _, record};
use super::error::StoreError;
use super::session::{Database, Done, Mode, Row, params, wrong};
use super::settings;
use crate::model::{AuditEntry, OrganizationId, Place, Timestamp, Trust, TrustId, UserId};

/// Trusts.
#[async_trait]
pub trait Trusts {
    /// Adds a trust, unless its organization has one of this name.
    async fn add_trust(&self, trust: &Trust, audit: AuditEntry) -> Result<bool, StoreError>;
    /// The trust of this id.
    async fn trust(&self, id: &TrustId) -> Result<Option<Trust>, StoreError>;
    /// The trusts of an organization, by name.
    async fn trusts(&self, organization: &OrganizationId) -> Result<Vec<Trust>, StoreError>;
    /// Removes a trust with the tokens that jobs got by it; whether there was one.
    async fn remove_trust(&self, id: &TrustId, audit: AuditEntry) -> Result<bool, StoreError>;
    /// The user whom a provider knows as a subject.
    async fn user_of_subject(
        &self,
        issuer: &str,
        subject: &str,
    ) -> Result<Option<UserId>, StoreError>;
    /// Says that a provider knows a user as a subject, and an organization knows the user; false if
    /// one of both is somebody else's by what was said before.
    async fn bind_subject(
        &self,
        user: &UserId,
        (issuer, subject): (&str, &str),
        organization: Option<&OrganizationId>,
        audit: AuditEntry,
    ) -> Result<bool, StoreError>;
    /// Uses something up that is of use once, until then; false if it was used up before.
    async fn use_up(&self, what: &str, until: Timestamp) -> Result<bool, StoreError>;
    /// Removes what is used up, the tokens of jobs, and sessions, that expired before `than`; how
    /// many.
    async fn forget_expired(&self, than: Timestamp) -> Result<u64, StoreError>;
}

/// The setting of something that is used up until then: in the order of time.
pub(super) fn used_up(what: &str, until: Timestamp) -> String {
    format!("used/{:015}/{what}", until.as_millis().max(0))
}

/// The trust of an id.
pub(super) const ONE: &str = "SELECT id, organization, name, issuer, audience, claims, project, workspace, permissions, created_at FROM trust WHERE id = $1";

pub(super) fn trust_row(row: &Row) -> Done<Trust> {
    Ok(Trust {
        id: TrustId::from_text(row.text(0)?),
        organization: OrganizationId::from_text(row.text(1)?),
        name: row.text(2)?,
        issuer: row.text(3)?,
        audience: row.text(4)?,
        claims: Trust::claims_of(&row.text(5)?).map_err(|error| wrong(5, error))?,
        place: Place::of_columns(row.optional(6)?, row.optional(7)?),
        permissions: permissions(row, 8)?,
        created_at: row.time(9)?,
    })
}

#[async_trait]
impl<D: Database> Trusts for D {
    async fn add_trust(&self, trust: &Trust, audit: AuditEntry) -> Result<bool, StoreError> {
        let (project, workspace) = trust.place.columns();
        let sql =
            "INSERT INTO trust (id, organization, name, issuer, audience, claims, project, workspace, permissions, created_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING";
        let params = params![
            trust.id.as_str(),
            trust.organization.as_str(),
            &trust.name,
            &trust.issuer,
            &trust.audience,
            trust.claims_text(),
            project,
            workspace,
            trust.permissions.to_string(),
            trust.created_at,
        ];
        self.changed(sql, params, audit).await
    }

    async fn trust(&self, id: &TrustId) -> Result<Option<Trust>, StoreError> {
        self.one(ONE, params![id.as_str()], trust_row).await
    }

    async fn trusts(&self, organization: &OrganizationId) -> Result<Vec<Trust>, StoreError> {
        let sql =
            "SELECT id, organization, name, issuer, audience, claims, project, workspace, permissions, created_at FROM trust
            WHERE organization = $1 ORDER BY name";
        self.every(sql, params![organization.as_str()], trust_row)
            .await
    }

    async fn remove_trust(&self, id: &TrustId, audit: AuditEntry) -> Result<bool, StoreError> {
        self.changed(
            "DELETE FROM trust WHERE id = $1",
            params![id.as_str()],
            audit,
        )
        .await
    }

    async fn user_of_subject(
        &self,
        issuer: &str,
        subject: &str,
    ) -> Result<Option<UserId>, StoreError> {
        let sql = r#"SELECT "user" FROM subject WHERE issuer = $1 AND subject = $2"#;
        self.one(sql, params![issuer, subject], |row| {
            row.text(0).map(UserId::from_text)
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
        let known = organization.map(|organization| known(organization.as_str(), user.as_str()));
        let params = params![user.as_str(), issuer, subject];
        let work = self.work(Mode::Write, move |s| {
            Box::pin(async move {
                let sql = r#"INSERT INTO subject ("user", issuer, subject) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING"#;
                let bound = s.run(sql, &params).await? > 0;
                if bound {
                    if let Some(known) = known {
                        settings::set(s, &known).await?;
                    }
                    record(s, &audit).await?;
                }
                Ok(bound)
            })
        });
        Ok(work.await?)
    }

    async fn use_up(&self, what: &str, until: Timestamp) -> Result<bool, StoreError> {
        let name = used_up(what, until);
        Ok(self
            .work(Mode::Once, move |s| {
                Box::pin(async move { settings::set(s, &name).await })
            })
            .await?)
    }

    async fn forget_expired(&self, than: Timestamp) -> Result<u64, StoreError> {
        let used = "DELETE FROM setting WHERE name LIKE 'used/%' AND name < $1";
        self.once(used, params![used_up("", than)]).await?;
        self.once("DELETE FROM token WHERE (trust IS NOT NULL OR session IS NOT NULL) AND expires_at < $1", params![than]).await
    }
}
