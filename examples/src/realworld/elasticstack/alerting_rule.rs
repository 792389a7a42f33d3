//! `elasticstack_kibana_alerting_rule`: empty strings became null, lists of one became objects, the id got its space.

use upstate::{Object, Resource};

/// A rule that raises alerts.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "elasticstack_kibana_alerting_rule", version = 1)]
#[upgrade_from(0 => 1,
    reformat(id, "{rule}" => "{space_id}/{rule}", _ => keep),
    null_if((notify_when, throttle), ""),
    within(actions, unwrap(alerts_filter, frequency), null_if(params, "")),
)]
pub struct AlertingRule {
    #[attribute(computed)]
    pub id: String,
    pub actions: Option<Vec<RuleAction>>,
    pub consumer: String,
    pub enabled: Option<bool>,
    pub interval: String,
    pub name: String,
    pub notify_when: Option<String>,
    #[attribute(optional, computed)]
    pub rule_id: Option<String>,
    pub rule_type_id: String,
    pub space_id: String,
    pub throttle: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct RuleAction {
    pub alerts_filter: Option<AlertsFilter>,
    pub frequency: Option<Frequency>,
    pub id: String,
    pub params: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct AlertsFilter {
    pub kql: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct Frequency {
    pub notify_when: String,
    pub summary: bool,
    pub throttle: Option<String>,
}
