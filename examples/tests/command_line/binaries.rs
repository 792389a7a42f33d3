//! The binaries of this package do what they say.

#![allow(clippy::unwrap_used, reason = "the test's own helpers may panic too")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use upstate::UpgradeRequest;

fn run(binary: &str, arguments: &[&str]) -> String {
    let output = Command::new(binary).args(arguments).output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

fn committed_state() -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("state/terraform.tfstate"))
        .unwrap()
}

#[test]
fn thing_upgrades_every_version() {
    let printed = run(env!("CARGO_BIN_EXE_thing"), &[]);
    for now in [
        r#"{"id":"thing-1","optional_attribute":"true","required_attribute":"false"}"#,
        r#"{"id":"thing-2","optional_attribute":null,"required_attribute":"left"}"#,
        r#"{"id":"thing-3","optional_attribute":"up","required_attribute":"right"}"#,
    ] {
        assert!(printed.contains(&format!("now: {now}")), "{printed}");
    }
}

#[test]
fn the_state_file_is_what_the_assembler_writes() {
    assert_eq!(
        run(env!("CARGO_BIN_EXE_assemble_state"), &["-"]),
        committed_state()
    );
}

/// The types whose every case needs the provider's client, which a state file's upgrade has not got, and
/// one that is not a resource.
const WITHOUT_INSTANCE: [&str; 7] = [
    "github_actions_secret",
    "github_branch_default",
    "github_release",
    "github_repository_collaborators",
    "github_repository_custom_property",
    "github_repository_file",
    "typeupgrader",
];

#[test]
fn every_registered_instance_in_the_state_file_upgrades() {
    let registry = upstate_examples::registry();
    let state: Value = serde_json::from_str(&committed_state()).unwrap();
    let mut upgraded = BTreeSet::new();
    for resource in state["resources"].as_array().unwrap() {
        let type_name = resource["type"].as_str().unwrap();
        if resource["mode"] == "data" || registry.get(type_name).is_none() {
            continue;
        }
        for instance in resource["instances"].as_array().unwrap() {
            let attributes = instance["attributes"].to_string();
            let version = instance["schema_version"].as_u64().unwrap();
            let response = registry.upgrade(&UpgradeRequest::json(
                type_name,
                version,
                attributes.as_bytes(),
            ));
            assert!(
                response.state().is_some(),
                "{type_name}: {}",
                response.diagnostics()
            );
        }
        upgraded.insert(type_name);
    }
    let types: BTreeSet<&str> = registry
        .definitions()
        .map(upstate::ResourceDefinition::type_name)
        .collect();
    let missing: Vec<&str> = types
        .into_iter()
        .filter(|type_name| !upgraded.contains(type_name))
        .collect();
    assert_eq!(
        missing, WITHOUT_INSTANCE,
        "registered types without an instance"
    );
    let providers: BTreeSet<&str> = upgraded
        .iter()
        .filter_map(|type_name| type_name.split('_').next())
        .collect();
    let said = format!(
        "instances of {} resource types of {} public providers",
        upgraded.len(),
        providers.len()
    );
    let page =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md")).unwrap();
    assert!(page.contains(&said), "README.md has to say: {said}");
}
