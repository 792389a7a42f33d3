//! Real states of public providers: what their own upgraders made of them is what the example models make of them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use upstate::{Registry, Severity, UpgradeRequest};
use upstate_examples::realworld::google::ProviderConfig;
use upstate_examples::{MODELS, Model};

#[derive(Deserialize)]
struct Case {
    id: String,
    provider: String,
    resource: String,
    from_version: u64,
    to_version: u64,
    before: Value,
    after: Value,
}

#[derive(Deserialize)]
struct ErrorCase {
    resource: String,
    from_version: u64,
    before: Value,
}

fn read<T: DeserializeOwned>(name: &str) -> Vec<T> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("real_upgrades").join(name);
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// The project that the cases of `google_kms_crypto_key` were recorded with.
fn registry() -> Registry {
    upstate_examples::registry().with_client(ProviderConfig { project: Some("my-project".to_owned()) })
}

/// Adds to both sides, at every depth, what only the other has, as null: a state may leave out what is not set.
fn fill_with_null(left: &mut Value, right: &mut Value) {
    match (left, right) {
        (Value::Object(left), Value::Object(right)) => {
            let names: BTreeSet<String> = left.keys().chain(right.keys()).cloned().collect();
            for name in names {
                let entry = |object: &mut Map<String, Value>| object.entry(name.clone()).or_insert(Value::Null).take();
                let (mut a, mut b) = (entry(left), entry(right));
                fill_with_null(&mut a, &mut b);
                left.insert(name.clone(), a);
                right.insert(name, b);
            }
        }
        (Value::Array(left), Value::Array(right)) => {
            for (a, b) in left.iter_mut().zip(right) {
                fill_with_null(a, b);
            }
        }
        _ => {}
    }
}

fn upgrade(registry: &Registry, case: &Case) -> Vec<u8> {
    let before = case.before.to_string();
    let current = registry.get(&case.resource).unwrap().version();
    if case.to_version == current {
        let response = registry.upgrade(&UpgradeRequest::json(&case.resource, case.from_version, before.as_bytes()));
        assert!(!response.diagnostics().has_errors(), "{}: {}", case.id, response.diagnostics());
        return response.state().unwrap().to_vec();
    }
    let model = Model::find(&case.resource, case.to_version).unwrap_or_else(|| panic!("{}: no such model", case.id));
    (model.upgrade)(case.from_version, before.as_bytes()).unwrap_or_else(|error| panic!("{}: {error}", case.id))
}

#[test]
fn every_real_case_gives_its_real_result() {
    let registry = registry();
    let mut resources = BTreeMap::<String, usize>::new();
    let mut providers = BTreeSet::new();
    let mut intermediate = 0;
    for case in read::<Case>("real_upgrades.json") {
        let Some(definition) = registry.get(&case.resource) else { continue };
        let mut ours: Value = serde_json::from_slice(&upgrade(&registry, &case)).unwrap();
        let mut theirs = case.after.clone();
        fill_with_null(&mut ours, &mut theirs);
        assert_eq!(ours, theirs, "{}", case.id);
        intermediate += usize::from(case.to_version != definition.version());
        *resources.entry(case.resource).or_default() += 1;
        providers.insert(case.provider);
    }
    let cases: usize = resources.values().sum();
    println!("{cases} cases of {} resources of {} providers: {resources:#?}", resources.len(), providers.len());
    assert_eq!(resources.len(), registry.definitions().len(), "a registered resource has no case");
    assert_eq!((cases, intermediate, resources.len(), providers.len()), (70, 9, 33, 14));
}

#[test]
fn every_state_that_real_upgraders_refuse_is_refused() {
    let registry = registry();
    let mut paths = Vec::new();
    for case in read::<ErrorCase>("real_upgrade_errors.json") {
        if registry.get(&case.resource).is_none() {
            continue;
        }
        let before = case.before.to_string();
        let response = registry.upgrade(&UpgradeRequest::json(&case.resource, case.from_version, before.as_bytes()));
        assert_eq!(response.state(), None, "{before}");
        let error = response.diagnostics().iter().find(|found| found.severity() == Severity::Error).unwrap();
        assert!(!error.detail().is_empty(), "{before}");
        paths.push(error.path().unwrap().to_string());
    }
    assert_eq!(
        paths,
        [
            "scheduling",
            "scheduling[0].automatic_restart",
            "source",
            "data_stream",
            "template[0].data_stream_options[0].failure_store",
            "id",
            "id",
            "id",
        ]
    );
}

fn refusal(type_name: &str, version: u64, before: &str) -> (String, String) {
    let response = registry().upgrade(&UpgradeRequest::json(type_name, version, before.as_bytes()));
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
    assert_eq!(path, "environments[1].key");
}

#[test]
fn a_short_key_ring_needs_the_configured_project() {
    let request = UpgradeRequest::json("google_kms_crypto_key", 0, br#"{"key_ring":"europe/ring"}"#);
    assert!(registry().upgrade(&request).state().is_some());
    let response = upstate_examples::registry().upgrade(&request);
    assert_eq!(response.state(), None);
    assert!(response.diagnostics().to_string().contains("Unknown Project"));
}

#[test]
fn an_upgrade_that_warns_still_answers() {
    let request = UpgradeRequest::json("elasticstack_kibana_slo", 0, br#"{"group_by":"host","settings":[{"sync_delay":"1m"}]}"#);
    let response = registry().upgrade(&request);
    assert!(response.state().is_some());
    let paths: Vec<_> = response.diagnostics().iter().map(|warning| warning.path().unwrap().to_string()).collect();
    assert_eq!(paths, ["group_by", "settings"]);
}

#[test]
fn every_model_is_listed_and_every_resource_registered() {
    let registry = registry();
    for definition in registry.definitions() {
        let mut versions = definition.supported_versions();
        versions.push(definition.version());
        for version in versions {
            assert!(Model::find(definition.type_name(), version).is_some(), "{} {version}", definition.type_name());
        }
    }
    for model in MODELS {
        assert!(registry.get(model.type_name).is_some(), "{}", model.type_name);
    }
}
