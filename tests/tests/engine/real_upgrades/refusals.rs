//! What real upgraders refuse is refused, and where: the whole way to the attribute, and no secret.

use upstate::{Severity, UpgradeRequest};

use crate::real_upgrades::cases::error_cases;
use crate::real_upgrades::clients::registry;

/// What a real upgrader says, and where and in which words the same state is refused here.
const REFUSED: [(&str, &str, &str); 9] = [
    (
        "Found multiple scheduling blocks when there should only be one",
        "scheduling",
        "\"automatic_restart\" cannot be put into 2 elements",
    ),
    (
        "Found differing values for automatic_restart in state",
        "automatic_restart",
        "both automatic_restart and scheduling[0].automatic_restart have a value, and they differ",
    ),
    (
        "unexpected multi-element array at path \"source\"",
        "source",
        "there are 2 elements where at most one was expected",
    ),
    (
        "unexpected multi-element array at path \"data_stream\"",
        "data_stream",
        "there are 2 elements where at most one was expected",
    ),
    (
        "unexpected multi-element array at path \"template.data_stream_options.failure_store\"",
        "template[0].data_stream_options[0].failure_store",
        "there are 2 elements where at most one was expected",
    ),
    (
        "\"foo\" cannot be converted to int",
        "int",
        "\"foo\" cannot be converted to a number",
    ),
    (
        "id cannot be parsed",
        "id",
        "/providers/Microsoft.Cdn/profiles/{profile}/endpoints/{endpoint}\"",
    ),
    (
        "id cannot be parsed",
        "id",
        "/providers/Microsoft.Network/frontDoors/{door}/customHttpsConfiguration/{name}\"",
    ),
    (
        "id cannot be parsed",
        "id",
        "/providers/Microsoft.Network/frontDoorWebApplicationFirewallPolicies/{policy}\"",
    ),
];

#[test]
fn every_state_that_real_upgraders_refuse_is_refused_for_the_same_reason() {
    let registry = registry("");
    let cases = error_cases();
    assert_eq!(cases.len(), REFUSED.len());
    for (case, (reference, path, reason)) in cases.iter().zip(REFUSED) {
        let before = case.before.to_string();
        assert_eq!(case.expect_error, reference, "{before}");
        let response = registry.upgrade(&UpgradeRequest::json(
            case.type_name(),
            case.from_version,
            before.as_bytes(),
        ));
        assert_eq!(response.state(), None, "{before}");
        let errors: Vec<_> = response
            .diagnostics()
            .iter()
            .filter(|found| found.severity() == Severity::Error)
            .collect();
        let [error] = errors.as_slice() else {
            panic!("{before}: {}", response.diagnostics())
        };
        assert_eq!(
            error.path().map(ToString::to_string).as_deref(),
            Some(path),
            "{before}"
        );
        assert!(
            error.detail().contains(reason),
            "{reference}: {}",
            error.detail()
        );
    }
}

fn refusal(type_name: &str, version: u64, before: &str) -> (String, String) {
    let response =
        registry("").upgrade(&UpgradeRequest::json(type_name, version, before.as_bytes()));
    assert_eq!(response.state(), None, "{before}");
    let error = response.diagnostics().iter().next().unwrap();
    (
        error.path().map(ToString::to_string).unwrap_or_default(),
        error.to_string(),
    )
}

#[test]
fn an_error_deep_inside_names_the_whole_way_and_no_secret() {
    let (path, text) = refusal(
        "aiven_pg",
        0,
        r#"{"service_password":"hunter2","pg_user_config":[{},{"pg":[{"log_min_duration_statement":"foo"}]}]}"#,
    );
    assert_eq!(path, "pg_user_config[1].pg[0].log_min_duration_statement");
    assert!(!text.contains("hunter2"), "{text}");

    let (path, _) = refusal(
        "kubernetes_deployment",
        0,
        r#"{"spec":[{"template":[{"spec":[{"container":[{},{"resources":[{"limits":[{"cpu":"1"},{"cpu":"2"}]}]}]}]}]}]}"#,
    );
    assert_eq!(
        path,
        "spec[0].template[0].spec[0].container[1].resources[0].limits"
    );

    let (path, text) = refusal(
        "aws_db_instance",
        0,
        r#"{"instance_class":"db.t2.micro","password":"hunter2"}"#,
    );
    assert_eq!(path, "resource_id");
    assert!(!text.contains("hunter2"), "{text}");

    let (path, _) = refusal(
        "aiven_pg",
        0,
        r#"{"pg_user_config":[{"shared_buffers_percentage":"NaN"}]}"#,
    );
    assert_eq!(path, "pg_user_config[0].shared_buffers_percentage");

    let (path, _) = refusal(
        "linode_nodebalancer_config",
        0,
        r#"{"node_status":{"up":"1","idle":"2"}}"#,
    );
    assert_eq!(path, r#"node_status["idle"]"#);

    let (path, _) = refusal(
        "launchdarkly_project",
        0,
        r#"{"key":"p","environments":[{"key":"a","name":"A"},{"key":"a","name":"B"}]}"#,
    );
    assert_eq!(path, "environments[1]");
}

#[test]
fn an_upgrade_that_warns_still_answers() {
    let request = UpgradeRequest::json(
        "elasticstack_kibana_slo",
        0,
        br#"{"group_by":"host","settings":[{"sync_delay":"1m"}]}"#,
    );
    let response = registry("").upgrade(&request);
    assert!(response.state().is_some());
    let paths: Vec<_> = response
        .diagnostics()
        .iter()
        .map(|warning| warning.path().unwrap().to_string())
        .collect();
    assert_eq!(paths, ["group_by", "settings"]);
}
