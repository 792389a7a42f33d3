//! Trust in the jobs of CI systems, and the tokens that they got.

use async_trait::async_trait;

use super::StoreError;
use crate::model::{AuditEntry, OrganizationId, Timestamp, Trust, TrustId, UserId};

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
    async fn user_of_subject(&self, issuer: &str, subject: &str) -> Result<Option<UserId>, StoreError>;
    /// Says that a provider knows a user as a subject, and an organization knows the user; false if one of both is somebody else's by what was said before.
    async fn bind_subject(
        &self,
        user: &UserId,
        (issuer, subject): (&str, &str),
        organization: Option<&OrganizationId>,
        audit: AuditEntry,
    ) -> Result<bool, StoreError>;
    /// Uses something up that is of use once, until then; false if it was used up before.
    async fn use_up(&self, what: &str, until: Timestamp) -> Result<bool, StoreError>;
    /// Removes what is used up, the tokens of jobs, and sessions, that expired before `than`; how many.
    async fn forget_expired(&self, than: Timestamp) -> Result<u64, StoreError>;
}

/// The setting of something that is used up until then: in the order of time.
pub(super) fn used_up(what: &str, until: Timestamp) -> String {
    format!("used/{:015}/{what}", until.as_millis().max(0))
}

/// The statements, which both dialects take: each parameter comes first where its number says.
pub(super) mod sql {
    pub(in crate::store) const ADD: &str =
        "INSERT INTO trust (id, organization, name, issuer, audience, claims, project, workspace, permissions, created_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING";
    pub(in crate::store) const ONE: &str = "SELECT id, organization, name, issuer, audience, claims, project, workspace, permissions, created_at FROM trust WHERE id = $1";
    pub(in crate::store) const ALL: &str =
        "SELECT id, organization, name, issuer, audience, claims, project, workspace, permissions, created_at FROM trust
        WHERE organization = $1 ORDER BY name";
    pub(in crate::store) const REMOVE: &str = "DELETE FROM trust WHERE id = $1";
    pub(in crate::store) const SUBJECT: &str = r#"SELECT "user" FROM subject WHERE issuer = $1 AND subject = $2"#;
    pub(in crate::store) const BIND: &str =
        r#"INSERT INTO subject ("user", issuer, subject) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING"#;
    pub(in crate::store) const FORGET_USED: &str = "DELETE FROM setting WHERE name LIKE 'used/%' AND name < $1";
    pub(in crate::store) const FORGET: &str =
        "DELETE FROM token WHERE (trust IS NOT NULL OR session IS NOT NULL) AND expires_at < $1";
}
