//! The scenarios of `kube/tests/kube/scenarios.jsonl` on a real server, whose words they are.
//!
//! | scenario | test |
//! |---|---|
//! | 1, 2, 8 | `definitions_that_the_server_refuses` |
//! | 4 | `null_is_not_absence_where_it_is_nullable` |
//! | 5, 7 | `schemas` |
//! | 10, 11 | `without_a_webhook_values_of_one_version_are_lost` |
//! | 13 | `an_object_of_a_version_that_is_gone_takes_all_away` |
//! | 14 | `versions_are_in_the_order_of_their_stability` |
//! | 16 | `created_objects_have_the_defaults_of_every_version` |
//! | 17 | `caches_and_dry_runs_convert` |
//! | 19, 20 | `the_server_believes_the_webhook_labels_alone` |
//! | 22 | `without_the_webhook_the_storage_version_is_left` |
//! | 23 | `one_object_takes_the_version_away` |
//! | 25, 26 | `kept_values` |
//! | 28 | `boats_move_to_the_storage_version` |
//! | 29 | `a_page_that_is_too_old_goes_on_with_another_token` |

use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use serde_json::{Value, json};
use upstate::Document;
use upstate_kube::{Converter, CustomResource};

use crate::boat::Boat;
use crate::cluster::Cluster;
use crate::facts::serve;
use crate::{boat, boats};

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const MERGE: &str = "application/merge-patch+json";

#[derive(Debug, Document)]
#[document(type_name = "ferry.lamp", version = 0)]
#[kube(group = "ferry.example.com", kind = "Lamp", version(0 = "v1", storage))]
struct Lamp {
    #[attribute(default = Some("red".to_owned()))]
    #[kube(nullable)]
    colour: Option<String>,
}

/// A sounding whose older version holds no great depths.
#[derive(Debug, Document)]
#[document(type_name = "ferry.sounding", version = 1)]
#[upgrade_from(0 => 1, carry(depth: Option<u8>))]
#[kube(group = "ferry.example.com", kind = "Sounding", version(0 = "v1alpha1"), version(1 = "v1", storage))]
struct Sounding {
    place: String,
    depth: Option<i32>,
}

/// Answers as the converter does, but with lies about boats of two names.
async fn lying(
    State(converter): State<Arc<Converter>>,
    body: Bytes,
) -> Result<Vec<u8>, StatusCode> {
    let answer = converter
        .review(&body)
        .map_err(|_| StatusCode::BAD_REQUEST)?;
    let mut review: Value = serde_json::from_slice(answer.body()).unwrap();
    let name = review
        .pointer("/response/convertedObjects/0/metadata/name")
        .and_then(Value::as_str)
        .unwrap_or_default();
    if name == "uid" {
        review["response"]["uid"] = json!("other");
    } else if name == "metadata" {
        let metadata = review["response"]["convertedObjects"][0]["metadata"]
            .as_object_mut()
            .unwrap();
        let lies = json!({
            "finalizers": ["a.example.com/b"], "resourceVersion": "1", "generation": 99,
            "creationTimestamp": "2001-01-01T00:00:00Z",
            "ownerReferences": [{"apiVersion": "v1", "kind": "ConfigMap", "name": "a", "uid": "b"}],
            "labels": {"changed": "yes"}, "annotations": {"changed": "yes"},
        });
        metadata.extend(lies.as_object().unwrap().clone());
    }
    Ok(review.to_string().into_bytes())
}

/// A definition that somebody writes by hand, without a webhook.
fn by_hand(group: &str, kind: &str, versions: &[Value]) -> Value {
    let singular = kind.to_lowercase();
    let names = json!({"kind": kind, "listKind": format!("{kind}List"), "plural": format!("{singular}s"), "singular": singular});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{singular}s.{group}")},
        "spec": {"group": group, "scope": "Namespaced", "names": names, "versions": versions},
    })
}

fn version(name: &str, is_storage: bool, properties: &Value) -> Value {
    let spec = json!({"type": "object", "properties": properties});
    let schema = json!({"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}});
    json!({"name": name, "served": true, "storage": is_storage, "schema": schema})
}

fn path(group: &str, version: &str, plural: &str) -> String {
    format!("/apis/{group}/{version}/namespaces/default/{plural}")
}

fn object(group: &str, version: &str, kind: &str, name: &str, spec: &Value) -> Value {
    json!({"apiVersion": format!("{group}/{version}"), "kind": kind, "metadata": {"name": name}, "spec": spec})
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "it needs a kube-apiserver, which `.ci/full` builds"]
async fn scenarios_of_the_server() {
    let cluster = Cluster::start().await;
    let converter = Arc::new(
        Converter::new()
            .with::<Boat>()
            .unwrap()
            .with::<Sounding>()
            .unwrap(),
    );
    let (webhook, _end, server) = serve(Router::new().fallback(lying).with_state(converter)).await;
    cluster
        .define(Boat::crd_with(&webhook).unwrap().value())
        .await;
    cluster
        .define(Sounding::crd_with(&webhook).unwrap().value())
        .await;
    cluster.define(Lamp::crd().unwrap().value()).await;
    deprecated_versions_warn(&cluster).await;
    definitions_that_the_server_refuses(&cluster).await;
    null_is_not_absence_where_it_is_nullable(&cluster).await;
    versions_are_in_the_order_of_their_stability(&cluster).await;
    values_out_of_range_stay_readable(&cluster).await;
    the_server_believes_the_webhook_labels_alone(&cluster).await;
    a_page_that_is_too_old_goes_on_with_another_token(&cluster).await;
    without_a_webhook_values_of_one_version_are_lost(&cluster).await;
    an_object_of_a_version_that_is_gone_takes_all_away(&cluster).await;
    server.abort();
}

/// `kubectl` and other clients in Go print these.
async fn deprecated_versions_warn(cluster: &Cluster) {
    let expected = [
        ("v1alpha1", vec![r#"299 - "ferry.example.com/v1alpha1 ends in 2027; use v1""#.to_owned()]),
        ("v1beta1", vec![r#"299 - "ferry.example.com/v1beta1 Boat is deprecated; use ferry.example.com/v1 Boat""#.to_owned()]),
        ("v1", Vec::new()),
    ];
    for (version, warnings) in expected {
        assert_eq!(
            cluster.warnings(&boats(version)).await,
            warnings,
            "{version}"
        );
    }
}

async fn definitions_that_the_server_refuses(cluster: &Cluster) {
    let with = |name: &str, value: Value| json!({"type": "object", "properties": {"b": {"type": "string"}}, name: value});
    let typed = with("oneOf", json!([{"type": "object", "required": ["b"]}]));
    let described = with("oneOf", json!([{"description": "x", "required": ["b"]}]));
    let closed = with("additionalProperties", json!(false));
    let refused = [
        (
            json!({"type": ["string", "null"]}),
            400,
            "cannot be handled as a CustomResourceDefinition",
        ),
        (typed, 422, "must be empty to be structural"),
        (described, 422, "must be empty to be structural"),
        (closed, 422, "mutual exclusive"),
    ];
    for (schema, status, words) in refused {
        let definition = by_hand(
            "hand.example.com",
            "Refused",
            &[version("v1", true, &json!({"a": schema}))],
        );
        let (found, answer) = cluster
            .ask("POST", DEFINITIONS, "application/json", &definition)
            .await;
        let message = answer["message"].as_str().unwrap_or_default();
        assert!(
            found == status && message.contains(words),
            "{schema}: {found} {answer}"
        );
    }
}

async fn null_is_not_absence_where_it_is_nullable(cluster: &Cluster) {
    let lamps = path("ferry.example.com", "v1", "lamps");
    for (name, spec, colour) in [
        ("null", json!({"colour": null}), Value::Null),
        ("absent", json!({}), json!("red")),
    ] {
        let lamp = object("ferry.example.com", "v1", "Lamp", name, &spec);
        let made = cluster.done("POST", &lamps, &lamp).await;
        assert_eq!(made["spec"], json!({"colour": colour}), "{name}");
    }
    cluster.done("DELETE", &lamps, &Value::Null).await;
}

async fn versions_are_in_the_order_of_their_stability(cluster: &Cluster) {
    let names = ["v1", "v2", "v10", "v1beta1", "v3beta1", "v12alpha1", "foo1"];
    let versions: Vec<Value> = names
        .iter()
        .map(|name| version(name, *name == "v1", &json!({"a": {"type": "string"}})))
        .collect();
    cluster
        .define(&by_hand("order.example.com", "Sort", &versions))
        .await;
    let group = cluster
        .done("GET", "/apis/order.example.com", &Value::Null)
        .await;
    let found: Vec<&Value> = group["versions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|version| &version["version"])
        .collect();
    assert_eq!(
        found,
        ["v10", "v2", "v1", "v3beta1", "v1beta1", "v12alpha1", "foo1"]
    );
    assert_eq!(group["preferredVersion"]["version"], "v10");
}

/// A value that the older version cannot hold takes nothing away from its clients, and is there
/// after they wrote.
async fn values_out_of_range_stay_readable(cluster: &Cluster) {
    let of = |version: &str| path("ferry.example.com", version, "soundings");
    let deep = object(
        "ferry.example.com",
        "v1",
        "Sounding",
        "deep",
        &json!({"place": "a", "depth": 300}),
    );
    cluster.done("POST", &of("v1"), &deep).await;
    let found = cluster.done("GET", &of("v1alpha1"), &Value::Null).await;
    assert_eq!(found["items"][0]["spec"], json!({"place": "a"}));
    let older = format!("{}/deep", of("v1alpha1"));
    let mut sounding = cluster.done("GET", &older, &Value::Null).await;
    sounding["spec"]["place"] = json!("b");
    cluster.done("PUT", &older, &sounding).await;
    let newer = cluster
        .done("GET", &format!("{}/deep", of("v1")), &Value::Null)
        .await;
    assert_eq!(
        (&newer["spec"], newer["metadata"].get("annotations")),
        (&json!({"place": "b", "depth": 300}), None)
    );
}

/// Annotations, too; it looks at the uid of the answer, and restores all else of the metadata.
async fn the_server_believes_the_webhook_labels_alone(cluster: &Cluster) {
    for name in ["uid", "metadata"] {
        let mut made = boat(
            "v1",
            name,
            &json!({"paint": {"colour": "red"}, "length": 3}),
        );
        made["metadata"]["labels"] = json!({"a": "b"});
        cluster.done("POST", &boats("v1"), &made).await;
    }
    let (status, answer) = cluster
        .ask(
            "GET",
            &format!("{}/uid", boats("v1alpha1")),
            "",
            &Value::Null,
        )
        .await;
    let message = answer["message"].as_str().unwrap_or_default();
    let is_named = message.contains("expected response.uid=") && message.contains(r#"got "other""#);
    assert!(status == 500 && is_named, "{status} {answer}");
    let stored = cluster
        .done("GET", &format!("{}/metadata", boats("v1")), &Value::Null)
        .await;
    let read = cluster
        .done(
            "GET",
            &format!("{}/metadata", boats("v1alpha1")),
            &Value::Null,
        )
        .await;
    for member in [
        "finalizers",
        "ownerReferences",
        "resourceVersion",
        "generation",
        "creationTimestamp",
        "uid",
    ] {
        assert_eq!(
            read["metadata"][member], stored["metadata"][member],
            "{member}"
        );
    }
    for member in ["labels", "annotations"] {
        assert_eq!(
            read["metadata"][member],
            json!({"changed": "yes"}),
            "{member}"
        );
    }
    cluster.done("DELETE", &boats("v1"), &Value::Null).await;
}

async fn a_page_that_is_too_old_goes_on_with_another_token(cluster: &Cluster) {
    let lamps = path("ferry.example.com", "v1", "lamps");
    let made = async |name: &str| {
        let lamp = object("ferry.example.com", "v1", "Lamp", name, &json!({}));
        cluster.done("POST", &lamps, &lamp).await["metadata"]["resourceVersion"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    for name in ["a", "b", "c", "d"] {
        made(name).await;
    }
    let page = |token: &Value| format!("{lamps}?limit=2&continue={}", token.as_str().unwrap());
    let first = cluster
        .done("GET", &format!("{lamps}?limit=2"), &Value::Null)
        .await;
    let later = made("e").await;
    cluster.compact(&later).await;
    let (status, expired) = cluster
        .ask(
            "GET",
            &page(&first["metadata"]["continue"]),
            "",
            &Value::Null,
        )
        .await;
    assert_eq!(
        (status, &expired["reason"]),
        (410, &json!("Expired")),
        "{expired}"
    );
    let rest = cluster
        .done("GET", &page(&expired["metadata"]["continue"]), &Value::Null)
        .await;
    let names: Vec<&Value> = rest["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| &item["metadata"]["name"])
        .collect();
    assert_eq!(names, ["c", "d"]);
}

/// `crd()` refuses such a definition.
async fn without_a_webhook_values_of_one_version_are_lost(cluster: &Cluster) {
    let integers =
        |[one, other]: [&str; 2]| json!({one: {"type": "integer"}, other: {"type": "integer"}});
    let versions = [
        version("v1", true, &integers(["a", "b"])),
        version("v2", false, &integers(["a", "c"])),
    ];
    cluster
        .define(&by_hand("hand.example.com", "Crate", &versions))
        .await;
    let of = |version: &str| path("hand.example.com", version, "crates");
    let older = object(
        "hand.example.com",
        "v1",
        "Crate",
        "one",
        &json!({"a": 1, "b": 2}),
    );
    cluster.done("POST", &of("v1"), &older).await;
    let label = json!({"metadata": {"labels": {"x": "y"}}});
    let (status, answer) = cluster
        .ask("PATCH", &format!("{}/one", of("v2")), MERGE, &label)
        .await;
    assert_eq!(status, 200, "{answer}");
    let read = cluster
        .done("GET", &format!("{}/one", of("v1")), &Value::Null)
        .await;
    assert_eq!(read["spec"], json!({"a": 1}));
    let newer = object(
        "hand.example.com",
        "v2",
        "Crate",
        "two",
        &json!({"a": 1, "c": 3}),
    );
    assert_eq!(
        cluster.done("POST", &of("v2"), &newer).await["spec"],
        json!({"a": 1})
    );
}

/// `migrate-storage` shortens the list of stored versions last, because of this.
async fn an_object_of_a_version_that_is_gone_takes_all_away(cluster: &Cluster) {
    const NAME: &str = "kegs.hand.example.com";
    let properties = json!({"a": {"type": "integer"}});
    let both = |stored: &str| ["v1", "v2"].map(|name| version(name, name == stored, &properties));
    let definition = |versions: &[Value]| by_hand("hand.example.com", "Keg", versions);
    let kegs = path("hand.example.com", "v2", "kegs");
    let one = format!("{kegs}/one");
    cluster.define(&definition(&both("v1"))).await;
    cluster
        .done(
            "POST",
            &kegs,
            &object("hand.example.com", "v2", "Keg", "one", &json!({"a": 1})),
        )
        .await;
    cluster
        .redefine(NAME, &definition(&both("v2"))["spec"])
        .await;
    let lie = json!({"status": {"storedVersions": ["v2"]}});
    let (status, answer) = cluster
        .ask(
            "PATCH",
            &format!("{DEFINITIONS}/{NAME}/status"),
            MERGE,
            &lie,
        )
        .await;
    assert_eq!(status, 200, "{answer}");
    cluster
        .redefine(
            NAME,
            &definition(&[version("v2", true, &properties)])["spec"],
        )
        .await;
    for (method, path) in [("GET", &one), ("GET", &kegs), ("DELETE", &one)] {
        let (status, answer) = cluster.ask(method, path, "", &Value::Null).await;
        let message = answer["message"].as_str().unwrap_or_default();
        assert!(
            status == 500 && message.contains("invalid group/version"),
            "{method} {path}: {status} {answer}"
        );
    }
    let mut unserved = both("v2");
    unserved[0]["served"] = json!(false);
    cluster.redefine(NAME, &definition(&unserved)["spec"]).await;
    assert_eq!(
        cluster.done("GET", &one, &Value::Null).await["spec"],
        json!({"a": 1})
    );
}

/// A scenario that no test has would be a promise that nobody keeps.
#[test]
fn each_scenario_has_a_test() {
    let source = include_str!("scenarios.rs");
    let sources = [
        source,
        include_str!("facts.rs"),
        include_str!("../apiserver.rs"),
    ];
    let rows = source.lines().filter_map(|line| {
        line.strip_prefix("//! | ")?
            .strip_suffix("` |")?
            .split_once(" | `")
    });
    let rows: Vec<(Vec<&str>, &str)> = rows
        .map(|(numbers, test)| (numbers.split(", ").collect(), test))
        .collect();
    for (_, test) in &rows {
        assert!(
            sources
                .iter()
                .any(|source| source.contains(&format!("async fn {test}("))),
            "no test is named {test}"
        );
    }
    for line in include_str!("../../../../kube/tests/kube/scenarios.jsonl").lines() {
        let scenario: Value = serde_json::from_str(line).unwrap();
        let id = scenario["id"].to_string();
        assert!(
            rows.iter()
                .any(|(numbers, _)| numbers.contains(&id.as_str())),
            "no test has scenario {line}"
        );
    }
}
