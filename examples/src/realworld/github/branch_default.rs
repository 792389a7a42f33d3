//! `github_branch_default`: the repository by its number.

use upstate::Resource;

use super::api::repository_id;

/// The branch that is checked out unasked.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "github_branch_default", version = 1)]
#[upgrade_from(0 => 1, fill(repository => repository_id, with = repository_id, async))]
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
