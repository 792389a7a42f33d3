//! What is let through in the source.

use upstate::{Object, Registry, Resource};
use upstate_compat::Finding;

use crate::facts::report;

#[derive(Object)]
struct Plain {
    size: Option<i64>,
}

#[derive(Resource)]
#[resource(type_name = "example_metric", version = 0)]
struct Released {
    name: Option<String>,
    quota: Option<i64>,
    other: Option<Plain>,
    #[block]
    label: Vec<Plain>,
    #[block]
    bare: Vec<Plain>,
}

#[derive(Object)]
struct Strict {
    #[attribute(requires_replace)]
    size: Option<i64>,
}

#[derive(Resource)]
#[resource(type_name = "example_metric", version = 0)]
#[resource(
    allow(
        "attribute-removed",
        path = "quota",
        reason = "never-released",
        until = "3.0.0"
    ),
    allow(
        "removed-without-deprecation",
        "schema-version-not-bumped",
        reason = "never-released",
        until = "4.0.0"
    )
)]
struct Edited {
    #[attribute(
        requires_replace,
        allow("force-new-added", reason = "always-failed", until = "3.0.0")
    )]
    name: Option<String>,
    #[attribute(allow("force-new-added", reason = "always-failed", until = "3.0.0"))]
    other: Option<Strict>,
    #[block(allow("force-new-added", reason = "always-failed", until = "3.0.0"))]
    label: Vec<Strict>,
    #[block]
    bare: Vec<Strict>,
}

#[derive(Resource)]
#[resource(type_name = "example_metric", version = 0)]
struct Expired {
    #[attribute(allow("force-new-added", reason = "always-failed", until = "1.5.0"))]
    name: Option<String>,
    #[attribute(allow("force-new-added", reason = "always-failed", until = "3.0.0"))]
    quota: Option<i64>,
    other: Option<Plain>,
    #[block]
    label: Vec<Plain>,
    #[block]
    bare: Vec<Plain>,
}

fn place(finding: &Finding) -> String {
    format!("{} {}", finding.rule.id(), finding.path)
        .trim_end()
        .to_owned()
}

#[test]
fn a_waiver_in_the_source_holds_where_it_stands_and_inside_of_it() {
    let report = report(
        &Registry::new().with::<Released>(),
        &Registry::new().with::<Edited>(),
    );
    let (waived, open): (Vec<_>, Vec<_>) = report
        .findings
        .iter()
        .partition(|finding| finding.waived.is_some());
    let expected = [
        "schema-version-not-bumped",
        "force-new-added label.size",
        "force-new-added name",
        "force-new-added other.size",
        "attribute-removed quota",
        "removed-without-deprecation quota",
    ];
    assert_eq!(waived.into_iter().map(place).collect::<Vec<_>>(), expected);
    assert_eq!(
        open.into_iter().map(place).collect::<Vec<_>>(),
        ["force-new-added bare.size"]
    );
}

#[test]
fn a_waiver_in_the_source_that_is_over_or_waives_nothing_is_found() {
    let report = report(
        &Registry::new().with::<Released>(),
        &Registry::new().with::<Expired>(),
    );
    let found: Vec<(&str, &str)> = report
        .findings
        .iter()
        .map(|finding| {
            (
                finding.rule.id(),
                finding.old.as_deref().unwrap_or_default(),
            )
        })
        .collect();
    let expected = [
        (
            "suppression-expired",
            "force-new-added example_metric.name.*",
        ),
        (
            "suppression-unused",
            "force-new-added example_metric.quota.*",
        ),
    ];
    assert_eq!(found, expected);
}
