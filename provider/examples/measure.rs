//! How fast a provider answers, measured over its socket:
//! `cargo run --release -p upstate-provider --example measure`. A number after `--` is how many
//! calls are measured at a time, 6400 unless given.
//!
//! The process starts itself as a provider and is its own host. It also starts itself as a server
//! that is nothing but tonic, and answers the same messages: what is slower than that is the
//! provider's share.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::indexing_slicing,
    clippy::cast_precision_loss,
    reason = "a measurement, run by hand"
)]

use std::env;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http2::SendRequest;
use hyper_util::rt::{TokioExecutor, TokioIo};
use prost::Message;
use tokio::net::{UnixListener, UnixStream};
use tonic::body::Body;
use tonic::server::{Grpc, UnaryService};
use tonic_prost::ProstCodec;
use upstate::{Diagnostics, Object, Resource};
use upstate_provider::{Context, ManagedResource, Provider};

/// A thing of three attributes, two versions on.
#[derive(Debug, Clone, Resource)]
#[resource(type_name = "example_thing", version = 2)]
#[upgrade_from(0, model = ThingV0)]
#[upgrade_from(1, model = ThingV1)]
struct Thing {
    #[attribute(computed)]
    id: String,
    optional_attribute: Option<String>,
    required_attribute: String,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_thing", version = 1, prior)]
struct ThingV1 {
    #[attribute(computed)]
    id: String,
    optional_attribute: Option<bool>,
    required_attribute: String,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_thing", version = 0)]
struct ThingV0 {
    #[attribute(computed)]
    id: String,
    optional_attribute: Option<bool>,
    required_attribute: bool,
}

impl From<ThingV0> for Thing {
    fn from(prior: ThingV0) -> Self {
        let required_attribute = prior.required_attribute.to_string();
        ThingV1 {
            id: prior.id,
            optional_attribute: prior.optional_attribute,
            required_attribute,
        }
        .into()
    }
}

impl From<ThingV1> for Thing {
    fn from(prior: ThingV1) -> Self {
        let optional_attribute = prior.optional_attribute.map(|on| on.to_string());
        Self {
            id: prior.id,
            optional_attribute,
            required_attribute: prior.required_attribute,
        }
    }
}

impl ManagedResource for Thing {
    type Client = ();

    async fn create(plan: Self, _: &mut Context<()>) -> Result<Self, Diagnostics> {
        Ok(plan)
    }

    async fn read(state: Self, _: &mut Context<()>) -> Result<Option<Self>, Diagnostics> {
        Ok(Some(state))
    }

    async fn update(plan: Self, _prior: Self, _: &mut Context<()>) -> Result<Self, Diagnostics> {
        Ok(plan)
    }

    async fn delete(_state: Self, _: &mut Context<()>) -> Result<(), Diagnostics> {
        Ok(())
    }
}

#[derive(Object)]
struct Config {}

#[derive(Clone, PartialEq, Message)]
struct Upgrade {
    #[prost(string, tag = "1")]
    type_name: String,
    #[prost(int64, tag = "2")]
    version: i64,
    #[prost(message, optional, tag = "3")]
    raw_state: Option<Raw>,
}

#[derive(Clone, PartialEq, Message)]
struct Raw {
    #[prost(bytes = "bytes", tag = "1")]
    json: Bytes,
}

#[derive(Clone, PartialEq, Message)]
struct Upgraded {
    #[prost(message, optional, tag = "1")]
    upgraded_state: Option<Raw>,
}

/// The environment variable that makes this process a server of tonic alone; its value is the
/// socket.
const BARE: &str = "MEASURE_BARE";

/// Answers what it is given.
struct Echo;

impl UnaryService<Upgrade> for Echo {
    type Response = Upgraded;
    type Future = std::future::Ready<Result<tonic::Response<Upgraded>, tonic::Status>>;

    fn call(&mut self, request: tonic::Request<Upgrade>) -> Self::Future {
        std::future::ready(Ok(tonic::Response::new(Upgraded {
            upgraded_state: request.into_inner().raw_state,
        })))
    }
}

async fn serve_bare(socket: &Path) {
    let listener = UnixListener::bind(socket).unwrap();
    println!("1|6|unix|{}|grpc|", socket.display());
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        let answer = hyper::service::service_fn(async |request: Request<hyper::body::Incoming>| {
            let answer: Response<Body> =
                Grpc::new(ProstCodec::default()).unary(Echo, request).await;
            Ok::<_, std::convert::Infallible>(answer)
        });
        tokio::spawn(
            hyper::server::conn::http2::Builder::new(TokioExecutor::new())
                .serve_connection(TokioIo::new(stream), answer),
        );
    }
}

fn main() -> ExitCode {
    if let Some(socket) = env::var_os(BARE) {
        tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .unwrap()
            .block_on(serve_bare(Path::new(&socket)));
        return ExitCode::SUCCESS;
    }
    if env::var_os("TF_PLUGIN_MAGIC_COOKIE").is_some() {
        return Provider::new("example.com/test/example", async |_: Config| Ok(()))
            .with::<Thing>()
            .serve();
    }
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap()
        .block_on(measure());
    ExitCode::SUCCESS
}

async fn measure() {
    // Processes that are killed leave their sockets behind.
    let folder = tempfile::tempdir().unwrap();
    for (what, pem) in [("plain", None), ("with mutual TLS", Some(HOST_CERTIFICATE))] {
        let mut times: Vec<Duration> = (0..50).map(|_| start_and_end(folder.path(), pem)).collect();
        report(&format!("start to handshake line, {what}"), &mut times);
    }
    let (mut child, _, socket) = start(folder.path(), None);
    let sender = connect(&socket).await;
    let mut bare = Command::new(env::current_exe().unwrap());
    let mut bare = bare
        .env(BARE, folder.path().join("bare"))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    BufReader::new(bare.stdout.take().unwrap())
        .read_line(&mut String::new())
        .unwrap();
    let tonic = connect(folder.path().join("bare").to_str().unwrap()).await;
    let old = Bytes::from_static(
        br#"{"id":"thing-1","optional_attribute":true,"required_attribute":false}"#,
    );
    let current =
        Bytes::from_static(br#"{"id":"a","optional_attribute":"b","required_attribute":"c"}"#);
    for at_once in [1, 10, 64] {
        // By turns, so that what else the machine does falls on all.
        let mut times = [(); 3].map(|()| Vec::new());
        let mut walls = [Duration::ZERO; 3];
        for _ in 0..5 {
            for (place, (sender, version, state)) in [
                (&tonic, 0, &old),
                (&sender, 0, &old),
                (&sender, 2, &current),
            ]
            .into_iter()
            .enumerate()
            {
                let began = Instant::now();
                times[place].extend(run_at_once(sender, version, state, at_once).await);
                walls[place] += began.elapsed();
            }
        }
        let tonics = walls[0].as_secs_f64();
        let ratios: Vec<String> = walls[1..]
            .iter()
            .map(|wall| format!("{:.2}", wall.as_secs_f64() / tonics))
            .collect();
        for (what, (times, wall)) in ["tonic alone", "from version 0", "current version"]
            .iter()
            .zip(times.iter_mut().zip(walls))
        {
            let (rate, ratio) = (
                times.len() as f64 / wall.as_secs_f64(),
                wall.as_secs_f64() / tonics,
            );
            report(
                &format!(
                    "UpgradeResourceState, {what}, {at_once} at once ({rate:.0} calls/s, {ratio:.2} of tonic's time)"
                ),
                times,
            );
        }
        println!(
            "ratio, {at_once} at once, tonic alone = 1.00: from version 0 {}, current version {}",
            ratios[0], ratios[1]
        );
    }
    bare.kill().unwrap();
    bare.wait().unwrap();
    let text = "x".repeat(60_000_000);
    let large = Bytes::from(format!(
        r#"{{"id":"{text}","optional_attribute":true,"required_attribute":false}}"#
    ));
    let began = Instant::now();
    let answered = upgrade(&mut sender.clone(), 0, &large).await;
    assert!(answered > 60_000_000);
    println!(
        "a raw state of {} MB, there and back: {:.0?}",
        large.len() / 1_000_000,
        began.elapsed()
    );
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Starts this program as a provider: the process, the time until its line, and where it listens.
fn start(folder: &Path, pem: Option<&str>) -> (Child, Duration, String) {
    let began = Instant::now();
    let mut command = Command::new(env::current_exe().unwrap());
    command
        .env(
            "TF_PLUGIN_MAGIC_COOKIE",
            "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2",
        )
        .env("PLUGIN_PROTOCOL_VERSIONS", "6,5")
        .env("PLUGIN_UNIX_SOCKET_DIR", folder)
        .stdout(Stdio::piped());
    if let Some(pem) = pem {
        command.env("PLUGIN_CLIENT_CERT", pem);
    }
    let mut child = command.spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    let elapsed = began.elapsed();
    let address = line.split('|').nth(3).unwrap().to_owned();
    (child, elapsed, address)
}

/// The time until the line of a process that is then ended.
fn start_and_end(folder: &Path, pem: Option<&str>) -> Duration {
    let (mut child, elapsed, _) = start(folder, pem);
    child.kill().unwrap();
    child.wait().unwrap();
    elapsed
}

/// A certificate as Terraform makes one.
const HOST_CERTIFICATE: &str = include_str!("../src/serve/testdata/host.pem");

async fn connect(socket: &str) -> SendRequest<Full<Bytes>> {
    let stream = UnixStream::connect(socket).await.unwrap();
    let (sender, connection) = hyper::client::conn::http2::Builder::new(TokioExecutor::new())
        .initial_stream_window_size(1 << 26)
        .initial_connection_window_size(1 << 26)
        .max_frame_size(1 << 20)
        .handshake::<_, Full<Bytes>>(TokioIo::new(stream))
        .await
        .unwrap();
    // It ends with the process it leads to.
    tokio::spawn(connection);
    sender
}

/// How many calls are measured at a time.
fn calls() -> u32 {
    env::args()
        .nth(1)
        .map_or(6_400, |calls| calls.parse().unwrap())
}

/// Upgrades with so many calls under way at a time.
async fn run_at_once(
    sender: &SendRequest<Full<Bytes>>,
    version: i64,
    state: &Bytes,
    at_once: u32,
) -> Vec<Duration> {
    let mut tasks = Vec::new();
    for _ in 0..at_once {
        let (sender, state) = (sender.clone(), state.clone());
        tasks.push(tokio::spawn(async move {
            run(&sender, version, &state, calls().div_ceil(at_once)).await
        }));
    }
    let mut times = Vec::new();
    for task in tasks {
        times.extend(task.await.unwrap());
    }
    times
}

/// Upgrades again and again; how long each took.
async fn run(
    sender: &SendRequest<Full<Bytes>>,
    version: i64,
    state: &Bytes,
    calls: u32,
) -> Vec<Duration> {
    let mut sender = sender.clone();
    let mut times = Vec::new();
    for _ in 0..calls {
        let began = Instant::now();
        assert!(upgrade(&mut sender, version, state).await > 0);
        times.push(began.elapsed());
    }
    times
}

/// Upgrades a state; how many bytes the new one has.
async fn upgrade(sender: &mut SendRequest<Full<Bytes>>, version: i64, state: &Bytes) -> usize {
    let message = Upgrade {
        type_name: "example_thing".to_owned(),
        version,
        raw_state: Some(Raw {
            json: state.clone(),
        }),
    };
    let encoded = message.encode_to_vec();
    let mut body = BytesMut::with_capacity(encoded.len() + 5);
    body.extend_from_slice(&[0]);
    body.extend_from_slice(&u32::try_from(encoded.len()).unwrap().to_be_bytes());
    body.extend_from_slice(&encoded);
    let request = Request::post("http://localhost/tfplugin6.Provider/UpgradeResourceState")
        .header("content-type", "application/grpc")
        .header("te", "trailers")
        .body(Full::new(body.freeze()))
        .unwrap();
    let response = sender.send_request(request).await.unwrap();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    let answer = Upgraded::decode(body.slice(5..)).unwrap();
    answer.upgraded_state.map_or(0, |state| state.json.len())
}

fn report(what: &str, times: &mut [Duration]) {
    times.sort_unstable();
    let at = |percent: usize| times[(times.len() - 1) * percent / 100];
    let mean = times.iter().sum::<Duration>() / u32::try_from(times.len()).unwrap();
    println!(
        "{what}: mean {mean:.1?}, p50 {:.1?}, p90 {:.1?}, p99 {:.1?}, max {:.1?}",
        at(50),
        at(90),
        at(99),
        at(100)
    );
}
