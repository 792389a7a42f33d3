//! `github_repository_custom_property`: the repository by its number.

use upstate::Resource;

use super::api::repository_id;

/// What an organisation notes about a repository.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "github_repository_custom_property", version = 1)]
#[upgrade_from(0 => 1, fill(repository => repository_id, with = repository_id, async))]
pub struct RepositoryCustomProperty {
    #[attribute(computed)]
    pub id: String,
    pub property_name: String,
    pub property_value: Vec<String>,
    pub repository: String,
    #[attribute(computed)]
    pub repository_id: Option<i64>,
}
