//! Boats on a real kube-apiserver, which asks the webhook for conversions.
//!
//! `.ci/full` builds the server and runs these. `KUBEBUILDER_ASSETS` names the folder of another
//! kube-apiserver and etcd.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    dead_code,
    reason = "tests"
)]

#[path = "../../../kube/tests/kube/boat.rs"]
mod boat;
mod cluster;
#[path = "apiserver/facts.rs"]
mod facts;
#[path = "apiserver/scenarios.rs"]
mod scenarios;
#[path = "../../../kube/tests/kube/works.rs"]
mod works;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use futures_util::TryStreamExt as _;
use kube::Api;
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, WatchEvent, WatchParams};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use upstate_kube::program::{Migration, Progress};
use upstate_kube::webhook::Server;
use upstate_kube::{Converter, CustomObject, CustomResource, Webhook};

use boat::{Boat, BoatStatus, Forms, Paint};
use cluster::Cluster;

const VERSIONS: [&str; 3] = ["v1", "v1beta1", "v1alpha1"];

fn boats(version: &str) -> String {
    format!("/apis/ferry.example.com/{version}/namespaces/default/boats")
}

fn boat(version: &str, name: &str, spec: &Value) -> Value {
    json!({"apiVersion": format!("ferry.example.com/{version}"), "kind": "Boat", "metadata": {"name": name}, "spec": spec})
}

/// A webhook for boats, and its definition.
async fn webhook(folder: &Path) -> (tokio::task::JoinHandle<()>, Value) {
    let webhook = rcgen::generate_simple_self_signed(vec!["127.0.0.1".to_owned()]).unwrap();
    std::fs::write(folder.join("tls.crt"), webhook.cert.pem()).unwrap();
    std::fs::write(folder.join("tls.key"), webhook.signing_key.serialize_pem()).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!(
        "https://127.0.0.1:{}/convert",
        listener.local_addr().unwrap().port()
    );
    let converter = Converter::new().with::<Boat>().unwrap();
    let server = Server::new(converter, folder.join("tls.crt"), folder.join("tls.key"));
    let server =
        tokio::spawn(async move { server.run(listener, std::future::pending()).await.unwrap() });
    let definition = Boat::crd_with(&Webhook::url(url).ca_bundle(webhook.cert.pem()))
        .unwrap()
        .value()
        .clone();
    (server, definition)
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "it needs a kube-apiserver, which `.ci/full` builds"]
async fn boats_live_in_every_version() {
    let cluster = Cluster::start().await;
    let folder = tempfile::tempdir().unwrap();
    let (server, definition) = webhook(folder.path()).await;

    cluster.define(Forms::crd().unwrap().value()).await;
    cluster.define(&definition).await;
    variants(&cluster).await;
    flattened(&cluster).await;
    order(&cluster).await;
    every_version(&cluster).await;
    kept_values(&cluster).await;
    schemas(&cluster).await;
    apply(&cluster).await;
    list(&cluster).await;
    typed(&cluster).await;
    server.abort();
}

/// The typed client of kube-rs applies, reads and watches boats that others write in an older
/// version.
async fn typed(cluster: &Cluster) {
    let client: Api<CustomObject<Boat>> = Api::namespaced(cluster.kube_rs().await, "default");
    let parameters = WatchParams::default().fields("metadata.name=typed");
    let mut events = std::pin::pin!(client.watch(&parameters, "0").await.unwrap());
    let wanted = Boat {
        paint: Paint {
            colour: "red".to_owned(),
            gloss: Some(4),
        },
        length: 9,
        name: None,
        masts: None,
        hull: None,
    };
    let applied = CustomObject::new("typed", wanted.clone());
    let apply = PatchParams::apply("typed");
    let made = client
        .patch("typed", &apply, &Patch::Apply(&applied))
        .await
        .unwrap();
    assert_eq!(made.spec, wanted);
    let path = format!("{}/typed", boats("v1alpha1"));
    let (status, answer) = cluster
        .ask(
            "PATCH",
            &path,
            "application/merge-patch+json",
            &json!({"spec": {"len": 11}}),
        )
        .await;
    assert_eq!(status, 200, "{answer}");
    assert_eq!(
        client.get("typed").await.unwrap().spec,
        Boat {
            length: 11,
            ..wanted.clone()
        }
    );
    let afloat = json!({"status": {"afloat": true}});
    let boat = client
        .patch_status("typed", &PatchParams::default(), &Patch::Merge(&afloat))
        .await
        .unwrap();
    assert_eq!(
        boat.status,
        Some(BoatStatus {
            afloat: true,
            message: None
        })
    );
    // Somebody else owns the length by now, and the colour is not in conflict.
    let refused = client
        .patch("typed", &apply, &Patch::Apply(&applied))
        .await
        .unwrap_err();
    assert!(
        matches!(&refused, kube::Error::Api(status) if status.code == 409),
        "{refused}"
    );
    client
        .patch("typed", &apply.force(), &Patch::Apply(&applied))
        .await
        .unwrap();
    assert_eq!(
        client
            .list(&ListParams::default())
            .await
            .unwrap()
            .items
            .len(),
        1
    );
    client
        .delete("typed", &DeleteParams::default())
        .await
        .unwrap();
    let mut lengths = Vec::new();
    while let Some(event) = events.try_next().await.unwrap() {
        match event {
            WatchEvent::Added(boat) | WatchEvent::Modified(boat) => lengths.push(boat.spec.length),
            WatchEvent::Deleted(_) => break,
            WatchEvent::Bookmark(_) | WatchEvent::Error(_) => panic!("{event:?}"),
        }
    }
    assert_eq!(lengths, [9, 11, 11, 9]);
}

/// The server judges each variant by its own limits, and puts no default of one into another.
async fn variants(cluster: &Cluster) {
    cluster.define(works::Pump::crd().unwrap().value()).await;
    let pumps = "/apis/works.example.com/v1/namespaces/default/pumps";
    let sizes = [
        ("Small", 3, 201),
        ("Small", 20, 422),
        ("Large", 3, 422),
        ("Large", 20, 201),
    ];
    for (variant, size, expected) in sizes {
        let inside = json!({"size": size, "label": "abcde", "name": "abcde"});
        let beside = json!({"type": variant, "size": size, "label": "abcde", "name": "abcde"});
        let whole = json!({"drive": beside, "filter": {"type": variant, "data": inside}});
        let none = json!({"drive": beside, "filter": {"type": "None"}});
        let other = json!({"drive": {"type": "Small", "size": 3, "label": "a", "name": "a"}, "filter": {"type": variant, "data": inside}});
        for (index, spec) in [whole, none, other].into_iter().enumerate() {
            let name = format!("{}-{size}-{index}", variant.to_lowercase());
            let pump = json!({"apiVersion": "works.example.com/v1", "kind": "Pump", "metadata": {"name": name}, "spec": spec});
            let (status, answer) = cluster.ask("POST", pumps, "application/json", &pump).await;
            assert_eq!(status, expected, "{variant} {size}: {answer}");
            assert!(expected != 201 || answer["spec"] == spec, "{answer}");
        }
    }
    let long = json!({"type": "Small", "size": 3, "label": "longer than five", "name": "abcde"});
    let pump = json!({"apiVersion": "works.example.com/v1", "kind": "Pump", "metadata": {"name": "long"},
        "spec": {"drive": long, "filter": {"type": "None"}}});
    cluster.done("POST", pumps, &pump).await;
}

/// The server judges flattened members as it does the others, and prunes what is none.
async fn flattened(cluster: &Cluster) {
    // Nothing here is converted, so that nobody need answer there.
    cluster
        .define(
            works::Tank::crd_with(&Webhook::url("https://127.0.0.1:1/"))
                .unwrap()
                .value(),
        )
        .await;
    let tanks = [
        (
            json!({"content": "Water", "warm": true, "other": 1}),
            Ok(json!({"content": "Water", "warm": true, "count": 2})),
        ),
        (
            json!({"content": "Nothing", "width": 3, "count": 1}),
            Ok(json!({"content": "Nothing", "width": 3, "count": 1})),
        ),
        (json!({"content": "Water"}), Err("oneOf")),
        (json!({"content": "Nothing", "warm": true}), Err("oneOf")),
        (json!({"content": "Nothing", "height": 3}), Err("anyOf")),
    ];
    for (index, (spec, expected)) in tanks.into_iter().enumerate() {
        let name = format!("tank-{index}");
        let tank = json!({"apiVersion": "works.example.com/v1", "kind": "Tank", "metadata": {"name": name}, "spec": spec});
        let (status, answer) = cluster
            .ask(
                "POST",
                "/apis/works.example.com/v1/namespaces/default/tanks",
                "application/json",
                &tank,
            )
            .await;
        match expected {
            Ok(stored) => assert_eq!((status, &answer["spec"]), (201, &stored), "{answer}"),
            Err(word) => assert!(
                status == 422 && answer["message"].as_str().unwrap().contains(word),
                "{spec}: {answer}"
            ),
        }
    }
}

/// Scenario 14.
async fn order(cluster: &Cluster) {
    let group = cluster
        .done("GET", "/apis/ferry.example.com", &Value::Null)
        .await;
    let versions: Vec<&str> = group["versions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|version| version["version"].as_str().unwrap())
        .collect();
    assert_eq!(versions, VERSIONS);
    assert_eq!(group["preferredVersion"]["version"], "v1");
}

/// An object is created in each version, read in each, and deleted in each.
async fn every_version(cluster: &Cluster) {
    let newer = json!({"paint": {"colour": "red"}, "length": 3, "masts": [{"height": 2}]});
    let older = json!({"colour": "red", "len": 3, "masts": [{"height": 2}]});
    let spec = |version: &str| {
        if version == "v1alpha1" {
            &older
        } else {
            &newer
        }
    };
    for from in VERSIONS {
        let name = format!("of-{from}");
        let mut made = boat(from, &name, spec(from));
        made["metadata"]["finalizers"] = json!(["ferry.example.com/x"]);
        made["metadata"]["labels"] = json!({"a": "b"});
        let made = cluster.done("POST", &boats(from), &made).await;
        assert_eq!(&made["spec"], spec(from));
        for to in VERSIONS {
            let read = cluster
                .done("GET", &format!("{}/{name}", boats(to)), &Value::Null)
                .await;
            assert_eq!(&read["spec"], spec(to), "{from} to {to}");
            // Scenario 20.
            for member in [
                "finalizers",
                "labels",
                "uid",
                "resourceVersion",
                "generation",
                "creationTimestamp",
            ] {
                assert_eq!(
                    read["metadata"][member], made["metadata"][member],
                    "{member}"
                );
            }
        }
        let path = format!("{}/{name}", boats(from));
        let (status, answer) = cluster
            .ask(
                "PATCH",
                &path,
                "application/merge-patch+json",
                &json!({"metadata": {"finalizers": null}}),
            )
            .await;
        assert_eq!(status, 200, "{answer}");
        cluster.done("DELETE", &path, &Value::Null).await;
    }
}

/// Scenarios 25 and 26, and a status that is written in an older version.
async fn kept_values(cluster: &Cluster) {
    let (newest, oldest) = (
        format!("{}/gloss", boats("v1")),
        format!("{}/gloss", boats("v1alpha1")),
    );
    cluster
        .done(
            "POST",
            &boats("v1"),
            &boat(
                "v1",
                "gloss",
                &json!({"paint": {"colour": "red", "gloss": 3}, "length": 7, "name": "n"}),
            ),
        )
        .await;
    let mut old = cluster.done("GET", &oldest, &Value::Null).await;
    assert_eq!(
        old["spec"],
        json!({"colour": "red", "len": 7, "title": "n"})
    );
    old["spec"]["colour"] = json!("green");
    cluster.done("PUT", &oldest, &old).await;
    let new = cluster.done("GET", &newest, &Value::Null).await;
    assert_eq!(
        new["spec"],
        json!({"paint": {"colour": "green", "gloss": 3}, "length": 7, "name": "n"})
    );
    assert_eq!(new["metadata"].get("annotations"), None);

    let mut old = cluster.done("GET", &oldest, &Value::Null).await;
    old["status"] = json!({"afloat": true});
    cluster.done("PUT", &format!("{oldest}/status"), &old).await;
    let new = cluster.done("GET", &newest, &Value::Null).await;
    assert_eq!(
        (&new["status"], &new["spec"]["paint"]["gloss"]),
        (&json!({"afloat": true}), &json!(3))
    );

    let (status, _) = cluster
        .ask(
            "PATCH",
            &oldest,
            "application/merge-patch+json",
            &json!({"metadata": {"labels": {"x": "y"}}}),
        )
        .await;
    assert_eq!(status, 200);
    let new = cluster.done("GET", &newest, &Value::Null).await;
    assert_eq!(
        (
            &new["metadata"]["labels"]["x"],
            &new["spec"]["paint"]["gloss"]
        ),
        (&json!("y"), &json!(3))
    );

    let mut old = cluster.done("GET", &oldest, &Value::Null).await;
    old["metadata"]
        .as_object_mut()
        .unwrap()
        .remove("annotations");
    cluster.done("PUT", &oldest, &old).await;
    let new = cluster.done("GET", &newest, &Value::Null).await;
    assert_eq!(new["spec"]["paint"], json!({"colour": "green"}));
}

/// The server refuses, prunes and completes by the schemas.
async fn schemas(cluster: &Cluster) {
    let create = async |name: &str, spec: Value| {
        cluster
            .ask(
                "POST",
                &boats("v1"),
                "application/json",
                &boat("v1", name, &spec),
            )
            .await
    };
    // Scenarios 5 and 16.
    let (status, made) = create("null", json!({"paint": {"colour": "x"}, "name": null})).await;
    assert_eq!(
        (status, &made["spec"]),
        (201, &json!({"paint": {"colour": "x"}, "length": 7})),
        "{made}"
    );
    let refused = [
        // Scenario 7.
        json!({"paint": {"colour": "x"}, "length": 3_000_000_000_i64}),
        json!({"paint": {}}),
        json!({"paint": {"colour": "x"}, "hull": {"kind": "wood"}}),
        json!({"paint": {"colour": "x"}, "hull": {"kind": "steel", "species": "oak"}}),
        json!({"paint": {"colour": "x"}, "hull": {"kind": "ice"}}),
        json!({"paint": {"colour": "x"}, "masts": [{"height": 256}]}),
    ];
    for spec in refused {
        let (status, answer) = create("refused", spec.clone()).await;
        assert_eq!(status, 422, "{spec}: {answer}");
    }
    let (status, made) = create(
        "hull",
        json!({"paint": {"colour": "x"}, "hull": {"kind": "wood", "species": "oak"}, "unknown": 1}),
    )
    .await;
    assert_eq!(
        (
            status,
            &made["spec"]["hull"]["species"],
            made["spec"].get("unknown")
        ),
        (201, &json!("oak"), None),
        "{made}"
    );
}

/// Two managers apply in two versions; the server sends partial objects to find out what nobody
/// owns any more.
async fn apply(cluster: &Cluster) {
    let applied = async |version: &str, manager: &str, spec: Value| {
        let path = format!("{}/applied?fieldManager={manager}", boats(version));
        let (status, answer) = cluster
            .ask(
                "PATCH",
                &path,
                "application/apply-patch+yaml",
                &boat(version, "applied", &spec),
            )
            .await;
        assert!(
            status == 200 || status == 201,
            "{version} {manager}: {status} {answer}"
        );
        answer
    };
    applied(
        "v1alpha1",
        "old",
        json!({"colour": "red", "len": 3, "berth": "b"}),
    )
    .await;
    applied(
        "v1",
        "new",
        json!({"paint": {"colour": "red", "gloss": 4}, "masts": [{"height": 1}]}),
    )
    .await;
    let old = applied("v1alpha1", "old", json!({"colour": "red"})).await;
    assert_eq!(old["spec"]["colour"], "red");
    let new = cluster
        .done("GET", &format!("{}/applied", boats("v1")), &Value::Null)
        .await;
    // Nobody wants a length any more, so that it is the default.
    assert_eq!(
        new["spec"],
        json!({"paint": {"colour": "red", "gloss": 4}, "length": 7, "masts": [{"height": 1}]})
    );
    let new = applied("v1", "new", json!({"paint": {"colour": "red"}})).await;
    assert_eq!(
        new["spec"],
        json!({"paint": {"colour": "red"}, "length": 7})
    );
}

/// A list is one review for each object.
async fn list(cluster: &Cluster) {
    for index in 0..40 {
        let spec = json!({"paint": {"colour": "x", "gloss": index}, "length": index});
        cluster
            .done(
                "POST",
                &boats("v1"),
                &boat("v1", &format!("list-{index}"), &spec),
            )
            .await;
    }
    let found = cluster.done("GET", &boats("v1alpha1"), &Value::Null).await;
    let items = found["items"].as_array().unwrap();
    let listed = items.iter().filter(|item| {
        item["metadata"]["name"]
            .as_str()
            .unwrap()
            .starts_with("list-")
    });
    let mut lengths: Vec<u64> = listed
        .map(|item| item["spec"]["len"].as_u64().unwrap())
        .collect();
    lengths.sort_unstable();
    assert_eq!(lengths, (0..40).collect::<Vec<_>>());
    cluster
        .done("DELETE", &boats("v1alpha1"), &Value::Null)
        .await;
    let found = cluster.done("GET", &boats("v1"), &Value::Null).await;
    assert_eq!(found["items"], json!([]));
}

const NAME: &str = "boats.ferry.example.com";
const MIGRATED: usize = 600;

async fn listed(cluster: &Cluster) -> Value {
    let path = format!("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{NAME}");
    cluster.done("GET", &path, &Value::Null).await["status"]["storedVersions"].clone()
}

/// The storage version moves while clients write; the migration is killed and goes on; then the
/// oldest version is removed.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "it needs a kube-apiserver, which `.ci/full` builds"]
async fn boats_move_to_the_storage_version() {
    let cluster = Arc::new(Cluster::start().await);
    let folder = tempfile::tempdir().unwrap();
    let (server, definition) = webhook(folder.path()).await;
    let mut before = definition.clone();
    for version in before["spec"]["versions"].as_array_mut().unwrap() {
        version["storage"] = json!(version["name"] == "v1alpha1");
    }
    cluster.define(&before).await;
    for index in 0..MIGRATED {
        let boat = boat(
            "v1alpha1",
            &format!("m{index:04}"),
            &json!({"colour": "red", "len": index % 200}),
        );
        let path = format!("{}/m{index:04}?fieldManager=old", boats("v1alpha1"));
        let (status, made) = cluster
            .ask("PATCH", &path, "application/apply-patch+yaml", &boat)
            .await;
        assert_eq!(status, 201, "{made}");
    }
    cluster.redefine(NAME, &definition["spec"]).await;
    assert_eq!(listed(&cluster).await, json!(["v1alpha1", "v1"]));
    assert_eq!(
        cluster.stored().await,
        BTreeMap::from([("ferry.example.com/v1alpha1".to_owned(), MIGRATED)])
    );

    let dry = Migration::of::<Boat>()
        .dry_run()
        .run(&cluster.program(), |_| {})
        .await
        .unwrap();
    assert_eq!(dry.rewritten, MIGRATED as u64);
    assert_eq!(cluster.stored().await.len(), 1);

    let writer = tokio::spawn({
        let cluster = Arc::clone(&cluster);
        async move {
            for turn in 0.. {
                let path = format!("{}/m{:04}", boats("v1beta1"), turn * 7 % MIGRATED);
                let label = json!({"metadata": {"labels": {"turn": turn.to_string()}}});
                let (status, answer) = cluster
                    .ask("PATCH", &path, "application/merge-patch+json", &label)
                    .await;
                assert_eq!(status, 200, "{answer}");
            }
        }
    });
    let migration = || {
        let migration = Migration::of::<Boat>()
            .wait(Duration::from_secs(1))
            .page(100)
            .per_second(10_000);
        migration
            .forget("v1alpha1")
            .state(folder.path().join("state.json"))
    };
    let (reached, mut is_reached) = tokio::sync::oneshot::channel();
    let mut reached = Some(reached);
    let client = cluster.program();
    let killed = migration();
    let report = |progress: Progress| {
        if progress.done == 250 {
            let _ = reached.take().map(|reached| reached.send(()));
        }
    };
    tokio::select! {
        biased;
        _ = &mut is_reached => {}
        ended = killed.run(&client, report) => panic!("it ended: {ended:?}"),
    }
    assert_eq!(listed(&cluster).await, json!(["v1alpha1", "v1"]));
    // Scenario 29: its page is forgotten meanwhile, so that it goes on with the token that the
    // server has in its place.
    let now = cluster
        .done("GET", &format!("{}?limit=1", boats("v1")), &Value::Null)
        .await;
    cluster
        .compact(now["metadata"]["resourceVersion"].as_str().unwrap())
        .await;
    let migrated = migration().run(&cluster.program(), |_| {}).await.unwrap();
    writer.abort();
    let _ = writer.await;
    assert_eq!(migrated.rewritten, MIGRATED as u64);
    assert_eq!(listed(&cluster).await, json!(["v1"]));
    assert_eq!(
        cluster.stored().await,
        BTreeMap::from([("ferry.example.com/v1".to_owned(), MIGRATED)])
    );

    // The version goes, and nothing else: objects are read, listed and applied.
    let mut after = definition.clone();
    after["spec"]["versions"]
        .as_array_mut()
        .unwrap()
        .retain(|version| version["name"] != "v1alpha1");
    cluster.redefine(NAME, &after["spec"]).await;
    let found = cluster.done("GET", &boats("v1"), &Value::Null).await;
    let items = found["items"].as_array().unwrap();
    assert_eq!(items.len(), MIGRATED);
    for (index, item) in items.iter().enumerate() {
        assert_eq!(
            item["spec"],
            json!({"paint": {"colour": "red"}, "length": index % 200})
        );
    }
    let path = format!("{}/m0000?fieldManager=new&force=true", boats("v1"));
    let applied = boat("v1", "m0000", &json!({"paint": {"colour": "blue"}}));
    let (status, answer) = cluster
        .ask("PATCH", &path, "application/apply-patch+yaml", &applied)
        .await;
    assert_eq!(
        (status, &answer["spec"]["paint"]["colour"]),
        (200, &json!("blue")),
        "{answer}"
    );
    server.abort();
}
