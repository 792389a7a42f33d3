//! `github_actions_secret`: a default, then the repository by its number.

use upstate::Resource;

use super::api::repository_id;

/// A secret of a repository's workflows.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "github_actions_secret", version = 2)]
#[upgrade_from(1 => 2, fill(repository => repository_id, with = repository_id, async))]
#[upgrade_from(0 => 1, default(destroy_on_drift = true))]
pub struct ActionsSecret {
    #[attribute(computed)]
    pub id: String,
    #[attribute(computed)]
    pub created_at: Option<String>,
    pub destroy_on_drift: Option<bool>,
    #[attribute(sensitive)]
    pub plaintext_value: Option<String>,
    pub repository: String,
    #[attribute(computed)]
    pub repository_id: Option<i64>,
    pub secret_name: String,
    #[attribute(computed)]
    pub updated_at: Option<String>,
}
