//! The service is killed under load, again and again: what it acknowledged is there.

use std::time::{Duration, Instant};

use super::load::Load;
use super::service::{Service, Store};

/// How often, and the seed of what is random.
fn settings() -> (u32, u64) {
    let number = |name: &str| {
        std::env::var(name)
            .ok()
            .map(|value| value.parse().unwrap_or_else(|_| panic!("{name}={value}")))
    };
    (
        number("UPSTATE_KILLS").unwrap_or(6).try_into().unwrap(),
        number("UPSTATE_SEED").unwrap_or_else(|| fastrand::u64(..)),
    )
}

fn survives(store: Store) {
    let (kills, seed) = settings();
    println!("{store:?}: {kills} kills, UPSTATE_SEED={seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let mut service = Service::on(store);
    let load = Load::start(&service.direct(), seed);
    let began = Instant::now();
    for _ in 0..kills {
        load.goes_on(1);
        std::thread::sleep(Duration::from_micros(random.u64(..150_000)));
        service.kill();
        service.run();
        service.ready();
        load.check_heads(&service.direct());
    }
    load.goes_on(1);
    let took = began.elapsed();
    let acknowledged = load.ends(&service.direct());
    println!(
        "{store:?}: {acknowledged} acknowledged versions survived {kills} kills in {took:.1?}"
    );
    assert!(acknowledged > 0);
}

#[test]
fn sqlite() {
    survives(Store::Sqlite);
}

#[test]
fn postgres() {
    survives(Store::Postgres);
}

#[test]
fn bucket() {
    survives(Store::Bucket);
}

#[test]
fn told_to_end_it_finishes_what_runs() {
    let mut service = Service::start();
    let load = Load::start(&service.direct(), 1);
    for _ in 0..3 {
        load.goes_on(5);
        let began = Instant::now();
        assert_eq!(service.stop(), Some(0));
        assert!(
            began.elapsed() < Duration::from_secs(30),
            "clients that keep their connections are not waited for"
        );
        service.run();
        service.ready();
        load.check_heads(&service.direct());
    }
    load.goes_on(1);
    load.ends(&service.direct());
}
