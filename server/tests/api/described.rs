//! Each answer of the service's own routes has the form that the `OpenAPI` document says: every
//! test of the API compares all that it gets.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use jsonschema::Validator;
use serde_json::{Value, json};
use upstate_server::__internal::api::{ROUTES, openapi};

use crate::world::Answer;

/// The routes of the service's own.
const OWN: &str = "/api/v2/upstate/";

/// Forms by method, path and status; none where there is no body.
type Forms = BTreeMap<(String, String, u16), Option<Arc<Validator>>>;

/// The form of each answer.
static FORMS: LazyLock<Forms> = LazyLock::new(|| {
    let document = openapi::document();
    // By its schema, because the errors of all routes have one form, and each is compiled with all
    // that it could refer to.
    let mut compiled = BTreeMap::<String, Arc<Validator>>::new();
    let mut forms = Forms::new();
    for (path, methods) in document["paths"]
        .as_object()
        .expect("paths")
        .iter()
        .filter(|(path, _)| path.starts_with(OWN))
    {
        for (method, operation) in methods.as_object().expect("methods") {
            for (status, response) in operation["responses"].as_object().expect("responses") {
                let schema = response["content"]
                    .as_object()
                    .and_then(|content| content.values().next())
                    .map(|content| &content["schema"]);
                let validator = schema.map(|schema| {
                    let form = compiled.entry(schema.to_string()).or_insert_with(|| {
                        let whole =
                            json!({ "allOf": [schema], "components": document["components"] });
                        Arc::new(jsonschema::validator_for(&whole).expect("a schema"))
                    });
                    Arc::clone(form)
                });
                forms.insert(
                    (
                        method.to_uppercase(),
                        path.clone(),
                        status.parse().expect("a status"),
                    ),
                    validator,
                );
            }
        }
    }
    forms
});

/// True if a path is one of a route.
fn fits(route: &str, path: &str) -> bool {
    let path = path.split('?').next().unwrap_or_default();
    let (mut named, mut given) = (route.split('/'), path.split('/'));
    loop {
        match (named.next(), given.next()) {
            (None, None) => return true,
            (Some(named), Some(given)) if named == given || named.starts_with('{') => {}
            (Some(_) | None, _) => return false,
        }
    }
}

/// Fails unless an answer is as the document says. What was not understood at all is answered
/// before any route.
#[track_caller]
pub(crate) fn check(method: &str, path: &str, answer: &Answer) {
    let Some(route) = ROUTES.iter().find(|route| {
        route.path.starts_with(OWN) && route.method == method && fits(route.path, path)
    }) else {
        return;
    };
    // A store that fails is the server's own trouble.
    if answer.status == 500 {
        return;
    }
    let known = FORMS.get(&(method.to_owned(), route.path.to_owned(), answer.status));
    let form = known.unwrap_or_else(|| {
        panic!(
            "{method} {path} answers {}, which the document does not say",
            answer.status
        )
    });
    let Some(form) = form else { return };
    let body: Value = serde_json::from_slice(&answer.bytes).expect("JSON");
    let errors: Vec<String> = form
        .iter_errors(&body)
        .map(|error| format!("{error} at {}", error.instance_path()))
        .take(5)
        .collect();
    assert!(
        errors.is_empty(),
        "{method} {path} ({}):\n{}\n{body}",
        answer.status,
        errors.join("\n")
    );
}

#[test]
fn each_route_of_our_own_says_what_it_answers() {
    let document = openapi::document();
    let general = json!({ "$ref": "#/components/schemas/Document" });
    for route in ROUTES.iter().filter(|route| route.path.starts_with(OWN)) {
        let responses = &document["paths"][route.path][route.method.to_lowercase()]["responses"];
        for status in ["200", "201"] {
            let Some(content) = responses[status]["content"].as_object() else {
                continue;
            };
            let schema = &content.values().next().expect("a type")["schema"];
            // These answer with a state version, as the API of others does.
            let is_version = route.path.ends_with("/actions/upgrade")
                || route.path.ends_with("/actions/downgrade");
            assert_eq!(
                *schema == general,
                is_version,
                "{} {}",
                route.method,
                route.path
            );
        }
    }
}

#[test]
fn an_answer_of_another_form_is_found() {
    let form = FORMS[&(
        "GET".to_owned(),
        "/api/v2/upstate/jobs/{job_id}".to_owned(),
        200,
    )]
        .as_ref()
        .expect("a form");
    assert!(
        !form.is_valid(
            &json!({ "data": { "id": "job-1", "type": "upstate-jobs", "attributes": {} } })
        )
    );
    assert!(!form.is_valid(&json!({ "data": [] })));
}
