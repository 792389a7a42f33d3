//! `launchdarkly_project`: a list became a map, a switch a block.

use std::collections::BTreeMap;

use upstate::{Object, Resource};

/// A project, its environments kept by key.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "launchdarkly_project", version = 1)]
#[upgrade_from(0 => 1,
    rekey(environments: Option<Vec<EnvironmentV0>>, by = key),
    unwrap(default_client_side_availability),
    // The old switch spoke of web pages only; mobile keys were always available.
    only_if(
        all(is(default_client_side_availability, empty), has(include_in_snippet)),
        copy(include_in_snippet: Option<bool> => default_client_side_availability.using_environment_id),
        set(default_client_side_availability.using_mobile_key = true)
    ),
    drop(include_in_snippet, "default_client_side_availability says where a project may be used"),
)]
pub struct Project {
    pub default_client_side_availability: Option<ClientSideAvailability>,
    pub environments: Option<BTreeMap<String, Environment>>,
    pub key: String,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct ClientSideAvailability {
    pub using_environment_id: Option<bool>,
    pub using_mobile_key: Option<bool>,
}

#[derive(Debug, Clone, PartialEq, Object)]
#[upgrade_from(model = EnvironmentV0, unwrap(approval_settings), drop(key, "it is the key of the map"))]
pub struct Environment {
    pub approval_settings: Option<ApprovalSettings>,
    #[attribute(computed, sensitive)]
    pub mobile_key: Option<String>,
    pub name: String,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct ApprovalSettings {
    pub min_num_approvals: Option<i64>,
    pub required: Option<bool>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct EnvironmentV0 {
    pub approval_settings: Option<Vec<ApprovalSettings>>,
    pub key: String,
    #[attribute(computed, sensitive)]
    pub mobile_key: Option<String>,
    pub name: String,
}
