//! `elasticstack_kibana_slo`: a string became a list, a list of one became an object, and both upgrades warn.

use upstate::{Object, Resource};

/// A service level objective.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "elasticstack_kibana_slo", version = 2)]
#[upgrade_from(1 => 2,
    unwrap(settings),
    only_if(not(is(settings, empty)), warn(settings, "`settings` is a single object now, written `settings = { … }`.")),
)]
#[upgrade_from(0 => 1,
    null_if(group_by, ""),
    wrap(group_by, empty = null),
    only_if(not(is(group_by, empty)), warn(group_by, "`group_by` is a list now; the configuration must be changed to match.")),
)]
pub struct Slo {
    #[attribute(computed)]
    pub id: Option<String>,
    pub group_by: Option<Vec<String>>,
    pub settings: Option<SloSettings>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct SloSettings {
    pub sync_delay: Option<String>,
}
