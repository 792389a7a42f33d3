//! A firewall policy, as three versions stored it.
//!
//! Version 1 renamed `desc` of every rule to `description` and made its `priority` a number.
//! Version 2 split `source` in two and dropped `legacy_id`.

use serde::{Deserialize, Serialize};
use upstate::{Object, Resource};

#[derive(Debug, Clone, PartialEq, Resource, Serialize, Deserialize)]
#[resource(type_name = "example_policy", version = 2)]
#[upgrade_from(1, model = PolicyV1)]
pub struct Policy {
    pub description: Option<String>,
    pub fingerprint: String,
    pub id: String,
    pub name: String,
    pub network: String,
    pub rules: Vec<Rule>,
    pub self_link: String,
}

#[derive(Debug, Clone, PartialEq, Resource, Serialize, Deserialize)]
#[resource(type_name = "example_policy", version = 1)]
#[upgrade_from(0, model = PolicyV0)]
pub struct PolicyV1 {
    pub description: Option<String>,
    pub fingerprint: String,
    pub id: String,
    pub name: String,
    pub network: String,
    pub rules: Vec<RuleV1>,
    pub self_link: String,
}

#[derive(Debug, Clone, PartialEq, Resource, Serialize, Deserialize)]
#[resource(type_name = "example_policy", version = 0)]
pub struct PolicyV0 {
    pub description: Option<String>,
    pub fingerprint: String,
    pub id: String,
    pub name: String,
    pub network: String,
    pub rules: Vec<RuleV0>,
    pub self_link: String,
}

/// The upgrade, declared.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "example_policy", version = 2)]
#[upgrade_from(1, model = DeclarativeV1, carry)]
pub struct Declarative {
    pub description: Option<String>,
    pub fingerprint: String,
    pub id: String,
    pub name: String,
    pub network: String,
    pub rules: Vec<Rule>,
    pub self_link: String,
}

#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "example_policy", version = 1)]
#[upgrade_from(0, model = PolicyV0, carry)]
pub struct DeclarativeV1 {
    pub description: Option<String>,
    pub fingerprint: String,
    pub id: String,
    pub name: String,
    pub network: String,
    pub rules: Vec<RuleV1>,
    pub self_link: String,
}

#[derive(Debug, Clone, PartialEq, Object, Serialize, Deserialize)]
#[upgrade_from(model = RuleV1, split(source, "{source_group}|{source_tag}"), drop(legacy_id, "ids are names"))]
pub struct Rule {
    pub action: String,
    pub conditions: Vec<Condition>,
    pub description: String,
    pub disabled: bool,
    pub log_config: LogConfig,
    pub matches: Match,
    pub name: String,
    pub priority: i64,
    pub source_group: String,
    pub source_tag: String,
}

#[derive(Debug, Clone, PartialEq, Object, Serialize, Deserialize)]
#[upgrade_from(model = RuleV0, rename(desc => description), convert(priority, empty = refuse))]
pub struct RuleV1 {
    pub action: String,
    pub conditions: Vec<Condition>,
    pub description: String,
    pub disabled: bool,
    pub legacy_id: String,
    pub log_config: LogConfig,
    pub matches: Match,
    pub name: String,
    pub priority: i64,
    pub source: String,
}

#[derive(Debug, Clone, PartialEq, Object, Serialize, Deserialize)]
pub struct RuleV0 {
    pub action: String,
    pub conditions: Vec<Condition>,
    pub desc: String,
    pub disabled: bool,
    pub legacy_id: String,
    pub log_config: LogConfig,
    pub matches: Match,
    pub name: String,
    pub priority: String,
    pub source: String,
}

#[derive(Debug, Clone, PartialEq, Object, Serialize, Deserialize)]
pub struct Condition {
    pub key: String,
    pub negate: bool,
    pub operator: String,
    pub values: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Object, Serialize, Deserialize)]
pub struct LogConfig {
    pub enabled: bool,
    pub sample_rate: f64,
}

#[derive(Debug, Clone, PartialEq, Object, Serialize, Deserialize)]
pub struct Match {
    pub expression: Option<String>,
    pub layer4: String,
    pub ports: Vec<i64>,
    pub ranges: Vec<String>,
}

impl TryFrom<RuleV0> for RuleV1 {
    type Error = String;

    fn try_from(prior: RuleV0) -> Result<Self, String> {
        let priority = prior
            .priority
            .parse()
            .map_err(|_| format!("the priority {:?} is not a number", prior.priority))?;
        Ok(Self {
            action: prior.action,
            conditions: prior.conditions,
            description: prior.desc,
            disabled: prior.disabled,
            legacy_id: prior.legacy_id,
            log_config: prior.log_config,
            matches: prior.matches,
            name: prior.name,
            priority,
            source: prior.source,
        })
    }
}

impl TryFrom<RuleV1> for Rule {
    type Error = String;

    fn try_from(prior: RuleV1) -> Result<Self, String> {
        let (group, tag) = split_source(&prior.source)?;
        Ok(Self {
            action: prior.action,
            conditions: prior.conditions,
            description: prior.description,
            disabled: prior.disabled,
            log_config: prior.log_config,
            matches: prior.matches,
            name: prior.name,
            priority: prior.priority,
            source_group: group,
            source_tag: tag,
        })
    }
}

pub(super) fn split_source(source: &str) -> Result<(String, String), String> {
    let (group, tag) = source
        .split_once('|')
        .ok_or_else(|| format!("the source {source:?} has no tag"))?;
    Ok((group.to_owned(), tag.to_owned()))
}

impl TryFrom<PolicyV0> for PolicyV1 {
    type Error = String;

    fn try_from(prior: PolicyV0) -> Result<Self, String> {
        Ok(Self {
            description: prior.description,
            fingerprint: prior.fingerprint,
            id: prior.id,
            name: prior.name,
            network: prior.network,
            rules: prior
                .rules
                .into_iter()
                .map(RuleV1::try_from)
                .collect::<Result<_, _>>()?,
            self_link: prior.self_link,
        })
    }
}

impl TryFrom<PolicyV1> for Policy {
    type Error = String;

    fn try_from(prior: PolicyV1) -> Result<Self, String> {
        Ok(Self {
            description: prior.description,
            fingerprint: prior.fingerprint,
            id: prior.id,
            name: prior.name,
            network: prior.network,
            rules: prior
                .rules
                .into_iter()
                .map(Rule::try_from)
                .collect::<Result<_, _>>()?,
            self_link: prior.self_link,
        })
    }
}
