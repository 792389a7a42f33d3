//! `github_actions_organization_secret`: a switch that late releases of version 0 had already, without its default.

use upstate::Resource;

/// A secret of an organisation's workflows.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "github_actions_organization_secret", version = 1)]
#[upgrade_from(0 => 1, default(destroy_on_drift = true))]
pub struct ActionsOrganizationSecret {
    #[attribute(computed)]
    pub id: String,
    #[attribute(computed)]
    pub created_at: Option<String>,
    /// Whether a secret changed by someone else is created again.
    pub destroy_on_drift: Option<bool>,
    #[attribute(sensitive)]
    pub plaintext_value: Option<String>,
    pub secret_name: String,
    #[attribute(computed)]
    pub updated_at: Option<String>,
    pub visibility: String,
}
