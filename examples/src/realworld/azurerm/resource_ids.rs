//! Four resources whose upgrades do nothing but write the fixed parts of the id in the API's letter case.

use upstate::{Diagnostic, Resource};

use super::resource_id::canonical_id;

const API_KEY: &str = "/subscriptions/{}/resourceGroups/{}/providers/Microsoft.Insights/components/{}/apiKeys/{}";
const CDN_ENDPOINT: &str = "/subscriptions/{}/resourceGroups/{}/providers/Microsoft.Cdn/profiles/{}/endpoints/{}";
const CUSTOM_HTTPS: &str =
    "/subscriptions/{}/resourceGroups/{}/providers/Microsoft.Network/frontDoors/{}/customHttpsConfiguration/{}";
const FIREWALL_POLICY: &str =
    "/subscriptions/{}/resourceGroups/{}/providers/Microsoft.Network/frontDoorWebApplicationFirewallPolicies/{}";

/// A key for an application's telemetry. Its id was put right twice: the first attempt came before the API had settled.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "azurerm_application_insights_api_key", version = 2)]
#[upgrade_from(1, model = ApiKeyV1)]
pub struct ApiKey {
    #[attribute(computed)]
    pub id: String,
    #[attribute(computed, sensitive)]
    pub api_key: Option<String>,
    pub name: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "azurerm_application_insights_api_key", version = 1)]
#[upgrade_from(0, model = ApiKeyV0)]
pub struct ApiKeyV1 {
    #[attribute(computed)]
    pub id: String,
    #[attribute(computed, sensitive)]
    pub api_key: Option<String>,
    pub name: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "azurerm_application_insights_api_key", version = 0)]
pub struct ApiKeyV0 {
    #[attribute(computed)]
    pub id: String,
    #[attribute(computed, sensitive)]
    pub api_key: Option<String>,
    pub name: Option<String>,
}

impl TryFrom<ApiKeyV0> for ApiKeyV1 {
    type Error = Diagnostic;

    fn try_from(prior: ApiKeyV0) -> Result<Self, Self::Error> {
        Ok(Self { id: canonical_id(&prior.id, API_KEY)?, api_key: prior.api_key, name: prior.name })
    }
}

impl TryFrom<ApiKeyV1> for ApiKey {
    type Error = Diagnostic;

    fn try_from(prior: ApiKeyV1) -> Result<Self, Self::Error> {
        Ok(Self { id: canonical_id(&prior.id, API_KEY)?, api_key: prior.api_key, name: prior.name })
    }
}

/// A host name of a content delivery network.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "azurerm_cdn_endpoint", version = 1)]
#[upgrade_from(0, model = CdnEndpointV0)]
pub struct CdnEndpoint {
    #[attribute(computed)]
    pub id: String,
    pub name: Option<String>,
    pub profile_name: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "azurerm_cdn_endpoint", version = 0)]
pub struct CdnEndpointV0 {
    #[attribute(computed)]
    pub id: String,
    pub name: Option<String>,
    pub profile_name: Option<String>,
}

impl TryFrom<CdnEndpointV0> for CdnEndpoint {
    type Error = Diagnostic;

    fn try_from(prior: CdnEndpointV0) -> Result<Self, Self::Error> {
        Ok(Self { id: canonical_id(&prior.id, CDN_ENDPOINT)?, name: prior.name, profile_name: prior.profile_name })
    }
}

/// TLS settings of a front door.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "azurerm_frontdoor_custom_https_configuration", version = 1)]
#[upgrade_from(0, model = CustomHttpsConfigurationV0)]
pub struct CustomHttpsConfiguration {
    #[attribute(computed)]
    pub id: String,
    pub custom_https_provisioning_enabled: Option<bool>,
}

#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "azurerm_frontdoor_custom_https_configuration", version = 0)]
pub struct CustomHttpsConfigurationV0 {
    #[attribute(computed)]
    pub id: String,
    pub custom_https_provisioning_enabled: Option<bool>,
}

impl TryFrom<CustomHttpsConfigurationV0> for CustomHttpsConfiguration {
    type Error = Diagnostic;

    fn try_from(prior: CustomHttpsConfigurationV0) -> Result<Self, Self::Error> {
        Ok(Self {
            id: canonical_id(&prior.id, CUSTOM_HTTPS)?,
            custom_https_provisioning_enabled: prior.custom_https_provisioning_enabled,
        })
    }
}

/// Firewall rules of a front door.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "azurerm_frontdoor_firewall_policy", version = 1)]
#[upgrade_from(0, model = FirewallPolicyV0)]
pub struct FirewallPolicy {
    #[attribute(computed)]
    pub id: String,
    pub name: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "azurerm_frontdoor_firewall_policy", version = 0)]
pub struct FirewallPolicyV0 {
    #[attribute(computed)]
    pub id: String,
    pub name: Option<String>,
}

impl TryFrom<FirewallPolicyV0> for FirewallPolicy {
    type Error = Diagnostic;

    fn try_from(prior: FirewallPolicyV0) -> Result<Self, Self::Error> {
        Ok(Self { id: canonical_id(&prior.id, FIREWALL_POLICY)?, name: prior.name })
    }
}
