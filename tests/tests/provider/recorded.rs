//! Questions to the real AWS provider, which is written in Go, and to models of some of its types:
//! answers field by field. Both talk to an API of the test's own.
//!
//! `tests/recorded/aws.txt` has what differs:
//! `UPDATE=1 cargo test -p upstate-tests --test provider recorded` writes it. Read it then as a
//! list of deviations; `docs/src/provider-protocol.md` says why each is meant.

pub(super) mod api;
mod questions;
mod running;

use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};
use upstate::schema::Type;

use self::questions::Question;
use self::running::Running;
use super::messages::Messages;
use super::real::aws;
use super::real::terraform::V1_15;
use super::wire::descriptor;

#[tokio::test(flavor = "multi_thread")]
async fn answers_are_those_of_the_provider_in_go_but_for_what_is_recorded() {
    let messages = Messages::new(&descriptor(V1_15, 5));
    let api = api::serve();
    let program: PathBuf = aws::program("3.39.0");
    let mut both = Both {
        theirs: Running::start(&program, &messages).await,
        ours: Running::start(Path::new(env!("CARGO_BIN_EXE_aws_in_rust")), &messages).await,
        text: String::new(),
    };
    both.compare_schemas(&messages).await;
    for (about, config) in [
        ("valid", json!({})),
        ("the region is missing", json!({"region": null})),
    ] {
        both.compare_configs(&messages, "PrepareProviderConfig", about, &config, &api)
            .await;
    }
    // The last one stays. Without a client, neither plans: the provider in Go asks it for default
    // tags.
    let nowhere = json!({"region": "nowhere", "skip_region_validation": false});
    for (about, config) in [("refused", nowhere), ("valid", json!({}))] {
        both.compare_configs(&messages, "Configure", about, &config, &api)
            .await;
    }
    for question in questions::all() {
        both.compare(&messages, &question).await;
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("recorded/aws.txt");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &both.text).unwrap();
    }
    assert_eq!(both.text, std::fs::read_to_string(&path).unwrap());
}

/// The provider in Go and ours, and what differs so far.
struct Both {
    theirs: Running,
    ours: Running,
    text: String,
}

impl Both {
    async fn compare_schemas(&mut self, messages: &Messages) {
        let mut theirs = self
            .theirs
            .call(messages, "GetSchema", &json!({}), &Type::Bool)
            .await;
        let mut ours = self
            .ours
            .call(messages, "GetSchema", &json!({}), &Type::Bool)
            .await;
        for (of, name) in [
            ("resource_schemas", "aws_ssm_patch_group"),
            ("resource_schemas", "aws_key_pair"),
            ("data_source_schemas", "aws_arn"),
        ] {
            let sorted = |schemas: &mut Json| {
                let mut schema = schemas[of][name].take();
                // A list on the wire, and the order of a map in Go is another each time.
                schema["block"]["attributes"]
                    .as_array_mut()
                    .unwrap()
                    .sort_by_key(|attribute| attribute["name"].to_string());
                schema
            };
            self.note(
                &format!("GetSchema, {name}"),
                &sorted(&mut theirs),
                &sorted(&mut ours),
            );
        }
        for schemas in [&mut theirs, &mut ours] {
            for of_one in ["resource_schemas", "data_source_schemas", "provider"] {
                schemas.as_object_mut().unwrap().remove(of_one);
            }
        }
        self.note("GetSchema, beside the schemas", &theirs, &ours);
    }

    async fn compare_configs(
        &mut self,
        messages: &Messages,
        method: &str,
        about: &str,
        given: &Json,
        api: &str,
    ) {
        let mut theirs = self
            .theirs
            .call_with_config(messages, method, given, api)
            .await;
        let ours = self
            .ours
            .call_with_config(messages, method, given, api)
            .await;
        // What both have: the whole configuration has 100 attributes more.
        if let Some(prepared) = theirs
            .pointer_mut("/prepared_config/msgpack")
            .and_then(Json::as_object_mut)
        {
            prepared.retain(|name, _| {
                ours.pointer(&format!("/prepared_config/msgpack/{name}"))
                    .is_some()
            });
        }
        self.note(&format!("{method}, {about}"), &theirs, &ours);
    }

    async fn compare(
        &mut self,
        messages: &Messages,
        Question {
            about,
            method,
            request,
            ty,
        }: &Question,
    ) {
        let theirs = self.theirs.call(messages, method, request, ty).await;
        let ours = self.ours.call(messages, method, request, ty).await;
        let about = if about.is_empty() {
            (*method).to_owned()
        } else {
            format!("{method}, {about}")
        };
        self.note(&about, &parsed(theirs), &parsed(ours));
    }

    fn note(&mut self, about: &str, theirs: &Json, ours: &Json) {
        let mut lines = Vec::new();
        differences("", Some(theirs), Some(ours), &mut lines);
        let outcome = if lines.is_empty() {
            " the same".to_owned()
        } else {
            format!("\n{}", lines.join("\n"))
        };
        self.text += &format!("{about}:{outcome}\n");
    }
}

/// Leaves of two documents that differ, in order: path, theirs, ours.
fn differences(path: &str, theirs: Option<&Json>, ours: Option<&Json>, lines: &mut Vec<String>) {
    match (theirs, ours) {
        (Some(Json::Object(a)), Some(Json::Object(b))) => {
            let mut names: Vec<&String> = a.keys().chain(b.keys()).collect();
            names.sort();
            names.dedup();
            for name in names {
                differences(&format!("{path}.{name}"), a.get(name), b.get(name), lines);
            }
        }
        (Some(Json::Array(a)), Some(Json::Array(b))) => {
            for index in 0..a.len().max(b.len()) {
                differences(
                    &format!("{path}[{index}]"),
                    a.get(index),
                    b.get(index),
                    lines,
                );
            }
        }
        (theirs, ours) if theirs != ours => {
            let word = |value: Option<&Json>| {
                value.map_or_else(|| "absent".to_owned(), ToString::to_string)
            };
            lines.push(format!(
                "  {}\n    Go:   {}\n    Rust: {}",
                path.trim_start_matches('.'),
                word(theirs),
                word(ours)
            ));
        }
        _ => {}
    }
}

/// JSON inside of a message is compared as JSON, and lists are sorted that the provider in Go has
/// in the order of a map, another each time.
fn parsed(mut answer: Json) -> Json {
    if let Some(paths) = answer
        .get_mut("requires_replace")
        .and_then(Json::as_array_mut)
    {
        paths.sort_by_key(ToString::to_string);
    }
    if let Some(diagnostics) = answer.get_mut("diagnostics").and_then(Json::as_array_mut) {
        diagnostics.sort_by_key(|diagnostic| diagnostic["attribute"].to_string());
    }
    parse_private(&mut answer);
    answer
}

fn parse_private(message: &mut Json) {
    match message {
        Json::Object(fields) => {
            for (name, value) in fields {
                match value.as_str().map(serde_json::from_str::<Json>) {
                    Some(Ok(inner)) if matches!(name.as_str(), "planned_private" | "private") => {
                        *value = inner
                    }
                    _ => parse_private(value),
                }
            }
        }
        Json::Array(list) => list.iter_mut().for_each(parse_private),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
    }
}
