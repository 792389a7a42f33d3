//! `launchdarkly/launchdarkly`.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use upstate::{Diagnostic, Object, Resource};

use super::blocks::{at_most_one, below, path};

/// A project, its environments kept by key.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "launchdarkly_project", version = 1)]
#[upgrade_from(0, model = ProjectV0)]
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

/// The project while its environments were a list, each with its key.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "launchdarkly_project", version = 0)]
pub struct ProjectV0 {
    pub default_client_side_availability: Option<Vec<ClientSideAvailability>>,
    pub environments: Option<Vec<EnvironmentV0>>,
    #[attribute(deprecated = "Use `default_client_side_availability`.")]
    pub include_in_snippet: Option<bool>,
    pub key: String,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct EnvironmentV0 {
    pub approval_settings: Option<Vec<ApprovalSettings>>,
    pub key: String,
    #[attribute(computed, sensitive)]
    pub mobile_key: Option<String>,
    pub name: String,
}

impl TryFrom<ProjectV0> for Project {
    type Error = Diagnostic;

    fn try_from(prior: ProjectV0) -> Result<Self, Self::Error> {
        let availability = at_most_one("default_client_side_availability", prior.default_client_side_availability)?;
        // The old switch spoke of web pages only; mobile keys were always available.
        let from_switch = prior
            .include_in_snippet
            .map(|in_snippet| ClientSideAvailability { using_environment_id: Some(in_snippet), using_mobile_key: Some(true) });
        Ok(Self {
            default_client_side_availability: availability.or(from_switch),
            environments: prior.environments.map(by_key).transpose()?,
            key: prior.key,
        })
    }
}

fn by_key(list: Vec<EnvironmentV0>) -> Result<BTreeMap<String, Environment>, Diagnostic> {
    let mut environments = BTreeMap::new();
    for (index, prior) in (0..).zip(list) {
        let here = path("environments").index(index);
        let approval_settings =
            at_most_one("approval_settings", prior.approval_settings).map_err(|error| below(here.clone(), error))?;
        match environments.entry(prior.key) {
            Entry::Vacant(place) => {
                place.insert(Environment { approval_settings, mobile_key: prior.mobile_key, name: prior.name });
            }
            Entry::Occupied(taken) => {
                let detail = format!("Two environments have the key {:?}; a map can keep only one.", taken.key());
                return Err(Diagnostic::error("Repeated Key", detail).at(here.attribute("key")));
            }
        }
    }
    Ok(environments)
}
