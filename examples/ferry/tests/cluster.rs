//! The operator on a real kube-apiserver: its program as it runs in a pod, and its controller.
//!
//! `.ci/full` builds the server and runs this. `KUBEBUILDER_ASSETS` names the folder of another kube-apiserver and etcd.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    dead_code,
    reason = "tests"
)]

#[path = "../../../tests/kubernetes/tests/cluster/mod.rs"]
mod cluster;

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use cluster::{Cluster, Running, free_port};
use ferry::control;
use rcgen::{CertifiedKey, KeyPair, generate_simple_self_signed};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

const PROGRAM: &str = env!("CARGO_BIN_EXE_ferry-operator");

fn boats(version: &str) -> String {
    format!("/apis/ferry.example.com/{version}/namespaces/default/boats")
}

/// The timetable and the status, once they are as expected.
async fn reconciled(cluster: &Cluster, times: &Value, stops: u32) {
    let begun = Instant::now();
    loop {
        let (_, timetable) = cluster
            .ask(
                "GET",
                "/api/v1/namespaces/default/configmaps/b0-timetable",
                "",
                &Value::Null,
            )
            .await;
        let boat = cluster
            .done("GET", &format!("{}/b0", boats("v1beta1")), &Value::Null)
            .await;
        if timetable["data"] == *times && boat["status"]["stops"] == stops {
            assert_eq!(
                timetable["metadata"]["ownerReferences"][0]["uid"],
                boat["metadata"]["uid"]
            );
            return;
        }
        assert!(
            begun.elapsed() < Duration::from_secs(30),
            "{timetable} {boat}"
        );
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

/// Writes a new certificate, and returns it.
fn certify(folder: &Path) -> CertifiedKey<KeyPair> {
    let made = generate_simple_self_signed(vec!["127.0.0.1".to_owned()]).unwrap();
    std::fs::write(folder.join("tls.key"), made.signing_key.serialize_pem()).unwrap();
    std::fs::write(folder.join("tls.crt"), made.cert.pem()).unwrap();
    made
}

/// The webhook as it runs in a pod.
fn serve(folder: &Path, port: u16) -> Running {
    let serve = Command::new(PROGRAM)
        .args([
            "serve",
            "--listen",
            &format!("127.0.0.1:{port}"),
            "--certificate",
        ])
        .arg(folder.join("tls.crt"))
        .arg("--key")
        .arg(folder.join("tls.key"))
        .stdout(Stdio::null())
        .spawn();
    Running(serve.unwrap())
}

fn definition(port: u16, authorities: &Path) -> Value {
    let url = format!("https://127.0.0.1:{port}/convert");
    let printed = Command::new(PROGRAM)
        .args(["crd", "--format", "json", "--url", &url, "--ca-bundle"])
        .arg(authorities)
        .output();
    serde_json::from_slice(&printed.unwrap().stdout).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "it needs a kube-apiserver, which `.ci/full` builds"]
async fn the_operator_keeps_timetables_of_boats_in_every_version() {
    let cluster = Cluster::start().await;
    let folder = tempfile::tempdir().unwrap();
    certify(folder.path());
    let port = free_port();
    let _serve = serve(folder.path(), port);
    cluster
        .define(&definition(port, &folder.path().join("tls.crt")))
        .await;

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
    let (status, answer) = cluster
        .ask("PATCH", &path, "application/apply-patch+yaml", &more)
        .await;
    assert_eq!(status, 200, "{answer}");
    reconciled(
        &cluster,
        &json!({"north": "0", "isle": "25", "south": "65"}),
        3,
    )
    .await;

    let url = cluster.proxy().await;
    let migrated = Command::new(PROGRAM)
        .args([
            "migrate-storage",
            "--server",
            &url,
            "--wait",
            "0",
            "--forget",
            "v1alpha1",
        ])
        .output();
    let migrated = migrated.unwrap();
    let output = String::from_utf8_lossy(&migrated.stderr);
    assert!(
        migrated.status.success()
            && output.contains("1 objects of boats.ferry.example.com are rewritten"),
        "{output}"
    );
    controller.abort();
}

/// A client that writes until it is to end.
struct Writer {
    cluster: Arc<Cluster>,
    written: Arc<AtomicU64>,
    /// The answer to each write that the server refused.
    refused: Arc<Mutex<Vec<String>>>,
    end: Arc<AtomicU64>,
}

const NAME: &str = "boats.ferry.example.com";
const WRITTEN: u64 = 8;

impl Writer {
    /// Writes until the server takes it.
    async fn patch(&self, version: &str, name: &str, change: &Value) {
        let path = format!("{}/{name}", boats(version));
        loop {
            let (status, answer) = self
                .cluster
                .ask("PATCH", &path, "application/merge-patch+json", change)
                .await;
            if status == 200 {
                self.written.fetch_add(1, Ordering::SeqCst);
                return;
            }
            assert!(status >= 429, "{status} {answer}");
            self.refused
                .lock()
                .unwrap()
                .push(format!("{status} {answer}"));
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Changes the boats one after the other, and returns the number that it wrote last.
    async fn changes(self, version: &str, change: impl Fn(u64) -> Value) -> u64 {
        for turn in 0.. {
            for boat in 0..WRITTEN {
                self.patch(version, &format!("w{boat}"), &change(turn))
                    .await;
            }
            if self.end.load(Ordering::SeqCst) > 0 {
                return turn;
            }
        }
        unreachable!()
    }

    /// Creates boats in the oldest version, and returns their number. What failed may be there nevertheless, since the answer is converted, too.
    async fn creates(self) -> u64 {
        let mut made = 0;
        while self.end.load(Ordering::SeqCst) == 0 {
            let boat = json!({
                "apiVersion": "ferry.example.com/v1alpha1", "kind": "Boat", "metadata": {"name": format!("c{made}")},
                "spec": {"colour": "red", "berth": "7", "title": made.to_string(), "stops": []},
            });
            let (status, answer) = self
                .cluster
                .ask("POST", &boats("v1alpha1"), "application/json", &boat)
                .await;
            match status {
                201 | 409 => made += 1,
                429.. => self
                    .refused
                    .lock()
                    .unwrap()
                    .push(format!("{status} {answer}")),
                _ => panic!("{status} {answer}"),
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        made
    }
}

/// `migrate-storage` as a program is killed again and again, which leaves its file, and goes on from there. No boat is lost or rewritten into another.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "it needs a kube-apiserver, which `.ci/full` builds"]
async fn a_killed_migration_goes_on_where_it_was() {
    const BOATS: usize = 400;
    let cluster = Cluster::start().await;
    let folder = tempfile::tempdir().unwrap();
    certify(folder.path());
    let port = free_port();
    let _serve = serve(folder.path(), port);
    let after = definition(port, &folder.path().join("tls.crt"));
    let mut before = after.clone();
    for version in before["spec"]["versions"].as_array_mut().unwrap() {
        version["storage"] = json!(version["name"] == "v1alpha1");
    }
    cluster.define(&before).await;
    for index in 0..BOATS {
        let boat = json!({
            "apiVersion": "ferry.example.com/v1alpha1", "kind": "Boat", "metadata": {"name": format!("m{index:03}")},
            "spec": {"colour": "red", "berth": (index % 99 + 1).to_string(), "title": index.to_string(), "stops": []},
        });
        cluster.done("POST", &boats("v1alpha1"), &boat).await;
    }
    cluster.redefine(NAME, &after["spec"]).await;

    let url = cluster.proxy().await;
    let state = folder.path().join("state.json");
    let migrate = |rate: &str| {
        let mut program = Command::new(PROGRAM);
        program
            .args([
                "migrate-storage",
                "--server",
                &url,
                "--wait",
                "0",
                "--page",
                "20",
                "--rate",
                rate,
                "--state",
            ])
            .arg(&state);
        program.stdout(Stdio::null()).stderr(Stdio::piped());
        program
    };
    let path = format!("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{NAME}");
    let stored = async |version: &str| {
        cluster
            .stored()
            .await
            .get(&format!("ferry.example.com/{version}"))
            .copied()
            .unwrap_or_default()
    };
    let mut reached = 0;
    for _ in 0..3 {
        let mut running = migrate("100").spawn().unwrap();
        let begun = Instant::now();
        // Somewhere after the first page of this run.
        while stored("v1").await < reached + 35 {
            assert!(
                begun.elapsed() < Duration::from_secs(60) && running.try_wait().unwrap().is_none(),
                "it ended"
            );
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        // No signal that a program could answer.
        running.kill().unwrap();
        running.wait().unwrap();
        reached = stored("v1").await;
        assert!(reached < BOATS && state.is_file(), "{reached}");
        let definition = cluster.done("GET", &path, &Value::Null).await;
        assert_eq!(
            definition["status"]["storedVersions"],
            json!(["v1alpha1", "v1"])
        );
    }
    let ended = migrate("100000").output().unwrap();
    let output = String::from_utf8_lossy(&ended.stderr);
    assert!(
        ended.status.success()
            && output.contains("objects of boats.ferry.example.com are rewritten"),
        "{output}"
    );
    assert!(!state.exists(), "the file of an ended migration");
    assert_eq!(
        cluster.done("GET", &path, &Value::Null).await["status"]["storedVersions"],
        json!(["v1"])
    );
    assert_eq!((stored("v1").await, stored("v1alpha1").await), (BOATS, 0));
    for index in 0..BOATS {
        let boat = cluster
            .done("GET", &format!("{}/m{index:03}", boats("v1")), &Value::Null)
            .await;
        assert_eq!(
            boat["spec"],
            json!({"paint": {"colour": "red"}, "name": index.to_string(), "berth": index % 99 + 1, "stops": []})
        );
        assert_eq!(boat["metadata"]["generation"], 1);
    }
}

/// True if the webhook answers with that certificate.
async fn has(port: u16, certificate: &CertifiedKey<KeyPair>) -> bool {
    let mut roots = RootCertStore::empty();
    roots.add(certificate.cert.der().clone()).unwrap();
    let client = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions();
    let client = client
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let Ok(stream) = TcpStream::connect(("127.0.0.1", port)).await else {
        return false;
    };
    TlsConnector::from(Arc::new(client))
        .connect(ServerName::try_from("127.0.0.1").unwrap(), stream)
        .await
        .is_ok()
}

async fn until_it_has(port: u16, certificate: &CertifiedKey<KeyPair>) {
    let begun = Instant::now();
    while !has(port, certificate).await {
        assert!(
            begun.elapsed() < Duration::from_secs(30),
            "the webhook has another certificate"
        );
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Writes in three versions go on, and each that the server took is there: the webhook is killed three times, and then gets another certificate, for
/// which not one write is refused.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "it needs a kube-apiserver, which `.ci/full` builds"]
async fn a_killed_webhook_and_a_new_certificate_lose_no_write() {
    let cluster = Arc::new(Cluster::start().await);
    let folder = tempfile::tempdir().unwrap();
    let first = certify(folder.path());
    let port = free_port();
    let mut webhook = serve(folder.path(), port);
    until_it_has(port, &first).await;
    let authorities = folder.path().join("authorities.crt");
    std::fs::write(&authorities, first.cert.pem()).unwrap();
    cluster.define(&definition(port, &authorities)).await;
    for boat in 0..WRITTEN {
        let made = json!({
            "apiVersion": "ferry.example.com/v1", "kind": "Boat", "metadata": {"name": format!("w{boat}")},
            // With a berth, because kube-apiserver 1.20 built by a later Go takes an empty string of the oldest version for null.
            "spec": {"paint": {"colour": "red", "gloss": 0}, "name": "0", "berth": 99, "stops": []},
        });
        cluster.done("POST", &boats("v1"), &made).await;
    }

    let [written, end] = [(); 2].map(|()| Arc::new(AtomicU64::new(0)));
    let refused = Arc::new(Mutex::new(Vec::new()));
    let writer = || {
        let [written, end] = [&written, &end].map(Arc::clone);
        Writer {
            cluster: Arc::clone(&cluster),
            written,
            refused: Arc::clone(&refused),
            end,
        }
    };
    let title = tokio::spawn(writer().changes(
        "v1alpha1",
        |turn| json!({"spec": {"title": turn.to_string()}}),
    ));
    let berth =
        tokio::spawn(writer().changes("v1beta1", |turn| json!({"spec": {"berth": turn % 99 + 1}})));
    // The oldest version has no place for it, so that it is in an annotation each time that the title is written.
    let gloss = tokio::spawn(writer().changes(
        "v1",
        |turn| json!({"spec": {"paint": {"gloss": turn % 101}}}),
    ));
    let created = tokio::spawn(writer().creates());

    for _ in 0..3 {
        tokio::time::sleep(Duration::from_secs(1)).await;
        let before = refused.lock().unwrap().len();
        drop(webhook);
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert!(
            refused.lock().unwrap().len() > before,
            "nobody missed the webhook"
        );
        webhook = serve(folder.path(), port);
        until_it_has(port, &first).await;
    }
    tokio::time::sleep(Duration::from_secs(1)).await;

    refused.lock().unwrap().clear();
    let written_before = written.load(Ordering::SeqCst);
    let second = generate_simple_self_signed(vec!["127.0.0.1".to_owned()]).unwrap();
    std::fs::write(&authorities, first.cert.pem() + &second.cert.pem()).unwrap();
    cluster
        .redefine(NAME, &definition(port, &authorities)["spec"])
        .await;
    std::fs::write(
        folder.path().join("tls.key"),
        second.signing_key.serialize_pem(),
    )
    .unwrap();
    std::fs::write(folder.path().join("tls.crt"), second.cert.pem()).unwrap();
    until_it_has(port, &second).await;
    std::fs::write(&authorities, second.cert.pem()).unwrap();
    cluster
        .redefine(NAME, &definition(port, &authorities)["spec"])
        .await;
    assert_eq!(
        refused.lock().unwrap().clone(),
        [""; 0],
        "a write was refused for another certificate"
    );
    assert!(written.load(Ordering::SeqCst) > written_before + 30);

    end.store(1, Ordering::SeqCst);
    let (title, berth, gloss) = (
        title.await.unwrap(),
        berth.await.unwrap(),
        gloss.await.unwrap(),
    );
    for boat in 0..WRITTEN {
        let boat = cluster
            .done("GET", &format!("{}/w{boat}", boats("v1")), &Value::Null)
            .await;
        assert_eq!(
            boat["spec"],
            json!({"paint": {"colour": "red", "gloss": gloss % 101}, "name": title.to_string(), "berth": berth % 99 + 1, "stops": []})
        );
        assert_eq!(boat["metadata"].get("annotations"), None);
    }
    let created = created.await.unwrap();
    assert!(created > 10);
    for boat in 0..created {
        let read = cluster
            .done("GET", &format!("{}/c{boat}", boats("v1")), &Value::Null)
            .await;
        assert_eq!(
            read["spec"],
            json!({"paint": {"colour": "red"}, "name": boat.to_string(), "berth": 7, "stops": []})
        );
    }
    drop(webhook);
}
