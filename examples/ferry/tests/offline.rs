//! The operator without a cluster: its definition and manifests, conversions, and the controller against a server that keeps what it gets.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{Method, Uri};
use ferry::{Boat, BoatSpec, BoatStatus, Paint, Stop, reconcile, timetable};
use kube::{Client, Config};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use upstate_kube::{Converter, CustomResource, Webhook};

fn manifest(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("manifests")
        .join(name)
}

fn documents(name: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(manifest(name)).unwrap();
    text.split("\n---\n")
        .map(|document| serde_saphyr::from_str(document).unwrap())
        .collect()
}

/// `UPDATE=1` writes what `ferry crd --service ferry/webhook` prints.
#[test]
fn the_definition_in_the_manifests_is_that_of_the_struct() {
    let definition = BoatSpec::crd_with(&Webhook::service("ferry", "webhook"))
        .unwrap()
        .to_yaml();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(manifest("crd.yaml"), &definition).unwrap();
    }
    assert!(
        std::fs::read_to_string(manifest("crd.yaml")).unwrap_or_default() == definition,
        "UPDATE=1 writes manifests/crd.yaml"
    );
}

#[test]
fn the_manifests_belong_together() {
    let webhook = documents("webhook.yaml");
    let (service, deployment) = (&webhook[0], &webhook[1]);
    let crd = &documents("crd.yaml")[0];
    let called = &crd["spec"]["conversion"]["webhook"]["clientConfig"]["service"];
    assert_eq!(
        (&called["name"], &called["namespace"]),
        (
            &service["metadata"]["name"],
            &service["metadata"]["namespace"]
        )
    );
    assert_eq!(called["port"], service["spec"]["ports"][0]["port"]);
    let pod = &deployment["spec"]["template"];
    assert_eq!(pod["metadata"]["labels"], service["spec"]["selector"]);
    assert_eq!(
        pod["spec"]["containers"][0]["ports"][0]["name"],
        service["spec"]["ports"][0]["targetPort"]
    );
    let rules = &documents("rbac.yaml")[1]["rules"];
    let resources: Vec<&Value> = rules
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|rule| rule["resources"].as_array().unwrap())
        .collect();
    assert_eq!(crd["metadata"]["name"], "boats.ferry.example.com");
    assert_eq!(
        resources,
        [
            "boats",
            "boats/status",
            "configmaps",
            "customresourcedefinitions",
            "customresourcedefinitions/status"
        ]
    );
}

fn converted(object: &Value, to: &str) -> Value {
    let review = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview",
        "request": {"uid": "1", "desiredAPIVersion": format!("ferry.example.com/{to}"), "objects": [object]},
    });
    let answer = Converter::new()
        .with::<BoatSpec>()
        .unwrap()
        .review(review.to_string().as_bytes())
        .unwrap();
    assert_eq!(answer.failure(), None);
    let answer: Value = serde_json::from_slice(answer.body()).unwrap();
    answer["response"]["convertedObjects"][0].clone()
}

#[test]
fn a_boat_is_the_same_after_each_older_version() {
    let newest = json!({
        "apiVersion": "ferry.example.com/v1", "kind": "Boat", "metadata": {"name": "b0"},
        "spec": {
            "name": "Line 3", "paint": {"colour": "red", "gloss": 40}, "berth": 7,
            "stops": [{"port": "north", "minutes": 0}, {"port": "isle", "minutes": 25}],
        },
    });
    let oldest = converted(&newest, "v1alpha1");
    assert_eq!(
        (
            &oldest["spec"]["title"],
            &oldest["spec"]["colour"],
            &oldest["spec"]["berth"]
        ),
        (&json!("Line 3"), &json!("red"), &json!("7"))
    );
    for version in ["v1alpha1", "v1beta1"] {
        assert_eq!(
            converted(&converted(&newest, version), "v1"),
            newest,
            "{version}"
        );
    }
}

fn boat() -> Boat {
    let stop = |port: &str, minutes| Stop {
        port: port.to_owned(),
        minutes,
    };
    let spec = BoatSpec {
        name: Some("Line 3".to_owned()),
        paint: Paint {
            colour: "red".to_owned(),
            gloss: None,
        },
        berth: None,
        stops: vec![stop("north", 0), stop("isle", 25), stop("south", 40)],
    };
    let mut boat = Boat::new("b0", spec);
    boat.metadata.namespace = Some("harbour".to_owned());
    boat.metadata.uid = Some("2acf".to_owned());
    boat
}

#[test]
fn a_timetable_adds_the_minutes_up_and_goes_with_its_boat() {
    let made = serde_json::to_value(timetable(&boat())).unwrap();
    assert_eq!(
        made["data"],
        json!({"north": "0", "isle": "25", "south": "65"})
    );
    assert_eq!(
        made["metadata"]["ownerReferences"],
        json!([{"apiVersion": "ferry.example.com/v1", "kind": "Boat", "name": "b0", "uid": "2acf", "controller": true}])
    );
}

type Requests = Arc<Mutex<Vec<(String, Value)>>>;

async fn handle(State(requests): State<Requests>, method: Method, uri: Uri, body: Bytes) -> String {
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    requests
        .lock()
        .unwrap()
        .push((format!("{method} {uri}"), body.clone()));
    if uri.path().ends_with("/status") {
        let floating = Boat {
            status: Some(BoatStatus { stops: 3 }),
            ..boat()
        };
        return serde_json::to_string(&floating).unwrap();
    }
    body.to_string()
}

#[tokio::test]
async fn a_boat_is_reconciled_by_its_timetable_and_its_status() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let requests = Requests::default();
    let router = Router::new()
        .fallback(handle)
        .with_state(Arc::clone(&requests));
    tokio::spawn(async move { axum::serve(listener, router).await });
    let client = Client::try_from(Config::new(url.parse().unwrap())).unwrap();
    reconcile(Arc::new(boat()), Arc::new(client)).await.unwrap();
    let requests = requests.lock().unwrap();
    let paths: Vec<&str> = requests.iter().map(|(path, _)| &**path).collect();
    assert_eq!(
        paths,
        [
            "PATCH /api/v1/namespaces/harbour/configmaps/b0-timetable?&force=true&fieldManager=ferry",
            "PATCH /apis/ferry.example.com/v1/namespaces/harbour/boats/b0/status?",
        ]
    );
    assert_eq!(requests[0].1["kind"], "ConfigMap");
    assert_eq!(requests[1].1, json!({"status": {"stops": 3}}));
}
