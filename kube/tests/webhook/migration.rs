//! The migration to the storage version, with a server that is in the way as a real one is.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{Method, StatusCode, Uri};
use rcgen::{CertifiedKey, generate_simple_self_signed};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::{RootCertStore, ServerConfig};
use upstate::Document;
use upstate_kube::program::{Client, Migrated, Migration, Program, Progress};

#[derive(Debug, Document)]
#[document(type_name = "ferry.boat", version = 1)]
#[upgrade_from(0 => 1, rename(colour => paint))]
#[kube(group = "ferry.example.com", kind = "Boat", version(0 = "v1alpha1"), version(1 = "v1", storage))]
struct Boat {
    paint: String,
}

/// The objects of the server, and its answers to clients.
#[derive(Debug, Default)]
struct Cluster {
    /// The objects, each with the times that it was written.
    objects: BTreeMap<String, u32>,
    generation: i64,
    storage: String,
    stored: Vec<String>,
    managed: BTreeMap<String, Value>,
    /// Objects that another client writes, so many times.
    contested: BTreeMap<String, u32>,
    deleted: BTreeSet<String>,
    invalid: BTreeSet<String>,
    /// Objects that are invalid once.
    late: BTreeSet<String>,
    /// Objects that the account may write, and not read.
    hidden: BTreeSet<String>,
    /// Tokens that are too old, and are taken once they are inconsistent.
    expired: BTreeSet<String>,
    /// The server is busy for so many requests.
    busy: u32,
    status_conflicts: u32,
    /// The definition changes once the last page is read.
    changes: bool,
    lists: u32,
}

type Shared = Arc<Mutex<Cluster>>;

fn answer(status: u16, body: &Value) -> (StatusCode, String) {
    (StatusCode::from_u16(status).unwrap(), body.to_string())
}

fn refused(code: u16, message: &str) -> (StatusCode, String) {
    answer(
        code,
        &json!({"kind": "Status", "code": code, "message": message, "metadata": {}}),
    )
}

impl Cluster {
    fn definition(&self) -> Value {
        let versions: Vec<Value> = ["v1", "v1alpha1"]
            .iter()
            .map(|name| json!({"name": name, "storage": *name == self.storage}))
            .collect();
        json!({
            "metadata": {"uid": "u", "generation": self.generation},
            "spec": {"versions": versions},
            "status": {"storedVersions": self.stored},
        })
    }

    fn metadata(&self, name: &str) -> Value {
        let mut metadata = json!({"name": name, "namespace": "default", "resourceVersion": self.objects[name].to_string()});
        if let Some(fields) = self.managed.get(name) {
            metadata["managedFields"] = fields.clone();
        }
        metadata
    }

    fn list(&mut self, query: &str) -> (StatusCode, String) {
        self.lists += 1;
        let part = |key: &str| {
            query
                .split('&')
                .find_map(|part| part.strip_prefix(key))
                .map(str::to_owned)
        };
        let limit: usize = part("limit=").unwrap().parse().unwrap();
        let start = part("continue=").unwrap_or_default().replace("%3D", "=");
        if self.expired.remove(&start) {
            let metadata = json!({"continue": format!("{start}=")});
            return answer(
                410,
                &json!({"kind": "Status", "code": 410, "reason": "Expired", "metadata": metadata}),
            );
        }
        let start = start.trim_end_matches('=');
        let left: Vec<&String> = self
            .objects
            .keys()
            .filter(|name| name.as_str() >= start)
            .collect();
        let items: Vec<Value> = left
            .iter()
            .take(limit)
            .map(|name| json!({"metadata": self.metadata(name)}))
            .collect();
        let next = left
            .get(limit)
            .map(|name| format!("{name}="))
            .unwrap_or_default();
        if next.is_empty() && self.changes {
            self.generation += 1;
        }
        let count = left.len().saturating_sub(limit);
        answer(
            200,
            &json!({"metadata": {"continue": next, "remainingItemCount": count}, "items": items}),
        )
    }

    fn patch(&mut self, name: &str, patch: &Value) -> (StatusCode, String) {
        if self.deleted.remove(name) {
            self.objects.remove(name);
        }
        if !self.objects.contains_key(name) {
            return refused(404, "not found");
        }
        if self.late.remove(name) {
            return refused(422, "it is not valid yet");
        }
        if self.invalid.contains(name) {
            return refused(
                422,
                &format!("Boat.ferry.example.com {name:?} is invalid: spec.paint: Required value"),
            );
        }
        if let Some(times) = self.contested.get_mut(name).filter(|times| **times > 0) {
            *times -= 1;
            return refused(409, "the object has been modified");
        }
        let fields = &patch["metadata"]["managedFields"];
        if fields.is_null() {
            assert_eq!(patch, &json!({}), "an empty patch overwrites nothing");
        } else {
            assert_eq!(
                patch["metadata"]["resourceVersion"],
                self.objects[name].to_string()
            );
            self.managed.insert(name.to_owned(), fields.clone());
        }
        *self.objects.get_mut(name).unwrap() += 1;
        answer(200, &json!({"metadata": self.metadata(name)}))
    }

    fn answer(&mut self, method: &Method, uri: &Uri, body: &[u8]) -> (StatusCode, String) {
        if self.busy > 0 {
            self.busy -= 1;
            return refused(503, "busy");
        }
        let body: Value = serde_json::from_slice(body).unwrap_or_default();
        let definition =
            "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/boats.ferry.example.com";
        let path = uri.path();
        match method.as_str() {
            "GET" if path == definition => answer(200, &self.definition()),
            "PUT" if path == format!("{definition}/status") => {
                if self.status_conflicts > 0 {
                    self.status_conflicts -= 1;
                    return refused(409, "the object has been modified");
                }
                self.stored =
                    serde_json::from_value(body["status"]["storedVersions"].clone()).unwrap();
                answer(200, &self.definition())
            }
            "GET" if path == "/apis/ferry.example.com/v1/boats" => {
                self.list(uri.query().unwrap_or_default())
            }
            "GET"
                if path
                    .rsplit('/')
                    .next()
                    .is_some_and(|name| self.hidden.contains(name)) =>
            {
                refused(403, "forbidden")
            }
            "GET" => answer(
                200,
                &json!({"metadata": self.metadata(path.rsplit('/').next().unwrap())}),
            ),
            "PATCH" if path.starts_with("/apis/ferry.example.com/v1/namespaces/default/boats/") => {
                self.patch(path.rsplit('/').next().unwrap(), &body)
            }
            _ => refused(404, path),
        }
    }
}

async fn handle(
    State(cluster): State<Shared>,
    method: Method,
    uri: Uri,
    body: Bytes,
) -> (StatusCode, String) {
    cluster.lock().unwrap().answer(&method, &uri, &body)
}

/// A server with so many objects that were stored in `v1alpha1`.
async fn start(objects: u32) -> (Shared, String) {
    let cluster = Cluster {
        objects: (0..objects)
            .map(|index| (format!("b{index:05}"), 0))
            .collect(),
        generation: 2,
        storage: "v1".to_owned(),
        stored: vec!["v1alpha1".to_owned(), "v1".to_owned()],
        ..Cluster::default()
    };
    let cluster: Shared = Arc::new(Mutex::new(cluster));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let router = Router::new()
        .fallback(handle)
        .with_state(Arc::clone(&cluster));
    tokio::spawn(async move { axum::serve(listener, router).await });
    (cluster, url)
}

fn migration() -> Migration {
    Migration::of::<Boat>()
        .wait(Duration::ZERO)
        .per_second(100_000)
}

async fn run(migration: Migration, url: &str) -> Result<Migrated, String> {
    migration
        .run(&Client::new(url).unwrap(), |_| {})
        .await
        .map_err(|error| error.to_string())
}

fn written(cluster: &Shared) -> Vec<u32> {
    cluster.lock().unwrap().objects.values().copied().collect()
}

fn stored(cluster: &Shared) -> String {
    cluster.lock().unwrap().stored.join(" ")
}

#[tokio::test]
async fn every_object_is_written_once_and_then_the_list_is_shortened() {
    let (cluster, url) = start(1203).await;
    let mut last = None;
    let migrated = migration()
        .run(&Client::new(&url).unwrap(), |progress| {
            last = Some(progress);
        })
        .await
        .unwrap();
    assert_eq!(
        migrated,
        Migrated {
            rewritten: 1203,
            stored_versions: vec!["v1".to_owned()],
            ..Migrated::default()
        }
    );
    assert_eq!(
        last,
        Some(Progress {
            done: 1203,
            total: 1203,
            failed: 0
        })
    );
    assert_eq!(written(&cluster), vec![1; 1203]);
    assert_eq!(
        (stored(&cluster), cluster.lock().unwrap().lists),
        ("v1".to_owned(), 3)
    );
    // Nothing is left to do.
    let again = run(migration(), &url).await.unwrap();
    assert_eq!((again.rewritten, written(&cluster)), (0, vec![1; 1203]));
}

#[tokio::test]
async fn other_clients_and_a_busy_server_are_waited_for() {
    let (cluster, url) = start(60).await;
    {
        let mut cluster = cluster.lock().unwrap();
        cluster.contested.insert("b00003".to_owned(), 3);
        cluster.deleted.insert("b00007".to_owned());
        cluster.expired.extend(["b00020=".to_owned()]);
        cluster.busy = 2;
        cluster.status_conflicts = 2;
    }
    let migrated = run(migration().page(20), &url).await.unwrap();
    assert_eq!(
        (migrated.rewritten, migrated.gone, migrated.retried),
        (59, 1, 3)
    );
    assert_eq!(
        (written(&cluster), stored(&cluster)),
        (vec![1; 59], "v1".to_owned())
    );
}

/// The list of stored versions says that a version may go, so nothing may be left in it.
#[tokio::test]
async fn an_object_that_cannot_be_written_keeps_the_list_as_it_is() {
    let (cluster, url) = start(30).await;
    let folder = tempfile::tempdir().unwrap();
    let with_state = || migration().page(10).state(folder.path().join("state.json"));
    cluster.lock().unwrap().invalid.insert("b00012".to_owned());
    assert_eq!(
        run(with_state(), &url).await.unwrap_err(),
        "1 of 30 objects of boats.ferry.example.com were not rewritten, so they may still be stored in an older version:\n\
         - default/b00012: 422 Boat.ferry.example.com \"b00012\" is invalid: spec.paint: Required value\n\
         help: mend them, in any version, and start the migration again"
    );
    assert_eq!(stored(&cluster), "v1alpha1 v1");
    cluster.lock().unwrap().invalid.clear();
    let migrated = run(with_state(), &url).await.unwrap();
    assert_eq!(
        (migrated.rewritten, written(&cluster), stored(&cluster)),
        (30, vec![1; 30], "v1".to_owned())
    );
    assert!(!folder.path().join("state.json").exists());
}

#[tokio::test]
async fn a_migration_that_was_killed_goes_on() {
    let (cluster, url) = start(50).await;
    let folder = tempfile::tempdir().unwrap();
    let with_state = || migration().page(10).state(folder.path().join("state.json"));
    let client = Client::new(&url).unwrap();
    // In the middle of the third page.
    let (killed, mut is_killed) = tokio::sync::oneshot::channel();
    let mut killed = Some(killed);
    let report = |progress: Progress| {
        if progress.done == 25 {
            let _ = killed.take().map(|killed| killed.send(()));
        }
    };
    let first = with_state();
    tokio::select! {
        biased;
        _ = &mut is_killed => {}
        ended = first.run(&client, report) => panic!("it ended: {ended:?}"),
    }
    assert_eq!(stored(&cluster), "v1alpha1 v1");
    let migrated = run(with_state(), &url).await.unwrap();
    assert_eq!(
        (migrated.rewritten, stored(&cluster)),
        (50, "v1".to_owned())
    );
    let written = written(&cluster);
    assert!(
        written[..20].iter().all(|times| *times == 1),
        "what was done is not done again: {written:?}"
    );
    assert!(
        written.iter().all(|times| *times >= 1),
        "nothing is left out: {written:?}"
    );
}

#[tokio::test]
async fn a_definition_that_changes_is_another_migration() {
    let (cluster, url) = start(5).await;
    cluster.lock().unwrap().changes = true;
    assert_eq!(
        run(migration(), &url).await.unwrap_err(),
        "the definition of boats.ferry.example.com changed during the migration\n\
         help: start the migration again: objects may have been stored in another version meanwhile"
    );
    assert_eq!(stored(&cluster), "v1alpha1 v1");
    cluster.lock().unwrap().storage = "v1alpha1".to_owned();
    assert_eq!(
        run(migration(), &url).await.unwrap_err(),
        "the definition of boats.ferry.example.com in the cluster stores objects in v1alpha1, and this program in v1\n\
         help: apply the definition that `crd` prints, and wait until the webhook of this program answers"
    );
}

/// The state of another migration is not gone on with.
#[tokio::test]
async fn the_state_of_an_older_definition_is_not_used() {
    let (cluster, url) = start(5).await;
    let folder = tempfile::tempdir().unwrap();
    let with_state = || migration().state(folder.path().join("state.json"));
    cluster.lock().unwrap().changes = true;
    run(with_state(), &url).await.unwrap_err();
    cluster.lock().unwrap().changes = false;
    run(with_state(), &url).await.unwrap();
    assert_eq!(written(&cluster), vec![2; 5]);
}

#[tokio::test]
async fn a_dry_run_changes_nothing() {
    let (cluster, url) = start(25).await;
    let migrated = run(migration().page(10).dry_run(), &url).await.unwrap();
    assert_eq!(
        (migrated.rewritten, migrated.stored_versions.join(" ")),
        (25, "v1alpha1 v1".to_owned())
    );
    assert_eq!(
        (written(&cluster), stored(&cluster)),
        (vec![0; 25], "v1alpha1 v1".to_owned())
    );
}

/// Server-side apply fails for an object whose managed fields name a version that is gone.
#[tokio::test]
async fn managed_fields_of_a_forgotten_version_end() {
    let (cluster, url) = start(3).await;
    let field = |manager: &str, version: &str| json!({"manager": manager, "apiVersion": format!("ferry.example.com/{version}")});
    {
        let mut cluster = cluster.lock().unwrap();
        cluster.managed.insert(
            "b00000".to_owned(),
            json!([field("old", "v1alpha1"), field("new", "v1")]),
        );
        cluster
            .managed
            .insert("b00001".to_owned(), json!([field("old", "v1alpha1")]));
        cluster
            .managed
            .insert("b00002".to_owned(), json!([field("new", "v1")]));
        cluster.contested.insert("b00000".to_owned(), 1);
    }
    let refused = run(migration().forget("v1"), &url).await.unwrap_err();
    assert_eq!(
        refused,
        "objects of boats.ferry.example.com are stored in v1, so it cannot be forgotten\nhelp: name a version that will be removed"
    );
    let migrated = run(migration().forget("v1alpha1"), &url).await.unwrap();
    assert_eq!((migrated.rewritten, migrated.forgotten), (3, 2));
    let cluster = cluster.lock().unwrap();
    let expected = [
        json!([field("new", "v1")]),
        json!([{}]),
        json!([field("new", "v1")]),
    ];
    assert_eq!(
        cluster.managed.values().cloned().collect::<Vec<_>>(),
        expected
    );
}

/// Such fields would stay, and nothing would say so.
#[tokio::test]
async fn an_object_whose_managed_fields_cannot_be_read_is_not_done() {
    let (cluster, url) = start(3).await;
    {
        let mut cluster = cluster.lock().unwrap();
        let fields = json!([{"manager": "old", "apiVersion": "ferry.example.com/v1alpha1"}]);
        cluster.managed.insert("b00001".to_owned(), fields);
        cluster.late.insert("b00001".to_owned());
        cluster.hidden.insert("b00001".to_owned());
    }
    let error = run(migration().forget("v1alpha1"), &url).await.unwrap_err();
    assert!(
        error.contains("\n- default/b00001: 403 forbidden\n"),
        "{error}"
    );
    assert_eq!(stored(&cluster), "v1alpha1 v1");
}

#[tokio::test]
async fn a_server_that_is_away_is_an_error_with_its_address() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let error = run(migration(), &url).await.unwrap_err();
    assert!(
        error.starts_with(&format!(
            "The Kubernetes API cannot be asked: {}: ",
            &url[7..]
        )),
        "{error}"
    );
    assert!(
        error.ends_with("\nhelp: rewritten objects are kept; start the migration again"),
        "{error}"
    );
}

#[tokio::test]
async fn the_subcommand_is_the_migration() {
    let (cluster, url) = start(12).await;
    let line = |more: &[&str]| {
        let all = [
            "ferry",
            "migrate-storage",
            "--server",
            url.as_str(),
            "--wait",
            "0",
            "--page",
            "5",
            "--rate",
            "10000",
        ];
        all.iter()
            .chain(more)
            .map(Into::into)
            .collect::<Vec<std::ffi::OsString>>()
    };
    let status = |more: &[&str]| Program::new().with::<Boat>().run(line(more));
    assert_eq!(status(&["--dry-run"]).await, ExitCode::SUCCESS);
    assert_eq!(status(&["--kind", "Port"]).await, ExitCode::FAILURE);
    assert_eq!(written(&cluster), vec![0; 12]);
    assert_eq!(status(&[]).await, ExitCode::SUCCESS);
    assert_eq!(
        (written(&cluster), stored(&cluster)),
        (vec![1; 12], "v1".to_owned())
    );
}

/// TLS before a server, for accounts that show a certificate, and the token of each connection's
/// first request.
async fn guard(
    behind: String,
    authority: CertificateDer<'static>,
    own: (CertificateDer<'static>, PrivateKeyDer<'static>),
) -> (u16, Arc<Mutex<Vec<String>>>) {
    let provider = Arc::new(ring::default_provider());
    let mut roots = RootCertStore::empty();
    roots.add(authority).unwrap();
    let verifier =
        WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider))
            .build()
            .unwrap();
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap();
    let config = config
        .with_client_cert_verifier(verifier)
        .with_single_cert(vec![own.0], own.1)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let tokens = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&tokens);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let Ok(mut stream) = acceptor.accept(stream).await else {
                continue;
            };
            let mut head = [0; 8192];
            let Ok(read) = stream.read(&mut head).await else {
                continue;
            };
            let text = String::from_utf8_lossy(&head[..read]).into_owned();
            let token = text
                .lines()
                .find_map(|line| line.strip_prefix("authorization: "))
                .unwrap_or_default();
            seen.lock().unwrap().push(token.to_owned());
            let mut server = TcpStream::connect(&behind).await.unwrap();
            server.write_all(&head[..read]).await.unwrap();
            tokio::spawn(async move { copy_bidirectional(&mut stream, &mut server).await });
        }
    });
    (port, tokens)
}

#[tokio::test]
async fn a_kubeconfig_has_the_server_its_certificates_and_the_account() {
    let (cluster, url) = start(12).await;
    let CertifiedKey {
        cert: server,
        signing_key: server_key,
    } = generate_simple_self_signed(vec!["kubernetes".to_owned()]).unwrap();
    let CertifiedKey {
        cert: account,
        signing_key: account_key,
    } = generate_simple_self_signed(vec!["captain".to_owned()]).unwrap();
    let own = (
        server.der().clone(),
        PrivateKeyDer::try_from(server_key.serialize_der()).unwrap(),
    );
    let (port, tokens) = guard(url[7..].to_owned(), account.der().clone(), own).await;
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("ca.crt", &server.pem());
    write("captain.crt", &account.pem());
    write("captain.key", &account_key.serialize_pem());
    let config = json!({
        "current-context": "sea",
        "contexts": [
            {"name": "harbour", "context": {"cluster": "ferry", "user": "captain"}},
            {"name": "sea", "context": {"cluster": "ferry", "user": "stranger"}},
        ],
        "clusters": [{"name": "ferry", "cluster": {
            "server": format!("https://127.0.0.1:{port}"), "certificate-authority": "ca.crt", "tls-server-name": "kubernetes",
        }}],
        "users": [
            {"name": "captain", "user": {"token": "s3cret", "client-certificate": "captain.crt", "client-key": "captain.key"}},
            {"name": "stranger", "user": {"token": "s3cret"}},
        ],
    });
    write("config", &config.to_string());
    let file = folder.path().join("config");
    let line = |more: &[&str]| {
        let all = [
            "ferry",
            "migrate-storage",
            "--kubeconfig",
            file.to_str().unwrap(),
            "--wait",
            "0",
            "--rate",
            "10000",
        ];
        all.iter()
            .chain(more)
            .map(Into::into)
            .collect::<Vec<std::ffi::OsString>>()
    };
    assert_eq!(
        Program::new().with::<Boat>().run(line(&[])).await,
        ExitCode::FAILURE,
        "the stranger has no certificate"
    );
    assert_eq!(written(&cluster), vec![0; 12]);
    assert_eq!(
        Program::new()
            .with::<Boat>()
            .run(line(&["--context", "harbour"]))
            .await,
        ExitCode::SUCCESS
    );
    assert_eq!(
        (written(&cluster), stored(&cluster)),
        (vec![1; 12], "v1".to_owned())
    );
    let tokens = tokens.lock().unwrap();
    assert!(
        !tokens.is_empty() && tokens.iter().all(|token| token == "Bearer s3cret"),
        "{tokens:?}"
    );
}
