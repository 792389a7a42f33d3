//! `integrations/github`.

use upstate::Resource;

/// A secret of an organisation's workflows.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "github_actions_organization_secret", version = 1)]
#[upgrade_from(0, model = ActionsOrganizationSecretV0)]
pub struct ActionsOrganizationSecret {
    #[attribute(computed)]
    pub id: String,
    #[attribute(computed)]
    pub created_at: Option<String>,
    /// Whether a secret changed by someone else is created anew.
    pub destroy_on_drift: Option<bool>,
    #[attribute(sensitive)]
    pub plaintext_value: Option<String>,
    pub secret_name: String,
    #[attribute(computed)]
    pub updated_at: Option<String>,
    pub visibility: String,
}

/// Late releases of version 0 had the switch already, without its default.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "github_actions_organization_secret", version = 0)]
pub struct ActionsOrganizationSecretV0 {
    #[attribute(computed)]
    pub id: String,
    #[attribute(computed)]
    pub created_at: Option<String>,
    pub destroy_on_drift: Option<bool>,
    #[attribute(sensitive)]
    pub plaintext_value: Option<String>,
    pub secret_name: String,
    #[attribute(computed)]
    pub updated_at: Option<String>,
    pub visibility: String,
}

impl From<ActionsOrganizationSecretV0> for ActionsOrganizationSecret {
    fn from(prior: ActionsOrganizationSecretV0) -> Self {
        Self {
            id: prior.id,
            created_at: prior.created_at,
            destroy_on_drift: Some(prior.destroy_on_drift.unwrap_or(true)),
            plaintext_value: prior.plaintext_value,
            secret_name: prior.secret_name,
            updated_at: prior.updated_at,
            visibility: prior.visibility,
        }
    }
}
