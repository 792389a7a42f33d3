//! Who sets an attribute, to what, and which values are accepted.

use upstate::meaning::{IgnoreCase, JsonText};
use upstate::{Object, StringEnum};
use upstate_compat::Report;

use crate::rules::{Case, step};

#[derive(Object)]
pub struct Rule {
    zone: Option<String>,
}

#[derive(StringEnum)]
pub enum Few {
    Small,
    Large,
}

#[derive(StringEnum)]
pub enum Fewer {
    Small,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    clippy::unnecessary_wraps,
    reason = "as the derive calls it"
)]
fn even(_: &i64) -> Result<(), String> {
    Ok(())
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    clippy::unnecessary_wraps,
    reason = "as the derive calls it"
)]
fn odd(_: &i64) -> Result<(), String> {
    Ok(())
}

pub(crate) const CASES: &[Case] = &[
    (
        "attribute-optional-to-required",
        || step! { { zone: Option<String> } => { zone: String } },
    ),
    (
        "attribute-computed-to-required",
        || step! { { #[attribute(computed)] zone: String } => { zone: String } },
    ),
    (
        "attribute-required-to-optional",
        || step! { { zone: String } => { zone: Option<String> } },
    ),
    (
        "null-refused",
        || step! { { #[attribute(computed)] zone: Option<String> } => { #[attribute(computed)] zone: String } },
    ),
    (
        "attribute-became-computed-only",
        || step! { { zone: Option<String> } => { #[attribute(computed)] zone: Option<String> } },
    ),
    ("attribute-computed-to-settable", || {
        step! { { #[attribute(computed)] zone: Option<String> } => { #[attribute(optional, computed)] zone: Option<String> } }
    }),
    ("attribute-computed-removed", || {
        step! { { #[attribute(optional, computed)] zone: Option<String> } => { zone: Option<String> } }
    }),
    ("attribute-computed-added", || {
        step! { { zone: Option<String> } => { #[attribute(optional, computed)] zone: Option<String> } }
    }),
    (
        "sensitive-added",
        || step! { { key: Option<String> } => { #[attribute(sensitive)] key: Option<String> } },
    ),
    (
        "sensitive-removed",
        || step! { { #[attribute(sensitive)] key: Option<String> } => { key: Option<String> } },
    ),
    (
        "write-only-added",
        || step! { { key: Option<String> } => { #[attribute(write_only)] key: Option<String> } },
    ),
    (
        "write-only-removed",
        || step! { { #[attribute(write_only)] key: Option<String> } => { key: Option<String> } },
    ),
    (
        "default-added",
        || step! { { retries: Option<i64> } => { #[attribute(default = 3)] retries: Option<i64> } },
    ),
    ("default-changed", || {
        step! { { #[attribute(default = 3)] retries: Option<i64> } => { #[attribute(default = 4)] retries: Option<i64> } }
    }),
    (
        "default-removed",
        || step! { { #[attribute(default = 3)] retries: Option<i64> } => { retries: Option<i64> } },
    ),
    (
        "force-new-added",
        || step! { { zone: Option<String> } => { #[attribute(requires_replace)] zone: Option<String> } },
    ),
    (
        "force-new-removed",
        || step! { { #[attribute(requires_replace)] zone: Option<String> } => { zone: Option<String> } },
    ),
    (
        "diff-suppress-removed",
        || step! { { #[attribute(as_string)] policy: Option<JsonText> } => { policy: Option<String> } },
    ),
    ("diff-suppress-changed", || {
        step! { { #[attribute(as_string)] policy: JsonText } => { #[attribute(as_string)] policy: IgnoreCase } }
    }),
    ("state-format-changed", || {
        step! { { #[attribute(format = "uri")] link: Option<String> } => { #[attribute(format = "path")] link: Option<String> } }
    }),
    (
        "drift-detection-removed",
        || step! { { id: String } => #[resource(read = none)] { id: String } },
    ),
    (
        "validator-added",
        || step! { { name: String } => { #[attribute(length = 1..=8)] name: String } },
    ),
    ("validator-tightened", || {
        step! { { #[attribute(length = 1..=8)] name: String } => { #[attribute(length = 1..=4)] name: String } }
    }),
    (
        "enum-value-removed",
        || step! { { size: Few } => { size: Fewer } },
    ),
    ("validator-changed-opaque", || {
        step! { { #[attribute(validate = even)] legs: i64 } => { #[attribute(validate = odd)] legs: i64 } }
    }),
    ("validator-loosened", || {
        step! { { #[attribute(range = 1..=8)] legs: i64 } => { #[attribute(range = 0..=8)] legs: i64 } }
    }),
    (
        "validator-removed",
        || step! { { #[attribute(pattern = "^a")] name: String } => { name: String } },
    ),
    (
        "enum-value-added",
        || step! { { size: Fewer } => { size: Few } },
    ),
    ("constraint-added", || {
        step! { { left: Option<i64>, right: Option<i64> } =>
        #[resource(conflicts_with(left, right))] { left: Option<i64>, right: Option<i64> } }
    }),
    ("constraint-relaxed", || {
        step! { #[resource(exactly_one_of(left, right))] { left: Option<i64>, right: Option<i64> } =>
        { left: Option<i64>, right: Option<i64> } }
    }),
    (
        "min-items-increased",
        || step! { { #[block] rule: Vec<Rule> } => { #[block(min = 1)] rule: Vec<Rule> } },
    ),
    (
        "min-items-decreased",
        || step! { { #[block(min = 1)] rule: Vec<Rule> } => { #[block] rule: Vec<Rule> } },
    ),
    (
        "max-items-decreased",
        || step! { { #[block] rule: Vec<Rule> } => { #[block(max = 4)] rule: Vec<Rule> } },
    ),
    (
        "max-items-increased",
        || step! { { #[block(max = 2)] rule: Vec<Rule> } => { #[block(max = 4)] rule: Vec<Rule> } },
    ),
    (
        "max-items-one-changed",
        || step! { { #[block(max = 1)] rule: Vec<Rule> } => { #[block(max = 4)] rule: Vec<Rule> } },
    ),
    ("description-changed", || {
        step! { { /** One. */ name: String } => { /** Two. */ name: String } }
    }),
    ("deprecation-added", || {
        step! { { zone: Option<String> } => { #[attribute(deprecated("Remove it.", no_replacement = "unused"))] zone: Option<String> } }
    }),
    ("deprecation-removed", || {
        step! { { #[attribute(deprecated("Remove it.", no_replacement = "unused"))] zone: Option<String> } => { zone: Option<String> } }
    }),
    ("deprecation-message-changed", || {
        step! { { #[attribute(deprecated("Remove it.", no_replacement = "unused"))] zone: Option<String> } =>
        { #[attribute(deprecated("Delete it.", no_replacement = "unused"))] zone: Option<String> } }
    }),
];

/// The rule and path of each finding about forms.
fn forms(report: &Report) -> Vec<String> {
    let about = report
        .findings
        .iter()
        .filter(|finding| finding.rule.id() == "state-format-changed");
    about
        .map(|finding| format!("{} {:?} -> {:?}", finding.path, finding.old, finding.new))
        .collect()
}

#[test]
fn an_upgrader_that_rewrites_a_string_changes_its_form() {
    let report = step! { 0 { link: Option<String>, lower: String } =>
    1 #[upgrade_from(0 => 1, reformat(link, "{zone}/{id}" => "zones/{zone}/links/{id}"), reformat(lower, "/as/{a}", ignore_case))]
    { link: Option<String>, lower: String } };
    assert_eq!(
        forms(&report),
        [r#"link Some("{zone}/{id}") -> Some("zones/{zone}/links/{id}")"#]
    );
    assert_eq!(report.required_bump, upstate_compat::Semver::Major);
    // A form that the provider goes on taking does not break anyone.
    let report = step! { 0 { link: Option<String> } =>
    1 #[upgrade_from(0 => 1, reformat(link, "{id}" => "links/{id}"))]
    { #[attribute(format = "links/{id}", accepts("{id}"))] link: Option<String> } };
    assert_eq!(
        forms(&report),
        [r#"link Some("{id}") -> Some("links/{id}")"#]
    );
    assert_eq!(report.required_bump, upstate_compat::Semver::Minor);
    // Two upgraders, and a rename between them.
    let report = step! { 0 { link: Option<String> } =>
    2 #[upgrade_from(1 => 2, rename(link => url), reformat(url, "zones/{zone}" => "https://api/zones/{zone}"))]
    #[upgrade_from(0 => 1, reformat(link, "{zone}" => "zones/{zone}"))]
    { url: Option<String> } };
    assert_eq!(
        forms(&report),
        [r#"url Some("{zone}") -> Some("https://api/zones/{zone}")"#]
    );
}

#[test]
fn documentation_is_compared_by_its_words() {
    let is_changed = |report: Report| {
        let mut found = report.findings.iter();
        found.any(|finding| finding.rule.id() == "description-changed")
    };
    let wrapped = step! { { #[doc = "The name, as"] #[doc = "users write it."] name: String } =>
    { #[doc = "The name,"] #[doc = "as users write it."] name: String } };
    assert!(!is_changed(wrapped));
    let joined = step! { { #[doc = "The host name."] name: String } => { #[doc = "The hostname."] name: String } };
    assert!(is_changed(joined));
}
