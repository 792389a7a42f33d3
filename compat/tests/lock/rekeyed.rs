//! Objects that a release makes a map of, by a member: neither findings nor the guide call that
//! member removed.

#![allow(clippy::expect_used, reason = "tests")]

use std::collections::BTreeMap;

use upstate::{CurrentModel, Object, Registry, Resource};
use upstate_compat::lock::Lock;
use upstate_compat::{Guide, Options, Report, Snapshot, compare};

/// State of release 1.0.0.
mod released {
    use super::*;

    #[derive(Resource)]
    #[resource(type_name = "example_dock")]
    pub(super) struct Dock {
        berths: Vec<Berth>,
    }

    #[derive(Object)]
    pub(super) struct Berth {
        pub(super) depth: Option<String>,
        pub(super) number: u16,
    }

    #[derive(Resource)]
    #[resource(type_name = "example_dock")]
    pub(super) struct Names {
        berths: BTreeMap<String, Named>,
    }

    #[derive(Object)]
    pub(super) struct Named {
        pub(super) depth: Option<String>,
    }
}

#[derive(Resource)]
#[resource(type_name = "example_dock", version = 1)]
#[upgrade_from(0 => 1, rekey(berths: Vec<released::Berth>, by = number))]
struct Dock {
    berths: BTreeMap<String, Berth>,
}

#[derive(Object)]
#[upgrade_from(model = released::Berth, convert(depth, empty = null))]
struct Berth {
    depth: Option<f64>,
}

/// As [`Dock`], with a `drop` as it had to be written once.
#[derive(Resource)]
#[resource(type_name = "example_dock", version = 1)]
#[upgrade_from(0 => 1, rekey(berths: Vec<released::Berth>, by = number))]
struct DockThatDrops {
    berths: BTreeMap<String, BerthThatDrops>,
}

#[derive(Object)]
#[upgrade_from(model = released::Berth, convert(depth, empty = null), drop(number, "it is the key now"))]
struct BerthThatDrops {
    depth: Option<f64>,
}

#[derive(Resource)]
#[resource(type_name = "example_dock", version = 1)]
#[upgrade_from(0 => 1, rekey(berths: BTreeMap<String, released::Named>, by = name))]
struct Listed {
    berths: Vec<Berths>,
}

#[derive(Object)]
#[upgrade_from(model = released::Named, convert(depth, empty = null))]
struct Berths {
    depth: Option<f64>,
    name: String,
}

fn report<Old: CurrentModel, New: CurrentModel>() -> Report {
    let mut lock = Lock::default();
    let released = "1.0.0".parse().expect("a release");
    lock.freeze(&Snapshot::of(&Registry::new().with::<Old>()), released)
        .expect("a lock");
    let lock = Lock::parse(&lock.to_string()).expect("a lock");
    let new = lock
        .completed(Snapshot::of(&Registry::new().with::<New>()))
        .at("2.0.0".parse().expect("a release"));
    compare(&lock.baseline(), &new, &Options::default())
}

/// The rule and place of each finding, and the guide's entries.
fn entries(report: &Report) -> (Vec<String>, String) {
    let findings = report
        .findings
        .iter()
        .map(|it| format!("{} {}", it.rule.id(), it.place()))
        .collect();
    (findings, Guide::new(report, &[]).entries_markdown())
}

#[test]
fn a_member_that_is_the_key_of_a_map_is_not_removed() {
    for report in [
        report::<released::Dock, Dock>(),
        report::<released::Dock, DockThatDrops>(),
    ] {
        let (findings, guide) = entries(&report);
        println!("{findings:#?}\n{guide}");
        assert!(
            !findings
                .iter()
                .any(|finding| finding.contains("berths.number")),
            "{findings:#?}"
        );
        assert!(
            !guide.contains("discarded") && !guide.contains("removed"),
            "{guide}"
        );
        assert!(
            guide.contains("number"),
            "the guide says which member is the key: {guide}"
        );
    }
}

#[test]
fn a_member_that_is_made_of_the_keys_of_a_map_is_not_new() {
    let (findings, guide) = entries(&report::<released::Names, Listed>());
    println!("{findings:#?}\n{guide}");
    assert!(
        !findings
            .iter()
            .any(|finding| finding.contains("berths.name")),
        "{findings:#?}"
    );
    assert!(
        guide.contains("name"),
        "the guide says which member is the key: {guide}"
    );
}
