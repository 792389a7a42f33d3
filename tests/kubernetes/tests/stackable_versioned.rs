//! The definition beside the one of stackable-versioned 0.11.1, for the structs of its own test `conversion_tracking`.
//!
//! Its crate is on no registry, so `theirs` is what its macro writes: the structs of the three versions and the status with what it keeps, as its
//! recorded expansion has them (`stackable_versioned_macros__snapshots__pass@conversion_tracking.rs.snap`), and the join of their definitions. Its
//! `ChangedValues` is copied from its sources. The code that converts is left out, because a definition has none of it.

#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

use serde_json::Value;
use upstate::Document;
use upstate_kube::{CustomResource as _, Webhook};

/// Test
#[derive(Debug, Clone, Document)]
#[document(type_name = "stackable.foo", version = 2)]
#[upgrade_from(1 => 2, rename(bah => bar))]
#[upgrade_from(0 => 1, set(bah = 0))]
#[kube(group = "stackable.tech", kind = "Foo", scope = Cluster, status = FooStatus)]
#[kube(version(0 = "v1alpha1"), version(1 = "v1beta1"), version(2 = "v1", storage))]
struct FooSpec {
    bar: u32,
    baz: bool,
}

#[derive(Debug, Clone, Document)]
struct FooStatus {
    foo: String,
}

mod theirs {
    use std::collections::BTreeMap;

    use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
    use kube::{CustomResource, CustomResourceExt as _};
    use schemars::{JsonSchema, Schema, json_schema};
    use serde::{Deserialize, Serialize};

    #[derive(Clone, Debug, Default, JsonSchema, Deserialize, Serialize)]
    pub struct FooStatus {
        foo: String,
    }

    mod v1alpha1 {
        use super::*;
        #[derive(Clone, Debug, Deserialize, Serialize, JsonSchema, CustomResource)]
        #[kube(group = "stackable.tech", version = "v1alpha1", kind = "Foo", doc = "Test", status = FooStatusWithChangedValues)]
        pub struct FooSpec {
            pub baz: bool,
        }
    }

    mod v1beta1 {
        use super::*;
        #[derive(Clone, Debug, Deserialize, Serialize, JsonSchema, CustomResource)]
        #[kube(group = "stackable.tech", version = "v1beta1", kind = "Foo", doc = "Test", status = FooStatusWithChangedValues)]
        pub struct FooSpec {
            pub bah: usize,
            pub baz: bool,
        }
    }

    mod v1 {
        use super::*;
        #[derive(Clone, Debug, Deserialize, Serialize, JsonSchema, CustomResource)]
        #[kube(group = "stackable.tech", version = "v1", kind = "Foo", doc = "Test", status = FooStatusWithChangedValues)]
        pub struct FooSpec {
            pub bar: usize,
            pub baz: bool,
        }
    }

    #[derive(Clone, Default, Debug, Deserialize, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct FooStatusWithChangedValues {
        pub changed_values: ChangedValues,
        #[serde(flatten)]
        pub status: FooStatus,
    }

    /// Contains changed values during upgrades and downgrades of CRDs.
    #[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
    pub struct ChangedValues {
        /// List of values needed when downgrading to a particular version.
        pub downgrades: BTreeMap<String, Vec<ChangedValue>>,
        /// List of values needed when upgrading to a particular version.
        pub upgrades: BTreeMap<String, Vec<ChangedValue>>,
    }

    /// Contains a changed value for a single field of the CRD.
    #[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct ChangedValue {
        /// The name of the field of the custom resource this value is for.
        pub json_path: String,
        /// The value to be used when upgrading or downgrading the custom resource.
        #[schemars(schema_with = "raw_object_schema")]
        pub value: serde_json::Value,
    }

    fn raw_object_schema(_: &mut schemars::SchemaGenerator) -> Schema {
        json_schema!({"type": "object", "x-kubernetes-preserve-unknown-fields": true})
    }

    pub fn merged_crd() -> CustomResourceDefinition {
        kube::core::crd::merge_crds(vec![v1alpha1::Foo::crd(), v1beta1::Foo::crd(), v1::Foo::crd()], "v1").unwrap()
    }
}

fn differ(ours: Option<&Value>, theirs: Option<&Value>, path: &str, found: &mut Vec<String>) {
    match (ours, theirs) {
        (Some(ours), Some(theirs)) if ours == theirs => {}
        (Some(Value::Number(ours)), Some(Value::Number(theirs))) if ours.as_f64() == theirs.as_f64() => {}
        (Some(Value::Object(ours)), Some(Value::Object(theirs))) => {
            let mut names: Vec<&String> = ours.keys().chain(theirs.keys()).collect();
            names.sort();
            names.dedup();
            for name in names {
                differ(ours.get(name), theirs.get(name), &format!("{path}/{name}"), found);
            }
        }
        (ours, theirs) => {
            let shown = |value: Option<&Value>| value.map_or_else(|| "-".to_owned(), ToString::to_string);
            found.push(format!("{path}: {} | {}", shown(ours), shown(theirs)));
        }
    }
}

/// Places with what is ours and what is theirs, and the reason for it. A difference of several versions is here once.
const DIFFERENCES: [(&str, &str); 14] = [
    (
        r#"/spec/conversion: {"strategy":"Webhook","webhook":{"clientConfig":{"service":{"name":"webhook","name…"#,
        "operators write it, or another crate of theirs",
    ),
    (r#"/spec/names/listKind: "FooList" | -"#, "the server's default, written out"),
    (r#"…/properties/apiVersion: {"type":"string"} | -"#, "the server adds it"),
    (r#"…/properties/kind: {"type":"string"} | -"#, "the server adds it"),
    (r#"…/properties/metadata: {"type":"object"} | -"#, "the server adds it"),
    (r#"…/properties/spec/description: "Test" | -"#, "the doc comment of the struct"),
    (r#"…/properties/spec/properties/bah/format: - | "uint""#, "Kubernetes knows no such format"),
    (
        r#"…/properties/spec/properties/bah/maximum: 4294967295 | -"#,
        "a `u32`, since a `usize` is more than an integer of Kubernetes holds",
    ),
    (r#"…/properties/spec/properties/bar/format: - | "uint""#, "as for `bah`"),
    (r#"…/properties/spec/properties/bar/maximum: 4294967295 | -"#, "as for `bah`"),
    (r#"…/properties/status/nullable: - | true"#, "an absent status says the same"),
    (
        r#"…/properties/status/properties/changedValues: - | {"description":"Contains changed values during upg…"#,
        "what older versions cannot hold is in an annotation of ours",
    ),
    (r#"…/properties/status/required: ["foo"] | ["changedValues","foo"]"#, "as for `changedValues`"),
    (r#"…/title: - | "Foo""#, "the kind says it"),
];

/// The versions by their names, so that their order does not count.
fn by_name(mut definition: Value) -> Value {
    let versions = definition["spec"]["versions"].take();
    let versions =
        versions.as_array().unwrap().iter().map(|version| (version["name"].as_str().unwrap().to_owned(), version.clone()));
    definition["spec"]["versions"] = Value::Object(versions.collect());
    definition
}

#[test]
fn the_definitions_differ_in_these_places_alone() {
    let ours = by_name(FooSpec::crd_with(&Webhook::service("ferry", "webhook")).unwrap().value().clone());
    let theirs = by_name(serde_json::to_value(theirs::merged_crd()).unwrap());
    let mut found = Vec::new();
    differ(Some(&ours), Some(&theirs), "", &mut found);
    let mut found: Vec<String> = found
        .iter()
        .map(|line| {
            let line = line.replace("/schema/openAPIV3Schema", "…");
            let line = ["v1alpha1", "v1beta1", "v1"]
                .iter()
                .fold(line, |line, version| line.replace(&format!("/spec/versions/{version}…"), "…"));
            // A whole schema is too long to read, so that its beginning is enough.
            if line.chars().count() > 100 { line.chars().take(100).chain(['…']).collect() } else { line }
        })
        .collect();
    found.sort();
    found.dedup();
    assert_eq!(found, DIFFERENCES.map(|(line, _)| line));
}
