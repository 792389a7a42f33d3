//! The forms of strings that upgraders rewrite.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    dead_code,
    reason = "tests"
)]

use upstate::{Object, Registry, Resource};
use upstate_compat::{Options, Semver, Snapshot, compare};

#[derive(Object)]
#[upgrade_from(model = LinkV0, reformat(path, "{a}" => "links/{a}"))]
struct Link {
    path: String,
}

#[derive(Object)]
struct LinkV0 {
    path: String,
}

/// Version 1 of the thing, which is as version 2 but for the name of the link and for forms.
#[derive(Resource)]
#[resource(type_name = "example_thing", version = 1, oldest = 1)]
struct Released {
    id: String,
    link: Option<String>,
    name: String,
    links: Vec<Link>,
}

#[derive(Resource)]
#[resource(type_name = "example_thing", version = 2)]
#[upgrade_from(1 => 2,
    rename(link => url),
    reformat(url, "zones/{zone}" => "https://api/zones/{zone:lower}"),
    reformat(id, "{owner|library}/{name}:{tag|latest}" => "{owner}/{name}@{tag}"))]
#[upgrade_from(0 => 1, reformat(link, "{zone}" => "zones/{zone}"), reformat(name, "/as/{a}", ignore_case), convert(links: Vec<LinkV0>))]
struct Thing {
    id: String,
    url: Option<String>,
    name: String,
    links: Vec<Link>,
}

/// The form before and after, by path.
fn forms_from(version: u64) -> Vec<(String, String, String)> {
    let snapshot = Snapshot::of(&Registry::new().with::<Thing>());
    let forms = snapshot.resources["example_thing"]
        .reformatted
        .get(&version)
        .cloned()
        .unwrap_or_default();
    forms
        .into_iter()
        .map(|(path, (was, now))| (path, was, now))
        .collect()
}

fn form(path: &str, was: &str, now: &str) -> (String, String, String) {
    (path.to_owned(), was.to_owned(), now.to_owned())
}

#[test]
fn each_version_knows_the_forms_that_are_rewritten_after_it() {
    let id = form("id", "{owner}/{name}:{tag}", "{owner}/{name}@{tag}");
    let url = |was: &str| form("url", was, "https://api/zones/{zone}");
    // Other letter case in `name` is the same form.
    assert_eq!(
        forms_from(0),
        [
            id.clone(),
            form("links.path", "{a}", "links/{a}"),
            url("{zone}")
        ]
    );
    assert_eq!(forms_from(1), [id, url("zones/{zone}")]);
    assert_eq!(forms_from(2), []);
}

#[test]
fn a_rewritten_string_has_another_form_for_configurations_too() {
    let old = Snapshot::of(&Registry::new().with::<Released>());
    let new = Snapshot::of(&Registry::new().with::<Thing>());
    let report = compare(&old, &new, &Options::default());
    let found = report
        .findings
        .iter()
        .filter(|finding| finding.rule.id() == "state-format-changed");
    let found: Vec<_> = found
        .map(|finding| {
            form(
                &finding.path,
                finding.old.as_deref().unwrap(),
                finding.new.as_deref().unwrap(),
            )
        })
        .collect();
    assert_eq!(found, forms_from(1));
    assert_eq!(report.required_bump, Semver::Major);
}
