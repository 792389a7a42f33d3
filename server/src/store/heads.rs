//! What a whole organization holds, workspace by workspace.

use async_trait::async_trait;

use super::StoreError;
use crate::model::{Head, OrganizationId, VersionId, VersionTypes};

/// Current versions, and what was read out of versions for lists over many of them.
#[async_trait]
pub trait Heads {
    /// The workspaces of an organization with their current versions: at most `limit`, by name, those behind the name `after`.
    async fn heads(&self, organization: &OrganizationId, after: Option<&str>, limit: u32) -> Result<Vec<Head>, StoreError>;
    /// Which types these versions hold, in any order; those that there are.
    async fn types(&self, versions: &[VersionId]) -> Result<Vec<VersionTypes>, StoreError>;
    /// Keeps what was found for a version that a release before this one finalized.
    async fn keep_types(&self, version: &VersionId, types: &str) -> Result<(), StoreError>;
    /// What came of the upgrade that made a version, as JSON.
    async fn report(&self, version: &VersionId) -> Result<Option<String>, StoreError>;
}
