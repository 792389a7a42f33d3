//! Devices: their profiles, what tells about them, and what is measured from them.

use upstate::{Object, Resource};

/// Settings for some devices. Two attributes with a common prefix became an object, and the second half of the id an attribute.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(
    type_name = "cloudflare_zero_trust_device_custom_profile",
    version = 500
)]
#[upgrade_from(0, model = DeviceProfileV0,
    split(id, "{_}/{policy_id}"),
    rename(service_mode_v2_mode => service_mode_v2.mode, service_mode_v2_port => service_mode_v2.port),
    drop(default, enabled, "the default profile is a resource of its own, and a custom one is always enabled"),
)]
#[upgrade_from(1 => 500, carry)]
#[upgrade_from(2..=499, never_released)]
pub struct DeviceCustomProfile {
    #[attribute(computed)]
    pub id: String,
    pub account_id: String,
    pub description: Option<String>,
    pub r#match: Option<String>,
    pub name: String,
    #[attribute(computed)]
    pub policy_id: String,
    pub precedence: Option<f64>,
    pub service_mode_v2: Option<ServiceMode>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct ServiceMode {
    pub mode: Option<String>,
    pub port: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "cloudflare_zero_trust_device_custom_profile", version = 0)]
pub struct DeviceProfileV0 {
    #[attribute(computed)]
    pub id: String,
    pub account_id: String,
    pub default: Option<bool>,
    pub description: Option<String>,
    pub enabled: Option<bool>,
    pub r#match: Option<String>,
    pub name: String,
    pub precedence: Option<i32>,
    pub service_mode_v2_mode: Option<String>,
    pub service_mode_v2_port: Option<i32>,
}

/// Somebody else's service that knows about devices. Strings that were not set were stored empty.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(
    type_name = "cloudflare_zero_trust_device_posture_integration",
    version = 500
)]
#[upgrade_from(0 => 500,
    unwrap(config, empty = object),
    default(interval = "24h", when = empty),
    within(config,
        null_if(
            (access_client_id, access_client_secret, api_url, auth_url, client_id, client_key, client_secret, customer_id),
            ""
        )
    ),
    drop(identifier: Option<String>, "the API never used it"),
)]
#[upgrade_from(1 => 500, carry)]
#[upgrade_from(2..=499, never_released)]
pub struct PostureIntegration {
    #[attribute(computed)]
    pub id: Option<String>,
    pub account_id: String,
    pub config: IntegrationConfig,
    pub interval: String,
    pub name: String,
    pub r#type: String,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct IntegrationConfig {
    pub access_client_id: Option<String>,
    #[attribute(sensitive)]
    pub access_client_secret: Option<String>,
    pub api_url: Option<String>,
    pub auth_url: Option<String>,
    pub client_id: Option<String>,
    #[attribute(sensitive)]
    pub client_key: Option<String>,
    #[attribute(sensitive)]
    pub client_secret: Option<String>,
    pub customer_id: Option<String>,
}

/// A test that devices run.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "cloudflare_zero_trust_dex_test", version = 500)]
#[upgrade_from(0 => 500,
    copy(id => test_id),
    unwrap(data),
    null_if(data.method, ""),
    drop(created: Option<String>, updated: Option<String>, "the API no longer answers them"),
)]
#[upgrade_from(1 => 500, carry)]
#[upgrade_from(2..=499, never_released)]
pub struct DexTest {
    #[attribute(computed)]
    pub id: String,
    pub account_id: String,
    pub data: Option<DexTestData>,
    pub description: Option<String>,
    pub enabled: bool,
    pub interval: String,
    pub name: String,
    #[attribute(computed)]
    pub test_id: String,
}

/// Only a request has a method; a traced route was stored with an empty one.
#[derive(Debug, Clone, PartialEq, Object)]
pub struct DexTestData {
    pub host: Option<String>,
    pub kind: Option<String>,
    pub method: Option<String>,
}
