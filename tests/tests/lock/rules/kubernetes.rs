//! Rules for the versions of custom resources.

use upstate::{Document, Registry, StringEnum};
use upstate_compat::lock::Lock;
use upstate_compat::{Axis, Options, RULES, Report, Snapshot, compare};

use crate::rules::{Case, between};

pub(crate) const CASES: &[Case] = &[
    ("api-version-reshaped", reshaped),
    ("api-version-deprecated-alone", deprecated_alone),
    ("api-version-unserved", unserved),
    ("api-version-unserved-early", unserved),
    ("api-version-removed", removed),
    ("api-version-removed-early", removed_early),
    ("api-field-removed-early", field_removed_early),
    ("api-storage-moved-early", storage_moved_early),
    ("api-storage-less-stable", storage_less_stable),
    ("api-deprecation-without-warning", without_warning),
    ("api-identity-changed", of_the_cluster),
    ("api-subresource-removed", without_status),
    ("api-values-refused", fewer_values),
    ("api-value-added", value_added),
    ("api-versions-unranked", unranked),
];

/// Two releases of a custom resource, as what follows kind and group, and the body.
macro_rules! releases {
    ($old_version:literal $(#[$old_meta:meta])* ($($old:tt)*) { $($old_body:tt)* } => $new_version:literal $(#[$new_meta:meta])* ($($new:tt)*) { $($new_body:tt)* }) => {{
        mod old {
            #[allow(unused_imports)]
            use super::*;
            #[derive(upstate::Document)]
            #[document(type_name = "ferry.boat", version = $old_version)]
            $(#[$old_meta])*
            #[kube(group = "ferry.example.com", kind = "Boat", $($old)*)]
            pub struct Boat { $($old_body)* }
        }
        mod new {
            #[allow(unused_imports)]
            use super::*;
            #[derive(upstate::Document)]
            #[document(type_name = "ferry.boat", version = $new_version)]
            $(#[$new_meta])*
            #[kube(group = "ferry.example.com", kind = "Boat", $($new)*)]
            pub struct Boat { $($new_body)* }
        }
        between(Registry::new().with::<old::Boat>(), &Registry::new().with::<new::Boat>())
    }};
}

fn reshaped() -> Report {
    releases!(0 (version(0 = "v1", storage)) { title: String }
        => 1 #[upgrade_from(0 => 1, rename(title => name))] (version(1 = "v1", storage)) { name: String })
}

fn deprecated_alone() -> Report {
    releases!(0 (version(0 = "v1beta1", storage)) { name: String }
        => 0 (version(0 = "v1beta1", deprecated = "it ends in release 3", storage)) { name: String })
}

fn unserved() -> Report {
    releases!(1 #[upgrade_from(0 => 1, rename(title => name))] (version(0 = "v1beta1"), version(1 = "v1", storage)) { name: String }
        => 1 #[upgrade_from(0 => 1, rename(title => name))] (version(0 = "v1beta1", served = false), version(1 = "v1", storage)) { name: String })
}

fn removed() -> Report {
    releases!(1 #[upgrade_from(0 => 1, rename(title => name))] (version(0 = "v1beta1", served = false), version(1 = "v1", storage)) { name: String }
        => 1 #[upgrade_from(0 => 1, rename(title => name))] (version(1 = "v1", storage)) { name: String })
}

fn removed_early() -> Report {
    releases!(1 #[upgrade_from(0 => 1, rename(title => name))] (version(0 = "v1beta1"), version(1 = "v1", storage)) { name: String }
        => 1 #[upgrade_from(0 => 1, rename(title => name))] (version(1 = "v1", storage)) { name: String })
}

fn field_removed_early() -> Report {
    releases!(0 (version(0 = "v1beta1", storage)) { name: String, #[deprecated = "use `name`"] title: Option<String> }
        => 1 #[upgrade_from(0 => 1, drop(title: Option<String>, "`name` has it"))] (version(0 = "v1beta1", storage), version(1 = "v1")) { name: String })
}

fn storage_moved_early() -> Report {
    releases!(0 (version(0 = "v1beta1", storage)) { title: String }
        => 1 #[upgrade_from(0 => 1, rename(title => name))] (version(0 = "v1beta1"), version(1 = "v1", storage)) { name: String })
}

fn storage_less_stable() -> Report {
    releases!(1 #[upgrade_from(0 => 1, rename(title => name))] (version(0 = "v1beta1"), version(1 = "v1", storage)) { name: String }
        => 1 #[upgrade_from(0 => 1, rename(title => name))] (version(0 = "v1beta1", storage), version(1 = "v1")) { name: String })
}

fn without_warning() -> Report {
    releases!(1 #[upgrade_from(0 => 1, rename(title => name))] (version(0 = "v1beta1"), version(1 = "v1", storage)) { name: String }
        => 1 #[upgrade_from(0 => 1, rename(title => name))] (version(0 = "v1beta1", deprecated), version(1 = "v1", storage)) { name: String })
}

fn of_the_cluster() -> Report {
    releases!(0 (version(0 = "v1", storage)) { name: String } => 0 (scope = Cluster, version(0 = "v1", storage)) { name: String })
}

#[derive(Document)]
#[document(type_name = "ferry.boat_status")]
pub struct Status {
    stops: u32,
}

fn without_status() -> Report {
    releases!(0 (status = Status, version(0 = "v1", storage)) { name: String } => 0 (version(0 = "v1", storage)) { name: String })
}

fn fewer_values() -> Report {
    releases!(0 (version(0 = "v1", storage)) { #[kube(length = 1..=40)] name: String }
        => 0 (version(0 = "v1", storage)) { #[kube(length = 1..=30)] name: String })
}

#[derive(StringEnum)]
pub enum Colour {
    Red,
}

#[derive(StringEnum)]
pub enum MoreColours {
    Red,
    Blue,
}

fn value_added() -> Report {
    releases!(0 (version(0 = "v1", storage)) { colour: Colour } => 0 (version(0 = "v1", storage)) { colour: MoreColours })
}

fn unranked() -> Report {
    releases!(0 (version(0 = "v1", storage)) { title: String }
        => 1 #[upgrade_from(0 => 1, rename(title => name))] (version(0 = "v1", storage), version(1 = "v2")) { name: String })
}

/// A custom resource whose beta is served, deprecated or neither.
macro_rules! boats {
    ($($module:ident($($beta:tt)*);)*) => {$(
        mod $module {
            #[derive(upstate::Document)]
            #[document(type_name = "ferry.boat", version = 1)]
            #[upgrade_from(0 => 1, rename(title => name))]
            #[kube(group = "ferry.example.com", kind = "Boat", version(0 = "v1beta1" $($beta)*), version(1 = "v1", storage))]
            pub struct Boat {
                name: String,
            }
        }
    )*};
}

boats! {
    served();
    deprecated(, deprecated = "use v1");
    unserved(, served = false);
}

/// The lock notes the release that deprecated a version, and the policy counts releases and days
/// from there.
#[test]
fn a_beta_is_served_for_three_releases_and_nine_months() {
    let mut lock = Lock::default();
    let deprecated = || Registry::new().with::<deprecated::Boat>();
    for (registry, release, day) in [
        (
            Registry::new().with::<served::Boat>(),
            "1.0.0",
            "2026-01-01",
        ),
        (deprecated(), "1.1.0", "2026-02-01"),
        (deprecated(), "1.2.0", "2026-03-01"),
        (deprecated(), "1.2.1", "2026-03-02"),
    ] {
        lock.freeze(
            &Snapshot::of(&registry).on(day.parse().unwrap()),
            release.parse().unwrap(),
        )
        .unwrap();
    }
    let text = lock.to_string();
    assert!(
        text.contains(r#""v1beta1":{"deprecated":"use v1","number":0,"since":"1.1.0"}"#),
        "{text}"
    );
    let mut lock = Lock::parse(&text).unwrap();
    let early = |lock: &Lock, release: &str, day: &str| {
        let new = Snapshot::of(&Registry::new().with::<unserved::Boat>()).on(day.parse().unwrap());
        let report = compare(
            &lock.baseline(),
            &lock.completed(new).at(release.parse().unwrap()),
            &Options::default(),
        );
        let found = report
            .findings
            .into_iter()
            .find(|finding| finding.rule.id() == "api-version-unserved-early");
        found.and_then(|finding| finding.note)
    };
    let expected = "deprecated in 1.1.0, 2 releases before this one; 3 are asked for";
    assert_eq!(
        early(&lock, "1.3.0", "2027-01-01").as_deref(),
        Some(expected)
    );
    lock.freeze(
        &Snapshot::of(&deprecated()).on("2026-04-01".parse().unwrap()),
        "1.3.0".parse().unwrap(),
    )
    .unwrap();
    let expected = "deprecated in 1.1.0, 272 days before this release; 273 are asked for";
    assert_eq!(
        early(&lock, "1.4.0", "2026-10-31").as_deref(),
        Some(expected)
    );
    assert_eq!(early(&lock, "1.4.0", "2026-11-01"), None);
    // Nothing changed, because the lock has since when.
    let same = lock
        .completed(Snapshot::of(&deprecated()))
        .at("1.4.0".parse().unwrap());
    assert!(
        compare(&lock.baseline(), &same, &Options::default())
            .findings
            .is_empty()
    );
}

/// A field may go once the version that deprecated it is not served any more.
#[test]
fn a_deprecated_field_is_removed_after_its_version() {
    let found = |report: Report| {
        report
            .findings
            .into_iter()
            .filter(|finding| finding.rule.id() == "api-field-removed-early")
            .map(|finding| finding.message)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        found(field_removed_early()),
        [
            "ferry.boat.title: a deprecated field is removed while a version that has it is served (v1beta1)"
        ]
    );
    let unserved = releases!(0 (version(0 = "v1beta1", storage)) { name: String, #[deprecated] title: Option<String> }
        => 1 #[upgrade_from(0 => 1, drop(title: Option<String>, "`name` has it"))] (version(0 = "v1beta1", served = false), version(1 = "v1", storage)) { name: String });
    assert_eq!(found(unserved), [""; 0]);
    let renamed = releases!(0 (version(0 = "v1beta1", storage)) { #[deprecated] title: String }
        => 1 #[upgrade_from(0 => 1, rename(title => name))] (version(0 = "v1beta1", storage), version(1 = "v1")) { name: String });
    assert_eq!(found(renamed), [""; 0]);
}

mod dated {
    #[derive(upstate::Document)]
    #[document(type_name = "ferry.boat", version = 0)]
    pub struct Boat {
        #[deprecated(since = "0.9.0", note = "use `name`")]
        title: Option<String>,
        #[deprecated]
        berth: Option<u8>,
        name: String,
    }
}

/// Rust's own attribute is in the lock, and the stored shape is the same with it.
#[test]
fn a_field_is_deprecated_by_the_attribute_of_rust() {
    let mut lock = Lock::default();
    let registry = Registry::new().with::<dated::Boat>();
    lock.freeze(&Snapshot::of(&registry), "1.0.0".parse().unwrap())
        .unwrap();
    let text = lock.to_string();
    for expected in [
        r#""deprecated":{"message":"use `name`","since":"0.9.0"}"#,
        r#""deprecated":{"message":"","since":"1.0.0"}"#,
    ] {
        assert!(text.contains(expected), "{text}");
    }
    let report = releases!(0 (version(0 = "v1", storage)) { name: String, title: Option<String> }
        => 0 (version(0 = "v1", storage)) { name: String, #[deprecated] title: Option<String> });
    let messages: Vec<&str> = report
        .findings
        .iter()
        .map(|finding| finding.message.as_str())
        .collect();
    assert_eq!(messages, ["ferry.boat.title is deprecated"]);
}

/// The table of these rules is written from the catalogue:
/// `UPDATE=1 cargo test -p upstate-tests --test lock rules`.
#[test]
fn the_documentation_has_each_rule() {
    let row = |rule: &&upstate_compat::Rule| {
        format!(
            "| `{}` | {} | {} |\n",
            rule.id(),
            rule.level().name(),
            rule.title()
        )
    };
    let rows: String = RULES
        .iter()
        .filter(|rule| rule.axes() == [Axis::Clients])
        .map(row)
        .collect();
    let path = format!("{}/../kube/docs/kube.md", env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(&path).unwrap();
    let head = "| rule | level | finding |\n|---|---|---|\n";
    let (before, after) = page.split_once(head).unwrap();
    let rest: String = after
        .split_inclusive('\n')
        .skip_while(|line| line.starts_with("| `api-"))
        .collect();
    let expected = format!("{before}{head}{rows}{rest}");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &expected).unwrap();
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap(), expected);
}

#[test]
fn a_version_with_a_new_name_need_not_have_another_shape() {
    let ids = |report: Report| {
        report
            .findings
            .iter()
            .map(|finding| finding.rule.id())
            .collect::<Vec<_>>()
    };
    let named = releases!(0 (version(0 = "v1beta1", storage)) { name: String }
        => 1 #[upgrade_from(0 => 1, carry)] (version(0 = "v1beta1", storage), version(1 = "v1")) { name: String });
    assert_eq!(ids(named), [""; 0]);
    let same = releases!(0 (version(0 = "v1", storage)) { name: String }
        => 1 #[upgrade_from(0 => 1, carry)] (version(1 = "v1", storage)) { name: String });
    assert_eq!(ids(same), ["schema-version-bump-unneeded"]);
}
