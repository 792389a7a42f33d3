//! `github_actions_secret`: a default, then the repository by its number.

use upstate::{Diagnostic, Resource, UpgradeContext};

use super::api::repository;

/// A secret of a repository's workflows.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "github_actions_secret", version = 2)]
#[upgrade_from(1, model = ActionsSecretV1, with = with_repository_id, async)]
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

#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "github_actions_secret", version = 1)]
#[upgrade_from(0 => 1, default(destroy_on_drift = true))]
pub struct ActionsSecretV1 {
    #[attribute(computed)]
    pub id: String,
    #[attribute(computed)]
    pub created_at: Option<String>,
    pub destroy_on_drift: Option<bool>,
    #[attribute(sensitive)]
    pub plaintext_value: Option<String>,
    pub repository: String,
    pub secret_name: String,
    #[attribute(computed)]
    pub updated_at: Option<String>,
}

async fn with_repository_id(prior: ActionsSecretV1, context: &mut UpgradeContext<'_>) -> Result<ActionsSecret, Diagnostic> {
    let id = repository(&prior.repository, context).await?.id;
    Ok(ActionsSecret {
        id: prior.id,
        created_at: prior.created_at,
        destroy_on_drift: prior.destroy_on_drift,
        plaintext_value: prior.plaintext_value,
        repository: prior.repository,
        repository_id: Some(id),
        secret_name: prior.secret_name,
        updated_at: prior.updated_at,
    })
}
