//! Upgrades that ask the provider's configuration or its API, beyond what the recorded cases show.

use serde_json::{Value, json};
use upstate::upgrade::BoxFuture;
use upstate::{Diagnostic, Registry, UpgradeRequest};
use upstate_examples::realworld::google;

use crate::real_upgrades::clients::{answer, registry};

fn state(registry: &Registry, type_name: &str, version: u64, before: &Value) -> Value {
    let answer = answer(registry, type_name, version, &before.to_string());
    serde_json::from_slice(
        &answer
            .state
            .unwrap_or_else(|| panic!("{}", answer.diagnostics)),
    )
    .unwrap()
}

#[test]
fn a_short_key_ring_needs_the_configured_project() {
    let request =
        UpgradeRequest::json("google_kms_crypto_key", 0, br#"{"key_ring":"europe/ring"}"#);
    assert!(registry("").upgrade(&request).state().is_some());
    let response = upstate_examples::registry().upgrade(&request);
    assert_eq!(response.state(), None);
    assert!(
        response
            .diagnostics()
            .to_string()
            .contains("names no project")
    );
}

struct Google;

impl google::MachineApi for Google {
    fn boot_disk<'a>(
        &'a self,
        zone: &'a str,
        machine: &'a str,
    ) -> BoxFuture<'a, Result<String, Diagnostic>> {
        Box::pin(async move { Ok(format!("https://compute/zones/{zone}/disks/{machine}-boot")) })
    }
}

impl google::PolicyApi for Google {
    fn etag<'a>(&'a self, project: &'a str) -> BoxFuture<'a, Result<String, Diagnostic>> {
        Box::pin(async move { Ok(format!("tag of {project}")) })
    }
}

#[test]
fn the_disks_of_a_machine_are_told_apart_with_the_api() {
    let disks = json!([
        { "auto_delete": true, "disk": "m-boot" },
        { "device_name": "data", "disk": "m-data" },
        { "scratch": true },
    ]);
    let machine = json!({ "name": "m", "zone": "z", "disk": disks, "metadata": [{ "a": "1" }, { "b": "2" }] });
    let without = answer(
        &upstate_examples::registry(),
        "google_compute_instance",
        0,
        &machine.to_string(),
    );
    assert_eq!(without.state, None);
    assert!(
        without
            .diagnostics
            .contains("the provider must be configured"),
        "{}",
        without.diagnostics
    );

    let asking = upstate_examples::registry().with_client(google::Machines(Box::new(Google)));
    let expected = json!({
        "id": null, "name": "m", "zone": "z", "create_timeout": 4, "metadata": { "a": "1", "b": "2" }, "service_account": null,
        "boot_disk": [{ "auto_delete": true, "initialize_params": null, "source": "m-boot" }],
        "attached_disk": [{ "device_name": "data", "source": "m-data" }],
        "scratch_disk": [{ "interface": null }],
    });
    assert_eq!(
        state(&asking, "google_compute_instance", 0, &machine),
        expected
    );
    let other = json!({ "name": "m", "zone": "z", "disk": [{ "disk": "other" }] });
    assert_eq!(
        answer(&asking, "google_compute_instance", 3, &other.to_string()).state,
        None,
        "no disk boots"
    );
}

#[test]
fn a_project_asks_only_where_it_has_a_policy() {
    let project = |policy: Value| json!({ "id": "p", "policy_data": policy });
    let upgraded = |registry: &Registry, policy| {
        state(registry, "google_project", 0, &project(policy))["policy_etag"].clone()
    };
    assert_eq!(
        upgraded(&upstate_examples::registry(), Value::Null),
        Value::Null
    );
    let without = answer(
        &upstate_examples::registry(),
        "google_project",
        0,
        &project("{}".into()).to_string(),
    );
    assert_eq!(without.state, None);
    let asking = upstate_examples::registry().with_client(google::Policies(Box::new(Google)));
    assert_eq!(upgraded(&asking, "{}".into()), "tag of p");
}

#[test]
fn what_the_api_does_not_know_stops_the_upgrade_at_its_attribute() {
    let before = json!({ "id": "x", "repository": "gone", "branch": "main" });
    let answer = answer(
        &registry(""),
        "github_branch_default",
        0,
        &before.to_string(),
    );
    assert_eq!(answer.state, None);
    let expected = "There is no repository \"gone\".";
    assert!(
        answer.diagnostics.contains(expected) && answer.diagnostics.contains("repository"),
        "{}",
        answer.diagnostics
    );
}
