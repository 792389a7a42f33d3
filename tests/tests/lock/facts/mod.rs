//! What models declare, and the rules that read it: from two derived models to the finding.

#![allow(clippy::unwrap_used, dead_code, reason = "tests")]

mod declared;
mod renames;
mod waivers;

use upstate::Registry;
use upstate_compat::lock::Lock;
use upstate_compat::{Options, Report, Snapshot, compare};

/// The rules that find something, with the paths, when `new` follows `old`. What was released comes
/// out of a lock, as it does for users.
fn findings(old: Registry, new: Registry) -> Vec<String> {
    let report = report(&old, &new);
    report
        .findings
        .iter()
        .map(|finding| {
            format!("{} {}", finding.rule.id(), finding.path)
                .trim_end()
                .to_owned()
        })
        .collect()
}

fn locked(registry: &Registry) -> Lock {
    let mut lock = Lock::default();
    lock.freeze(&Snapshot::of(registry), "1.0.0".parse().unwrap())
        .unwrap();
    lock
}

fn report(old: &Registry, new: &Registry) -> Report {
    let lock = Lock::parse(&locked(old).to_string()).unwrap();
    let new = lock
        .completed(Snapshot::of(new))
        .at("2.0.0".parse().unwrap());
    compare(&lock.baseline(), &new, &Options::default())
}
