//! The audit log by webhook: in order, each line at least once, whatever the receiver does.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::{Value, json};
use sha2::Sha256;
use tokio::task::JoinHandle;
use upstate_server::__internal::model::AuditEntry;
use upstate_server::__internal::service::{Conduct, Service, Webhook};
use upstate_server::__internal::store::sqlite::Sqlite;

use crate::world::World;

const KEY: [u8; 32] = [7; 32];

/// The behaviour of a receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mood {
    Good,
    /// It takes the lines, and fails all the same.
    Forgetful,
    Failing,
    Hanging,
    /// It takes so many lines at once.
    Narrow(usize),
    Redirecting,
}

/// A receiver, with the lines that it has.
#[derive(Clone)]
struct Receiver {
    mood: Arc<Mutex<Mood>>,
    lines: Arc<Mutex<Vec<Value>>>,
    requests: Arc<Mutex<usize>>,
}

impl Receiver {
    fn new(mood: Mood) -> Self {
        Self {
            mood: Arc::new(Mutex::new(mood)),
            lines: Arc::default(),
            requests: Arc::default(),
        }
    }

    /// Listens at an address until the task is aborted.
    async fn listen(&self, address: SocketAddr) -> (SocketAddr, JoinHandle<()>) {
        let listener = tokio::net::TcpListener::bind(address)
            .await
            .expect("an address");
        let address = listener.local_addr().expect("an address");
        let router = Router::new().fallback(receive).with_state(self.clone());
        (
            address,
            tokio::spawn(async move { axum::serve(listener, router).await.expect("a receiver") }),
        )
    }

    fn turn(&self, mood: Mood) {
        *self.mood.lock().expect("no panic") = mood;
    }

    fn requests(&self) -> usize {
        *self.requests.lock().expect("no panic")
    }

    fn numbers(&self) -> Vec<i64> {
        self.lines
            .lock()
            .expect("no panic")
            .iter()
            .map(|line| line["seq"].as_i64().expect("a number"))
            .collect()
    }

    /// Waits until it has a line.
    async fn has(&self, action: &str) {
        let until = tokio::time::Instant::now() + Duration::from_secs(20);
        while !self
            .lines
            .lock()
            .expect("no panic")
            .iter()
            .any(|line| line["action"] == action)
        {
            assert!(
                tokio::time::Instant::now() < until,
                "no {action} among {} lines",
                self.numbers().len()
            );
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    async fn has_requests(&self, count: usize) {
        let until = tokio::time::Instant::now() + Duration::from_secs(20);
        while self.requests() < count {
            assert!(
                tokio::time::Instant::now() < until,
                "{} requests",
                self.requests()
            );
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

async fn receive(
    State(receiver): State<Receiver>,
    headers: HeaderMap,
    body: Bytes,
) -> (StatusCode, [(&'static str, &'static str); 1]) {
    *receiver.requests.lock().expect("no panic") += 1;
    let header = |name: &str| headers[name].to_str().expect("text").to_owned();
    let signed = Hmac::<Sha256>::new_from_slice(&KEY).expect("a key");
    let signed = signed
        .chain_update(format!(
            "{}.{}.",
            header("webhook-id"),
            header("webhook-timestamp")
        ))
        .chain_update(&body);
    let signature = format!("v1,{}", STANDARD.encode(signed.finalize().into_bytes()));
    assert_eq!(
        (header("webhook-signature"), header("content-type")),
        (signature, "application/x-ndjson".to_owned())
    );
    let lines: Vec<Value> = std::str::from_utf8(&body)
        .expect("text")
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert!(!lines.is_empty());
    let mood = *receiver.mood.lock().expect("no panic");
    let answer = |status| (status, [("location", "http://127.0.0.1:1/")]);
    match mood {
        Mood::Hanging => {
            tokio::time::sleep(Duration::from_mins(1)).await;
            return answer(StatusCode::OK);
        }
        Mood::Failing => return answer(StatusCode::SERVICE_UNAVAILABLE),
        Mood::Redirecting => return answer(StatusCode::TEMPORARY_REDIRECT),
        Mood::Narrow(most) if lines.len() > most => return answer(StatusCode::PAYLOAD_TOO_LARGE),
        Mood::Good | Mood::Forgetful | Mood::Narrow(_) => {}
    }
    receiver.lines.lock().expect("no panic").extend(lines);
    answer(if mood == Mood::Forgetful {
        StatusCode::INTERNAL_SERVER_ERROR
    } else {
        StatusCode::NO_CONTENT
    })
}

const ANY: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 0);

fn conduct(receiver: SocketAddr) -> Conduct {
    let url = format!("http://{receiver}/in?token=hunter22");
    let mut webhook = Webhook::new(&url, &STANDARD.encode(KEY), true).expect("a receiver");
    webhook.pause = Duration::from_millis(4);
    Conduct {
        webhook: Some(webhook),
        lease: Duration::from_millis(900),
        ..Conduct::default()
    }
}

fn delivering(service: &Service, holder: &'static str) -> JoinHandle<()> {
    let service = service.clone();
    tokio::spawn(async move { service.keep_delivering(holder).await })
}

async fn note(service: &Service, action: &str) {
    let entry = AuditEntry {
        at: service.now(),
        who: "test".to_owned(),
        action: action.to_owned().into(),
        organization: None,
        workspace: None,
        subject: String::new(),
        detail: "ä \"quoted\"\nline".to_owned(),
    };
    service.store().record(entry).await.expect("a store");
}

/// All lines of the log, as the receiver must have them.
async fn log(service: &Service) -> Vec<Value> {
    let all = service
        .store()
        .audit_after(None, 0, 10_000)
        .await
        .expect("a store");
    all.into_iter()
        .map(|(seq, entry)| entry.to_json(seq))
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_receiver_gets_every_line_in_order() {
    let receiver = Receiver::new(Mood::Good);
    let (address, _listening) = receiver.listen(ANY).await;
    let world = World::with(conduct(address)).await;
    let owner = world.owner().await;
    for number in 0..1200 {
        note(&world.service, &format!("test.{number}")).await;
    }
    let task = delivering(&world.service, "a");
    receiver.has("test.1199").await;
    owner
        .send("GET", "/api/v2/account/details", &[], "")
        .await
        .expect(200);
    note(&world.service, "test.end").await;
    receiver.has("test.end").await;
    let expected = log(&world.service).await;
    assert_eq!(*receiver.lines.lock().expect("no panic"), expected);
    // Nothing is new, so nothing is sent.
    let requests = receiver.requests();
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(receiver.requests(), requests);
    task.abort();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_lost_while_the_receiver_fails_hangs_or_is_away() {
    let receiver = Receiver::new(Mood::Failing);
    let (address, listening) = receiver.listen(ANY).await;
    let world = World::with(conduct(address)).await;
    for action in ["test.a", "test.b", "test.c"] {
        note(&world.service, action).await;
    }
    let task = delivering(&world.service, "a");
    let mut requests = 0;
    for mood in [
        Mood::Failing,
        Mood::Redirecting,
        Mood::Hanging,
        Mood::Forgetful,
    ] {
        receiver.turn(mood);
        requests = receiver.requests().max(requests) + 2;
        receiver.has_requests(requests).await;
    }
    receiver.turn(Mood::Narrow(1));
    note(&world.service, "test.d").await;
    receiver.has("test.d").await;
    // It is restarted: a connection to it breaks, and it is away for a while.
    listening.abort();
    note(&world.service, "test.e").await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    let (_, listening) = receiver.listen(address).await;
    receiver.turn(Mood::Good);
    receiver.has("test.e").await;
    task.abort();
    listening.abort();
    // In the order of their numbers, but for what came again.
    let mut seen = BTreeMap::new();
    let lines = receiver.lines.lock().expect("no panic").clone();
    let mut highest = 0;
    for line in &lines {
        let number = line["seq"].as_i64().expect("a number");
        assert!(number <= highest + 1, "{number} after {highest}");
        highest = highest.max(number);
        assert_eq!(*seen.entry(number).or_insert(line), line);
    }
    let expected = log(&world.service).await;
    assert_eq!(seen.into_values().cloned().collect::<Vec<_>>(), expected);
    assert!(
        lines.len() > expected.len(),
        "the forgetful receiver got some twice"
    );
    assert!(!json!(lines).to_string().contains("hunter22"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_is_restarted_goes_on_where_it_was() {
    let receiver = Receiver::new(Mood::Good);
    let (address, _listening) = receiver.listen(ANY).await;
    let folder = crate::memory::folder();
    let open = async || {
        let store = Arc::new(Sqlite::open(folder.path()).await.expect("a store"));
        Service::new(store, conduct(address))
            .await
            .expect("a service")
    };
    let first = open().await;
    note(&first, "test.a").await;
    let task = delivering(&first, "a");
    receiver.has("test.a").await;
    // A second server on the store does not deliver beside it.
    let second = open().await;
    let other = delivering(&second, "b");
    for number in 0..50 {
        note(&second, &format!("test.{number}")).await;
    }
    receiver.has("test.49").await;
    assert_eq!(receiver.numbers(), (1..=51).collect::<Vec<_>>());
    // The first one is killed: its time ends, and the second one goes on.
    task.abort();
    note(&second, "test.b").await;
    receiver.has("test.b").await;
    other.abort();
    second.stop_delivering("b").await.expect("a store");
    let third = open().await;
    let task = delivering(&third, "c");
    note(&third, "test.c").await;
    receiver.has("test.c").await;
    task.abort();
    // The last lines come again where the first server was killed before it noted that they had
    // arrived.
    let numbers = receiver.numbers();
    assert_eq!(
        numbers.iter().copied().collect::<BTreeSet<_>>(),
        (1..=53).collect()
    );
    assert_eq!(
        numbers.iter().filter(|number| **number == 1).count(),
        1,
        "{numbers:?}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lines_are_kept_until_they_are_delivered() {
    let receiver = Receiver::new(Mood::Failing);
    let (address, _listening) = receiver.listen(ANY).await;
    let world = World::with(Conduct {
        audit_keep: Some(Duration::from_mins(1)),
        ..conduct(address)
    })
    .await;
    note(&world.service, "test.a").await;
    let task = delivering(&world.service, "a");
    receiver.has_requests(2).await;
    world.wait(Duration::from_hours(24));
    world.service.upkeep().await.expect("upkeep");
    let kept = log(&world.service).await;
    assert_eq!(kept[0]["action"], "test.a", "{kept:?}");
    receiver.turn(Mood::Good);
    receiver.has("test.a").await;
    // The progress is noted after the answer.
    let until = tokio::time::Instant::now() + Duration::from_secs(20);
    while log(&world.service)
        .await
        .iter()
        .any(|line| line["action"] == "test.a")
    {
        assert!(tokio::time::Instant::now() < until, "it is never removed");
        world.service.upkeep().await.expect("upkeep");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    task.abort();
}
