//! Several processes of the service on one database, none of them special.

use std::net::TcpListener;
use std::sync::Arc;

use serde_json::json;

use super::api::{Api, creation, state};
use super::balancer::Balancer;
use super::load::Load;
use super::service::{Kept, Service, Store, TOKEN};

/// Three processes behind one address.
fn three(store: Store) -> (Balancer, Vec<Service>) {
    let kept = Kept::new(store);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let public = format!("http://{}", listener.local_addr().unwrap());
    let services: Vec<Service> = (0..3)
        .map(|_| Service::of(Arc::clone(&kept), Some(&public), &[]))
        .collect();
    let behind = services.iter().map(Service::listens).collect();
    (Balancer::on(listener, behind), services)
}

/// They are killed in turn while clients write: what was acknowledged is there, and the others go
/// on.
fn survive(store: Store) {
    let rounds = std::env::var("UPSTATE_KILLS").map_or(6, |kills| kills.parse().unwrap());
    let (front, mut services) = three(store);
    let load = Load::start(&Api::new(&front.url(), TOKEN), 1);
    for round in 0..rounds {
        let victim = round % services.len();
        load.goes_on(3);
        services[victim].kill();
        load.goes_on(3);
        load.check_heads(&services[(victim + 1) % services.len()].direct());
        services[victim].run();
        services[victim].ready();
        load.check_heads(&services[victim].direct());
    }
    let acknowledged = load.ends(&services[0].direct());
    println!(
        "{store:?}: {acknowledged} acknowledged versions survived {rounds} kills of one of three processes"
    );
    assert!(acknowledged >= rounds * 6);
}

#[test]
fn on_postgres_they_are_killed_in_turn() {
    survive(Store::Postgres);
}

#[test]
#[ignore = "takes half a minute; `--include-ignored` runs it"]
fn with_a_bucket_they_are_killed_in_turn() {
    survive(Store::Bucket);
}

#[test]
fn what_one_begins_another_ends() {
    let (_front, services) = three(Store::Postgres);
    let [first, second, third] = [0, 1, 2].map(|number: usize| services[number].direct());
    let workspace = first.create_workspace("shared");
    first.lock(&workspace).is(200);
    second.lock(&workspace).refuses(409, "is locked by");
    let bytes = state("lineage", 1, "shared");
    let made = second.post(
        &format!("/api/v2/workspaces/{workspace}/state-versions"),
        &creation(&bytes, false),
    );
    made.is(201);
    // The URL was signed by one process, and is good at another one.
    let path = |url: &serde_json::Value| {
        let url = url.as_str().unwrap();
        let (_, rest) = url.split_once("://").unwrap();
        rest[rest.find('/').unwrap()..].to_owned()
    };
    third
        .put(&path(&made.attribute("hosted-state-upload-url")), &bytes)
        .is(200);
    let current = first.current(&workspace);
    assert_eq!(current.is(200).attribute("status"), json!("finalized"));
    let download = path(&current.attribute("hosted-state-download-url"));
    for api in [&first, &second, &third] {
        let anybody = api.with_token("");
        assert_eq!(anybody.get(&download).is(200).body, bytes);
    }
    third
        .post(
            &format!("/api/v2/workspaces/{workspace}/actions/unlock"),
            &json!({}),
        )
        .is(200);
}
