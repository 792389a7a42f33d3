//! `cargo run --release -q -p upstate-benches --no-default-features --features kube --bin kube`:
//! the cost of a conversion between versions of a custom resource, beside serde_json reading the
//! same review and writing the same answer; and that of the webhook with 64 connections, beside
//! axum with such an answer.
//!
//! Ends with status 1 if the webhook exceeds its budget; a conversion alone has none.
//! `--profile NAME` runs one case alone, for a profiler.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::ExitCode;
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::routing::post;
use serde_json::{Value, json};
use upstate::{Document, Union};
use upstate_benches::case::Case;
use upstate_benches::measure::{interleaved, now_of_all_threads, quantile};
use upstate_benches::table::{Table, grouped};
use upstate_kube::Converter;
use upstate_kube::webhook::router;

const ROUNDS: usize = 41;
const SLICE: Duration = Duration::from_millis(6);
/// The connections that ask at one time, and the reviews of each in a round.
const CONNECTIONS: usize = 64;
const REVIEWS: usize = 50;

/// A boat of the ferry.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(type_name = "ferry.boat", version = 2, rename_all = "camelCase")]
#[upgrade_from(1 => 2, rename(title => name), drop(berth: Option<String>, "nobody used it"))]
#[upgrade_from(0 => 1, nest(colour => paint), set(paint.gloss = null), rename(len: Option<i32> => length), default(length = 7))]
#[kube(
    group = "ferry.example.com",
    kind = "Boat",
    status = BoatStatus,
    version(0 = "v1alpha1"),
    version(1 = "v1beta1"),
    version(2 = "v1", storage)
)]
struct Boat {
    paint: Paint,
    #[attribute(default = 7)]
    length: i32,
    name: Option<String>,
    masts: Option<Vec<Mast>>,
    hull: Option<Hull>,
    stops: Option<Vec<Stop>>,
    contacts: std::collections::BTreeMap<String, String>,
}

#[derive(Debug, Clone, PartialEq, Document)]
struct Paint {
    colour: String,
    gloss: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Document)]
struct Mast {
    height: u8,
    flag: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Union)]
#[union(tag = "kind", rename_all = "camelCase")]
enum Hull {
    Steel,
    Wood {
        species: String,
        oiled: Option<bool>,
    },
}

#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
struct Stop {
    port: String,
    minutes: u16,
    on_sundays: Option<bool>,
}

#[derive(Debug, Clone, PartialEq, Document)]
struct BoatStatus {
    afloat: bool,
    message: Option<String>,
    conditions: Option<Vec<Condition>>,
}

/// A condition, as Kubernetes' own types have it.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
struct Condition {
    r#type: String,
    status: String,
    reason: String,
    message: String,
    last_transition_time: String,
}

/// An object of 4 KB: half of it is what users wrote, the rest what the server, `kubectl` and the
/// controller add.
fn boat(version: &str, spec: Value) -> Value {
    let stops: Value = (0..24)
        .map(|stop| json!({"port": format!("harbour-{stop:02}"), "minutes": 35 + stop, "onSundays": stop % 2 == 0}))
        .collect();
    let contacts: Value = (0..12)
        .map(|n| {
            (
                format!("office-{n}"),
                json!(format!("office-{n}@ferry.example.com")),
            )
        })
        .collect::<serde_json::Map<_, _>>()
        .into();
    let mut spec = spec;
    let members = spec.as_object_mut().expect("it is an object");
    members.insert("stops".to_owned(), stops);
    members.insert("contacts".to_owned(), contacts);
    members.insert(
        "hull".to_owned(),
        json!({"kind": "wood", "species": "oak", "oiled": true}),
    );
    members.insert(
        "masts".to_owned(),
        json!([{"height": 12, "flag": "red"}, {"height": 9}]),
    );
    let owned: Value = (0..12)
        .map(|n| (format!("f:office-{n}"), json!({})))
        .collect::<serde_json::Map<_, _>>()
        .into();
    let field_set = json!({"f:spec": {".": {}, "f:contacts": owned, "f:hull": {"f:kind": {}, "f:oiled": {}, "f:species": {}}, "f:masts": {}, "f:stops": {}}});
    json!({
        "apiVersion": format!("ferry.example.com/{version}"),
        "kind": "Boat",
        "metadata": {
            "name": "harbour-line-3",
            "namespace": "default",
            "uid": "2acf3d5e-9a2b-4f6c-8a51-0d1f8a3f5b11",
            "creationTimestamp": "2026-11-23T10:27:19Z",
            "generation": 3,
            "labels": {"app.kubernetes.io/name": "ferry", "app.kubernetes.io/part-of": "harbour"},
            "annotations": {"ferry.example.com/owner": "team-north"},
            "managedFields": [
                {"manager": "kubectl", "operation": "Apply", "apiVersion": "ferry.example.com/v1", "time": "2026-11-23T10:27:19Z", "fieldsType": "FieldsV1", "fieldsV1": field_set},
                {"manager": "ferry-controller", "operation": "Update", "apiVersion": "ferry.example.com/v1", "time": "2026-11-23T10:28:02Z", "fieldsType": "FieldsV1", "subresource": "status",
                 "fieldsV1": {"f:status": {".": {}, "f:afloat": {}, "f:message": {}, "f:conditions": {}}}},
            ],
        },
        "spec": spec,
        "status": {
            "afloat": true,
            "message": "all stops are served",
            "conditions": (0..3).map(|n| json!({
                "type": format!("Condition{n}"), "status": "True", "reason": "AsExpected",
                "message": "the last crossing was on time", "lastTransitionTime": "2026-11-23T10:28:02Z",
            })).collect::<Value>(),
        },
    })
}

fn review(to: &str, objects: &[Value]) -> Vec<u8> {
    let review = json!({
        "kind": "ConversionReview",
        "apiVersion": "apiextensions.k8s.io/v1",
        "request": {"uid": "4020743b-0e57-4c3e-9d58-7d1c8e0e6c55", "desiredAPIVersion": format!("ferry.example.com/{to}"), "objects": objects},
        "response": {"uid": "", "convertedObjects": null, "result": {"metadata": {}}},
    });
    serde_json::to_vec(&review).expect("a review is JSON")
}

/// The least that any webhook does: it reads the review, and writes one of that size.
fn by_serde(review: &[u8]) -> Vec<u8> {
    let mut review: Value = serde_json::from_slice(review).expect("it is JSON");
    let uid = review["request"]["uid"].take();
    let objects = review["request"]["objects"].take();
    let answer = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "ConversionReview",
        "response": {"uid": uid, "result": {"status": "Success"}, "convertedObjects": objects},
    });
    serde_json::to_vec(&answer).expect("an answer is JSON")
}

fn objects(answer: &[u8]) -> Value {
    let mut answer: Value = serde_json::from_slice(answer).expect("it is JSON");
    answer["response"]["convertedObjects"].take()
}

/// The server of a router, on a port of this machine.
fn serve(runtime: &tokio::runtime::Runtime, router: Router) -> SocketAddr {
    let listener = runtime
        .block_on(tokio::net::TcpListener::bind("127.0.0.1:0"))
        .expect("there is a port");
    let address = listener.local_addr().expect("it has an address");
    runtime.spawn(async move { axum::serve(listener, router).await.expect("it serves") });
    address
}

/// A connection that asks for one review after the other.
struct Connection {
    stream: TcpStream,
    request: Vec<u8>,
    answer: Vec<u8>,
}

impl Connection {
    fn new(address: SocketAddr, review: &[u8]) -> Self {
        let stream = TcpStream::connect(address).expect("the server listens");
        stream.set_nodelay(true).expect("it is one of TCP");
        let head = "POST /convert HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length:";
        let mut request = format!("{head} {}\r\n\r\n", review.len()).into_bytes();
        request.extend_from_slice(review);
        Self {
            stream,
            request,
            answer: Vec::new(),
        }
    }

    /// The body of an answer.
    fn ask(&mut self) -> &[u8] {
        self.stream
            .write_all(&self.request)
            .expect("the server reads");
        self.answer.clear();
        let mut chunk = [0; 16 * 1024];
        let begin = loop {
            let read = self.stream.read(&mut chunk).expect("the server answers");
            assert!(read > 0, "the server closes the connection");
            self.answer.extend_from_slice(&chunk[..read]);
            if let Some(begin) = whole_body(&self.answer) {
                break begin;
            }
        };
        &self.answer[begin..]
    }
}

/// The place where the body begins, once all of it is there.
fn whole_body(answer: &[u8]) -> Option<usize> {
    let begin = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n")? + 4;
    let head = std::str::from_utf8(&answer[..begin]).expect("a head is text");
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "))
        .expect("the answer has a length");
    let length: usize = length.parse().expect("it is a number");
    (answer.len() >= begin + length).then_some(begin)
}

/// The processor time of one review in nanoseconds, that of the server and the clients.
fn round(connections: &mut [Connection]) -> f64 {
    let start = now_of_all_threads();
    let reviews = connections.len() * REVIEWS;
    std::thread::scope(|scope| {
        for connection in connections {
            scope.spawn(move || {
                for _ in 0..REVIEWS {
                    connection.ask();
                }
            });
        }
    });
    (now_of_all_threads() - start).as_secs_f64() * 1e9 / reviews as f64
}

/// The times of the webhook and of the baseline by HTTP, each the median of the rounds, and the
/// median of their ratio within a round.
fn by_http(review: &[u8], expected: &Value) -> [f64; 3] {
    let runtime = tokio::runtime::Runtime::new().expect("there are threads");
    let converter = Converter::new()
        .with::<Boat>()
        .expect("it has a structural schema");
    let baseline = Router::new().route(
        "/convert",
        post(|body: Bytes| async move { by_serde(&body) }),
    );
    let mut servers = [router(converter), baseline].map(|router| {
        let address = serve(&runtime, router);
        (0..CONNECTIONS)
            .map(|_| Connection::new(address, review))
            .collect::<Vec<_>>()
    });
    assert_eq!(
        &objects(servers[0][0].ask()),
        expected,
        "the webhook answers with something else"
    );
    let mut times = [Vec::new(), Vec::new()];
    for turn in 0..=ROUNDS {
        let mut spent = [0.0; 2];
        // Each round begins with the other one, so that none always follows the same one.
        for index in [turn % 2, (turn + 1) % 2] {
            spent[index] = round(&mut servers[index]);
        }
        // Not the first one, which warms both up.
        if turn > 0 {
            times
                .iter_mut()
                .zip(spent)
                .for_each(|(times, spent)| times.push(spent));
        }
    }
    let [ours, theirs] = times;
    let ratios = ours
        .iter()
        .zip(&theirs)
        .map(|(ours, theirs)| ours / theirs)
        .collect();
    [
        quantile(ours, 0.5),
        quantile(theirs, 0.5),
        quantile(ratios, 0.5),
    ]
}

fn main() -> ExitCode {
    let new = boat(
        "v1",
        json!({"paint": {"colour": "red"}, "length": 30, "name": "Line 3"}),
    );
    let glossy = boat(
        "v1",
        json!({"paint": {"colour": "red", "gloss": 4}, "length": 30, "name": "Line 3"}),
    );
    let old = boat(
        "v1alpha1",
        json!({"colour": "red", "len": 30, "title": "Line 3"}),
    );
    let converter = std::rc::Rc::new(
        Converter::new()
            .with::<Boat>()
            .expect("it has a structural schema"),
    );
    let convert = move |review: &[u8]| {
        converter
            .review(review)
            .expect("it is a review")
            .into_body()
    };
    let kept = objects(&convert(&review("v1alpha1", std::slice::from_ref(&glossy))));
    let cases = [
        (
            Case::text(
                "serde_json reads and writes",
                vec![review("v1", std::slice::from_ref(&new))],
                by_serde,
                objects,
            ),
            json!([new]),
        ),
        (
            Case::text(
                "up",
                vec![review("v1", std::slice::from_ref(&old))],
                convert.clone(),
                objects,
            ),
            json!([new]),
        ),
        (
            Case::text(
                "down",
                vec![review("v1alpha1", std::slice::from_ref(&new))],
                convert.clone(),
                objects,
            ),
            json!([old]),
        ),
        (
            Case::text(
                "down, one value kept",
                vec![review("v1alpha1", std::slice::from_ref(&glossy))],
                convert.clone(),
                objects,
            ),
            kept.clone(),
        ),
        (
            Case::text(
                "up, one value restored",
                vec![review("v1", kept.as_array().expect("it is one"))],
                convert.clone(),
                objects,
            ),
            json!([glossy]),
        ),
    ];
    for (case, expected) in &cases {
        case.check("kube", std::slice::from_ref(expected));
    }
    let size = serde_json::to_vec(&new).expect("it is JSON").len();
    let cases = cases.map(|(case, _)| case);
    if let Some(name) = std::env::args()
        .skip_while(|argument| argument != "--profile")
        .nth(1)
    {
        for case in cases.iter().filter(|case| case.name == name) {
            case.run(2000);
        }
        return ExitCode::SUCCESS;
    }
    let timings = interleaved(&cases, ROUNDS, SLICE);
    let mut table = Table::new(["", "ns", "baseline ns", "ratio", "budget", ""]);
    let mut over = false;
    for (case, timing) in cases.iter().zip(&timings).skip(1) {
        table.row([
            format!(
                "a review of one object of {} bytes: {}, beside serde_json reading and writing it",
                grouped(size as f64),
                case.name
            ),
            grouped(timing.nanoseconds()),
            grouped(timings[0].nanoseconds()),
            format!("{:.2}", timing.ratio_to(&timings[0])),
            // No budget, because the one of a webhook holds by HTTP, as it is asked.
            String::new(),
            String::new(),
        ]);
    }
    for (name, to, stored, expected) in [("up", "v1", &old, &new), ("down", "v1alpha1", &new, &old)]
    {
        let [time, baseline, ratio] = by_http(
            &review(to, std::slice::from_ref(stored)),
            &json!([expected]),
        );
        over |= ratio > BUDGET;
        table.row([
            format!("the same by HTTP with {CONNECTIONS} connections: {name}, beside axum with what serde_json reads and writes"),
            grouped(time),
            grouped(baseline),
            format!("{ratio:.2}"),
            format!("{BUDGET:.2}"),
            if ratio <= BUDGET { "ok" } else { "OVER" }.to_owned(),
        ]);
    }
    table.print();
    ExitCode::from(u8::from(over))
}

const BUDGET: f64 = 1.2;
