//! The upgrades written with other crates.

use std::rc::Rc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use version_migrate::{IntoDomain, MigratesTo, Migrator, Versioned};

use super::models::{Policy, PolicyV0, PolicyV1, Rule, RuleV0, RuleV1, split_source};
use crate::case::Case;
use crate::workloads::{BoxError, Document, by_hand, enveloped, magic};

pub(super) fn all(documents: &[Document], prior: &[Vec<u8>]) -> Vec<Case> {
    vec![
        Case::json("obake", prior.to_vec(), by_hand(upgrade_with_obake)),
        version_migrate(documents),
        magic::case::<Policy>(prior.to_vec()),
        Case::json("serde_json::Value", prior.to_vec(), upgrade_value),
    ]
}

impl Versioned for PolicyV0 {
    const VERSION: &'static str = "0.0.0";
}

impl Versioned for PolicyV1 {
    const VERSION: &'static str = "1.0.0";
}

impl Versioned for Policy {
    const VERSION: &'static str = "2.0.0";
}

impl MigratesTo<PolicyV1> for PolicyV0 {
    fn migrate(self) -> PolicyV1 {
        self.try_into().expect("priorities are numbers")
    }
}

impl MigratesTo<Policy> for PolicyV1 {
    fn migrate(self) -> Policy {
        self.try_into().expect("sources have tags")
    }
}

impl IntoDomain<Policy> for Policy {
    fn into_domain(self) -> Policy {
        self
    }
}

fn version_migrate(documents: &[Document]) -> Case {
    let mut migrator = Migrator::new();
    let path = Migrator::define("policy")
        .from::<PolicyV0>()
        .step::<PolicyV1>()
        .step::<Policy>()
        .into::<Policy>();
    migrator.register(path).expect("the path is sound");
    let migrator = Rc::new(migrator);
    Case::json("version-migrate", enveloped(documents), move |json| {
        let json = std::str::from_utf8(json).expect("the document is UTF-8");
        let policy: Policy = migrator
            .load("policy", json)
            .expect("the document upgrades");
        serde_json::to_vec(&policy).expect("a model is JSON")
    })
}

fn upgrade_rule(rule: &mut Value) {
    let Value::Object(rule) = rule else {
        panic!("a rule is an object")
    };
    if let Some(description) = rule.remove("desc") {
        rule.insert("description".to_owned(), description);
    }
    if let Some(priority) = rule.get_mut("priority") {
        *priority = priority
            .as_str()
            .and_then(|priority| priority.parse::<i64>().ok())
            .expect("priorities are numbers")
            .into();
    }
    if let Some(Value::String(source)) = rule.remove("source") {
        let (group, tag) = split_source(&source).expect("sources have tags");
        rule.insert("source_group".to_owned(), group.into());
        rule.insert("source_tag".to_owned(), tag.into());
    }
    rule.remove("legacy_id");
}

fn upgrade_value(json: &[u8]) -> Vec<u8> {
    let mut policy: Map<String, Value> =
        serde_json::from_slice(json).expect("the document is JSON");
    policy
        .get_mut("rules")
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten()
        .for_each(upgrade_rule);
    serde_json::to_vec(&policy).expect("a value is JSON")
}

/// obake versions the outer struct; structs inside a `Vec` it cannot, so rules have a struct a
/// version here too.
#[obake::versioned]
#[obake(version("0.0.0"))]
#[obake(version("1.0.0"))]
#[obake(version("2.0.0"))]
#[derive(Serialize, Deserialize)]
pub struct ObakePolicy {
    pub description: Option<String>,
    pub fingerprint: String,
    pub id: String,
    pub name: String,
    pub network: String,
    #[obake(cfg("0.0.0"))]
    pub rules: Vec<RuleV0>,
    #[obake(cfg("1.0.0"))]
    pub rules: Vec<RuleV1>,
    #[obake(cfg("2.0.0"))]
    pub rules: Vec<Rule>,
    pub self_link: String,
}

impl From<ObakePolicy!["0.0.0"]> for ObakePolicy!["1.0.0"] {
    fn from(prior: ObakePolicy!["0.0.0"]) -> Self {
        Self {
            description: prior.description,
            fingerprint: prior.fingerprint,
            id: prior.id,
            name: prior.name,
            network: prior.network,
            rules: prior
                .rules
                .into_iter()
                .map(|rule| rule.try_into().expect("priorities are numbers"))
                .collect(),
            self_link: prior.self_link,
        }
    }
}

impl From<ObakePolicy!["1.0.0"]> for ObakePolicy!["2.0.0"] {
    fn from(prior: ObakePolicy!["1.0.0"]) -> Self {
        Self {
            description: prior.description,
            fingerprint: prior.fingerprint,
            id: prior.id,
            name: prior.name,
            network: prior.network,
            rules: prior
                .rules
                .into_iter()
                .map(|rule| rule.try_into().expect("sources have tags"))
                .collect(),
            self_link: prior.self_link,
        }
    }
}

/// The version is matched by hand: obake's own way of reading any version tries one after the
/// other.
fn upgrade_with_obake(version: u64, json: &[u8]) -> Result<Vec<u8>, BoxError> {
    let any: obake::AnyVersion<ObakePolicy> = match version {
        0 => serde_json::from_slice::<ObakePolicy!["0.0.0"]>(json)?.into(),
        1 => serde_json::from_slice::<ObakePolicy!["1.0.0"]>(json)?.into(),
        _ => serde_json::from_slice::<ObakePolicy!["2.0.0"]>(json)?.into(),
    };
    let current: ObakePolicy = any.into();
    Ok(serde_json::to_vec(&current)?)
}
