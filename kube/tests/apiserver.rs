//! Boats on a real kube-apiserver, which asks the webhook for conversions.
//!
//! `.ci/full` builds the server and runs these. `KUBEBUILDER_ASSETS` names the folder of another kube-apiserver and etcd.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, missing_docs, dead_code, reason = "tests")]

#[path = "kube/boat.rs"]
mod boat;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use base64::Engine as _;
use futures_util::TryStreamExt as _;
use kube::Api;
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, WatchEvent, WatchParams};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{PrivateKeyDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};
use upstate_kube::program::{Client, Migration, Progress};
use upstate_kube::webhook::Server;
use upstate_kube::{Converter, CustomObject, CustomResource, Webhook};

use boat::{Boat, BoatStatus, Forms, Paint};

/// A program that ends with the test.
struct Program(Child);

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

struct Cluster {
    folder: tempfile::TempDir,
    _programs: [Program; 2],
    address: SocketAddr,
    etcd: SocketAddr,
    client: Arc<ClientConfig>,
}

/// The folder of kube-apiserver and etcd.
fn binaries() -> PathBuf {
    if let Some(folder) = std::env::var_os("KUBEBUILDER_ASSETS") {
        return PathBuf::from(folder);
    }
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../target"), PathBuf::from);
    target.join("kube-apiserver/bin")
}

fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn run(program: &Path, log: &Path, arguments: &[String]) -> Program {
    let log = std::fs::File::create(log).unwrap();
    let child = Command::new(program).args(arguments).stdout(Stdio::null()).stderr(log).spawn();
    Program(
        child.unwrap_or_else(|error| {
            panic!("{}: {error}; `.ci/kube-apiserver target/kube-apiserver` builds it", program.display())
        }),
    )
}

impl Cluster {
    async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let write = |name: &str, text: String| std::fs::write(path(name), text).unwrap();
        let mut authority = CertificateParams::new(Vec::new()).unwrap();
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        authority.distinguished_name.push(DnType::CommonName, "authority");
        let authority = CertifiedIssuer::self_signed(authority, KeyPair::generate().unwrap()).unwrap();
        write("ca.crt", authority.pem());
        let server_key = KeyPair::generate().unwrap();
        let server = CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap().signed_by(&server_key, &authority).unwrap();
        write("server.crt", server.pem());
        write("server.key", server_key.serialize_pem());
        let admin_key = KeyPair::generate().unwrap();
        let mut admin = CertificateParams::new(Vec::new()).unwrap();
        admin.distinguished_name.push(DnType::OrganizationName, "system:masters");
        admin.distinguished_name.push(DnType::CommonName, "admin");
        let admin = admin.signed_by(&admin_key, &authority).unwrap();
        let accounts = KeyPair::generate().unwrap();
        write("accounts.pub", accounts.public_key_pem());
        write("accounts.key", accounts.serialize_pem());

        write("token", "secret".to_owned());
        write("tokens.csv", "secret,admin,1,\"system:masters\"\n".to_owned());

        let (clients, peers, api) = (free_port(), free_port(), free_port());
        let text = |name: &str| path(name).display().to_string();
        let etcd = [
            format!("--data-dir={}", text("etcd")),
            format!("--listen-client-urls=http://127.0.0.1:{clients}"),
            format!("--advertise-client-urls=http://127.0.0.1:{clients}"),
            format!("--listen-peer-urls=http://127.0.0.1:{peers}"),
        ];
        let server = [
            format!("--etcd-servers=http://127.0.0.1:{clients}"),
            format!("--secure-port={api}"),
            "--bind-address=127.0.0.1".to_owned(),
            format!("--cert-dir={}", text("certs")),
            format!("--tls-cert-file={}", text("server.crt")),
            format!("--tls-private-key-file={}", text("server.key")),
            format!("--client-ca-file={}", text("ca.crt")),
            "--service-account-issuer=https://kubernetes.default.svc".to_owned(),
            format!("--service-account-signing-key-file={}", text("accounts.key")),
            format!("--service-account-key-file={}", text("accounts.pub")),
            "--service-cluster-ip-range=10.0.0.0/24".to_owned(),
            format!("--token-auth-file={}", text("tokens.csv")),
            "--authorization-mode=RBAC".to_owned(),
            "--disable-admission-plugins=ServiceAccount".to_owned(),
        ];
        let programs = [
            run(&binaries().join("etcd"), &path("etcd.log"), &etcd),
            run(&binaries().join("kube-apiserver"), &path("server.log"), &server),
        ];
        let mut roots = RootCertStore::empty();
        roots.add(authority.der().clone()).unwrap();
        let key = PrivateKeyDer::try_from(admin_key.serialize_der()).unwrap();
        let client =
            ClientConfig::builder_with_provider(Arc::new(ring::default_provider())).with_safe_default_protocol_versions();
        let client = client.unwrap().with_root_certificates(roots).with_client_auth_cert(vec![admin.der().clone()], key).unwrap();
        let address = SocketAddr::from(([127, 0, 0, 1], api));
        let etcd = SocketAddr::from(([127, 0, 0, 1], clients));
        let cluster = Self { folder, _programs: programs, address, etcd, client: Arc::new(client) };
        let begun = Instant::now();
        while !matches!(cluster.try_ask("GET", "/readyz", "", "").await, Ok((200, _))) {
            if begun.elapsed() > Duration::from_mins(2) {
                let log = std::fs::read_to_string(cluster.folder.path().join("server.log")).unwrap_or_default();
                panic!("the server is not ready: {}", log.lines().rev().take(20).collect::<Vec<_>>().join("\n"));
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        cluster
    }

    /// A request of HTTP/1.0, so that the answer ends with the connection.
    async fn try_ask(&self, method: &str, path: &str, content: &str, body: &str) -> std::io::Result<(u16, String)> {
        let stream = TcpStream::connect(self.address).await?;
        let mut stream =
            TlsConnector::from(Arc::clone(&self.client)).connect(ServerName::try_from("127.0.0.1").unwrap(), stream).await?;
        let head = format!(
            "{method} {path} HTTP/1.0\r\nhost: localhost\r\naccept: application/json\r\ncontent-type: {content}\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all(head.as_bytes()).await?;
        stream.write_all(body.as_bytes()).await?;
        let mut answer = Vec::new();
        // The server need not say goodbye.
        let _ = stream.read_to_end(&mut answer).await;
        let text = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or_default();
        Ok((head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0), body.to_owned()))
    }

    async fn ask(&self, method: &str, path: &str, content: &str, body: &Value) -> (u16, Value) {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let (status, text) = self.try_ask(method, path, content, &body).await.unwrap();
        (status, serde_json::from_str(&text).unwrap_or(Value::String(text)))
    }

    /// A request that succeeds.
    async fn done(&self, method: &str, path: &str, body: &Value) -> Value {
        let (status, answer) = self.ask(method, path, "application/json", body).await;
        assert!((200..300).contains(&status), "{method} {path}: {status} {answer}");
        answer
    }

    /// A client as a program in the cluster has it.
    fn program(&self) -> Client {
        let path = |name: &str| self.folder.path().join(name);
        Client::new(&format!("https://{}", self.address))
            .unwrap()
            .trusting(&path("ca.crt"))
            .unwrap()
            .token(path("token"))
            .unwrap()
    }

    /// A client of kube-rs, by a port that shows the client's certificate.
    async fn kube_rs(&self) -> kube::Client {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (connector, address) = (TlsConnector::from(Arc::clone(&self.client)), self.address);
        tokio::spawn(async move {
            loop {
                let (mut plain, _) = listener.accept().await.unwrap();
                let connector = connector.clone();
                tokio::spawn(async move {
                    let stream = TcpStream::connect(address).await.unwrap();
                    let name = ServerName::try_from("127.0.0.1").unwrap();
                    let mut stream = connector.connect(name, stream).await.unwrap();
                    let _ = tokio::io::copy_bidirectional(&mut plain, &mut stream).await;
                });
            }
        });
        kube::Client::try_from(kube::Config::new(url.parse().unwrap())).unwrap()
    }

    /// The versions of all boats in etcd, with their number.
    async fn stored(&self) -> BTreeMap<String, usize> {
        let base64 = |text: &str| base64::engine::general_purpose::STANDARD.encode(text);
        let range = json!({"key": base64("/registry/ferry.example.com/boats/"), "range_end": base64("/registry/ferry.example.com/boats0")});
        let body = range.to_string();
        let mut stream = TcpStream::connect(self.etcd).await.unwrap();
        let head = format!("POST /v3/kv/range HTTP/1.0\r\nhost: localhost\r\ncontent-length: {}\r\n\r\n", body.len());
        stream.write_all(head.as_bytes()).await.unwrap();
        stream.write_all(body.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        let range: Value = serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap();
        let mut found = BTreeMap::new();
        for object in range["kvs"].as_array().into_iter().flatten() {
            let object = base64::engine::general_purpose::STANDARD.decode(object["value"].as_str().unwrap()).unwrap();
            let object: Value = serde_json::from_slice(&object).unwrap();
            *found.entry(object["apiVersion"].as_str().unwrap().to_owned()).or_default() += 1;
        }
        found
    }

    /// Changes the spec of a definition.
    async fn redefine(&self, name: &str, spec: &Value) {
        let path = format!("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{name}");
        let mut definition = self.done("GET", &path, &Value::Null).await;
        definition["spec"] = spec.clone();
        self.done("PUT", &path, &definition).await;
        // The server takes a moment to notice.
        tokio::time::sleep(Duration::from_secs(4)).await;
    }

    async fn define(&self, definition: &Value) {
        let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
        self.done("POST", path, definition).await;
        let path = format!("{path}/{}", definition["metadata"]["name"].as_str().unwrap());
        let begun = Instant::now();
        loop {
            let found = self.done("GET", &path, &Value::Null).await;
            let conditions = found["status"]["conditions"].as_array().cloned().unwrap_or_default();
            if conditions.iter().any(|condition| condition["type"] == "Established" && condition["status"] == "True") {
                // As many versions as were sent, because the server drops what it does not know.
                assert_eq!(
                    found["spec"]["versions"].as_array().unwrap().len(),
                    definition["spec"]["versions"].as_array().unwrap().len()
                );
                break;
            }
            assert!(begun.elapsed() < Duration::from_secs(30), "{found}");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        // The condition is there a moment before the paths are.
        tokio::time::sleep(Duration::from_secs(2)).await;
    }
}

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
    let url = format!("https://127.0.0.1:{}/convert", listener.local_addr().unwrap().port());
    let converter = Converter::new().with::<Boat>().unwrap();
    let server = Server::new(converter, folder.join("tls.crt"), folder.join("tls.key"));
    let server = tokio::spawn(async move { server.run(listener, std::future::pending()).await.unwrap() });
    let definition = Boat::crd_with(&Webhook::url(url).ca_bundle(webhook.cert.pem())).unwrap().value().clone();
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
    order(&cluster).await;
    every_version(&cluster).await;
    kept_values(&cluster).await;
    schemas(&cluster).await;
    apply(&cluster).await;
    list(&cluster).await;
    typed(&cluster).await;
    server.abort();
}

/// The typed client of kube-rs applies, reads and watches boats that others write in an older version.
async fn typed(cluster: &Cluster) {
    let client: Api<CustomObject<Boat>> = Api::namespaced(cluster.kube_rs().await, "default");
    let parameters = WatchParams::default().fields("metadata.name=typed");
    let mut events = std::pin::pin!(client.watch(&parameters, "0").await.unwrap());
    let wanted =
        Boat { paint: Paint { colour: "red".to_owned(), gloss: Some(4) }, length: 9, name: None, masts: None, hull: None };
    let applied = CustomObject::new("typed", wanted.clone());
    let apply = PatchParams::apply("typed");
    let made = client.patch("typed", &apply, &Patch::Apply(&applied)).await.unwrap();
    assert_eq!(made.spec, wanted);
    let path = format!("{}/typed", boats("v1alpha1"));
    let (status, answer) = cluster.ask("PATCH", &path, "application/merge-patch+json", &json!({"spec": {"len": 11}})).await;
    assert_eq!(status, 200, "{answer}");
    assert_eq!(client.get("typed").await.unwrap().spec, Boat { length: 11, ..wanted.clone() });
    let afloat = json!({"status": {"afloat": true}});
    let boat = client.patch_status("typed", &PatchParams::default(), &Patch::Merge(&afloat)).await.unwrap();
    assert_eq!(boat.status, Some(BoatStatus { afloat: true, message: None }));
    // Somebody else owns the length by now, and the colour is not in conflict.
    let refused = client.patch("typed", &apply, &Patch::Apply(&applied)).await.unwrap_err();
    assert!(matches!(&refused, kube::Error::Api(status) if status.code == 409), "{refused}");
    client.patch("typed", &apply.force(), &Patch::Apply(&applied)).await.unwrap();
    assert_eq!(client.list(&ListParams::default()).await.unwrap().items.len(), 1);
    client.delete("typed", &DeleteParams::default()).await.unwrap();
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

/// Scenario 14.
async fn order(cluster: &Cluster) {
    let group = cluster.done("GET", "/apis/ferry.example.com", &Value::Null).await;
    let versions: Vec<&str> =
        group["versions"].as_array().unwrap().iter().map(|version| version["version"].as_str().unwrap()).collect();
    assert_eq!(versions, VERSIONS);
    assert_eq!(group["preferredVersion"]["version"], "v1");
}

/// An object is created in each version, read in each, and deleted in each.
async fn every_version(cluster: &Cluster) {
    let newer = json!({"paint": {"colour": "red"}, "length": 3, "masts": [{"height": 2}]});
    let older = json!({"colour": "red", "len": 3, "masts": [{"height": 2}]});
    let spec = |version: &str| if version == "v1alpha1" { &older } else { &newer };
    for from in VERSIONS {
        let name = format!("of-{from}");
        let mut made = boat(from, &name, spec(from));
        made["metadata"]["finalizers"] = json!(["ferry.example.com/x"]);
        made["metadata"]["labels"] = json!({"a": "b"});
        let made = cluster.done("POST", &boats(from), &made).await;
        assert_eq!(&made["spec"], spec(from));
        for to in VERSIONS {
            let read = cluster.done("GET", &format!("{}/{name}", boats(to)), &Value::Null).await;
            assert_eq!(&read["spec"], spec(to), "{from} to {to}");
            // Scenario 20.
            for member in ["finalizers", "labels", "uid", "resourceVersion", "generation", "creationTimestamp"] {
                assert_eq!(read["metadata"][member], made["metadata"][member], "{member}");
            }
        }
        let path = format!("{}/{name}", boats(from));
        let (status, answer) =
            cluster.ask("PATCH", &path, "application/merge-patch+json", &json!({"metadata": {"finalizers": null}})).await;
        assert_eq!(status, 200, "{answer}");
        cluster.done("DELETE", &path, &Value::Null).await;
    }
}

/// Scenarios 25 and 26, and a status that is written in an older version.
async fn kept_values(cluster: &Cluster) {
    let (newest, oldest) = (format!("{}/gloss", boats("v1")), format!("{}/gloss", boats("v1alpha1")));
    cluster
        .done(
            "POST",
            &boats("v1"),
            &boat("v1", "gloss", &json!({"paint": {"colour": "red", "gloss": 3}, "length": 7, "name": "n"})),
        )
        .await;
    let mut old = cluster.done("GET", &oldest, &Value::Null).await;
    assert_eq!(old["spec"], json!({"colour": "red", "len": 7, "title": "n"}));
    old["spec"]["colour"] = json!("green");
    cluster.done("PUT", &oldest, &old).await;
    let new = cluster.done("GET", &newest, &Value::Null).await;
    assert_eq!(new["spec"], json!({"paint": {"colour": "green", "gloss": 3}, "length": 7, "name": "n"}));
    assert_eq!(new["metadata"].get("annotations"), None);

    let mut old = cluster.done("GET", &oldest, &Value::Null).await;
    old["status"] = json!({"afloat": true});
    cluster.done("PUT", &format!("{oldest}/status"), &old).await;
    let new = cluster.done("GET", &newest, &Value::Null).await;
    assert_eq!((&new["status"], &new["spec"]["paint"]["gloss"]), (&json!({"afloat": true}), &json!(3)));

    let (status, _) =
        cluster.ask("PATCH", &oldest, "application/merge-patch+json", &json!({"metadata": {"labels": {"x": "y"}}})).await;
    assert_eq!(status, 200);
    let new = cluster.done("GET", &newest, &Value::Null).await;
    assert_eq!((&new["metadata"]["labels"]["x"], &new["spec"]["paint"]["gloss"]), (&json!("y"), &json!(3)));

    let mut old = cluster.done("GET", &oldest, &Value::Null).await;
    old["metadata"].as_object_mut().unwrap().remove("annotations");
    cluster.done("PUT", &oldest, &old).await;
    let new = cluster.done("GET", &newest, &Value::Null).await;
    assert_eq!(new["spec"]["paint"], json!({"colour": "green"}));
}

/// The server refuses, prunes and completes by the schemas.
async fn schemas(cluster: &Cluster) {
    let create =
        async |name: &str, spec: Value| cluster.ask("POST", &boats("v1"), "application/json", &boat("v1", name, &spec)).await;
    // Scenarios 5 and 16.
    let (status, made) = create("null", json!({"paint": {"colour": "x"}, "name": null})).await;
    assert_eq!((status, &made["spec"]), (201, &json!({"paint": {"colour": "x"}, "length": 7})), "{made}");
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
    let (status, made) =
        create("hull", json!({"paint": {"colour": "x"}, "hull": {"kind": "wood", "species": "oak"}, "unknown": 1})).await;
    assert_eq!((status, &made["spec"]["hull"]["species"], made["spec"].get("unknown")), (201, &json!("oak"), None), "{made}");
}

/// Two managers apply in two versions; the server sends partial objects to find out what nobody owns any more.
async fn apply(cluster: &Cluster) {
    let applied = async |version: &str, manager: &str, spec: Value| {
        let path = format!("{}/applied?fieldManager={manager}", boats(version));
        let (status, answer) =
            cluster.ask("PATCH", &path, "application/apply-patch+yaml", &boat(version, "applied", &spec)).await;
        assert!(status == 200 || status == 201, "{version} {manager}: {status} {answer}");
        answer
    };
    applied("v1alpha1", "old", json!({"colour": "red", "len": 3, "berth": "b"})).await;
    applied("v1", "new", json!({"paint": {"colour": "red", "gloss": 4}, "masts": [{"height": 1}]})).await;
    let old = applied("v1alpha1", "old", json!({"colour": "red"})).await;
    assert_eq!(old["spec"]["colour"], "red");
    let new = cluster.done("GET", &format!("{}/applied", boats("v1")), &Value::Null).await;
    // Nobody wants a length any more, so that it is the default.
    assert_eq!(new["spec"], json!({"paint": {"colour": "red", "gloss": 4}, "length": 7, "masts": [{"height": 1}]}));
    let new = applied("v1", "new", json!({"paint": {"colour": "red"}})).await;
    assert_eq!(new["spec"], json!({"paint": {"colour": "red"}, "length": 7}));
}

/// A list is one review for each object.
async fn list(cluster: &Cluster) {
    for index in 0..40 {
        let spec = json!({"paint": {"colour": "x", "gloss": index}, "length": index});
        cluster.done("POST", &boats("v1"), &boat("v1", &format!("list-{index}"), &spec)).await;
    }
    let found = cluster.done("GET", &boats("v1alpha1"), &Value::Null).await;
    let items = found["items"].as_array().unwrap();
    let listed = items.iter().filter(|item| item["metadata"]["name"].as_str().unwrap().starts_with("list-"));
    let mut lengths: Vec<u64> = listed.map(|item| item["spec"]["len"].as_u64().unwrap()).collect();
    lengths.sort_unstable();
    assert_eq!(lengths, (0..40).collect::<Vec<_>>());
    cluster.done("DELETE", &boats("v1alpha1"), &Value::Null).await;
    let found = cluster.done("GET", &boats("v1"), &Value::Null).await;
    assert_eq!(found["items"], json!([]));
}

const NAME: &str = "boats.ferry.example.com";
const MIGRATED: usize = 600;

async fn listed(cluster: &Cluster) -> Value {
    let path = format!("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{NAME}");
    cluster.done("GET", &path, &Value::Null).await["status"]["storedVersions"].clone()
}

/// The storage version moves while clients write; the migration is killed and goes on; then the oldest version is removed.
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
        let boat = boat("v1alpha1", &format!("m{index:04}"), &json!({"colour": "red", "len": index % 200}));
        let path = format!("{}/m{index:04}?fieldManager=old", boats("v1alpha1"));
        let (status, made) = cluster.ask("PATCH", &path, "application/apply-patch+yaml", &boat).await;
        assert_eq!(status, 201, "{made}");
    }
    cluster.redefine(NAME, &definition["spec"]).await;
    assert_eq!(listed(&cluster).await, json!(["v1alpha1", "v1"]));
    assert_eq!(cluster.stored().await, BTreeMap::from([("ferry.example.com/v1alpha1".to_owned(), MIGRATED)]));

    let dry = Migration::of::<Boat>().dry_run().run(&cluster.program(), |_| {}).await.unwrap();
    assert_eq!(dry.rewritten, MIGRATED as u64);
    assert_eq!(cluster.stored().await.len(), 1);

    let writer = tokio::spawn({
        let cluster = Arc::clone(&cluster);
        async move {
            for turn in 0.. {
                let path = format!("{}/m{:04}", boats("v1beta1"), turn * 7 % MIGRATED);
                let label = json!({"metadata": {"labels": {"turn": turn.to_string()}}});
                let (status, answer) = cluster.ask("PATCH", &path, "application/merge-patch+json", &label).await;
                assert_eq!(status, 200, "{answer}");
            }
        }
    });
    let migration = || {
        let migration = Migration::of::<Boat>().wait(Duration::from_secs(1)).page(100).per_second(10_000);
        migration.forget("v1alpha1").state(folder.path().join("state.json"))
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
    let migrated = migration().run(&cluster.program(), |_| {}).await.unwrap();
    writer.abort();
    let _ = writer.await;
    assert_eq!(migrated.rewritten, MIGRATED as u64);
    assert_eq!(listed(&cluster).await, json!(["v1"]));
    assert_eq!(cluster.stored().await, BTreeMap::from([("ferry.example.com/v1".to_owned(), MIGRATED)]));

    // The version goes, and nothing else: objects are read, listed and applied.
    let mut after = definition.clone();
    after["spec"]["versions"].as_array_mut().unwrap().retain(|version| version["name"] != "v1alpha1");
    cluster.redefine(NAME, &after["spec"]).await;
    let found = cluster.done("GET", &boats("v1"), &Value::Null).await;
    let items = found["items"].as_array().unwrap();
    assert_eq!(items.len(), MIGRATED);
    for (index, item) in items.iter().enumerate() {
        assert_eq!(item["spec"], json!({"paint": {"colour": "red"}, "length": index % 200}));
    }
    let path = format!("{}/m0000?fieldManager=new&force=true", boats("v1"));
    let applied = boat("v1", "m0000", &json!({"paint": {"colour": "blue"}}));
    let (status, answer) = cluster.ask("PATCH", &path, "application/apply-patch+yaml", &applied).await;
    assert_eq!((status, &answer["spec"]["paint"]["colour"]), (200, &json!("blue")), "{answer}");
    server.abort();
}
