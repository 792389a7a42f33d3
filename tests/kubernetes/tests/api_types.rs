//! Types of k8s-openapi as fields: their schemas, and conversions that leave their values alone.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{EnvVar, ResourceRequirements};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use upstate::Document;
use upstate_kube::{Converter, CustomObject, CustomResource, Webhook};

#[derive(Debug, Clone, PartialEq, Document)]
#[document(type_name = "ferry.gate", version = 2)]
#[upgrade_from(1 => 2, rename(resources => needs), nest(size => hold))]
#[upgrade_from(0 => 1, rename(title => name))]
#[kube(group = "ferry.example.com", kind = "Gate", version(0 = "v1alpha1"), version(1 = "v1beta1"), version(2 = "v1", storage))]
struct Gate {
    name: String,
    #[attribute(json)]
    #[kube(schema, rule("self != 'closed'", message = "a gate has an open port"))]
    port: IntOrString,
    hold: Hold,
    #[attribute(json)]
    #[kube(schema)]
    limits: BTreeMap<String, Quantity>,
    /// As containers have them.
    #[attribute(json)]
    #[kube(schema)]
    needs: Option<ResourceRequirements>,
    #[attribute(json)]
    #[kube(schema)]
    env: Vec<EnvVar>,
}

#[derive(Debug, Clone, PartialEq, Document)]
struct Hold {
    #[attribute(json)]
    #[kube(schema)]
    size: Option<Quantity>,
}

fn schema_of(version: &str) -> Value {
    let definition = Gate::crd_with(&Webhook::service("ferry", "webhook")).unwrap();
    let versions = definition.value()["spec"]["versions"].as_array().unwrap();
    let found = versions
        .iter()
        .find(|candidate| candidate["name"] == version)
        .unwrap();
    found["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"].clone()
}

#[test]
fn a_field_has_the_schema_of_its_type_in_each_version() {
    let (newer, older) = (schema_of("v1"), schema_of("v1beta1"));
    assert_eq!(newer["port"]["x-kubernetes-int-or-string"], true);
    assert_eq!(
        newer["port"]["x-kubernetes-validations"][0]["rule"],
        "self != 'closed'"
    );
    assert_eq!(
        newer["hold"]["properties"]["size"]["x-kubernetes-int-or-string"],
        true
    );
    assert_eq!(
        newer["limits"]["additionalProperties"]["x-kubernetes-int-or-string"],
        true
    );
    assert_eq!(newer["needs"]["description"], "As containers have them.");
    assert_eq!(
        newer["needs"]["properties"]["limits"]["additionalProperties"]["x-kubernetes-int-or-string"],
        true
    );
    assert_eq!(newer["env"]["items"]["required"], json!(["name"]));
    // A field that was nested later has the schema of its type where it was, too.
    assert_eq!(older["size"], newer["hold"]["properties"]["size"]);
    assert_eq!(
        older["resources"]["properties"],
        newer["needs"]["properties"]
    );
    assert_eq!(
        (&older["limits"], &older["env"]),
        (&newer["limits"], &newer["env"])
    );
}

fn converted(gate: &Value, to: &str) -> Value {
    let review = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview",
        "request": {"uid": "1", "desiredAPIVersion": format!("ferry.example.com/{to}"), "objects": [gate]},
    });
    let answer = Converter::new()
        .with::<Gate>()
        .unwrap()
        .review(review.to_string().as_bytes())
        .unwrap();
    assert_eq!(answer.failure(), None);
    let body: Value = serde_json::from_slice(answer.body()).unwrap();
    body["response"]["convertedObjects"][0].clone()
}

fn gate() -> Value {
    json!({
        "apiVersion": "ferry.example.com/v1", "kind": "Gate", "metadata": {"name": "a"},
        "spec": {
            "name": "north", "port": "http", "hold": {"size": "3Gi"}, "limits": {"cpu": "100m"},
            "needs": {"limits": {"cpu": "1"}},
            "env": [{"name": "A", "value": "1"}],
        },
    })
}

#[test]
fn values_are_the_same_in_every_version_and_come_back() {
    let newest = gate();
    let older = converted(&newest, "v1beta1");
    assert_eq!(older["spec"]["resources"], newest["spec"]["needs"]);
    assert_eq!(older["spec"]["size"], "3Gi");
    assert_eq!(converted(&older, "v1"), newest);
    assert_eq!(converted(&converted(&newest, "v1alpha1"), "v1"), newest);
}

/// Otherwise server-side apply would take it for a field that a client wants.
#[test]
fn a_partial_object_gains_no_struct_of_kubernetes() {
    let partial = json!({"apiVersion": "ferry.example.com/v1", "kind": "Pier", "metadata": {"name": "a"}, "spec": {"name": "x"}});
    let review = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview",
        "request": {"uid": "1", "desiredAPIVersion": "ferry.example.com/v1beta1", "objects": [partial]},
    });
    let answer = Converter::new()
        .with::<Pier>()
        .unwrap()
        .review(review.to_string().as_bytes())
        .unwrap();
    assert_eq!(answer.failure(), None);
    let body: Value = serde_json::from_slice(answer.body()).unwrap();
    assert_eq!(
        body["response"]["convertedObjects"][0]["spec"],
        json!({"title": "x"})
    );
}

#[derive(Debug, Clone, PartialEq, Document)]
#[document(type_name = "ferry.pier", version = 1)]
#[upgrade_from(0 => 1, rename(title => name))]
#[kube(group = "ferry.example.com", kind = "Pier", version(0 = "v1beta1"), version(1 = "v1", storage))]
struct Pier {
    name: String,
    #[attribute(json)]
    #[kube(schema)]
    needs: ResourceRequirements,
}

/// The other version has it as the type writes it: a quantity as a string, and without members of a
/// later release of Kubernetes, which the server prunes until the definition has their schema.
#[test]
fn what_a_type_writes_otherwise_comes_back() {
    let mut newest = gate();
    newest["spec"]["limits"] = json!({"cpu": 1});
    newest["spec"]["needs"]["ofALaterRelease"] = json!({"x": [1, null]});
    let older = converted(&newest, "v1beta1");
    assert_eq!(older["spec"]["limits"], json!({"cpu": "1"}));
    assert_eq!(older["spec"]["resources"], json!({"limits": {"cpu": "1"}}));
    assert_eq!(converted(&older, "v1")["spec"], newest["spec"]);
}

#[test]
fn a_typed_client_reads_and_writes_the_types() {
    let written = gate();
    let read: CustomObject<Gate> = serde_json::from_value(written.clone()).unwrap();
    assert_eq!(read.spec.port, IntOrString::String("http".to_owned()));
    assert_eq!(read.spec.hold.size, Some(Quantity("3Gi".to_owned())));
    assert_eq!(serde_json::to_value(&read).unwrap(), written);
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Tree {
    branches: Vec<Tree>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Box {
    contents: Value,
}

#[derive(Debug, Clone, PartialEq, Document)]
#[document(type_name = "ferry.wood", version = 0)]
#[kube(group = "ferry.example.com", kind = "Wood", version(0 = "v1", storage))]
struct Wood {
    #[attribute(json)]
    #[kube(schema)]
    oak: Tree,
}

#[derive(Debug, Clone, PartialEq, Document)]
#[document(type_name = "ferry.load", version = 0)]
#[kube(group = "ferry.example.com", kind = "Load", version(0 = "v1", storage))]
struct Load {
    #[attribute(json)]
    #[kube(schema)]
    boxes: Vec<Box>,
}

#[test]
fn a_type_whose_schema_is_not_structural_is_refused() {
    let help = "without `schema`, the field may hold any JSON\n\
                help: change the type, or store the field as any JSON with `#[attribute(json)]`";
    assert_eq!(
        Wood::crd().unwrap_err().to_string(),
        format!(
            "Wood, version v1: a structural schema cannot describe `spec.oak.branches[]`: the type is inside of itself, and a structural \
             schema cannot refer to one; {help}"
        )
    );
    assert_eq!(
        Load::crd().unwrap_err().to_string(),
        format!(
            "Load, version v1: a structural schema cannot describe `spec.boxes[].contents`: the type takes any JSON, and its schema does not \
             say so to Kubernetes; {help}"
        )
    );
}
