//! What real upgraders refuse is refused, and where: the whole way to the attribute, and no secret.

use upstate::{Severity, UpgradeRequest};

use crate::cases::error_cases;
use crate::clients::registry;

#[test]
fn every_state_that_real_upgraders_refuse_is_refused() {
    let registry = registry("");
    let mut paths = Vec::new();
    for case in error_cases() {
        let before = case.before.to_string();
        let response = registry.upgrade(&UpgradeRequest::json(case.type_name(), case.from_version, before.as_bytes()));
        assert_eq!(response.state(), None, "{before}");
        let error = response.diagnostics().iter().find(|found| found.severity() == Severity::Error).unwrap();
        assert!(!error.detail().is_empty(), "{before}");
        paths.push(error.path().map(ToString::to_string).unwrap_or_default());
    }
    assert_eq!(
        paths,
        [
            "scheduling",
            "automatic_restart",
            "source",
            "data_stream",
            "template[0].data_stream_options[0].failure_store",
            "int",
            "id",
            "id",
            "id",
        ]
    );
}

fn refusal(type_name: &str, version: u64, before: &str) -> (String, String) {
    let response = registry("").upgrade(&UpgradeRequest::json(type_name, version, before.as_bytes()));
    assert_eq!(response.state(), None, "{before}");
    let error = response.diagnostics().iter().next().unwrap();
    (error.path().map(ToString::to_string).unwrap_or_default(), error.to_string())
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
    assert_eq!(path, "spec[0].template[0].spec[0].container[1].resources[0].limits");

    let (path, text) = refusal("aws_db_instance", 0, r#"{"instance_class":"db.t2.micro","password":"hunter2"}"#);
    assert_eq!(path, "resource_id");
    assert!(!text.contains("hunter2"), "{text}");

    let (path, _) = refusal("aiven_pg", 0, r#"{"pg_user_config":[{"shared_buffers_percentage":"NaN"}]}"#);
    assert_eq!(path, "pg_user_config[0].shared_buffers_percentage");

    let (path, _) = refusal("linode_nodebalancer_config", 0, r#"{"node_status":{"up":"1","idle":"2"}}"#);
    assert_eq!(path, r#"node_status["idle"]"#);

    let (path, _) =
        refusal("launchdarkly_project", 0, r#"{"key":"p","environments":[{"key":"a","name":"A"},{"key":"a","name":"B"}]}"#);
    assert_eq!(path, "environments[1]");
}

#[test]
fn an_upgrade_that_warns_still_answers() {
    let request = UpgradeRequest::json("elasticstack_kibana_slo", 0, br#"{"group_by":"host","settings":[{"sync_delay":"1m"}]}"#);
    let response = registry("").upgrade(&request);
    assert!(response.state().is_some());
    let paths: Vec<_> = response.diagnostics().iter().map(|warning| warning.path().unwrap().to_string()).collect();
    assert_eq!(paths, ["group_by", "settings"]);
}
