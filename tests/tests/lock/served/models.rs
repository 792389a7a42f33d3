//! Data sources, ephemeral resources, lists, actions and configurations.

use upstate::registry::ServedKind;
use upstate::{Object, Registry, Resource};
use upstate_compat::Axis;

use crate::served::{config, findings, guide, of, report};

mod before {
    use upstate::{Object, Resource};

    #[derive(Resource)]
    #[resource(type_name = "example_depth", stateless)]
    pub(super) struct Depth {
        quay: String,
        #[attribute(deprecated = "Use `metres` instead.", computed)]
        feet: Option<f64>,
        #[attribute(computed)]
        metres: Option<f64>,
        #[attribute(computed)]
        sensor: Option<String>,
        tide: Option<String>,
        #[attribute(default = "mean")]
        level: Option<String>,
    }

    #[derive(Object)]
    pub(super) struct Config {
        pub(super) endpoint: String,
        pub(super) token: Option<String>,
        #[attribute(range = 0..=9)]
        pub(super) retries: Option<i64>,
        pub(super) region: Option<String>,
    }
}

#[derive(Resource)]
#[resource(type_name = "example_depth", stateless)]
struct Depth {
    quay: String,
    #[attribute(computed)]
    metres: Option<String>,
    tide: String,
    #[attribute(default = "low")]
    level: Option<String>,
    #[attribute(computed)]
    measured_at: Option<String>,
}

#[derive(Object)]
struct Config {
    endpoint: Option<String>,
    #[attribute(sensitive)]
    token: Option<String>,
    #[attribute(range = 0..=5)]
    retries: Option<i64>,
    account: String,
}

#[test]
fn a_data_source_is_judged_without_versions() {
    let (old, new) = (
        of::<before::Depth>(ServedKind::DataSource),
        of::<Depth>(ServedKind::DataSource),
    );
    let expected = [
        "breaking attribute-removed major data.example_depth.feet",
        "breaking default-changed major data.example_depth.level",
        "safe attribute-added-computed minor data.example_depth.measured_at",
        "breaking type-changed major data.example_depth.metres",
        "breaking attribute-removed major data.example_depth.sensor",
        "error removed-without-deprecation patch data.example_depth.sensor",
        "breaking attribute-optional-to-required major data.example_depth.tide",
    ];
    assert_eq!(findings(&old, &new), expected);

    let report = report(&old, &new);
    assert!(!report.ok);
    let verdict = &report.resources["data.example_depth"];
    assert_eq!(
        (verdict.bump.strict, verdict.old_version, verdict.upgrader),
        (false, None, false)
    );
    for finding in &report.findings {
        let said = format!(
            "{} {:?} {:?}",
            finding.remediation, finding.note, finding.witness
        );
        assert!(
            !said.contains("schema version")
                && !said.contains("stored")
                && !said.contains("resource \""),
            "{said}"
        );
    }
    let removed = report
        .findings
        .iter()
        .find(|finding| finding.path == "sensor")
        .unwrap();
    assert_eq!(removed.headline(), "data.example_depth.sensor is gone");
    assert_eq!(
        removed.remediation,
        "Deprecate it for a release first; then remove it in a major release."
    );
    assert_eq!(
        removed.witness.as_deref(),
        Some("data.example_depth.x.sensor")
    );
    let required = report
        .findings
        .iter()
        .find(|finding| finding.path == "tide")
        .unwrap();
    assert_eq!(
        required.witness.as_deref(),
        Some("data \"example_depth\" \"x\" { … }   # without tide")
    );
}

#[test]
fn the_configuration_of_the_provider_is_judged_by_what_users_write() {
    let (old, new) = (
        config::<before::Config>(ServedKind::Provider),
        config::<Config>(ServedKind::Provider),
    );
    let expected = [
        "breaking attribute-added-required major provider.account",
        "safe attribute-required-to-optional minor provider.endpoint",
        "breaking attribute-removed major provider.region",
        "error removed-without-deprecation patch provider.region",
        "breaking validator-tightened major provider.retries",
        "safe sensitive-added patch provider.token",
    ];
    assert_eq!(findings(&old, &new), expected);
    let meta = (
        config::<before::Config>(ServedKind::ProviderMeta),
        config::<Config>(ServedKind::ProviderMeta),
    );
    assert!(
        findings(&meta.0, &meta.1)
            .iter()
            .all(|finding| finding.contains(" provider_meta."))
    );
}

#[test]
fn every_kind_is_judged_and_has_its_heading_in_the_guide() {
    let kinds = [
        (
            ServedKind::EphemeralResource,
            "ephemeral.example_depth",
            "## Ephemeral resource: `example_depth`",
        ),
        (
            ServedKind::ListResource,
            "list.example_depth",
            "## List resource: `example_depth`",
        ),
        (
            ServedKind::Action,
            "action.example_depth",
            "## Action: `example_depth`",
        ),
        (
            ServedKind::DataSource,
            "data.example_depth",
            "## Data source: `example_depth`",
        ),
    ];
    for (kind, address, heading) in kinds {
        let (old, new) = (of::<before::Depth>(kind), of::<Depth>(kind));
        let found = findings(&old, &new);
        assert!(
            found.contains(&format!(
                "breaking attribute-optional-to-required major {address}.tide"
            )),
            "{found:#?}"
        );
        assert!(
            !found
                .iter()
                .any(|finding| finding.contains("schema-version")),
            "{found:#?}"
        );
        let guide = guide(&old, &new);
        assert!(
            guide.contains(heading) && guide.contains("### `tide` must be set"),
            "{guide}"
        );
        assert_eq!(findings(&old, &old), [""; 0]);
    }
}

#[test]
fn what_is_gone_was_announced_or_has_another_kind() {
    let old = of::<before::Depth>(ServedKind::DataSource);
    let gone = [
        "error removed-without-deprecation patch data.example_depth",
        "breaking resource-removed major data.example_depth",
    ];
    assert_eq!(
        findings(&old, &config::<Config>(ServedKind::Provider))[..2],
        gone
    );
    assert_eq!(
        report(&old, &Registry::new())
            .findings
            .iter()
            .find(|it| it.rule.id() == "resource-removed")
            .unwrap()
            .axes,
        [Axis::Config, Axis::Reference]
    );

    let ephemeral = of::<before::Depth>(ServedKind::EphemeralResource);
    let changed = [
        "error removed-without-deprecation patch data.example_depth",
        "breaking resource-kind-changed major data.example_depth",
    ];
    assert_eq!(findings(&old, &ephemeral), changed);
    let managed = Registry::new().with::<Managed>();
    assert_eq!(
        findings(&managed, &old)[1],
        "breaking resource-kind-changed major example_depth"
    );
}

#[derive(Resource)]
#[resource(type_name = "example_depth", version = 0)]
struct Managed {
    quay: String,
}

#[test]
fn a_resource_and_a_data_source_of_one_name_are_two_things() {
    let both = || {
        let mut registry = of::<before::Depth>(ServedKind::DataSource);
        registry.insert(Managed::DEFINITION.clone());
        registry
    };
    assert_eq!(findings(&both(), &both()), [""; 0]);
    let mut new = of::<Depth>(ServedKind::DataSource);
    new.insert(Managed::DEFINITION.clone());
    assert!(
        findings(&both(), &new)
            .iter()
            .all(|finding| finding.contains(" data.example_depth."))
    );
}

#[derive(Resource)]
#[resource(type_name = "example_depth", stateless)]
#[resource(allow(
    "attribute-removed",
    "removed-without-deprecation",
    path = "sensor",
    reason = "never-released",
    until = "3.0.0"
))]
struct Waived {
    quay: String,
    #[attribute(computed)]
    metres: Option<f64>,
    #[attribute(deprecated = "Use `metres` instead.", computed)]
    feet: Option<f64>,
    tide: Option<String>,
    #[attribute(default = "mean")]
    level: Option<String>,
}

#[test]
fn a_model_waives_findings_about_itself() {
    let report = report(
        &of::<before::Depth>(ServedKind::DataSource),
        &of::<Waived>(ServedKind::DataSource),
    );
    assert!(report.ok, "{:#?}", report.findings);
    assert!(
        report
            .findings
            .iter()
            .all(|finding| finding.waived.is_some()),
        "{:#?}",
        report.findings
    );
}
