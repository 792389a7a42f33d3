//! Four resources whose upgrades do nothing but write the fixed parts of the id in the API's letter case.

use upstate::Resource;

/// A key for an application's telemetry. Its id was put right twice: the first attempt came before the API had settled.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "azurerm_application_insights_api_key", version = 2)]
#[upgrade_from(1 => 2,
    reformat(
        id,
        "/subscriptions/{subscription}/resourceGroups/{group}/providers/Microsoft.Insights/components/{component}/apiKeys/{key}",
        ignore_case
    ),
)]
#[upgrade_from(0 => 1,
    reformat(
        id,
        "/subscriptions/{subscription}/resourceGroups/{group}/providers/Microsoft.Insights/components/{component}/apiKeys/{key}",
        ignore_case
    ),
)]
pub struct ApiKey {
    #[attribute(computed)]
    pub id: String,
    #[attribute(computed, sensitive)]
    pub api_key: Option<String>,
    pub name: Option<String>,
}

/// A host name of a content delivery network.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "azurerm_cdn_endpoint", version = 1)]
#[upgrade_from(0 => 1,
    reformat(
        id,
        "/subscriptions/{subscription}/resourceGroups/{group}/providers/Microsoft.Cdn/profiles/{profile}/endpoints/{endpoint}",
        ignore_case
    ),
)]
pub struct CdnEndpoint {
    #[attribute(computed)]
    pub id: String,
    pub name: Option<String>,
    pub profile_name: Option<String>,
}

/// TLS settings of a front door.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(
    type_name = "azurerm_frontdoor_custom_https_configuration",
    version = 1
)]
#[upgrade_from(0 => 1,
    reformat(
        id,
        "/subscriptions/{subscription}/resourceGroups/{group}/providers/Microsoft.Network/frontDoors/{door}/customHttpsConfiguration/{name}",
        ignore_case
    ),
)]
pub struct CustomHttpsConfiguration {
    #[attribute(computed)]
    pub id: String,
    pub custom_https_provisioning_enabled: Option<bool>,
}

/// Firewall rules of a front door.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "azurerm_frontdoor_firewall_policy", version = 1)]
#[upgrade_from(0 => 1,
    reformat(
        id,
        "/subscriptions/{subscription}/resourceGroups/{group}/providers/Microsoft.Network/frontDoorWebApplicationFirewallPolicies/{policy}",
        ignore_case
    ),
)]
pub struct FirewallPolicy {
    #[attribute(computed)]
    pub id: String,
    pub name: Option<String>,
}
