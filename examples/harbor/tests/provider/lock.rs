//! The lock beside this package has what the provider serves: resources, an identity, a data source, a function and the rest.

#![allow(clippy::unwrap_used, reason = "tests")]

use upstate_compat::lock::Lock;
use upstate_compat::{Options, Snapshot, compare};

fn lock() -> Lock {
    Lock::parse(include_str!("../../upstate.lock")).unwrap()
}

#[test]
fn it_is_what_the_provider_serves() {
    let lock = lock();
    let current = lock.completed(Snapshot::of(harbor::provider().registry()));
    let report = compare(&lock.baseline(), &current, &Options::default());
    assert_eq!(
        report.findings,
        [],
        "run `cargo run -p terraform-provider-harbor --bin harbor-schemas -- lock`"
    );
}

#[test]
fn everything_is_in_it() {
    let lock = lock();
    let current = Snapshot::of(harbor::provider().registry());
    let served: Vec<&str> = current.resources.keys().map(String::as_str).collect();
    let expected = [
        "action.harbor_signal",
        "data.harbor_file",
        "ephemeral.harbor_pass",
        "function.join",
        "harbor_config_file",
        "harbor_directory",
        "harbor_file",
        "list.harbor_file",
        "provider",
    ];
    assert_eq!(served, expected);
    assert!(
        served
            .iter()
            .all(|name| lock.entries().any(|(locked, ..)| locked == *name))
    );
    assert!(lock.get("harbor_file_identity", 0).is_some());
    // A resource of one name has versions; the data source of the same name has none.
    assert!(
        lock.get("harbor_file", 0).unwrap().has_version()
            && !lock.get("data.harbor_file", 0).unwrap().has_version()
    );
}
