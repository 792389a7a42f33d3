//! Code of an author that blocks, and users who want to stop.

use std::thread;
use std::time::{Duration, Instant};

use bytes::Bytes;
use tokio::task::JoinSet;
use upstate::{Diagnostics, Object, Resource, UpgradeContext};

use super::tests::with_configuration;
use super::*;
use crate::proto::{DynamicValue, RawState, ReadResourceRequest, UpgradeResourceStateRequest};
use crate::{Context, ManagedResource, Provider};

#[derive(Object)]
struct Config {}

#[derive(Debug, Clone, Resource)]
#[resource(type_name = "test_gate", version = 1)]
#[upgrade_from(0, model = GateV0, with = blocking)]
struct Gate {
    id: String,
}

#[derive(Resource)]
#[resource(type_name = "test_gate", version = 0)]
struct GateV0 {
    id: String,
}

const LONG: Duration = Duration::from_secs(20);

fn block(id: &str) {
    match id {
        "where" => {}
        "long" => thread::sleep(LONG),
        _ => thread::sleep(Duration::from_millis(500)),
    }
}

#[expect(clippy::unnecessary_wraps, reason = "as the derive calls it")]
fn blocking(prior: GateV0, _: &mut UpgradeContext<'_>) -> Result<Gate, Diagnostics> {
    block(&prior.id);
    Ok(Gate { id: prior.id })
}

impl ManagedResource for Gate {
    type Client = ();

    async fn create(plan: Self, _: &mut Context<()>) -> Result<Self, Diagnostics> {
        Ok(plan)
    }

    async fn read(state: Self, _: &mut Context<()>) -> Result<Option<Self>, Diagnostics> {
        block(&state.id);
        let id = if state.id == "where" {
            thread::current().name().unwrap_or_default().to_owned()
        } else {
            state.id
        };
        Ok(Some(Self { id }))
    }

    async fn update(plan: Self, _: Self, _: &mut Context<()>) -> Result<Self, Diagnostics> {
        Ok(plan)
    }

    async fn delete(_: Self, _: &mut Context<()>) -> Result<(), Diagnostics> {
        Ok(())
    }
}

async fn service() -> Service {
    let provider = Provider::new("example.com/test/test", async |_: Config| Ok(())).with::<Gate>();
    with_configuration(Service::new(provider.parts)).await
}

fn upgrade(id: &str) -> UpgradeResourceStateRequest {
    let json = Bytes::from(format!("{{\"id\":\"{id}\"}}"));
    let raw_state = Some(RawState {
        json,
        ..RawState::default()
    });
    UpgradeResourceStateRequest {
        type_name: "test_gate".to_owned(),
        version: 0,
        raw_state,
    }
}

fn read(id: &str) -> ReadResourceRequest {
    let msgpack = upstate::to_msgpack(&Gate { id: id.to_owned() })
        .unwrap()
        .into();
    let current_state = Some(DynamicValue {
        msgpack,
        json: Bytes::new(),
    });
    ReadResourceRequest {
        type_name: "test_gate".to_owned(),
        current_state,
        ..ReadResourceRequest::default()
    }
}

#[tokio::test]
async fn calls_that_block_do_not_wait_for_one_another() {
    let service = service().await;
    let began = Instant::now();
    let mut calls = JoinSet::new();
    for _ in 0..20 {
        let (one, other) = (service.clone(), service.clone());
        calls.spawn(async move { one.upgrade_state(upgrade("short")).await.diagnostics });
        calls.spawn(async move { other.read(read("short")).await.diagnostics });
    }
    for reported in calls.join_all().await {
        assert_eq!(reported, []);
    }
    // One after the other they take twenty seconds, and two at once ten.
    assert!(
        began.elapsed() < Duration::from_secs(5),
        "{:?}",
        began.elapsed()
    );
}

#[tokio::test]
async fn a_stop_is_obeyed_at_once_even_if_a_call_blocks() {
    let service = service().await;
    let began = Instant::now();
    let stopped = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        service.request_stop();
    };
    let (upgraded, read, ()) = tokio::join!(
        service.upgrade_state(upgrade("long")),
        service.read(read("long")),
        stopped
    );
    assert!(began.elapsed() < LONG / 4, "{:?}", began.elapsed());
    assert_eq!(upgraded.upgraded_state, None);
    assert_eq!(upgraded.diagnostics[0].summary, "Upgrade Cancelled");
    let about =
        "Resource type test_gate, stored at schema version 0, current version 1, id \"long\".";
    assert!(
        upgraded.diagnostics[0].detail.contains(about),
        "{}",
        upgraded.diagnostics[0].detail
    );
    let [reported] = read.diagnostics.as_slice() else {
        panic!("{:?}", read.diagnostics)
    };
    assert_eq!(reported.summary, "Operation Cancelled");
    assert_eq!(
        reported.detail,
        "Terraform is stopping, so the provider did not wait for a read to end. Run Terraform again."
    );
    // The next call is not concerned.
    assert_eq!(
        service.upgrade_state(upgrade("short")).await.diagnostics,
        []
    );
}

/// A service with its own thread, as a server has it.
async fn served() -> (Service, Serving) {
    let (service, serving) = (service().await, Serving::start().unwrap());
    service.make_calls_in(tokio::runtime::Handle::current(), serving.calls());
    (service, serving)
}

/// The thread that a read runs on.
async fn thread_of_a_read(service: &Service, serving: &Serving) -> String {
    let service = service.clone();
    let answer = serving
        .runtime()
        .spawn(async move { service.read(read("where")).await })
        .await
        .unwrap();
    assert_eq!(answer.diagnostics, []);
    upstate::from_msgpack::<Gate>(&answer.new_state.unwrap().msgpack)
        .unwrap()
        .id
}

/// Twenty reads and as many upgrades at the same moment, all of which block, and how long they
/// take; the server answers others meanwhile.
async fn all_block(service: &Service, serving: &Serving) -> Duration {
    let began = Instant::now();
    let mut calls = JoinSet::new();
    for _ in 0..20 {
        let (one, other) = (service.clone(), service.clone());
        calls.spawn_on(
            async move { one.upgrade_state(upgrade("short")).await.diagnostics },
            serving.runtime(),
        );
        calls.spawn_on(
            async move { other.read(read("short")).await.diagnostics },
            serving.runtime(),
        );
    }
    tokio::time::sleep(Duration::from_millis(100)).await;
    let started = Instant::now();
    serving.runtime().spawn(async {}).await.unwrap();
    assert!(
        started.elapsed() < Duration::from_millis(400),
        "{:?}",
        started.elapsed()
    );
    for reported in calls.join_all().await {
        assert_eq!(reported, []);
    }
    began.elapsed()
}

#[tokio::test]
async fn the_first_calls_of_a_server_may_all_block() {
    let (service, serving) = served().await;
    let took = all_block(&service, &serving).await;
    assert!(took < Duration::from_secs(5), "{took:?}");
}

#[tokio::test]
async fn what_was_quick_a_thousand_times_may_block() {
    let (service, serving) = served().await;
    assert_eq!(thread_of_a_read(&service, &serving).await, "call");
    for _ in 0..1000 {
        thread_of_a_read(&service, &serving).await;
    }
    // Unless the machine was busy just now.
    let mut threads = Vec::new();
    while threads.len() < 100 && threads.last().is_none_or(|last| last == "call") {
        threads.push(thread_of_a_read(&service, &serving).await);
    }
    assert_ne!(threads.last().unwrap(), "call");
    let took = all_block(&service, &serving).await;
    assert!(took < Duration::from_secs(5), "{took:?}");
    assert_eq!(thread_of_a_read(&service, &serving).await, "call");
    // And again, after it slept.
    tokio::time::sleep(Duration::from_secs(1)).await;
    for _ in 0..100 {
        thread_of_a_read(&service, &serving).await;
    }
    let took = all_block(&service, &serving).await;
    assert!(took < Duration::from_secs(5), "{took:?}");
}

#[tokio::test]
async fn a_stop_does_not_wait_for_the_first_call_that_blocks() {
    let (service, serving) = served().await;
    for _ in 0..100 {
        thread_of_a_read(&service, &serving).await;
    }
    let started = service.clone();
    let reading = serving
        .runtime()
        .spawn(async move { started.read(read("long")).await });
    tokio::time::sleep(Duration::from_millis(100)).await;
    let began = Instant::now();
    let stopping = service.clone();
    serving
        .runtime()
        .spawn(async move { stopping.request_stop() })
        .await
        .unwrap();
    let reported = reading.await.unwrap().diagnostics;
    assert!(began.elapsed() < LONG / 4, "{:?}", began.elapsed());
    assert_eq!(reported[0].summary, "Operation Cancelled");
}
