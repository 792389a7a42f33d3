//! Tokens for the API, and what it protects.

use std::collections::BTreeMap;

use upstate::{Object, Resource, SingleBlock};

/// An operation of an API that is watched. The id is an attribute of its own, too.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "cloudflare_api_shield_operation", version = 500)]
#[upgrade_from(0 => 500, copy(id => operation_id))]
#[upgrade_from(1 => 500, carry)]
#[upgrade_from(2..=499, never_released)]
pub struct ApiShieldOperation {
    #[attribute(computed)]
    pub id: String,
    pub endpoint: String,
    pub host: String,
    pub method: String,
    #[attribute(computed)]
    pub operation_id: String,
    pub zone_id: String,
}

/// A token. Its policies grant groups of permissions, named by an object each, over resources, a string of JSON.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "cloudflare_api_token", version = 500)]
#[upgrade_from(0, model = ApiTokenV0, rename(policy => policies), unwrap(condition), set(last_used_on = null))]
#[upgrade_from(1 => 500, carry)]
#[upgrade_from(2..=499, never_released)]
pub struct ApiToken {
    #[attribute(computed)]
    pub id: Option<String>,
    pub condition: Option<Condition>,
    #[attribute(computed)]
    pub issued_on: Option<String>,
    #[attribute(computed)]
    pub last_used_on: Option<String>,
    #[attribute(computed)]
    pub modified_on: Option<String>,
    pub name: String,
    pub policies: Option<Vec<Policy>>,
    pub status: Option<String>,
    #[attribute(computed, sensitive)]
    pub value: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Object)]
#[upgrade_from(model = PolicyV0, each(wrap(permission_groups, as = id)), convert(resources, json))]
pub struct Policy {
    #[attribute(computed)]
    pub id: Option<String>,
    pub effect: String,
    pub permission_groups: Vec<PermissionGroup>,
    pub resources: String,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct PermissionGroup {
    pub id: String,
}

/// Where requests may come from.
#[derive(Debug, Clone, PartialEq, Object)]
#[upgrade_from(model = ConditionV0, unwrap(request_ip))]
pub struct Condition {
    pub request_ip: Option<RequestIp>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct RequestIp {
    pub r#in: Option<Vec<String>>,
    pub not_in: Option<Vec<String>>,
}

#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "cloudflare_api_token", version = 0)]
pub struct ApiTokenV0 {
    #[attribute(computed)]
    pub id: Option<String>,
    pub condition: Option<Vec<ConditionV0>>,
    #[attribute(computed)]
    pub issued_on: Option<String>,
    #[attribute(computed)]
    pub modified_on: Option<String>,
    pub name: String,
    pub policy: Option<Vec<PolicyV0>>,
    pub status: Option<String>,
    #[attribute(computed, sensitive)]
    pub value: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct PolicyV0 {
    #[attribute(computed)]
    pub id: Option<String>,
    pub effect: String,
    pub permission_groups: Vec<String>,
    pub resources: BTreeMap<String, String>,
}

/// Some releases stored the block without a list around it.
#[derive(Debug, Clone, PartialEq, Object)]
pub struct ConditionV0 {
    pub request_ip: SingleBlock<RequestIp>,
}
