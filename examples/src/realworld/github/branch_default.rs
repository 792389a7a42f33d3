//! `github_branch_default`: the repository by its number.

use upstate::{Diagnostic, Resource, UpgradeContext};

use super::api::repository;

/// The branch that is checked out unasked.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "github_branch_default", version = 1)]
#[upgrade_from(0, model = BranchDefaultV0, with = with_repository_id, async)]
pub struct BranchDefault {
    #[attribute(computed)]
    pub id: String,
    pub branch: String,
    #[attribute(computed)]
    pub etag: Option<String>,
    pub rename: Option<bool>,
    pub repository: String,
    #[attribute(computed)]
    pub repository_id: Option<i64>,
}

#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "github_branch_default", version = 0)]
pub struct BranchDefaultV0 {
    #[attribute(computed)]
    pub id: String,
    pub branch: String,
    #[attribute(computed)]
    pub etag: Option<String>,
    pub rename: Option<bool>,
    pub repository: String,
}

async fn with_repository_id(prior: BranchDefaultV0, context: &mut UpgradeContext<'_>) -> Result<BranchDefault, Diagnostic> {
    let id = repository(&prior.repository, context).await?.id;
    Ok(BranchDefault {
        id: prior.id,
        branch: prior.branch,
        etag: prior.etag,
        rename: prior.rename,
        repository: prior.repository,
        repository_id: Some(id),
    })
}
