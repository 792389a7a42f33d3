//! Facts of a real server that a conversion webhook has to live with, each with its test on that
//! server.
//!
//! | fact | test |
//! |---|---|
//! | server-side apply sends objects without required members, and without a spec | `partial_objects_of_apply` |
//! | a review has one object, and a list is one review after the other | `a_list_is_one_review_after_the_other` |
//! | the watch caches of all versions ask, though nobody else does, and a dry run asks too | `caches_and_dry_runs_convert` |
//! | nobody completes an answer | `created_objects_have_the_defaults_of_every_version` |
//! | nobody judges an answer | `an_answer_that_nobody_could_write_again_is_refused` |
//! | an object that cannot be converted takes its version's whole collection away | `one_object_takes_the_version_away` |
//! | clients edit annotations | `an_edited_annotation_is_input` |
//! | clients drop annotations, and status updates ignore them | `boats_live_in_every_version` |
//! | without the webhook, objects of other versions can be neither read nor deleted | `without_the_webhook_the_storage_version_is_left` |
//! | managed fields keep a version that is removed | `boats_move_to_the_storage_version` |
//! | a certificate is looked at once a connection | `a_killed_webhook_and_a_new_certificate_lose_no_write`, of the ferry |

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::StatusCode;
use axum::serve::Listener;
use futures_util::TryStreamExt as _;
use kube::Api;
use kube::api::{ApiResource, DynamicObject, WatchEvent, WatchParams};
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{PrivateKeyDer, pem::PemObject as _};
use tokio_rustls::server::TlsStream;
use upstate::Document;
use upstate_kube::{Converter, CustomResource, LARGEST_REVIEW, Webhook};

use crate::boat::Boat;
use crate::cluster::Cluster;
use crate::{boat, boats};

/// A ship whose log is too large for an annotation, and whose ropes have keys in one version alone.
#[derive(Debug, Document)]
#[document(type_name = "ferry.ship", version = 1)]
#[upgrade_from(0 => 1, set(log = null), rekey(ropes, by = name: String))]
#[kube(group = "ferry.example.com", kind = "Ship", version(0 = "v1alpha1"), version(1 = "v1", storage))]
struct Ship {
    name: String,
    log: Option<String>,
    #[attribute(default)]
    ropes: BTreeMap<String, Rope>,
}

#[derive(Debug, Document)]
struct Rope {
    length: u16,
}

fn ships(version: &str) -> String {
    format!("/apis/ferry.example.com/{version}/namespaces/default/ships")
}

fn ship(version: &str, name: &str, spec: &Value) -> Value {
    json!({"apiVersion": format!("ferry.example.com/{version}"), "kind": "Ship", "metadata": {"name": name}, "spec": spec})
}

/// A webhook that keeps the requests it got, on a server of the program's own.
struct Recorder {
    converter: Converter,
    requests: Mutex<Vec<Value>>,
    waiting: AtomicUsize,
    /// The largest number of reviews at one time.
    together: AtomicUsize,
}

impl Recorder {
    /// The requests since the last look.
    fn requests(&self) -> Vec<Value> {
        std::mem::take(&mut *self.requests.lock().unwrap())
    }
}

async fn answer(State(recorder): State<Arc<Recorder>>, body: Bytes) -> Result<Vec<u8>, StatusCode> {
    let waiting = recorder.waiting.fetch_add(1, Ordering::SeqCst) + 1;
    recorder.together.fetch_max(waiting, Ordering::SeqCst);
    let review: Value = serde_json::from_slice(&body).unwrap();
    recorder
        .requests
        .lock()
        .unwrap()
        .push(review["request"].clone());
    let answer = recorder
        .converter
        .review(&body)
        .map(|answer| answer.body().to_vec());
    recorder.waiting.fetch_sub(1, Ordering::SeqCst);
    answer.map_err(|_| StatusCode::BAD_REQUEST)
}

struct Tls {
    listener: TcpListener,
    acceptor: TlsAcceptor,
}

impl Listener for Tls {
    type Io = TlsStream<TcpStream>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, SocketAddr) {
        loop {
            let Ok((stream, address)) = self.listener.accept().await else {
                continue;
            };
            stream.set_nodelay(true).unwrap();
            if let Ok(stream) = self.acceptor.accept(stream).await {
                return (stream, address);
            }
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// A cluster with boats and ships, whose webhook keeps its requests.
struct Recorded {
    cluster: Arc<Cluster>,
    recorder: Arc<Recorder>,
    end: oneshot::Sender<()>,
    server: JoinHandle<()>,
}

async fn recorded(converter: Converter) -> Recorded {
    let cluster = Arc::new(Cluster::start().await);
    let recorder = Recorder {
        converter,
        requests: Mutex::default(),
        waiting: AtomicUsize::new(0),
        together: AtomicUsize::new(0),
    };
    let recorder = Arc::new(recorder);
    let (webhook, end, server) = serve(
        Router::new()
            .fallback(answer)
            .with_state(Arc::clone(&recorder)),
    )
    .await;
    cluster
        .define(Boat::crd_with(&webhook).unwrap().value())
        .await;
    cluster
        .define(Ship::crd_with(&webhook).unwrap().value())
        .await;
    recorder.requests();
    Recorded {
        cluster,
        recorder,
        end,
        server,
    }
}

/// A webhook of the program's own, until somebody ends it.
pub(crate) async fn serve(router: Router) -> (Webhook, oneshot::Sender<()>, JoinHandle<()>) {
    let certificate = rcgen::generate_simple_self_signed(vec!["127.0.0.1".to_owned()]).unwrap();
    let key =
        PrivateKeyDer::from_pem_slice(certificate.signing_key.serialize_pem().as_bytes()).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions();
    let config = config
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.cert.der().clone()], key)
        .unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!(
        "https://127.0.0.1:{}/convert",
        listener.local_addr().unwrap().port()
    );
    let listener = Tls {
        listener,
        acceptor: TlsAcceptor::from(Arc::new(config)),
    };
    let router = router.layer(DefaultBodyLimit::max(LARGEST_REVIEW));
    let (end, ending) = oneshot::channel();
    let ending = async move { drop(ending.await) };
    let server = tokio::spawn(async move {
        axum::serve(listener, router)
            .with_graceful_shutdown(ending)
            .await
            .unwrap()
    });
    (
        Webhook::url(url).ca_bundle(certificate.cert.pem()),
        end,
        server,
    )
}

fn converter() -> Converter {
    Converter::new()
        .with::<Boat>()
        .unwrap()
        .with::<Ship>()
        .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "it needs a kube-apiserver, which `.ci/full` builds"]
async fn facts_of_the_server() {
    let recorded = recorded(converter()).await;
    caches_and_dry_runs_convert(&recorded).await;
    partial_objects_of_apply(&recorded).await;
    created_objects_have_the_defaults_of_every_version(&recorded.cluster).await;
    an_edited_annotation_is_input(&recorded.cluster).await;
    an_answer_that_nobody_could_write_again_is_refused(&recorded.cluster).await;
    one_object_takes_the_version_away(&recorded.cluster).await;
    a_list_is_one_review_after_the_other(&recorded).await;
    without_the_webhook_the_storage_version_is_left(recorded).await;
}

/// The versions that are wanted of boats of that name.
fn wanted(requests: &[Value], name: &str) -> Vec<String> {
    let of = requests
        .iter()
        .filter(|request| request["objects"][0]["metadata"]["name"] == name);
    of.map(|request| {
        request["desiredAPIVersion"]
            .as_str()
            .unwrap()
            .replace("ferry.example.com/", "")
    })
    .collect()
}

/// Scenario 17, and watches in two versions that see one event each, in their version.
async fn caches_and_dry_runs_convert(recorded: &Recorded) {
    let Recorded {
        cluster, recorder, ..
    } = recorded;
    let client = cluster.kube_rs().await;
    let mut events = Vec::new();
    for version in ["v1", "v1alpha1"] {
        let resource = ApiResource {
            group: "ferry.example.com".to_owned(),
            version: version.to_owned(),
            api_version: format!("ferry.example.com/{version}"),
            kind: "Boat".to_owned(),
            plural: "boats".to_owned(),
        };
        let api: Api<DynamicObject> = Api::namespaced_with(client.clone(), "default", &resource);
        let parameters = WatchParams::default().fields("metadata.name=seen");
        events.push(Box::pin(api.watch(&parameters, "0").await.unwrap()));
    }
    let spec = json!({"paint": {"colour": "red", "gloss": 3}, "length": 7});
    cluster
        .done("POST", &boats("v1"), &boat("v1", "seen", &spec))
        .await;
    let mut seen = Vec::new();
    for events in &mut events {
        let event = tokio::time::timeout(Duration::from_secs(20), events.try_next())
            .await
            .unwrap()
            .unwrap();
        let Some(WatchEvent::Added(boat)) = event else {
            panic!("{event:?}")
        };
        seen.push((boat.data["spec"].clone(), boat.metadata.resource_version));
    }
    assert_eq!(seen[0].0, spec);
    assert_eq!(seen[1].0, json!({"colour": "red", "len": 7}));
    assert_eq!(seen[0].1, seen[1].1);
    // Nobody watches or reads v1beta1.
    let begun = Instant::now();
    let mut asked = Vec::new();
    while asked.len() < 2 && begun.elapsed() < Duration::from_secs(10) {
        asked.extend(wanted(&recorder.requests(), "seen"));
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    asked.sort_unstable();
    assert_eq!(asked, ["v1alpha1", "v1beta1"]);

    let tried = boat("v1alpha1", "tried", &json!({"colour": "red"}));
    cluster
        .done("POST", &format!("{}?dryRun=All", boats("v1alpha1")), &tried)
        .await;
    assert_eq!(wanted(&recorder.requests(), "tried"), ["v1", "v1alpha1"]);
    assert_eq!(
        cluster
            .ask("GET", &format!("{}/tried", boats("v1")), "", &Value::Null)
            .await
            .0,
        404
    );
}

async fn partial_objects_of_apply(recorded: &Recorded) {
    let Recorded {
        cluster, recorder, ..
    } = recorded;
    let apply = async |version: &str, manager: &str, spec: Value| {
        let path = format!("{}/partial?fieldManager={manager}", boats(version));
        let (status, answer) = cluster
            .ask(
                "PATCH",
                &path,
                "application/apply-patch+yaml",
                &boat(version, "partial", &spec),
            )
            .await;
        assert!(status == 200 || status == 201, "{status} {answer}");
        answer
    };
    recorder.requests();
    apply(
        "v1alpha1",
        "owner",
        json!({"colour": "red", "len": 3, "title": "n"}),
    )
    .await;
    apply("v1", "painter", json!({"paint": {"gloss": 4}})).await;
    apply("v1alpha1", "owner", json!({"colour": "red"})).await;
    let path = format!("{}/partial", boats("v1"));
    let both = cluster.done("GET", &path, &Value::Null).await;
    assert_eq!(
        both["spec"],
        json!({"paint": {"colour": "red", "gloss": 4}, "length": 7})
    );
    let last = apply("v1", "painter", json!({})).await;
    assert_eq!(
        last["spec"],
        json!({"paint": {"colour": "red"}, "length": 7})
    );
    // The last of a spec goes, whose manager is one of two: the schema refuses that, and no
    // conversion before it.
    let named = |version: &str, more: Value| {
        let mut boat = json!({"apiVersion": format!("ferry.example.com/{version}"), "kind": "Boat", "metadata": {"name": "empty"}});
        boat.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        boat
    };
    let steps = [
        (
            "v1alpha1",
            "owner",
            named("v1alpha1", json!({"spec": {"colour": "red", "len": 3}})),
            201,
        ),
        (
            "v1",
            "labels",
            named(
                "v1",
                json!({"metadata": {"name": "empty", "labels": {"a": "b"}}}),
            ),
            200,
        ),
        ("v1alpha1", "owner", named("v1alpha1", json!({})), 422),
    ];
    for (version, manager, boat, expected) in steps {
        let path = format!("{}/empty?fieldManager={manager}", boats(version));
        let (status, answer) = cluster
            .ask("PATCH", &path, "application/apply-patch+yaml", &boat)
            .await;
        assert_eq!(status, expected, "{answer}");
    }
    let requests = recorder.requests();
    let specs: Vec<&Value> = requests
        .iter()
        .map(|request| &request["objects"][0]["spec"])
        .collect();
    let lacks = |spec: &&&Value| {
        spec.is_object() && spec.get("colour").is_none() && spec["paint"].get("colour").is_none()
    };
    assert!(
        specs.iter().any(|spec| spec.is_null()),
        "an object has no spec: {specs:?}"
    );
    assert!(
        specs.iter().find(lacks).is_some(),
        "an object has no colour: {specs:?}"
    );
}

/// Scenario 16, but that the converter completes what it answers, so that an object is the same
/// when it is read again.
async fn created_objects_have_the_defaults_of_every_version(cluster: &Cluster) {
    let created = cluster
        .done(
            "POST",
            &boats("v1alpha1"),
            &boat("v1alpha1", "plain", &json!({"colour": "x"})),
        )
        .await;
    assert_eq!(created["spec"], json!({"colour": "x", "len": 7}));
    for version in ["v1alpha1", "v1beta1", "v1"] {
        let read = cluster
            .done("GET", &format!("{}/plain", boats(version)), &Value::Null)
            .await;
        let length = if version == "v1alpha1" {
            "len"
        } else {
            "length"
        };
        assert_eq!(read["spec"][length], 7, "{version}");
        assert_eq!(
            read["metadata"]["resourceVersion"],
            created["metadata"]["resourceVersion"]
        );
    }
}

async fn an_edited_annotation_is_input(cluster: &Cluster) {
    let spec = json!({"paint": {"colour": "red", "gloss": 3}, "length": 7});
    cluster
        .done("POST", &boats("v1"), &boat("v1", "edited", &spec))
        .await;
    let older = format!("{}/edited", boats("v1alpha1"));
    let edits = [
        // The server takes none of these for v1, and would store all of them from a webhook.
        (
            r#"{"v":1,"k":{"/spec/paint/gloss":-1}}"#,
            json!({"colour": "red"}),
        ),
        (
            r#"{"v":1,"k":{"/spec/paint/gloss":"high"}}"#,
            json!({"colour": "red"}),
        ),
        (
            r#"{"v":1,"k":{"/spec/paint":7,"/metadata/uid":"x"}}"#,
            json!({"colour": "red"}),
        ),
        ("{", json!({"colour": "red"})),
        (
            r#"{"v":1,"k":{"/spec/paint/gloss":9}}"#,
            json!({"colour": "red", "gloss": 9}),
        ),
    ];
    for (text, paint) in edits {
        let edit = json!({"metadata": {"annotations": {"ferry.example.com/upstate-v1": text}}});
        let (status, answer) = cluster
            .ask("PATCH", &older, "application/merge-patch+json", &edit)
            .await;
        assert_eq!(status, 200, "{text}: {answer}");
        let newer = cluster
            .done("GET", &format!("{}/edited", boats("v1")), &Value::Null)
            .await;
        assert_eq!(
            (
                &newer["spec"]["paint"],
                newer["metadata"].get("annotations")
            ),
            (&paint, None),
            "{text}"
        );
        // It can be written, which it could not be with a value that the schema refuses.
        cluster
            .done("PUT", &format!("{}/edited", boats("v1")), &newer)
            .await;
    }
}

async fn an_answer_that_nobody_could_write_again_is_refused(cluster: &Cluster) {
    let twice =
        json!({"name": "n", "ropes": [{"name": "a", "length": 1}, {"name": "a", "length": 2}]});
    let (status, answer) = cluster
        .ask(
            "POST",
            &ships("v1alpha1"),
            "application/json",
            &ship("v1alpha1", "twice", &twice),
        )
        .await;
    assert_eq!(status, 500, "{answer}");
    let message = answer["message"].as_str().unwrap();
    assert!(
        message.contains("ships.ferry.example.com \"twice\"")
            && message.contains("two elements have"),
        "{message}"
    );
    assert_eq!(
        cluster
            .ask("GET", &format!("{}/twice", ships("v1")), "", &Value::Null)
            .await
            .0,
        404
    );
    let once =
        json!({"name": "n", "ropes": [{"name": "a", "length": 1}, {"name": "b", "length": 2}]});
    cluster
        .done("POST", &ships("v1alpha1"), &ship("v1alpha1", "once", &once))
        .await;
    let read = cluster
        .done("GET", &format!("{}/once", ships("v1")), &Value::Null)
        .await;
    assert_eq!(
        read["spec"]["ropes"],
        json!({"a": {"length": 1}, "b": {"length": 2}})
    );
}

/// Scenario 23.
async fn one_object_takes_the_version_away(cluster: &Cluster) {
    let long = "x".repeat(140 * 1024);
    for (name, log) in [("before", "short"), ("long", long.as_str()), ("z", "short")] {
        cluster
            .done(
                "POST",
                &ships("v1"),
                &ship("v1", name, &json!({"name": name, "log": log})),
            )
            .await;
    }
    for path in [ships("v1alpha1"), format!("{}/long", ships("v1alpha1"))] {
        let (status, answer) = cluster.ask("GET", &path, "", &Value::Null).await;
        let message = answer["message"].as_str().unwrap_or_default();
        assert_eq!(status, 500, "{answer}");
        assert!(
            message.contains("ships.ferry.example.com \"long\" in namespace \"default\", ferry.example.com/v1 to v1alpha1: "),
            "{message}"
        );
        assert!(
            message.contains("/spec/log") && message.len() < 500,
            "{message}"
        );
    }
    assert_eq!(
        cluster
            .ask(
                "DELETE",
                &format!("{}/long", ships("v1alpha1")),
                "",
                &Value::Null
            )
            .await
            .0,
        500
    );
    for name in ["before", "z"] {
        let read = cluster
            .done(
                "GET",
                &format!("{}/{name}", ships("v1alpha1")),
                &Value::Null,
            )
            .await;
        assert_eq!(read["spec"]["name"], name);
    }
    let found = cluster.done("GET", &ships("v1"), &Value::Null).await;
    assert_eq!(found["items"].as_array().unwrap().len(), 4);
    // The version is whole again once the object is as it can be converted.
    let shorter = json!({"spec": {"log": "short"}});
    let path = format!("{}/long", ships("v1"));
    assert_eq!(
        cluster
            .ask("PATCH", &path, "application/merge-patch+json", &shorter)
            .await
            .0,
        200
    );
    let found = cluster.done("GET", &ships("v1alpha1"), &Value::Null).await;
    assert_eq!(found["items"].as_array().unwrap().len(), 4);
}

const LISTED: usize = 1_200;

async fn a_list_is_one_review_after_the_other(recorded: &Recorded) {
    let Recorded {
        cluster, recorder, ..
    } = recorded;
    cluster.done("DELETE", &ships("v1"), &Value::Null).await;
    let mut writers = tokio::task::JoinSet::new();
    for writer in 0..4 {
        let cluster = Arc::clone(cluster);
        writers.spawn(async move {
            for index in (writer..LISTED).step_by(4) {
                let made = ship(
                    "v1",
                    &format!("s{index:04}"),
                    &json!({"name": "n", "log": index.to_string()}),
                );
                cluster.done("POST", &ships("v1"), &made).await;
            }
        });
    }
    writers.join_all().await;
    // The watch cache of the version asks for each object, too, and may be behind.
    let begun = Instant::now();
    let (mut cached, mut is_quiet) = (0, false);
    while cached < LISTED || !is_quiet {
        assert!(
            begun.elapsed() < Duration::from_mins(1),
            "{cached} objects are in the cache"
        );
        tokio::time::sleep(Duration::from_millis(500)).await;
        let asked = recorder.requests().len();
        (cached, is_quiet) = (cached + asked, asked == 0);
    }
    recorder.together.store(0, Ordering::SeqCst);
    let found = cluster.done("GET", &ships("v1alpha1"), &Value::Null).await;
    assert_eq!(found["items"].as_array().unwrap().len(), LISTED);
    let requests = recorder.requests();
    assert_eq!(requests.len(), LISTED);
    assert!(
        requests
            .iter()
            .all(|request| request["objects"].as_array().unwrap().len() == 1)
    );
    assert_eq!(recorder.together.load(Ordering::SeqCst), 1);
}

/// Scenario 22.
async fn without_the_webhook_the_storage_version_is_left(recorded: Recorded) {
    let Recorded {
        cluster,
        end,
        server,
        ..
    } = recorded;
    end.send(()).unwrap();
    server.await.unwrap();
    let (older, newer) = (
        format!("{}/plain", boats("v1alpha1")),
        format!("{}/plain", boats("v1")),
    );
    assert_eq!(cluster.ask("GET", &older, "", &Value::Null).await.0, 500);
    assert_eq!(cluster.ask("DELETE", &older, "", &Value::Null).await.0, 500);
    let boat = cluster.done("GET", &newer, &Value::Null).await;
    assert_eq!(boat["spec"], json!({"paint": {"colour": "x"}, "length": 7}));
    let change = json!({"spec": {"length": 8}});
    assert_eq!(
        cluster
            .ask("PATCH", &newer, "application/merge-patch+json", &change)
            .await
            .0,
        200
    );
    cluster.done("DELETE", &newer, &Value::Null).await;
}
