//! `github_repository_custom_property`: the repository by its number.

use upstate::{Diagnostic, Resource, UpgradeContext};

use super::api::repository;

/// What an organisation notes about a repository.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "github_repository_custom_property", version = 1)]
#[upgrade_from(0, model = RepositoryCustomPropertyV0, with = with_repository_id, async)]
pub struct RepositoryCustomProperty {
    #[attribute(computed)]
    pub id: String,
    pub property_name: String,
    pub property_value: Vec<String>,
    pub repository: String,
    #[attribute(computed)]
    pub repository_id: Option<i64>,
}

#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "github_repository_custom_property", version = 0)]
pub struct RepositoryCustomPropertyV0 {
    #[attribute(computed)]
    pub id: String,
    pub property_name: String,
    pub property_value: Vec<String>,
    pub repository: String,
}

async fn with_repository_id(
    prior: RepositoryCustomPropertyV0,
    context: &mut UpgradeContext<'_>,
) -> Result<RepositoryCustomProperty, Diagnostic> {
    let id = repository(&prior.repository, context).await?.id;
    Ok(RepositoryCustomProperty {
        id: prior.id,
        property_name: prior.property_name,
        property_value: prior.property_value,
        repository: prior.repository,
        repository_id: Some(id),
    })
}
