//! `cloudflare_zero_trust_device_posture_rule`: forty inputs, of which a rule uses three, stored what Go's zero values are.

use upstate::{Object, Resource};

/// What a device must fulfil.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "cloudflare_zero_trust_device_posture_rule", version = 500)]
#[upgrade_from(0 => 500,
    unwrap(input),
    within(input,
        null_if(
            (
                certificate_id, cn, compliance_status, connection_id, count_operator, domain, eid_last_seen, extended_key_usage,
                id, check_disks, issue_count, last_seen, locations, network_status, operational_state, operator, os,
                os_distro_name, os_distro_revision, os_version_extra, overall, path, risk_level, sensor_config, sha256, state,
                thumbprint, version, version_operator
            ),
            empty
        ),
        null_if((check_private_key, enabled, exists, infected, is_active, require_all), false),
        null_if((active_threats: Option<i32>, score: Option<i32>, total_score: Option<i32>), 0),
        drop(running: Option<bool>, "the API takes `exists` for it")
    ),
)]
#[upgrade_from(1 => 500, carry)]
#[upgrade_from(2..=499, never_released)]
pub struct PostureRule {
    #[attribute(computed)]
    pub id: Option<String>,
    pub account_id: String,
    pub description: Option<String>,
    pub expiration: Option<String>,
    pub input: Option<PostureInput>,
    pub r#match: Option<Vec<PostureMatch>>,
    pub name: Option<String>,
    pub schedule: Option<String>,
    pub r#type: String,
}

/// Which of these are set depends on the rule's type.
#[derive(Debug, Clone, PartialEq, Object)]
pub struct PostureInput {
    pub active_threats: Option<f64>,
    pub certificate_id: Option<String>,
    pub check_disks: Option<Vec<String>>,
    pub check_private_key: Option<bool>,
    pub cn: Option<String>,
    pub compliance_status: Option<String>,
    pub connection_id: Option<String>,
    pub count_operator: Option<String>,
    pub domain: Option<String>,
    pub eid_last_seen: Option<String>,
    pub enabled: Option<bool>,
    pub exists: Option<bool>,
    pub extended_key_usage: Option<Vec<String>>,
    pub id: Option<String>,
    pub infected: Option<bool>,
    pub is_active: Option<bool>,
    pub issue_count: Option<String>,
    pub last_seen: Option<String>,
    pub locations: Option<Vec<PostureLocations>>,
    pub network_status: Option<String>,
    pub operational_state: Option<String>,
    pub operator: Option<String>,
    pub os: Option<String>,
    pub os_distro_name: Option<String>,
    pub os_distro_revision: Option<String>,
    pub os_version_extra: Option<String>,
    pub overall: Option<String>,
    pub path: Option<String>,
    pub require_all: Option<bool>,
    pub risk_level: Option<String>,
    pub score: Option<f64>,
    pub sensor_config: Option<String>,
    pub sha256: Option<String>,
    pub state: Option<String>,
    pub thumbprint: Option<String>,
    pub total_score: Option<f64>,
    pub version: Option<String>,
    pub version_operator: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct PostureLocations {
    pub paths: Option<Vec<String>>,
    pub trust_stores: Option<Vec<String>>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct PostureMatch {
    pub platform: Option<String>,
}
