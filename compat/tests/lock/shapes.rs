//! The releases that stored each of several shapes under one version.

#![allow(clippy::unwrap_used, reason = "tests")]

use upstate::schema::{Attribute, Block, Presence, Schema, Type};
use upstate::{Object, Registry, Resource};
use upstate_compat::lock::Lock;
use upstate_compat::{Options, Release, Snapshot, compare};

#[derive(Object)]
struct Rule {
    port: Option<f64>,
}

/// Version 0 was stored with `zone`, with `location`, and with `location` and `rules`.
#[derive(Resource)]
#[resource(type_name = "acme_site", version = 1)]
#[upgrade_from(0 => 1, when = has("zone"), rename(zone => area), set(rules = null))]
#[upgrade_from(0 => 1, when = has("location"), rename(location => area))]
struct Site {
    area: Option<String>,
    rules: Option<Vec<Rule>>,
}

fn registry() -> Registry {
    Registry::new().with::<Site>()
}

fn release(text: &str) -> Release {
    text.parse().unwrap()
}

const ZONE: &str = r#""zone": {"type": "string", "optional": true}"#;
const LOCATION: &str = r#""location": {"type": "string", "optional": true}"#;
const RULES: &str =
    r#""rules": {"type": ["list", ["object", {"port": "number"}]], "computed": true}"#;

fn document(attributes: &[&str]) -> String {
    format!(
        r#"{{"provider_schemas": {{"example.com/a/acme": {{"resource_schemas": {{"acme_site": {{"version": 0, "block": {{"attributes": {{{}}}}}}}}}}}}}}}"#,
        attributes.join(", ")
    )
}

fn imported(releases: &[(&str, &[&str])]) -> Lock {
    let mut lock = Lock::default();
    for (number, attributes) in releases {
        lock.import(document(attributes).as_bytes(), None, release(number))
            .unwrap();
        assert_eq!(Lock::parse(&lock.to_string()).unwrap(), lock);
    }
    lock
}

/// The place of the shape among the model's, if the lock knows it.
fn place(lock: &Lock, number: &str) -> Option<usize> {
    lock.shapes_at(&registry(), &release(number))
        .get("acme_site")
        .copied()
}

const RELEASES: [(&str, &[&str]); 5] = [
    ("1.0.0", &[ZONE]),
    ("1.1.0", &[ZONE]),
    ("1.2.0", &[LOCATION, RULES]),
    ("1.3.0", &[ZONE]),
    ("1.4.0", &[LOCATION, RULES]),
];

#[test]
fn the_lock_knows_which_release_stored_which_shape() {
    let lock = imported(&RELEASES);
    let alternative = lock.get("acme_site", 0).unwrap().resource().alternatives[0].clone();
    let text = lock.to_string();
    let line = format!(
        r#"@stored_by = {{"1.0.0":"{alternative}","1.2.0":null,"1.3.0":"{alternative}","1.4.0":null}}"#
    );
    assert!(text.contains(&line), "{text}");
    for (number, expected) in [
        ("1.0.0", 0),
        ("1.1.0", 0),
        ("1.2.0", 1),
        ("1.3.0", 0),
        ("1.4.0", 1),
        ("1.5.0", 1),
    ] {
        assert_eq!(place(&lock, number), Some(expected), "{number}");
    }
}

#[test]
fn releases_are_imported_in_any_order() {
    let whole = imported(&RELEASES);
    let mut others = RELEASES.to_vec();
    for _ in 0..RELEASES.len() {
        others.rotate_left(1);
        let lock = imported(&others);
        assert_eq!(
            lock.to_string()
                .lines()
                .find(|line| line.starts_with("@stored_by")),
            whole
                .to_string()
                .lines()
                .find(|line| line.starts_with("@stored_by"))
        );
        others.reverse();
        assert_eq!(
            RELEASES.map(|(number, _)| place(&imported(&others), number)),
            [0, 0, 1, 0, 1].map(Some)
        );
        others.reverse();
    }
}

#[test]
fn a_release_of_models_records_its_shape_and_what_is_known_stays() {
    let mut lock = imported(&RELEASES[..3]);
    lock.freeze(&Snapshot::of(&registry()), release("2.0.0"))
        .unwrap();
    assert_eq!(
        RELEASES[..3]
            .iter()
            .map(|(number, _)| place(&lock, number))
            .collect::<Vec<_>>(),
        [0, 0, 1].map(Some)
    );
    assert_eq!(Lock::parse(&lock.to_string()).unwrap(), lock);
}

#[test]
fn one_shape_that_releases_stored_is_that_of_each_release() {
    let lock = imported(&[("1.0.0", &[ZONE]), ("1.1.0", &[ZONE])]);
    assert!(!lock.to_string().contains("@stored_by"), "{lock}");
    assert_eq!(place(&lock, "1.1.0"), Some(0));
}

#[test]
fn a_lock_without_the_releases_of_its_alternatives_knows_no_shape() {
    let text = imported(&RELEASES[..3]).to_string();
    let old: String = text
        .split_inclusive('\n')
        .filter(|line| !line.starts_with("@stored_by"))
        .collect();
    let mut lock = Lock::parse(&old).unwrap();
    assert_eq!(place(&lock, "1.2.0"), None);
    // From the next release on it is known.
    lock.import(
        document(&[LOCATION, RULES]).as_bytes(),
        None,
        release("1.3.0"),
    )
    .unwrap();
    assert_eq!(
        (place(&lock, "1.2.0"), place(&lock, "1.3.0")),
        (None, Some(1))
    );
}

#[test]
fn a_shape_that_no_model_has_is_not_known() {
    let lock = imported(&[
        (
            "1.0.0",
            &[r#""other": {"type": "string", "optional": true}"#],
        ),
        ("1.1.0", &[LOCATION, RULES]),
    ]);
    assert_eq!(
        (place(&lock, "1.0.0"), place(&lock, "1.1.0")),
        (None, Some(1))
    );
}

#[test]
fn both_sides_of_a_merge_know_their_releases() {
    let ours = imported(&[("1.0.0", &[ZONE]), ("1.2.0", &[LOCATION, RULES])]);
    let mut theirs = imported(&[("1.0.0", &[ZONE])]);
    theirs
        .import(document(&[ZONE]).as_bytes(), None, release("1.2.5"))
        .unwrap();
    theirs
        .import(
            document(&[LOCATION, RULES]).as_bytes(),
            None,
            release("1.3.0"),
        )
        .unwrap();
    let merged = ours.merged(&theirs).unwrap();
    assert_eq!(merged, theirs.merged(&ours).unwrap());
    assert_eq!(
        ["1.0.0", "1.2.0", "1.2.5", "1.3.0"].map(|number| place(&merged, number)),
        [0, 1, 0, 1].map(Some)
    );
}

#[test]
fn an_edited_record_is_refused() {
    let text = imported(&RELEASES[..3]).to_string();
    for (old, new, expected) in [
        (
            "{\"1.0.0\":",
            "{\"soon\":",
            "`@stored_by` has something that is not a release",
        ),
        (
            "\"1.2.0\":null}",
            "\"1.2.0\":7}",
            "`@stored_by`: invalid type: integer `7`, expected a string",
        ),
        (
            "\"1.2.0\":null}",
            "\"1.2.0\":\"00\"}",
            "`@stored_by` has 00, which is not among the `@alternatives`",
        ),
    ] {
        let line = text
            .lines()
            .find(|line| line.starts_with("@stored_by"))
            .unwrap();
        let edited = text.replace(line, &line.replace(old, new));
        let error = Lock::parse(&edited).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn a_type_with_one_shape_has_no_choice() {
    let schema = Schema::new(
        1,
        Block::new([Attribute::new("title", Type::String, Presence::Required)]),
    );
    let note = upstate::ResourceDefinition::builder("acme_note", schema)
        .unsupported(0..=0)
        .build()
        .unwrap();
    let mut registry = registry();
    registry.insert(note);
    let mut lock = Lock::default();
    lock.freeze(&Snapshot::of(&registry), release("1.0.0"))
        .unwrap();
    assert!(lock.shapes_at(&registry, &release("1.0.0")).is_empty());
}

#[test]
fn each_upgrader_of_a_version_is_in_the_lock_with_its_condition() {
    let mut lock = Lock::default();
    lock.freeze(&Snapshot::of(&registry()), release("1.0.0"))
        .unwrap();
    let text = lock.to_string();
    assert_eq!(Lock::parse(&text).unwrap(), lock);
    let (before, rest) = text.split_once(r#","when":"has zone"}"#).unwrap();
    let (second, after) = rest.split_once(r#","when":"has location"}"#).unwrap();
    assert!(
        second.starts_with(r#",{"digest":""#)
            && second.ends_with(r#"","from":0,"kind":"operators""#),
        "{text}"
    );
    // A lock of before there were conditions has the first upgrader alone.
    let old = Lock::parse(&[before, "}", after].concat()).unwrap();
    for lock in [lock, old] {
        let now = lock
            .completed(Snapshot::of(&registry()))
            .at(release("1.1.0"));
        let found = compare(&lock.baseline(), &now, &Options::default()).findings;
        assert!(
            found
                .iter()
                .all(|finding| finding.rule.id() != "upgrader-edited"),
            "{lock}"
        );
    }
}

/// Versions 0 and 1 were stored with `zone`, and with `place`.
#[derive(Resource)]
#[resource(type_name = "acme_plot", version = 2)]
#[upgrade_from(0..=1 => 2, when = has("zone"), rename(zone => area))]
#[upgrade_from(0..=1 => 2, when = has("place"), rename(place => area))]
struct Plot {
    area: Option<String>,
}

#[test]
fn versions_that_share_their_upgraders_are_one_entry_for_each() {
    let mut lock = Lock::default();
    lock.freeze(
        &Snapshot::of(&Registry::new().with::<Plot>()),
        release("1.0.0"),
    )
    .unwrap();
    let text = lock.to_string();
    assert_eq!(Lock::parse(&text).unwrap(), lock);
    for condition in ["has zone", "has place"] {
        let entry = format!(r#""from":0,"kind":"operators","through":1,"when":"{condition}"}}"#);
        assert_eq!(text.matches(&entry).count(), 1, "{text}");
    }
}
