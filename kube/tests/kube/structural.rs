//! The rules of structural schemas, by which the server judges a definition, asked of every
//! definition here.

use serde_json::{Map, Value};
use upstate_kube::{CustomResource, Webhook};

use crate::boat::{Boat, Forms};

const TYPES: [&str; 6] = ["array", "boolean", "integer", "number", "object", "string"];
const KEEPS: &str = "x-kubernetes-preserve-unknown-fields";

fn check(schema: &Value, path: &str, is_root: bool) {
    let schema = schema
        .as_object()
        .unwrap_or_else(|| panic!("{path} is no schema"));
    for word in schema.keys() {
        let known = [
            "type",
            "description",
            "properties",
            "required",
            "additionalProperties",
            "items",
            "enum",
            "minimum",
            "maximum",
            "minItems",
            "maxItems",
            "format",
            "default",
            "nullable",
            "oneOf",
            KEEPS,
            "x-kubernetes-list-type",
            "x-kubernetes-map-type",
        ];
        assert!(known.contains(&word.as_str()), "{path} has {word}");
    }
    let ty = schema.get("type").map(|ty| {
        ty.as_str()
            .unwrap_or_else(|| panic!("{path}: {ty} is no type"))
    });
    match ty {
        Some(ty) => assert!(TYPES.contains(&ty), "{path}: {ty}"),
        None => assert_eq!(
            schema.get(KEEPS),
            Some(&Value::Bool(true)),
            "{path} has no type"
        ),
    }
    // Scenario 8: mutually exclusive.
    assert!(
        !(schema.contains_key("properties") && schema.contains_key("additionalProperties")),
        "{path}"
    );
    assert!(
        !(is_root && (schema.contains_key("oneOf") || schema.contains_key("additionalProperties"))),
        "{path}"
    );
    assert_eq!(ty == Some("array"), schema.contains_key("items"), "{path}");
    if let Some(values) = schema.get("enum") {
        assert!(
            values.as_array().unwrap().iter().all(Value::is_string),
            "{path}: null is no value of an enum on 1.20"
        );
        assert!(!schema.contains_key("nullable"), "{path}");
    }
    for required in schema
        .get("required")
        .into_iter()
        .flat_map(|names| names.as_array().unwrap())
    {
        let property = &schema["properties"][required.as_str().unwrap()];
        assert!(
            property.is_object(),
            "{path}: {required} is required and not declared"
        );
        assert!(
            property.get("default").is_none(),
            "{path}: {required} is required and has a default"
        );
    }
    for (name, property) in schema
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        check(property, &format!("{path}.{name}"), false);
    }
    for word in ["items", "additionalProperties"] {
        if let Some(inside) = schema.get(word) {
            check(inside, &format!("{path}.{word}"), false);
        }
    }
    for branch in schema
        .get("oneOf")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        check_junctor(branch, schema, &format!("{path}.oneOf"));
    }
}

/// Scenario 2: a branch has neither types nor descriptions nor defaults, and names what is declared
/// outside of it.
fn check_junctor(branch: &Value, outside: &Map<String, Value>, path: &str) {
    let empty = Map::new();
    let declared = outside
        .get("properties")
        .and_then(Value::as_object)
        .unwrap_or(&empty);
    for (word, value) in branch.as_object().unwrap() {
        match word.as_str() {
            "required" => {
                for name in value.as_array().unwrap() {
                    assert!(
                        declared.contains_key(name.as_str().unwrap()),
                        "{path}: {name} is not declared outside"
                    );
                }
            }
            "properties" => {
                for (name, inside) in value.as_object().unwrap() {
                    let outside = declared
                        .get(name)
                        .unwrap_or_else(|| panic!("{path}: {name} is not declared outside"));
                    check_junctor(
                        inside,
                        outside.as_object().unwrap(),
                        &format!("{path}.{name}"),
                    );
                }
            }
            "enum" => {
                for value in value.as_array().unwrap() {
                    assert!(
                        outside["enum"].as_array().unwrap().contains(value),
                        "{path}: {value}"
                    );
                }
            }
            "not" => check_junctor(value, outside, &format!("{path}.not")),
            "anyOf" => value
                .as_array()
                .unwrap()
                .iter()
                .for_each(|branch| check_junctor(branch, outside, path)),
            other => panic!("{path} has {other}, which is empty in a structural schema"),
        }
    }
}

#[test]
fn every_schema_is_structural() {
    let definitions = [
        Boat::crd_with(&Webhook::service("ferry", "webhook")).unwrap(),
        Forms::crd().unwrap(),
    ];
    for definition in definitions {
        for version in definition.value()["spec"]["versions"].as_array().unwrap() {
            check(
                &version["schema"]["openAPIV3Schema"],
                version["name"].as_str().unwrap(),
                true,
            );
        }
    }
}
