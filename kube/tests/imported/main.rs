//! The models of imported definitions compile, and their schemas are those of the definitions.
//!
//! `UPDATE=1` records the differences.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

mod definitions;

use std::fmt::Write as _;
use std::fs;

use serde_json::Value;
use upstate_compat::import::{Definition, released};
use upstate_compat::lock::Lock;
use upstate_compat::{Options, Snapshot};
use upstate_kube::{CustomResource as _, Webhook};

use definitions::{DEFINITIONS, definition, folder};

/// Compiled as they were written.
#[allow(unreachable_pub, dead_code, reason = "the models are public where they are imported")]
#[rustfmt::skip]
#[path = "models/mod.rs"]
mod models;

/// The keywords of a schema that a model has, in a form in which what means the same is the same.
fn reduced(schema: &Value) -> Value {
    let Some(schema) = schema.as_object() else {
        return schema.clone();
    };
    let mut reduced = schema.clone();
    for keyword in ["description", "format"] {
        reduced.remove(keyword);
    }
    // The limits of an `i32`, of which the format alone does not keep the server from more.
    for (keyword, limit) in [("minimum", i32::MIN), ("maximum", i32::MAX)] {
        if schema.get("format") == Some(&"int32".into())
            && schema.get(keyword) == Some(&limit.into())
        {
            reduced.remove(keyword);
        }
    }
    if schema.contains_key("x-kubernetes-int-or-string") {
        reduced.remove("anyOf");
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    if let Some(required) = schema.get("required").and_then(Value::as_array) {
        // The server completes these before it looks at what is required.
        let has_default = |name: &Value| {
            properties
                .and_then(|members| members.get(name.as_str()?))
                .is_some_and(|member| member.get("default").is_some())
        };
        let mut required: Vec<String> = required
            .iter()
            .filter(|name| !has_default(name))
            .map(|name| name.as_str().unwrap().to_owned())
            .collect();
        required.sort();
        reduced.remove("required");
        if !required.is_empty() {
            reduced.insert("required".to_owned(), required.into());
        }
    }
    if let Some(properties) = properties {
        reduced.insert(
            "properties".to_owned(),
            properties
                .iter()
                .map(|(name, inner)| (name.clone(), self::reduced(inner)))
                .collect(),
        );
    }
    for keyword in ["items", "additionalProperties"] {
        if let Some(inner) = schema.get(keyword) {
            reduced.insert(keyword.to_owned(), self::reduced(inner));
        }
    }
    Value::Object(reduced)
}

fn compare(theirs: &Value, ours: &Value, path: &str, differences: &mut Vec<String>) {
    match (theirs, ours) {
        (Value::Object(theirs), Value::Object(ours)) => {
            let mut names: Vec<&String> = theirs.keys().chain(ours.keys()).collect();
            names.sort();
            names.dedup();
            for name in names {
                let (one, other) = (
                    theirs.get(name).unwrap_or(&Value::Null),
                    ours.get(name).unwrap_or(&Value::Null),
                );
                compare(one, other, &format!("{path}/{name}"), differences);
            }
        }
        (theirs, ours) if theirs != ours => {
            let shown = |value: &Value| value.to_string().chars().take(120).collect::<String>();
            differences.push(format!("{path}: {} is {}", shown(theirs), shown(ours)));
        }
        _ => {}
    }
}

/// Every difference between a definition and that of its model is on record.
#[test]
fn schemas_are_those_of_the_definitions() {
    let webhook = Webhook::service("default", "webhook");
    let ours = [
        models::gateway::GatewaySpec::crd_with(&webhook),
        models::git_repository::GitRepositorySpec::crd_with(&webhook),
        models::helm_release::HelmReleaseSpec::crd_with(&webhook),
        models::ip_address_claim::IPAddressClaimSpec::crd_with(&webhook),
        models::machine_drain_rule::MachineDrainRuleSpec::crd_with(&webhook),
        models::machine_health_check::MachineHealthCheckSpec::crd_with(&webhook),
        models::reference_grant::ReferenceGrantSpec::crd_with(&webhook),
    ];
    let mut text = String::new();
    for (name, ours) in DEFINITIONS.iter().zip(ours) {
        let (theirs, ours) = (definition(name), ours.unwrap());
        let mut differences = Vec::new();
        let mut of = |keyword: &str| {
            let at = |value: &Value| value.pointer(keyword).cloned().unwrap_or_default();
            compare(&at(&theirs), &at(ours.value()), keyword, &mut differences);
        };
        of("/metadata/name");
        of("/spec/group");
        of("/spec/names/kind");
        of("/spec/names/plural");
        of("/spec/names/singular");
        of("/spec/names/shortNames");
        of("/spec/names/categories");
        of("/spec/scope");
        let versions = |value: &Value| value["spec"]["versions"].as_array().unwrap().clone();
        let ours = versions(ours.value());
        for mut theirs in versions(&theirs) {
            let version = theirs["name"].as_str().unwrap().to_owned();
            let Some(mut ours) = ours
                .iter()
                .find(|ours| ours["name"] == theirs["name"])
                .cloned()
            else {
                differences.push(format!("{version}: not converted"));
                continue;
            };
            for side in [&mut theirs, &mut ours] {
                let schema = &mut side["schema"]["openAPIV3Schema"];
                *schema = reduced(schema);
                for of_every_object in ["apiVersion", "kind", "metadata"] {
                    schema["properties"]
                        .as_object_mut()
                        .unwrap()
                        .remove(of_every_object);
                }
            }
            compare(&theirs, &ours, &version, &mut differences);
        }
        writeln!(text, "{name}").unwrap();
        for difference in differences {
            writeln!(text, "  {difference}").unwrap();
        }
    }
    let place = folder().join("differences.txt");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&place, &text).unwrap();
    }
    assert_eq!(fs::read_to_string(&place).unwrap_or_default(), text);
}

/// Every finding of a lock that the definitions were imported into is on record: what the models that were made of them have otherwise.
#[test]
fn a_lock_of_the_definitions_is_that_of_the_models() {
    let registry = models::registry();
    let definitions = DEFINITIONS.map(|name| Definition::parse(&definition(name)).unwrap());
    let mut lock = Lock::default();
    lock.import_shapes(
        released(&definitions, &registry).unwrap(),
        "1.0.0".parse().unwrap(),
    )
    .unwrap();
    assert_eq!(Lock::parse(&lock.to_string()).unwrap(), lock);
    let report = upstate_compat::compare(
        &lock.baseline(),
        &lock.completed(Snapshot::of(&registry)),
        &Options::default(),
    );
    let mut text = String::new();
    for finding in report.findings {
        let (old, new) = (
            finding.old.as_deref().unwrap_or("-"),
            finding.new.as_deref().unwrap_or("-"),
        );
        writeln!(
            text,
            "{} {} {}: {old} -> {new}",
            finding.rule.id(),
            finding.resource,
            finding.path
        )
        .unwrap();
    }
    let place = folder().join("findings.txt");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&place, &text).unwrap();
    }
    assert_eq!(fs::read_to_string(&place).unwrap_or_default(), text);
}

/// A part of a definition, by a number.
fn part(value: &mut Value, number: u64) -> &mut Value {
    let length = match value {
        Value::Array(elements) => elements.len(),
        Value::Object(members) => members.len(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    };
    // One in eight ends above.
    if length == 0 || number.is_multiple_of(8) {
        return value;
    }
    let length = u64::try_from(length).unwrap();
    let index = usize::try_from(number / 8 % length).unwrap();
    let rest = number / 8 / length;
    match value {
        Value::Array(elements) => part(&mut elements[index], rest),
        Value::Object(members) => part(members.values_mut().nth(index).unwrap(), rest),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value,
    }
}

/// Whatever is in a definition, it is refused or becomes a lock that reads again.
#[test]
fn definitions_with_anything_in_them_are_refused_or_locked() {
    let registry = models::registry();
    let odd = [
        Value::Null,
        serde_json::json!(-1),
        serde_json::json!(1e300),
        serde_json::json!(""),
        serde_json::json!("a.b \"\\\n*"),
        serde_json::json!([]),
        serde_json::json!({}),
        serde_json::json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true}),
        serde_json::json!({"type": "array", "items": {"type": "integer"}, "maxItems": -3, "x-kubernetes-list-type": "map"}),
        serde_json::json!({"type": "string", "enum": ["a", null, 1], "default": {"a": 1}, "minLength": 1.5}),
        serde_json::json!({"type": "object", "properties": {"": {"type": "string"}, "a.b": {"type": "string"}, "*": {"type": "string"}}}),
        serde_json::json!({"type": "object", "properties": {"type": {"type": "string", "enum": ["A"]}}, "oneOf": [1]}),
    ];
    let (mut number, mut locked) = (1_u64, 0);
    let mut next = || {
        number = number
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        number >> 16
    };
    let all = DEFINITIONS.map(definition);
    for round in 0..500 {
        let mut definition = all[round % all.len()].clone();
        for _ in 0..=next() % 3 {
            *part(&mut definition["spec"], next()) =
                odd[usize::try_from(next()).unwrap() % odd.len()].clone();
        }
        let Ok(parsed) = Definition::parse(&definition) else {
            continue;
        };
        let Ok(shapes) = released(&[parsed], &registry) else {
            continue;
        };
        let mut lock = Lock::default();
        if lock.import_shapes(shapes, "1.0.0".parse().unwrap()).is_ok() {
            assert_eq!(Lock::parse(&lock.to_string()).unwrap(), lock);
            let _ = upstate_compat::compare(
                &lock.baseline(),
                &lock.completed(Snapshot::of(&registry)),
                &Options::default(),
            );
            locked += 1;
        }
    }
    assert!(locked > 50, "{locked}");
}
