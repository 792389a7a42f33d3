//! Every rule finds something between two releases of a model written in Rust: what the catalogue
//! promises, users get.
//!
//! What was released comes out of a lock, as it does for users. The cases of `tests/breaking` say
//! what is found in any schemas; these say that a model can have such schemas.

#![allow(clippy::unwrap_used, dead_code, reason = "tests")]

mod attributes;
mod configuration;
mod documents;
mod kubernetes;
mod policy;
mod resources;
mod types;

use std::collections::BTreeSet;

use upstate::Registry;
use upstate_compat::lock::Lock;
use upstate_compat::{Options, RULES, Report, Snapshot, compare};

/// A rule, and the step between two releases in which it finds something.
pub(crate) type Case = (&'static str, fn() -> Report);

/// The cases that are about documents, and about custom resources.
pub(crate) const OF_DOCUMENTS: [&[Case]; 2] = [documents::CASES, kubernetes::CASES];

/// The rules about what a provider serves besides resources: the test `served` fires them, from
/// providers.
const SERVED: [&str; 7] = [
    "resource-kind-changed",
    "identity-schema-changed",
    "function-parameters-changed",
    "function-parameter-added",
    "function-parameter-renamed",
    "function-null-refused",
    "function-null-taken",
];

#[test]
fn every_rule_is_fired_by_a_model() {
    let cases = [
        attributes::CASES,
        configuration::CASES,
        documents::CASES,
        kubernetes::CASES,
        policy::CASES,
        resources::CASES,
        types::CASES,
    ]
    .concat();
    let mut silent = Vec::new();
    for (rule, step) in &cases {
        let report = step();
        let found: Vec<&str> = report
            .findings
            .iter()
            .map(|finding| finding.rule.id())
            .collect();
        if !found.contains(rule) {
            silent.push(format!("{rule}: found {found:?}"));
        }
    }
    assert!(silent.is_empty(), "\n{}", silent.join("\n"));
    let served = ["functions", "identities", "models"]
        .map(|name| {
            std::fs::read_to_string(format!(
                "{}/tests/lock/served/{name}.rs",
                env!("CARGO_MANIFEST_DIR")
            ))
            .unwrap()
        })
        .concat();
    let unserved: Vec<&str> = SERVED
        .into_iter()
        .filter(|rule| !served.contains(&format!("{rule} ")))
        .collect();
    assert!(
        unserved.is_empty(),
        "the test `served` finds none of {unserved:?}"
    );
    let fired: BTreeSet<&str> = cases.iter().map(|(rule, _)| *rule).chain(SERVED).collect();
    let all: BTreeSet<&str> = RULES.iter().map(|rule| rule.id()).collect();
    assert_eq!(
        fired, all,
        "each rule has a case, and each case is about a rule"
    );
}

/// The releases of `registries`, the first one 1.0.0, the second 1.1.0 and so on, as a lock that
/// was written and read.
pub(crate) fn lock<const N: usize>(registries: [Registry; N]) -> Lock {
    let mut lock = Lock::default();
    for (minor, registry) in registries.iter().enumerate() {
        lock.freeze(
            &Snapshot::of(registry),
            format!("1.{minor}.0").parse().unwrap(),
        )
        .unwrap();
    }
    Lock::parse(&lock.to_string()).unwrap()
}

/// What is found when release 2.0.0 of `new` follows the last one in the lock.
pub(crate) fn after(lock: &Lock, new: &Registry, options: &Options) -> Report {
    let new = lock
        .completed(Snapshot::of(new))
        .at("2.0.0".parse().unwrap());
    compare(&lock.baseline(), &new, options)
}

pub(crate) fn between(old: Registry, new: &Registry) -> Report {
    after(&lock([old]), new, &Options::default())
}

/// Two releases of a resource, as the schema version and the body of a struct, and the step between
/// them.
macro_rules! step {
    ($old_version:literal $(#[$old:meta])* { $($old_body:tt)* } => $new_version:literal $(#[$new:meta])* { $($new_body:tt)* }) => {{
        mod old {
            #[allow(unused_imports)]
            use super::*;
            #[derive(upstate::Resource)]
            #[resource(type_name = "example_thing", version = $old_version)]
            $(#[$old])*
            pub struct Thing { $($old_body)* }
        }
        mod new {
            #[allow(unused_imports)]
            use super::*;
            #[derive(upstate::Resource)]
            #[resource(type_name = "example_thing", version = $new_version)]
            $(#[$new])*
            pub struct Thing { $($new_body)* }
        }
        $crate::rules::between(upstate::Registry::new().with::<old::Thing>(), &upstate::Registry::new().with::<new::Thing>())
    }};
    ($(#[$old:meta])* { $($old_body:tt)* } => $(#[$new:meta])* { $($new_body:tt)* }) => {
        $crate::rules::step!(0 $(#[$old])* { $($old_body)* } => 0 $(#[$new])* { $($new_body)* })
    };
}

pub(crate) use step;
