//! Versions that share an upgrader, and versions that no release stored: one entry each, wherever
//! versions are listed.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::fs;

use upstate::schema::{Block, Schema};
use upstate::testing::{Fixtures, Hostile, assert_every_version_is_reached};
use upstate::upgrade::ClosureUpgrader;
use upstate::{Diagnostics, Registry, Resource, ResourceDefinition, UpgradeRequest, upgrade_json};
use upstate_compat::Snapshot;
use upstate_compat::lock::Lock;

/// Versions 2 to 499 share a shape, and no release stored the next hundred.
#[derive(Debug, PartialEq, Resource)]
#[resource(type_name = "example_pool", version = 600)]
#[upgrade_from(0, model = PoolV0, rename(title => name))]
#[upgrade_from(1..=499, model = PoolV499, rename(label => name))]
#[upgrade_from(500..=599, never_released)]
struct Pool {
    name: String,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_pool", version = 499, prior)]
struct PoolV499 {
    label: String,
}

/// It says no version: it is of version 0.
#[derive(Debug, Resource)]
#[resource(type_name = "example_pool")]
struct PoolV0 {
    title: String,
}

/// It says nothing at all.
#[derive(Debug, Resource)]
struct Plain {
    name: String,
}

#[test]
fn a_model_that_says_no_version_is_of_version_0() {
    assert_eq!(
        (PoolV0::VERSION, Plain::VERSION, Plain::TYPE_NAME),
        (0, 0, "plain")
    );
    let plain: Plain = upgrade_json(0, r#"{"name":"a"}"#).unwrap();
    assert_eq!(plain.name, "a");
    assert_eq!(Plain::DEFINITION.supported_versions(), [0_u64; 0]);
}

#[test]
fn a_version_that_no_release_stored_is_refused() {
    let upgraded = |version, json: &str| upgrade_json::<Pool>(version, json).map(|pool| pool.name);
    assert_eq!(upgraded(0, r#"{"title":"a"}"#).unwrap(), "a");
    for version in [1, 2, 499] {
        assert_eq!(upgraded(version, r#"{"label":"b"}"#).unwrap(), "b");
    }
    for version in [500, 599] {
        let text = upgraded(version, r#"{"name":"c"}"#)
            .unwrap_err()
            .to_string();
        let says =
            format!("The state says schema version {version}, which no release ever stored.");
        assert!(
            text.contains(&says) && text.contains("restore the state from a backup"),
            "{text}"
        );
        assert!(Pool::DEFINITION.route(version).is_empty());
    }
}

#[test]
fn versions_that_share_an_upgrader_are_one_range() {
    assert_eq!(Pool::DEFINITION.supported_ranges(), [0..=0, 1..=499]);
    assert_eq!(Pool::DEFINITION.supported_versions().len(), 500);
    let registry = Registry::new().with::<Pool>();
    // What is at fault there is not the range, but the message must not list five hundred numbers.
    let mut stale = Registry::new();
    stale.insert(Pool::DEFINITION.clone());
    let newer = stale.upgrade(&UpgradeRequest::json("example_pool", 601, b"{}"));
    assert!(
        newer
            .diagnostics()
            .to_string()
            .contains("this release reads versions up to 600"),
        "{}",
        newer.diagnostics()
    );
    assert_every_version_is_reached(&registry);
}

#[test]
fn a_range_needs_one_fixture_and_one_set_of_hostile_states() {
    let folder = tempfile::tempdir().unwrap();
    let problems = || {
        Fixtures::new(folder.path())
            .update(false)
            .run_model::<Pool>()
            .problems()
            .join("\n")
    };
    let all = problems();
    assert_eq!(all.matches("no fixture stored at").count(), 2, "{all}");
    assert!(all.contains("no fixture stored at one of the versions 1 to 499 can be upgraded, but they are supported"), "{all}");
    for (version, state) in [(0, r#"{"title":"a"}"#), (7, r#"{"label":"a"}"#)] {
        let folder = folder.path().join(format!("example_pool/v{version}"));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("plain.json"), state).unwrap();
    }
    assert_eq!(
        Fixtures::new(folder.path())
            .update(true)
            .run_model::<Pool>()
            .checked(),
        2
    );
    assert_eq!(problems(), "");

    let made = Hostile::new::<Pool>().check();
    let states = made.upgraded() + made.refused();
    assert!(
        states < 1_000,
        "{states} states for three shapes of one attribute"
    );
    // A sample of any version of the range is a beginning.
    let more = Hostile::new::<Pool>().sample(7, r#"{"label":"a"}"#).check();
    assert!(more.upgraded() > made.upgraded());
}

#[test]
fn a_range_is_one_entry_of_the_lock() {
    let mut lock = Lock::default();
    let served = Snapshot::of(&Registry::new().with::<Pool>());
    lock.freeze(&served, "1.0.0".parse().unwrap()).unwrap();
    let text = lock.to_string();
    let headers: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with('['))
        .map(|line| line.split(']').next().unwrap())
        .collect();
    assert_eq!(
        headers,
        [
            "[example_pool 0",
            "[example_pool 1..=499",
            "[example_pool 600"
        ]
    );
    assert!(
        text.contains(r#""from":1,"kind":"operators","through":499}"#),
        "{text}"
    );
    assert!(text.contains("@skips = [[500,599]]"), "{text}");
    assert!(text.len() < 1_200, "{text}");
    assert_eq!(Lock::parse(&text).unwrap(), lock);
    for version in [1, 2, 499] {
        assert_eq!(
            lock.get("example_pool", version)
                .unwrap()
                .resource()
                .version,
            version
        );
    }
    // Nothing changed since, and a version of the range that was edited on its own is one again.
    assert_eq!(
        lock.clone()
            .freeze(&served, "1.1.0".parse().unwrap())
            .unwrap(),
        []
    );
    let apart = text.replacen("[example_pool 1..=499]", "[example_pool 1..=498]", 1);
    let last = text
        .split("\n\n")
        .find(|entry| entry.starts_with("[example_pool 1..=499]"))
        .unwrap()
        .replace("1..=499", "499");
    assert_eq!(Lock::parse(&format!("{apart}\n{last}\n")).unwrap(), lock);
}

#[test]
fn a_range_in_the_lock_that_is_none_is_refused() {
    let mut lock = Lock::default();
    lock.freeze(
        &Snapshot::of(&Registry::new().with::<Pool>()),
        "1.0.0".parse().unwrap(),
    )
    .unwrap();
    let text = lock.to_string();
    let refused = |from: &str, to: &str| {
        assert!(text.contains(from));
        Lock::parse(&text.replacen(from, to, 1))
            .unwrap_err()
            .to_string()
    };
    for (to, says) in [
        (
            "[example_pool 499..=1]",
            "there is no version from 499 to 1",
        ),
        (
            "[example_pool 1..=18446744073709551615]",
            "are more than 65536",
        ),
        ("[example_pool 1..=]", "expected `[type version]"),
        ("[example_pool 0..=499]", "is here twice"),
    ] {
        let error = refused("[example_pool 1..=499]", to);
        assert!(error.contains(says), "{error}");
    }
    for through in ["0", "18446744073709551615"] {
        let error = refused(r#""through":499"#, &format!(r#""through":{through}"#));
        assert!(
            error.contains(&format!("there are no versions from 1 to {through}")),
            "{error}"
        );
    }
}

fn passes(from: u64) -> ClosureUpgrader {
    ClosureUpgrader::new(from, |state, _| Ok::<_, Diagnostics>(state))
}

fn panics(registry: &Registry) -> String {
    let failed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        assert_every_version_is_reached(registry)
    }))
    .unwrap_err();
    failed.downcast_ref::<String>().unwrap().clone()
}

#[test]
fn what_nothing_leads_up_from_is_found_in_a_registry() {
    let mut registry = Registry::new().with::<Pool>();
    let schema = |version| Schema::new(version, Block::new([]));
    let definition = ResourceDefinition::builder("example_made", schema(5))
        .unsupported(0..=u64::MAX)
        .upgrader(passes(1))
        .upgrader(passes(4));
    let identity = ResourceDefinition::builder("identity", schema(9_000_000_000))
        .unsupported(0..=u64::MAX)
        .oldest(8_999_999_996)
        .upgrader(passes(8_999_999_998));
    registry.insert(
        definition
            .identity(identity.build().unwrap())
            .build()
            .unwrap(),
    );
    assert_eq!(
        panics(&registry),
        "example_made: no upgrader leads from version 0 to version 5\n\
         help: add an upgrader, or say that version 1 is the oldest supported one\n\
         example_made: no upgrader leads from versions 2 to 3 to version 5\n\
         help: add an upgrader; one for a version that is no longer supported may answer with an error that says what to do\n\
         the identity of example_made: no upgrader leads from versions 8999999996 to 8999999997 to version 9000000000\n\
         help: add an upgrader, or say that version 8999999998 is the oldest supported one\n\
         the identity of example_made: no upgrader leads from version 8999999999 to version 9000000000\n\
         help: add an upgrader; one for a version that is no longer supported may answer with an error that says what to do"
    );
    let mut registry = Registry::new();
    registry.insert(PoolV499::DEFINITION.clone());
    assert_eq!(
        panics(&registry),
        "example_pool: no upgrader leads from versions 0 to 498 to version 499\n\
         help: `PoolV499` is a prior model: register the current model of its type"
    );
}
