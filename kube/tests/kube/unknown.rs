//! Members that no field names: those of a typed object are kept in every version, and its typed
//! members prune theirs.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use upstate::Document;
use upstate_kube::{Converter, CustomResource, Webhook};

use crate::definitions::spec_of;
use crate::round_trips::attempt;

const KEEPS: &str = "x-kubernetes-preserve-unknown-fields";

#[derive(Debug, Document)]
#[document(type_name = "ferry.depot", version = 2)]
#[upgrade_from(1 => 2, rename(load.title => load.name), nest(note => remarks))]
#[upgrade_from(0 => 1, rename(cargo => load))]
#[kube(group = "ferry.example.com", kind = "Depot", version(0 = "v1alpha1"), version(1 = "v1beta1"), version(2 = "v1", storage))]
struct Depot {
    load: Load,
    remarks: Remarks,
}

#[derive(Debug, Document)]
struct Load {
    name: String,
    crane: Crane,
    #[attribute(rest)]
    others: BTreeMap<String, Value>,
}

#[derive(Debug, Document)]
struct Crane {
    reach: u8,
}

#[derive(Debug, Document)]
struct Remarks {
    note: Option<String>,
}

#[test]
fn the_object_keeps_them_and_those_inside_of_it_do_not() {
    let definition = Depot::crd_with(&Webhook::service("ferry", "webhook")).unwrap();
    for (version, name) in [("v1", "load"), ("v1beta1", "load"), ("v1alpha1", "cargo")] {
        let spec = spec_of(definition.value(), version);
        assert_eq!(spec[KEEPS], Value::Null, "{version}");
        let load = &spec["properties"][name];
        assert_eq!(
            (&load["type"], &load[KEEPS]),
            (&json!("object"), &json!(true)),
            "{version}"
        );
        assert_eq!(load["properties"]["crane"][KEEPS], Value::Null, "{version}");
    }
}

fn converted(depot: &Value, to: &str) -> Value {
    let converter = Converter::new().with::<Depot>().unwrap();
    attempt(&converter, depot, &format!("ferry.example.com/{to}")).unwrap()
}

#[test]
fn a_conversion_hands_them_on_in_both_directions() {
    let unknown = json!({"x": [1, null, {"y": "z"}]});
    let depot = json!({
        "apiVersion": "ferry.example.com/v1", "kind": "Depot", "metadata": {"name": "a"},
        "spec": {"load": {"name": "oil", "crane": {"reach": 9}, "barrels": 4, "ofOthers": unknown}, "remarks": {"note": "late"}},
    });
    let older = converted(&depot, "v1beta1");
    assert_eq!(
        older["spec"],
        json!({"load": {"title": "oil", "crane": {"reach": 9}, "barrels": 4, "ofOthers": unknown}, "note": "late"})
    );
    let oldest = converted(&depot, "v1alpha1");
    assert_eq!(oldest["spec"]["cargo"], older["spec"]["load"]);
    for older in [older, oldest] {
        assert_eq!(
            older["metadata"]["annotations"],
            Value::Null,
            "they need no annotation"
        );
        assert_eq!(converted(&older, "v1"), depot);
    }
}

/// A number as Go reads it, which has 64 bits for integers and for all others.
fn as_in_go(number: &Value) -> Value {
    number
        .as_i64()
        .map_or_else(|| json!(number.as_f64()), |integer| json!(integer))
}

#[test]
fn numbers_of_them_are_the_same_in_each_version() {
    // As Go writes them.
    let numbers = "[1.1, 12345678901234567000, -9223372036854775808, 9007199254740993, 1e+21, 5e-324, 1.7976931348623157e+308]";
    let expected: Vec<Value> = serde_json::from_str::<Vec<Value>>(numbers)
        .unwrap()
        .iter()
        .map(as_in_go)
        .collect();
    let load = format!(r#"{{"name":"oil","crane":{{"reach":9}},"numbers":{numbers}}}"#);
    // With an annotation, so that values are made of the JSON, though nothing comes back from it.
    for annotations in [
        "{}",
        r#"{"ferry.example.com/upstate-v1beta1":"{\"k\":{\"/spec/nothing\":1},\"v\":1}"}"#,
    ] {
        let review = format!(
            r#"{{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{{"uid":"1","desiredAPIVersion":"ferry.example.com/v1beta1","objects":[
            {{"apiVersion":"ferry.example.com/v1","kind":"Depot","metadata":{{"name":"a","annotations":{annotations}}},"spec":{{"load":{load},"remarks":{{}}}}}}]}}}}"#
        );
        let answer = Converter::new()
            .with::<Depot>()
            .unwrap()
            .review(review.as_bytes())
            .unwrap();
        assert_eq!(answer.failure(), None);
        let body: Value = serde_json::from_slice(answer.body()).unwrap();
        let older = &body["response"]["convertedObjects"][0];
        for depot in [older, &converted(older, "v1")] {
            let found: Vec<Value> = depot["spec"]["load"]["numbers"]
                .as_array()
                .unwrap()
                .iter()
                .map(as_in_go)
                .collect();
            assert_eq!(found, expected, "{annotations}");
        }
    }
}
