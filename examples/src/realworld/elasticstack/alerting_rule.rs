//! `elasticstack_kibana_alerting_rule`: empty texts became null, lists of one became objects, the id got its space.

use upstate::{Diagnostic, Object, Resource};

use crate::realworld::blocks::{at_most_one, each, empty_as_null};

/// A rule that raises alerts.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "elasticstack_kibana_alerting_rule", version = 1)]
#[upgrade_from(0, model = AlertingRuleV0)]
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

/// The rule while the blocks of an action were lists.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "elasticstack_kibana_alerting_rule", version = 0)]
pub struct AlertingRuleV0 {
    #[attribute(computed)]
    pub id: String,
    pub actions: Option<Vec<RuleActionV0>>,
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
pub struct RuleActionV0 {
    pub alerts_filter: Option<Vec<AlertsFilter>>,
    pub frequency: Option<Vec<Frequency>>,
    pub id: String,
    pub params: Option<String>,
}

impl TryFrom<AlertingRuleV0> for AlertingRule {
    type Error = Diagnostic;

    fn try_from(prior: AlertingRuleV0) -> Result<Self, Self::Error> {
        let id = if prior.id.contains('/') { prior.id } else { format!("{}/{}", prior.space_id, prior.id) };
        Ok(Self {
            id,
            actions: each("actions", prior.actions, RuleAction::try_from)?,
            consumer: prior.consumer,
            enabled: prior.enabled,
            interval: prior.interval,
            name: prior.name,
            notify_when: empty_as_null(prior.notify_when),
            rule_id: prior.rule_id,
            rule_type_id: prior.rule_type_id,
            space_id: prior.space_id,
            throttle: empty_as_null(prior.throttle),
        })
    }
}

impl TryFrom<RuleActionV0> for RuleAction {
    type Error = Diagnostic;

    fn try_from(prior: RuleActionV0) -> Result<Self, Self::Error> {
        Ok(Self {
            alerts_filter: at_most_one("alerts_filter", prior.alerts_filter)?,
            frequency: at_most_one("frequency", prior.frequency)?,
            id: prior.id,
            params: empty_as_null(prior.params),
        })
    }
}
