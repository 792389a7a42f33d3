//! What becomes of the service when its database ends, and when several processes begin on an empty
//! store.

use std::net::{SocketAddr, TcpListener};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::api::Api;
use super::load::Load;
use super::service::{Kept, Service, Store, free_address};

/// The database is killed under load, again and again. Writers ask again after an error of
/// transport, 502 and 503; any other error of the service fails them.
fn survives(store: Store) {
    let kills =
        std::env::var("UPSTATE_KILLS").map_or(3, |kills| kills.parse::<u32>().unwrap().div_ceil(5));
    let seed = std::env::var("UPSTATE_SEED")
        .map_or_else(|_| fastrand::u64(..), |seed| seed.parse().unwrap());
    println!("{store:?}: {kills} kills of the database, UPSTATE_SEED={seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let kept = Kept::alone(store);
    let service = Service::of(Arc::clone(&kept), None, &[]);
    let load = Load::start(&service.direct(), seed);
    for round in 0..kills {
        load.goes_on(3);
        std::thread::sleep(Duration::from_micros(random.u64(..100_000)));
        kept.kill_database();
        if round == 0 {
            // It says so, and goes on.
            let api = service.direct();
            api.get("/readyz").is(503);
            api.get("/healthz").is(200);
        }
        std::thread::sleep(Duration::from_micros(random.u64(..100_000)));
        kept.run_database();
        load.goes_on(3);
        load.check_heads(&service.direct());
    }
    let acknowledged = load.ends(&service.direct());
    println!(
        "{store:?}: {acknowledged} acknowledged versions survived {kills} kills of the database"
    );
}

#[test]
fn postgres_is_killed_under_load() {
    survives(Store::Postgres);
}

#[test]
#[ignore = "takes half a minute; `--include-ignored` runs it"]
fn postgres_is_killed_under_load_with_the_bytes_in_a_bucket() {
    survives(Store::Bucket);
}

/// Starts a process that makes an owner token if nobody else did.
fn first(kept: &Kept, listen: SocketAddr) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_state_versions_service"));
    command
        .args(["serve", "--listen", &listen.to_string(), "--log", "warn"])
        .env_clear()
        .envs(kept.environment());
    command
        .current_dir(kept.folder())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// The token in what was printed.
fn token_in(text: &str) -> Option<&str> {
    text.lines()
        .map(str::trim)
        .find(|line| line.starts_with("upstate."))
}

fn one_prints_the_token(store: Store) {
    let kept = Kept::new(store);
    let addresses: Vec<SocketAddr> = (0..4).map(|_| free_address()).collect();
    let mut children: Vec<Child> = addresses
        .iter()
        .map(|address| first(&kept, *address))
        .collect();
    let began = Instant::now();
    for address in &addresses {
        let api = Api::new(&format!("http://{address}"), "");
        while !api
            .try_get("/readyz")
            .is_ok_and(|answer| answer.status == 200)
        {
            assert!(
                began.elapsed() < Duration::from_secs(60),
                "{address} is not ready"
            );
            std::thread::sleep(Duration::from_millis(10));
        }
    }
    let mut printed = Vec::new();
    for child in &mut children {
        child.kill().unwrap();
    }
    for child in children {
        printed.push(String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap());
    }
    let tokens: Vec<&str> = printed.iter().filter_map(|text| token_in(text)).collect();
    assert_eq!(tokens.len(), 1, "{printed:#?}");
    let listed = Command::new(env!("CARGO_BIN_EXE_state_versions_service"))
        .args(["token", "list"])
        .env_clear()
        .envs(kept.environment())
        .output()
        .unwrap();
    assert_eq!(String::from_utf8(listed.stdout).unwrap().lines().count(), 1);
    // It works at a server that did not print it.
    let silent = printed
        .iter()
        .position(|text| token_in(text).is_none())
        .unwrap();
    let mut again = first(&kept, addresses[silent]);
    let api = Api::new(&format!("http://{}", addresses[silent]), tokens[0]);
    while api.try_get("/readyz").is_err() {
        assert!(
            began.elapsed() < Duration::from_secs(90),
            "it does not start again"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
    api.get("/api/v2/account/details").is(200);
    again.kill().unwrap();
    assert_eq!(
        token_in(&String::from_utf8(again.wait_with_output().unwrap().stdout).unwrap()),
        None
    );
}

#[test]
fn of_several_that_start_at_once_on_a_folder_one_prints_the_owner_token() {
    one_prints_the_token(Store::Sqlite);
}

#[test]
fn of_several_that_start_at_once_on_a_database_one_prints_the_owner_token() {
    one_prints_the_token(Store::Postgres);
}

/// Two servers on one folder is not what it is for, and loses nothing all the same.
#[test]
fn two_on_one_folder_do_each_other_no_harm() {
    let kept = Kept::new(Store::Sqlite);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let public = format!("http://{}", listener.local_addr().unwrap());
    let services: Vec<Service> = (0..2)
        .map(|_| Service::of(Arc::clone(&kept), Some(&public), &[]))
        .collect();
    let front =
        super::balancer::Balancer::on(listener, services.iter().map(Service::listens).collect());
    let load = Load::start(&Api::new(&front.url(), super::service::TOKEN), 1);
    load.goes_on(40);
    let acknowledged = load.ends(&services[1].direct());
    assert!(acknowledged >= 40);
}
