//! The lock beside this package has what the provider serves, and what releases in Go stored.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use upstate_compat::lock::Lock;
use upstate_compat::{Options, Snapshot, compare};

fn lock() -> Lock {
    Lock::parse(include_str!("../../upstate.lock")).unwrap()
}

#[test]
fn it_is_what_the_provider_serves() {
    let lock = lock();
    let current = lock.completed(Snapshot::of(random::provider().registry()));
    let report = compare(&lock.baseline(), &current, &Options::default());
    assert_eq!(
        report.findings,
        [],
        "run `cargo run -p terraform-provider-random --bin random-schemas -- lock`"
    );
}

#[test]
fn every_version_is_in_it() {
    let lock = lock();
    let versions = |name: &str| {
        (0..9)
            .filter(|version| {
                lock.get(name, *version)
                    .is_some_and(upstate_compat::lock::Entry::has_version)
            })
            .count()
    };
    assert_eq!(
        (
            versions("random_password"),
            versions("random_string"),
            versions("random_id")
        ),
        (4, 2, 1)
    );
}
