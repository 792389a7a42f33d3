//! The operator on a real kube-apiserver: its program as it runs in a pod, and its controller.
//!
//! `.ci/full` builds the server and runs this. `KUBEBUILDER_ASSETS` names the folder of another kube-apiserver and etcd.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, missing_docs, dead_code, reason = "tests")]

#[path = "../../../tests/kubernetes/tests/cluster/mod.rs"]
mod cluster;

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use cluster::{Cluster, Running, free_port};
use ferry::control;
use serde_json::{Value, json};

const PROGRAM: &str = env!("CARGO_BIN_EXE_ferry-operator");

fn boats(version: &str) -> String {
    format!("/apis/ferry.example.com/{version}/namespaces/default/boats")
}

/// The timetable and the status, once they are as expected.
async fn reconciled(cluster: &Cluster, times: &Value, stops: u32) {
    let begun = Instant::now();
    loop {
        let (_, timetable) = cluster.ask("GET", "/api/v1/namespaces/default/configmaps/b0-timetable", "", &Value::Null).await;
        let boat = cluster.done("GET", &format!("{}/b0", boats("v1beta1")), &Value::Null).await;
        if timetable["data"] == *times && boat["status"]["stops"] == stops {
            assert_eq!(timetable["metadata"]["ownerReferences"][0]["uid"], boat["metadata"]["uid"]);
            return;
        }
        assert!(begun.elapsed() < Duration::from_secs(30), "{timetable} {boat}");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "it needs a kube-apiserver, which `.ci/full` builds"]
async fn the_operator_keeps_timetables_of_boats_in_every_version() {
    let cluster = Cluster::start().await;
    let folder = tempfile::tempdir().unwrap();
    let (certificate, key) = (folder.path().join("tls.crt"), folder.path().join("tls.key"));
    let webhook = rcgen::generate_simple_self_signed(vec!["127.0.0.1".to_owned()]).unwrap();
    std::fs::write(&certificate, webhook.cert.pem()).unwrap();
    std::fs::write(&key, webhook.signing_key.serialize_pem()).unwrap();
    let port = free_port();

    let serve = Command::new(PROGRAM)
        .args(["serve", "--listen", &format!("127.0.0.1:{port}"), "--certificate"])
        .arg(&certificate)
        .arg("--key")
        .arg(&key)
        .stdout(Stdio::null())
        .spawn();
    let _serve = Running(serve.unwrap());
    let url = format!("https://127.0.0.1:{port}/convert");
    let printed =
        Command::new(PROGRAM).args(["crd", "--format", "json", "--url", &url, "--ca-bundle"]).arg(&certificate).output();
    let definition: Value = serde_json::from_slice(&printed.unwrap().stdout).unwrap();
    cluster.define(&definition).await;

    let controller = tokio::spawn(control(cluster.kube_rs().await));
    let stops = json!([{"port": "north", "minutes": 0}, {"port": "isle", "minutes": 25}]);
    let oldest = json!({
        "apiVersion": "ferry.example.com/v1alpha1", "kind": "Boat", "metadata": {"name": "b0"},
        "spec": {"title": "Line 3", "colour": "red", "berth": "7", "stops": stops},
    });
    cluster.done("POST", &boats("v1alpha1"), &oldest).await;
    reconciled(&cluster, &json!({"north": "0", "isle": "25"}), 2).await;
    // A manager of its own adds a stop, by its key.
    let path = format!("{}/b0?fieldManager=summer", boats("v1"));
    let more = json!({
        "apiVersion": "ferry.example.com/v1", "kind": "Boat", "metadata": {"name": "b0"},
        "spec": {"stops": [{"port": "south", "minutes": 40}]},
    });
    let (status, answer) = cluster.ask("PATCH", &path, "application/apply-patch+yaml", &more).await;
    assert_eq!(status, 200, "{answer}");
    reconciled(&cluster, &json!({"north": "0", "isle": "25", "south": "65"}), 3).await;

    let url = cluster.proxy().await;
    let migrated =
        Command::new(PROGRAM).args(["migrate-storage", "--server", &url, "--wait", "0", "--forget", "v1alpha1"]).output();
    let migrated = migrated.unwrap();
    let output = String::from_utf8_lossy(&migrated.stderr);
    assert!(migrated.status.success() && output.contains("1 objects of boats.ferry.example.com are rewritten"), "{output}");
    controller.abort();
}
