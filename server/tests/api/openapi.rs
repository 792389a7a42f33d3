//! The `OpenAPI` document says what is served, and nothing else is served.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use upstate_server::__internal::api::{ROUTES, openapi};

use crate::world::World;

#[tokio::test]
async fn every_documented_operation_is_served() {
    let world = World::new().await;
    let ann = world.owner().await;
    let document = ann.json("/api/v2/openapi.json").await;
    assert_eq!(document, openapi::document());
    let mut operations = BTreeSet::new();
    for (path, methods) in document["paths"].as_object().expect("paths") {
        for (method, operation) in methods.as_object().expect("methods") {
            assert!(
                operations.insert(operation["operationId"].as_str().expect("an id").to_owned()),
                "{path} {method}"
            );
            let named: BTreeSet<&str> = path
                .split('{')
                .skip(1)
                .filter_map(|rest| rest.split('}').next())
                .collect();
            let parameters = operation["parameters"].as_array().expect("parameters");
            let given: BTreeSet<&str> = parameters
                .iter()
                .filter(|one| one["in"] == "path")
                .map(|one| one["name"].as_str().expect("a name"))
                .collect();
            assert_eq!(named, given, "{path}");
            // What the router does not know answers with 404 and these words, or with 405.
            let mut real = path
                .replace("{organization}", "acme")
                .replace(['{', '}'], "");
            if path.ends_with("/search") {
                real.push_str("?filter[type]=example_thing");
            }
            let answer = ann.send(&method.to_uppercase(), &real, &[], "{}").await;
            assert_ne!(answer.status, 405, "{method} {path}");
            if answer.status == 404 {
                assert!(
                    !answer.detail().contains("There is nothing at"),
                    "{method} {path}"
                );
            }
            let status = answer.status.to_string();
            assert!(
                operation["responses"].get(&status).is_some(),
                "{method} {path} answers {status}: {answer:?}"
            );
        }
    }
    assert!(operations.len() > 60, "{}", operations.len());
}

#[tokio::test]
async fn no_other_method_is_served() {
    let world = World::new().await;
    let ann = world.owner().await;
    for route in ROUTES.iter().filter(|route| route.method != "ANY") {
        let real = route
            .path
            .replace("{organization}", "acme")
            .replace(['{', '}'], "");
        for method in ["GET", "POST", "PUT", "PATCH", "DELETE"] {
            let is_documented = ROUTES
                .iter()
                .any(|other| other.path == route.path && other.method == method);
            let answer = ann.send(method, &real, &[], "{}").await;
            assert_eq!(
                answer.status == 405,
                !is_documented,
                "{method} {}: {answer:?}",
                route.path
            );
        }
    }
}

/// A router tries the first route that fits: none may stand in the way of another.
#[test]
fn every_route_is_listed_once() {
    let all: BTreeSet<(&str, &str)> = ROUTES
        .iter()
        .map(|route| (route.method, route.path))
        .collect();
    assert_eq!(all.len(), ROUTES.len());
}

/// What is sent is what the document says is sent.
#[test]
fn the_document_is_sound() {
    let document = openapi::document();
    assert_eq!(document["openapi"], "3.1.0");
    let mut references = Vec::new();
    collect(&document, &mut references);
    assert!(references.len() > 50);
    for reference in references {
        let pointer = reference.strip_prefix('#').expect("a reference inside");
        assert!(document.pointer(pointer).is_some(), "{reference}");
    }
    // It refuses to include anything but members.
    let team = &document["paths"]["/api/v2/teams/{team_id}"]["get"];
    assert!(team["responses"].get("400").is_some(), "{team}");
    assert_eq!(
        document["components"]["securitySchemes"]["token"],
        json!({ "type": "http", "scheme": "bearer" })
    );
}

fn collect(value: &Value, into: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                match value {
                    Value::String(text) if name == "$ref" => into.push(text.clone()),
                    other => collect(other, into),
                }
            }
        }
        Value::Array(elements) => elements.iter().for_each(|element| collect(element, into)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
