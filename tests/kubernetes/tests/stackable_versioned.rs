//! The definition beside the one of stackable-versioned 0.11.1, for one resource in three versions.
//!
//! Its crate is on no registry, so `theirs` is written by hand as its macro does it: a struct for
//! each version through kube's derive, and the join of their definitions. What it adds to a status
//! where its conversions keep values, `changedValues`, is left out, as is the code that converts.

#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

use serde_json::Value;
use upstate::Document;
use upstate_kube::{CustomResource as _, Webhook};

/// A place for boats.
#[derive(Debug, Clone, Document)]
#[document(type_name = "example.pier", version = 2)]
#[upgrade_from(1 => 2, rename(deep => depth))]
#[upgrade_from(0 => 1, set(deep = 0))]
#[kube(group = "ferry.example.com", kind = "Pier", scope = Cluster, status = PierStatus)]
#[kube(version(0 = "v1alpha1"), version(1 = "v1beta1"), version(2 = "v1", storage))]
struct PierSpec {
    depth: u32,
    open: bool,
}

#[derive(Debug, Clone, Document)]
struct PierStatus {
    phase: String,
}

mod theirs {
    use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
    use kube::{CustomResource, CustomResourceExt as _};
    use schemars::JsonSchema;
    use serde::{Deserialize, Serialize};

    #[derive(Clone, Debug, Default, JsonSchema, Deserialize, Serialize)]
    pub struct PierStatus {
        phase: String,
    }

    mod v1alpha1 {
        use super::*;
        #[derive(Clone, Debug, Deserialize, Serialize, JsonSchema, CustomResource)]
        #[kube(group = "ferry.example.com", version = "v1alpha1", kind = "Pier", doc = "A place for boats.", status = PierStatus)]
        pub struct PierSpec {
            pub open: bool,
        }
    }

    mod v1beta1 {
        use super::*;
        #[derive(Clone, Debug, Deserialize, Serialize, JsonSchema, CustomResource)]
        #[kube(group = "ferry.example.com", version = "v1beta1", kind = "Pier", doc = "A place for boats.", status = PierStatus)]
        pub struct PierSpec {
            pub deep: usize,
            pub open: bool,
        }
    }

    mod v1 {
        use super::*;
        #[derive(Clone, Debug, Deserialize, Serialize, JsonSchema, CustomResource)]
        #[kube(group = "ferry.example.com", version = "v1", kind = "Pier", doc = "A place for boats.", status = PierStatus)]
        pub struct PierSpec {
            pub depth: usize,
            pub open: bool,
        }
    }

    pub fn merged_crd() -> CustomResourceDefinition {
        kube::core::crd::merge_crds(
            vec![v1alpha1::Pier::crd(), v1beta1::Pier::crd(), v1::Pier::crd()],
            "v1",
        )
        .unwrap()
    }
}

fn differ(ours: Option<&Value>, theirs: Option<&Value>, path: &str, found: &mut Vec<String>) {
    match (ours, theirs) {
        (Some(ours), Some(theirs)) if ours == theirs => {}
        (Some(Value::Number(ours)), Some(Value::Number(theirs)))
            if ours.as_f64() == theirs.as_f64() => {}
        (Some(Value::Object(ours)), Some(Value::Object(theirs))) => {
            let mut names: Vec<&String> = ours.keys().chain(theirs.keys()).collect();
            names.sort();
            names.dedup();
            for name in names {
                differ(
                    ours.get(name),
                    theirs.get(name),
                    &format!("{path}/{name}"),
                    found,
                );
            }
        }
        (ours, theirs) => {
            let shown =
                |value: Option<&Value>| value.map_or_else(|| "-".to_owned(), ToString::to_string);
            found.push(format!("{path}: {} | {}", shown(ours), shown(theirs)));
        }
    }
}

/// Places with what is ours and what is theirs, and the reason for it. A difference of several
/// versions is here once.
const DIFFERENCES: [(&str, &str); 12] = [
    (
        r#"/spec/conversion: {"strategy":"Webhook","webhook":{"clientConfig":{"service":{"name":"webhook","name…"#,
        "operators write it, or another crate of theirs",
    ),
    (
        r#"/spec/names/listKind: "PierList" | -"#,
        "the server's default, written out",
    ),
    (
        r#"…/properties/apiVersion: {"type":"string"} | -"#,
        "the server adds it",
    ),
    (
        r#"…/properties/kind: {"type":"string"} | -"#,
        "the server adds it",
    ),
    (
        r#"…/properties/metadata: {"type":"object"} | -"#,
        "the server adds it",
    ),
    (
        r#"…/properties/spec/description: "A place for boats." | -"#,
        "the doc comment of the struct",
    ),
    (
        r#"…/properties/spec/properties/deep/format: - | "uint""#,
        "Kubernetes knows no such format",
    ),
    (
        r#"…/properties/spec/properties/deep/maximum: 4294967295 | -"#,
        "a `u32`, since a `usize` is more than an integer of Kubernetes holds",
    ),
    (
        r#"…/properties/spec/properties/depth/format: - | "uint""#,
        "as for `deep`",
    ),
    (
        r#"…/properties/spec/properties/depth/maximum: 4294967295 | -"#,
        "as for `deep`",
    ),
    (
        r#"…/properties/status/nullable: - | true"#,
        "an absent status says the same",
    ),
    (r#"…/title: - | "Pier""#, "the kind says it"),
];

/// The versions by their names, so that their order does not count.
fn by_name(mut definition: Value) -> Value {
    let versions = definition["spec"]["versions"].take();
    let versions = versions.as_array().unwrap().iter().map(|version| {
        (
            version["name"].as_str().unwrap().to_owned(),
            version.clone(),
        )
    });
    definition["spec"]["versions"] = Value::Object(versions.collect());
    definition
}

#[test]
fn the_definitions_differ_in_these_places_alone() {
    let ours = by_name(
        PierSpec::crd_with(&Webhook::service("ferry", "webhook"))
            .unwrap()
            .value()
            .clone(),
    );
    let theirs = by_name(serde_json::to_value(theirs::merged_crd()).unwrap());
    let mut found = Vec::new();
    differ(Some(&ours), Some(&theirs), "", &mut found);
    let mut found: Vec<String> = found
        .iter()
        .map(|line| {
            let line = line.replace("/schema/openAPIV3Schema", "…");
            let line = ["v1alpha1", "v1beta1", "v1"]
                .iter()
                .fold(line, |line, version| {
                    line.replace(&format!("/spec/versions/{version}…"), "…")
                });
            // A whole schema is too long to read, so that its beginning is enough.
            if line.chars().count() > 100 {
                line.chars().take(100).chain(['…']).collect()
            } else {
                line
            }
        })
        .collect();
    found.sort();
    found.dedup();
    assert_eq!(found, DIFFERENCES.map(|(line, _)| line));
}
