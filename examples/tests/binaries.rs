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
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn committed_state() -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("state/terraform.tfstate")).unwrap()
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
    assert_eq!(run(env!("CARGO_BIN_EXE_assemble_state"), &["-"]), committed_state());
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
            let response = registry.upgrade(&UpgradeRequest::json(type_name, version, attributes.as_bytes()));
            assert!(response.state().is_some(), "{type_name}: {}", response.diagnostics());
        }
        upgraded.insert(type_name);
    }
    let types: BTreeSet<&str> = registry.definitions().map(upstate::ResourceDefinition::type_name).collect();
    let missing: Vec<&str> = types.into_iter().filter(|type_name| !upgraded.contains(type_name)).collect();
    assert_eq!(missing, WITHOUT_INSTANCE, "registered types without an instance");
    let providers: BTreeSet<&str> = upgraded.iter().filter_map(|type_name| type_name.split('_').next()).collect();
    let said = format!("instances of {} resource types of {} public providers", upgraded.len(), providers.len());
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md")).unwrap();
    assert!(page.contains(&said), "README.md has to say: {said}");
}

#[test]
fn notes_of_three_releases_are_read_and_rewritten_and_a_bad_one_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.db");
    let run = || run(env!("CARGO_BIN_EXE_notes"), &[path.to_str().unwrap()]);
    let first = run();
    for line in [
        r#"1: Note { title: "Milk", body: Some("two bottles"), tags: {} }"#,
        r#"2: Note { title: "Call", body: None, tags: {"urgent", "work"} }"#,
        r#"3: Note { title: "Rest", body: None, tags: {"home"} }"#,
        "4: error: Unable to Upgrade Resource State\nThe upgrade from schema version 0 refused this state: the note has no first line that could be its title.",
        r#"1, now: {"type":"note","schema_version":2,"body":"two bottles","tags":[],"title":"Milk"}"#,
        r#"2, now: {"type":"note","schema_version":2,"body":null,"tags":["urgent","work"],"title":"Call"}"#,
        // What was current already is not touched, and neither is what could not be read.
        r#"3, now: {"type":"note","schema_version":2,"title":"Rest","body":null,"tags":["home"]}"#,
        r#"4, now: {"text":""}"#,
    ] {
        assert!(first.contains(line), "{line} in {first}");
    }
    let now = |printed: &str| printed.lines().filter(|line| line.contains(", now:")).map(str::to_owned).collect::<Vec<_>>();
    let again = run();
    assert!(!again.contains("by 1.0") && now(&again) == now(&first), "{again}");
}
