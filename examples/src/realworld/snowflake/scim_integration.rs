//! `snowflake_scim_integration`: a rename, a bool that had to tell "unset" apart, a default for some.

use upstate::Resource;

/// A link to a user directory. Version 0 goes through version 1, which knows its own past.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "snowflake_scim_integration", version = 2)]
#[upgrade_from(1, model = ScimIntegrationV1)]
pub struct ScimIntegration {
    #[attribute(computed)]
    pub id: Option<String>,
    pub enabled: String,
    pub run_as_role: String,
    pub scim_client: String,
    /// `true`, `false`, or `default` for what the server does unasked.
    pub sync_password: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "snowflake_scim_integration", version = 1)]
#[upgrade_from(0, model = ScimIntegrationV0)]
pub struct ScimIntegrationV1 {
    #[attribute(computed)]
    pub id: Option<String>,
    pub enabled: String,
    pub run_as_role: String,
    pub scim_client: String,
    pub sync_password: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "snowflake_scim_integration", version = 0)]
pub struct ScimIntegrationV0 {
    #[attribute(computed)]
    pub id: Option<String>,
    pub enabled: bool,
    pub provisioner_role: String,
    pub scim_client: String,
}

impl From<ScimIntegrationV0> for ScimIntegrationV1 {
    fn from(prior: ScimIntegrationV0) -> Self {
        Self {
            id: prior.id,
            enabled: prior.enabled.to_string(),
            run_as_role: prior.provisioner_role,
            scim_client: prior.scim_client,
            sync_password: None,
        }
    }
}

impl From<ScimIntegrationV1> for ScimIntegration {
    fn from(prior: ScimIntegrationV1) -> Self {
        let is_azure = prior.scim_client.eq_ignore_ascii_case("AZURE");
        Self {
            id: prior.id,
            enabled: prior.enabled,
            run_as_role: prior.run_as_role,
            scim_client: prior.scim_client,
            sync_password: if is_azure { Some("default".to_owned()) } else { prior.sync_password },
        }
    }
}
