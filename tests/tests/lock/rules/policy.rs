//! Versions, history, deprecation and releases.

use std::fs;

use upstate::schema::{Attribute, Block, Presence, Schema, Type};
use upstate::upgrade::ClosureUpgrader;
use upstate::{Diagnostic, Registry, Resource, ResourceDefinition, Value};
use upstate_compat::lock::Lock;
use upstate_compat::{
    DeprecationWindow, Guide, GuideNote, Options, Report, Snapshot, Waiver, compare,
};

use crate::rules::{Case, after, between, lock, step};

pub(crate) const CASES: &[Case] = &[
    (
        "schema-version-not-bumped",
        || step! { { size: String } => { size: i64 } },
    ),
    ("schema-version-skipped", || {
        step! { 0 { size: String } => 3 #[upgrade_from(0..=2 => 3, convert(size: String, empty = refuse))] { size: i64 } }
    }),
    ("schema-version-decreased", || {
        after(
            &two(),
            &Registry::new().with::<Other>(),
            &Options::default(),
        )
    }),
    ("schema-version-reused", || {
        after(
            &two(),
            &Registry::new().with::<Other>(),
            &Options::default(),
        )
    }),
    (
        "schema-version-bump-unneeded",
        || step! { 0 { size: i64 } => 1 #[upgrade_from(0 => 1, carry)] { size: i64 } },
    ),
    ("upgrader-missing", || {
        step! { 0 { size: String } => 1 #[upgrade_from(0, unsupported = "stop at 1.4.0")] { size: i64 } }
    }),
    ("upgrader-chain-gap", gap),
    ("upgrader-removed", || {
        after(
            &two(),
            &Registry::new().with::<Other>(),
            &Options::default(),
        )
    }),
    ("prior-schema-edited", || {
        step! { 1 #[upgrade_from(0 => 1, convert(size: String, empty = refuse))] { size: i64 } =>
        1 #[upgrade_from(0 => 1, convert(size: Option<String>, empty = null), default(size = 3))] { size: i64 } }
    }),
    ("prior-schema-missing", || {
        between(built(&["id"]), &built(&["id", "zone"]))
    }),
    ("prior-schema-mismatch", || {
        with_states(r#"{"size": ["1"]}"#, None)
    }),
    ("upgrader-output-mismatch", || {
        with_states(r#"{"size": "one"}"#, None)
    }),
    ("upgrader-output-mismatch", || {
        with_states(r#"{"size": "1"}"#, Some(r#"{"size": 2}"#))
    }),
    ("upgrader-fixture-missing", || step_with_states(|_| {})),
    ("upgrader-edited", || {
        step! { 1 #[upgrade_from(0 => 1, set(zone = "eu"))] { id: String, zone: String } =>
        1 #[upgrade_from(0 => 1, set(zone = "us"))] { id: String, zone: String } }
    }),
    ("baseline-missing", || {
        after(
            &Lock::default(),
            &Registry::new().with::<Plain>(),
            &Options::default(),
        )
    }),
    ("baseline-stale", || {
        let mut lock = Lock::default();
        lock.relock(&Snapshot::of(&Registry::new().with::<Plain>()))
            .unwrap();
        after(
            &lock,
            &Registry::new().with::<PlainGrown>(),
            &Options::default(),
        )
    }),
    ("unhandled-change", || {
        // As a later release of upstate may write it.
        let text = lock([Registry::new().with::<Plain>()]).to_string();
        let lock =
            Lock::parse(&text.replace("released 1.0.0\n", "released 1.0.0\n@colour = \"red\"\n"))
                .unwrap();
        after(&lock, &Registry::new().with::<Plain>(), &Options::default())
    }),
    (
        "removed-without-deprecation",
        || step! { { id: String, zone: Option<String> } => { id: String } },
    ),
    ("removed-before-window", || {
        step! { { id: String, #[attribute(deprecated("Remove it.", no_replacement = "unused", remove_in = "3.0.0"))] zone: Option<String> } =>
        { id: String } }
    }),
    ("removed-before-window", too_soon),
    ("removal-planned", || {
        step! { { #[attribute(deprecated("Remove it.", no_replacement = "unused", remove_in = "3.0.0"))] zone: Option<String> } =>
        { #[attribute(deprecated("Remove it.", no_replacement = "unused", remove_in = "3.0.0"))] zone: Option<String> } }
    }),
    ("rename-without-overlap", || {
        step! { 0 { title: String } => 1 #[upgrade_from(0 => 1, rename(title => name))] { name: String } }
    }),
    ("rename-pair-not-exclusive", || {
        step! { { size: Option<i64> } =>
        { #[attribute(deprecated("Use `width`.", replaced_by = "width"))] size: Option<i64>, width: Option<i64> } }
    }),
    ("deprecation-no-replacement", || {
        step! { { zone: Option<String> } => { #[attribute(deprecated = "Remove it.")] zone: Option<String> } }
    }),
    ("deprecation-not-actionable", || {
        step! { { zone: Option<String> } => { #[attribute(deprecated = "Not nice.")] zone: Option<String> } }
    }),
    ("deprecation-replacement-missing", || {
        step! { { zone: Option<String>, area: Option<String> } => {
            #[attribute(deprecated("Use `area`.", replaced_by = "area"))]
            zone: Option<String>,
            #[attribute(deprecated("Remove it.", no_replacement = "unused"))]
            area: Option<String>,
        } }
    }),
    ("deprecation-of-required-attribute", || {
        step! { { zone: String } => { #[attribute(deprecated("Remove it.", no_replacement = "unused"))] zone: String } }
    }),
    ("deprecation-window-shortened", || {
        step! { { #[attribute(deprecated("Remove it.", no_replacement = "unused", remove_in = "4.0.0"))] zone: Option<String> } =>
        { #[attribute(deprecated("Remove it.", no_replacement = "unused", remove_in = "3.0.0"))] zone: Option<String> } }
    }),
    ("deprecation-overdue", || {
        step! { { zone: Option<String> } =>
        { #[attribute(deprecated("Remove it.", no_replacement = "unused", remove_in = "2.0.0"))] zone: Option<String> } }
    }),
    ("deprecation-unreferenced-computed", || {
        step! { { #[attribute(computed)] zone: Option<String> } =>
        { #[attribute(computed, deprecated("Remove it.", no_replacement = "unused"))] zone: Option<String> } }
    }),
    ("release-bump-insufficient", || {
        at("1.0.1", &Registry::new().with::<PlainGrown>())
    }),
    ("release-version-decreased", || {
        at("0.9.0", &Registry::new().with::<PlainGrown>())
    }),
    ("upgrade-guide-entry-missing", || {
        let options = Options {
            guide_notes: Some(Vec::new()),
            ..Options::default()
        };
        after(
            &lock([Registry::new().with::<PlainGrown>()]),
            &Registry::new().with::<Plain>(),
            &options,
        )
    }),
    ("suppression-unused", || {
        step! { { id: String } => #[resource(allow("attribute-removed", reason = "never-released", until = "3.0.0"))] { id: String } }
    }),
    ("suppression-expired", || {
        step! { { id: String, zone: Option<String> } =>
        #[resource(allow("attribute-removed", path = "zone", reason = "never-released", until = "1.5.0"))] { id: String } }
    }),
    ("suppression-without-reason", || {
        let waiver = Waiver {
            rule: Some("attribute-removed".to_owned()),
            ..Waiver::default()
        };
        let options = Options {
            waivers: vec![waiver],
            ..Options::default()
        };
        after(
            &lock([Registry::new().with::<Plain>()]),
            &Registry::new().with::<Plain>(),
            &options,
        )
    }),
];

#[derive(Resource)]
#[resource(type_name = "example_plain", version = 0)]
struct PlainDeprecated {
    id: String,
    #[attribute(deprecated("Remove it.", no_replacement = "unused"))]
    zone: Option<String>,
}

/// The lock knows which release deprecated something, and its day.
fn deprecated_on(day: &str) -> Lock {
    let mut lock = lock([Registry::new().with::<PlainGrown>()]);
    let released =
        Snapshot::of(&Registry::new().with::<PlainDeprecated>()).on(day.parse().unwrap());
    lock.freeze(&released, "1.5.0".parse().unwrap()).unwrap();
    Lock::parse(&lock.to_string()).unwrap()
}

fn removed(lock: &Lock, day: &str, deprecation: DeprecationWindow) -> Report {
    let new = lock
        .completed(Snapshot::of(&Registry::new().with::<Plain>()))
        .at("2.0.0".parse().unwrap())
        .on(day.parse().unwrap());
    compare(
        &lock.baseline(),
        &new,
        &Options {
            deprecation,
            ..Options::default()
        },
    )
}

fn window(min_days: u64) -> DeprecationWindow {
    DeprecationWindow {
        min_days,
        ..DeprecationWindow::default()
    }
}

fn too_soon() -> Report {
    removed(&deprecated_on("2026-01-31"), "2026-03-01", window(30))
}

#[test]
fn days_are_counted_from_the_release_that_deprecated() {
    let lock = deprecated_on("2026-01-31");
    let text = lock.to_string();
    assert!(
        text.contains("\nrelease 1.0.0\nrelease 1.5.0 2026-01-31\n"),
        "{text}"
    );
    assert!(
        text.contains(r#"zone = "string" null {"deprecated":{"message":"Remove it.","no_replacement":"unused","since":"1.5.0"}"#),
        "{text}"
    );
    let found = |report: Report| {
        report
            .findings
            .iter()
            .filter_map(|finding| finding.note.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        found(too_soon()),
        ["deprecated in 1.5.0 on 2026-01-31, 29 days before this release; 30 days are asked for"]
    );
    assert!(found(removed(&lock, "2026-03-02", window(30))).is_empty());
    // A release that is written again keeps its first day, and so does a merge of two locks that
    // have both.
    let mut again = lock.clone();
    let released =
        Snapshot::of(&Registry::new().with::<PlainDeprecated>()).on("2026-02-28".parse().unwrap());
    again.freeze(&released, "1.5.0".parse().unwrap()).unwrap();
    assert_eq!(again, lock);
    let merged = text.replace(
        "release 1.5.0 2026-01-31\n",
        "release 1.5.0 2026-01-31\nrelease 1.5.0 2026-02-28\nrelease 1.5.0\n",
    );
    assert_eq!(Lock::parse(&merged).unwrap(), lock);
    // What was deprecated stays so without a finding, whether the author or the lock says since
    // when.
    let same = lock
        .completed(Snapshot::of(&Registry::new().with::<PlainDeprecated>()))
        .at("1.6.0".parse().unwrap());
    assert!(
        compare(&lock.baseline(), &same, &Options::default())
            .findings
            .is_empty()
    );
    let wrong = text.replace("2026-01-31", "2026-02-30");
    assert!(
        Lock::parse(&wrong)
            .unwrap_err()
            .to_string()
            .contains("\"2026-02-30\" is not a day such as 2026-11-22")
    );
}

#[test]
fn a_reason_in_the_upgrader_is_enough() {
    let rules = |report: Report| {
        report
            .findings
            .iter()
            .map(|finding| finding.rule.id())
            .collect::<Vec<_>>()
    };
    let raised = step! { 0 { size: i64 } => 1 #[upgrade_from(0 => 1, carry, reason = "sizes are in MiB now")] { size: i64 } };
    assert!(rules(raised).is_empty());
    let edited = step! { 1 #[upgrade_from(0 => 1, set(zone = "eu"))] { id: String, zone: String } =>
    1 #[upgrade_from(0 => 1, set(zone = "us"), reason = "`eu` was a mistake")] { id: String, zone: String } };
    assert!(rules(edited).is_empty());
    // The reason of an earlier edit is none for this one.
    let edited = step! { 1 #[upgrade_from(0 => 1, set(zone = "eu"), reason = "`us` was a mistake")] { id: String, zone: String } =>
    1 #[upgrade_from(0 => 1, set(zone = "us"), reason = "`us` was a mistake")] { id: String, zone: String } };
    assert_eq!(rules(edited), ["upgrader-edited"]);
    let chained = Registry::new().with::<Chain>();
    let snapshot = Snapshot::of(&chained);
    let reasons = snapshot.resources["example_chain"]
        .upgraders
        .iter()
        .map(|upgrader| upgrader.reason.as_deref());
    assert_eq!(
        reasons.collect::<Vec<_>>(),
        [Some("the API counts in MiB"), Some("names were trimmed")]
    );
    let lock = lock([chained]);
    assert_eq!(
        lock.get("example_chain", 2).unwrap().resource().upgraders,
        snapshot.resources["example_chain"].upgraders
    );
}

/// Constants of the crate, of which the text of the upgrader shows the names alone.
const FOUR: i64 = 4;
const FIVE: i64 = 5;

#[test]
fn another_constant_is_another_upgrader() {
    let set = step! { 1 #[upgrade_from(0 => 1, set(units = FOUR))] { id: String, units: i64 } =>
    1 #[upgrade_from(0 => 1, set(units = FIVE))] { id: String, units: i64 } };
    let filled = step! { 1 #[upgrade_from(0 => 1, default(units = 4))] { id: String, units: i64 } =>
    1 #[upgrade_from(0 => 1, default(units = 5))] { id: String, units: i64 } };
    let mapped = step! { 1 #[upgrade_from(0 => 1, values(zone, "eu" => "eu-1", _ => keep))] { id: String, zone: String } =>
    1 #[upgrade_from(0 => 1, values(zone, "eu" => "eu-2", _ => keep))] { id: String, zone: String } };
    let others = step! { 1 #[upgrade_from(0 => 1, values(zone, "eu" => "eu-1", _ => "us"))] { id: String, zone: String } =>
    1 #[upgrade_from(0 => 1, values(zone, "eu" => "eu-1", _ => "ap"))] { id: String, zone: String } };
    for (constant, report) in [
        ("set", set),
        ("default", filled),
        ("values", mapped),
        ("the others of values", others),
    ] {
        let rules: Vec<&str> = report
            .findings
            .iter()
            .map(|finding| finding.rule.id())
            .collect();
        assert_eq!(rules, ["upgrader-edited"], "{constant}");
    }
}

#[test]
fn an_edit_of_any_upgrader_of_a_version_is_found() {
    let second = step! { 1 #[upgrade_from(0 => 1, when = has("zone"), rename(zone => area), set(units = 1))]
    #[upgrade_from(0 => 1, when = lacks("zone"), rename(place => area), set(units = 2))] { area: String, units: i64 } =>
    1 #[upgrade_from(0 => 1, when = has("zone"), rename(zone => area), set(units = 1))]
    #[upgrade_from(0 => 1, when = lacks("zone"), rename(place => area), set(units = 3))] { area: String, units: i64 } };
    let condition = step! { 1 #[upgrade_from(0 => 1, when = has("zone"), rename(zone => area))]
    #[upgrade_from(0 => 1, when = lacks("zone"), rename(place => area))] { area: String } =>
    1 #[upgrade_from(0 => 1, when = has("zone"), rename(zone => area))]
    #[upgrade_from(0 => 1, when = has("place"), rename(place => area))] { area: String } };
    let rules = |report: Report| {
        report
            .findings
            .iter()
            .map(|finding| finding.rule.id())
            .collect::<Vec<_>>()
    };
    assert_eq!(rules(second), ["upgrader-edited"]);
    assert_eq!(rules(condition), ["upgrader-edited"]);
    let reason = step! { 1 #[upgrade_from(0 => 1, when = has("zone"), rename(zone => area))]
    #[upgrade_from(0 => 1, when = lacks("zone"), rename(place => area))] { area: String } =>
    1 #[upgrade_from(0 => 1, when = has("zone"), rename(zone => area))]
    #[upgrade_from(0 => 1, when = has("place"), rename(place => area), reason = "some had neither")] { area: String } };
    assert!(rules(reason).is_empty());
    let removed = step! { 1 #[upgrade_from(0 => 1, when = has("zone"), rename(zone => area))]
    #[upgrade_from(0 => 1, when = lacks("zone"), rename(place => area))] { area: String } =>
    1 #[upgrade_from(0 => 1, when = has("zone"), rename(zone => area))] { area: String } };
    assert!(rules(removed).contains(&"upgrader-edited"));
    // The one that stays says why the other was removed.
    let meant = step! { 1 #[upgrade_from(0 => 1, when = has("zone"), rename(zone => area))]
    #[upgrade_from(0 => 1, when = lacks("zone"), rename(place => area))] { area: String } =>
    1 #[upgrade_from(0 => 1, when = has("zone"), rename(zone => area), reason = "nobody stored `place`")] { area: String } };
    assert!(!rules(meant).contains(&"upgrader-edited"));
    let earlier = step! { 1 #[upgrade_from(0 => 1, when = has("zone"), rename(zone => area), reason = "areas were zones")]
    #[upgrade_from(0 => 1, when = lacks("zone"), rename(place => area))] { area: String } =>
    1 #[upgrade_from(0 => 1, when = has("zone"), rename(zone => area), reason = "areas were zones")] { area: String } };
    assert!(rules(earlier).contains(&"upgrader-edited"));
}

#[test]
fn an_edit_is_found_also_where_the_release_adds_a_version() {
    let rules = |report: Report| {
        report
            .findings
            .iter()
            .map(|finding| finding.rule.id())
            .collect::<Vec<_>>()
    };
    let edited = step! { 1 #[upgrade_from(0 => 1, set(zone = "eu"))] { id: String, zone: String } =>
    2 #[upgrade_from(1 => 2, set(units = 1))] #[upgrade_from(0 => 1, set(zone = "us"))] { id: String, zone: String, units: i64 } };
    assert!(rules(edited).contains(&"upgrader-edited"));
    let same = step! { 1 #[upgrade_from(0 => 1, set(zone = "eu"))] { id: String, zone: String } =>
    2 #[upgrade_from(1 => 2, set(units = 1))] #[upgrade_from(0 => 1, set(zone = "eu"))] { id: String, zone: String, units: i64 } };
    assert!(!rules(same).contains(&"upgrader-edited"));
}

#[derive(Resource)]
#[resource(type_name = "example_chain", version = 2)]
#[upgrade_from(1 => 2, carry, reason = "names were trimmed")]
#[upgrade_from(0 => 1, rename(title => name), reason = "the API counts in MiB")]
struct Chain {
    name: String,
}

#[test]
fn what_goes_next_is_listed() {
    let deprecated = step! { { zone: Option<String> } =>
    { #[attribute(deprecated("Use `area`.", no_replacement = "unused", remove_in = "3.0.0"))] zone: Option<String> } };
    let note = GuideNote {
        path: Some("example_thing.zone".to_owned()),
        why: Some("It is empty.".to_owned()),
        ..GuideNote::default()
    };
    let notes = [note];
    assert!(Guide::unused(&deprecated, &notes).is_empty());
    assert_eq!(
        Guide::new(&deprecated, &notes).to_string(),
        "# Upgrading to 2.0.0\n\nNothing to do.\n\n## Removed next\n\n- `example_thing.zone` in 3.0.0: Use `area`. It is empty.\n"
    );
    // Later than the next release that may break, it is too early to say so.
    let later = step! { { zone: Option<String> } =>
    { #[attribute(deprecated("Use `area`.", no_replacement = "unused", remove_in = "4.0.0"))] zone: Option<String> } };
    assert!(Guide::new(&later, &[]).planned.is_empty());
}

#[derive(Resource)]
#[resource(type_name = "example_plain", version = 0)]
struct Plain {
    id: String,
}

#[derive(Resource)]
#[resource(type_name = "example_plain", version = 0)]
struct PlainGrown {
    id: String,
    zone: Option<String>,
}

#[derive(Resource)]
#[resource(type_name = "example_other", version = 0)]
struct OtherV0 {
    size: Option<bool>,
}

#[derive(Resource)]
#[resource(type_name = "example_other", version = 2)]
#[upgrade_from(1 => 2, convert(size: String, empty = refuse))]
#[upgrade_from(0 => 1, convert(size: Option<bool>), default(size = ""))]
struct OtherV2 {
    size: i64,
}

/// What version 1 stores here is not what it stored when `OtherV2` described it.
#[derive(Resource)]
#[resource(type_name = "example_other", version = 1, oldest = 1)]
struct Other {
    size: bool,
}

/// A lock in which a type went from version 0 to version 2.
fn two() -> Lock {
    lock([
        Registry::new().with::<OtherV0>(),
        Registry::new().with::<OtherV2>(),
    ])
}

fn gap() -> Report {
    #[derive(Resource)]
    #[resource(type_name = "example_other", version = 3)]
    #[upgrade_from(2 => 3, convert(size: i64))]
    #[upgrade_from(1 => 2, convert(size: String, empty = refuse))]
    #[upgrade_from(0, unsupported = "stop at 1.4.0")]
    struct OtherV3 {
        size: String,
    }
    after(
        &two(),
        &Registry::new().with::<OtherV3>(),
        &Options::default(),
    )
}

/// State of a frozen version that vanished with its upgrader is stuck, and a version that could be
/// upgraded no longer can: two findings about it.
#[test]
fn a_frozen_version_that_vanished_with_its_upgrader_is_found_as_both() {
    #[derive(Resource)]
    #[resource(type_name = "example_other", version = 3, oldest = 1)]
    #[upgrade_from(2 => 3, convert(size: i64))]
    #[upgrade_from(1 => 2, convert(size: String, empty = refuse))]
    struct OtherV3 {
        size: String,
    }
    let found = |report: Report| -> Vec<(&str, Option<String>, Option<String>)> {
        let history = [
            "upgrader-missing",
            "upgrader-chain-gap",
            "upgrader-removed",
            "prior-schema-missing",
        ];
        let about = report
            .findings
            .into_iter()
            .filter(|finding| history.contains(&finding.rule.id()));
        about
            .map(|finding| (finding.rule.id(), finding.old, finding.note))
            .collect()
    };
    let zero = || Some("0".to_owned());
    assert_eq!(
        found(gap()),
        [
            ("upgrader-chain-gap", zero(), None),
            (
                "upgrader-removed",
                zero(),
                Some("declare it: `oldest = 1`".to_owned())
            )
        ]
    );
    // What is declared is a removal, and no gap.
    let declared = after(
        &two(),
        &Registry::new().with::<OtherV3>(),
        &Options::default(),
    );
    assert_eq!(found(declared), [("upgrader-removed", zero(), None)]);
}

fn at(release: &str, new: &Registry) -> Report {
    let lock = lock([Registry::new().with::<Plain>()]);
    compare(
        &lock.baseline(),
        &Snapshot::of(new).at(release.parse().unwrap()),
        &Options::default(),
    )
}

/// A definition that is built while the program runs, whose upgraders take what is stored as it is.
fn built(names: &[&'static str]) -> Registry {
    let schema = Schema::new(
        1,
        Block::new(
            names
                .iter()
                .map(|name| Attribute::new(*name, Type::String, Presence::Optional)),
        ),
    );
    let upgrader = ClosureUpgrader::new(0, |state: Value, _| Ok::<_, Diagnostic>(state));
    let mut registry = Registry::new();
    registry.insert(
        ResourceDefinition::builder("example_built", schema)
            .unsupported(0..=u64::MAX)
            .upgrader(upgrader)
            .build()
            .unwrap(),
    );
    registry
}

#[derive(Resource)]
#[resource(type_name = "example_sized", version = 0)]
struct SizedV0 {
    size: String,
}

#[derive(Resource)]
#[resource(type_name = "example_sized", version = 1)]
#[upgrade_from(0 => 1, convert(size: String, empty = refuse))]
struct Sized {
    size: i64,
}

/// What is found about a recorded state of version 0, and what has to become of it.
fn with_states(stored: &str, upgraded: Option<&str>) -> Report {
    step_with_states(|folder| {
        let folder = folder.join("example_sized/v0");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("one.json"), stored).unwrap();
        if let Some(upgraded) = upgraded {
            fs::write(folder.join("one.upgraded.json"), upgraded).unwrap();
        }
    })
}

fn step_with_states(write: impl FnOnce(&std::path::Path)) -> Report {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path());
    let registry = Registry::new().with::<Sized>();
    let mut new = Snapshot::of(&registry).at("2.0.0".parse().unwrap());
    new.upgrade_fixtures(&registry, folder.path(), |request| {
        registry.upgrade(request)
    });
    compare(
        &lock([Registry::new().with::<SizedV0>()]).baseline(),
        &new,
        &Options::default(),
    )
}

/// A lower number than a released one: state of the higher one counts as written by a newer
/// provider.
#[test]
fn a_schema_version_that_goes_down_is_a_major_change() {
    let report = after(
        &two(),
        &Registry::new().with::<Other>(),
        &Options::default(),
    );
    let decreased = report
        .findings
        .iter()
        .find(|finding| finding.rule.id() == "schema-version-decreased")
        .unwrap();
    assert_eq!(
        (decreased.semver, report.required_bump),
        (upstate_compat::Semver::Major, upstate_compat::Semver::Major)
    );
    assert_eq!(
        decreased.state_impact(),
        "state of the higher version is refused"
    );
}

#[test]
fn what_was_done_is_not_advised_again() {
    let done = step! { 0 { size: String } => 1 #[upgrade_from(0 => 1, convert(size: String, empty = refuse))] { size: i64 } };
    let open = step! { { size: String } => { size: i64 } };
    let advice = |report: &Report| {
        report
            .findings
            .iter()
            .find(|finding| finding.rule.id() == "type-changed")
            .unwrap()
            .remediation
            .clone()
    };
    assert_eq!(
        advice(&open),
        "Raise the schema version and convert the value in the upgrade."
    );
    assert_eq!(advice(&done), "Nothing.");
}

#[test]
fn nobody_deletes_a_computed_attribute_from_a_configuration() {
    let report = step! { 0 { id: String, #[attribute(computed)] zone: Option<String> } => 1
    #[upgrade_from(0 => 1, drop(#[attribute(computed)] zone: Option<String>, "the API has none"))] { id: String } };
    let removed = report
        .findings
        .iter()
        .find(|finding| finding.rule.id() == "attribute-removed")
        .unwrap();
    assert!(
        removed.witness.as_ref().unwrap().ends_with(".zone")
            && !removed.witness.as_ref().unwrap().contains('{'),
        "{removed:#?}"
    );
    let guide = Guide::new(&report, &[]).to_string();
    assert!(
        guide.contains("**Who is affected:** Expressions that read `zone`."),
        "{guide}"
    );
    assert!(
        guide.contains("Let expressions that read `zone` read another attribute, or delete them."),
        "{guide}"
    );
    assert!(
        !guide.contains("Delete `zone` from your configuration"),
        "{guide}"
    );
}
