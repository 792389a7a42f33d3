//! The provider's own program, in the hands of an operator who has a state and nothing else.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};

/// Runs the program in a folder where no lock is.
fn run(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let program = Command::new(env!("CARGO_BIN_EXE_terraform-provider-random"))
        .args(arguments)
        .current_dir(folder)
        .output();
    let Output {
        status,
        stdout,
        stderr,
    } = program.unwrap();
    (
        status.code(),
        String::from_utf8(stdout).unwrap(),
        String::from_utf8(stderr).unwrap(),
    )
}

/// A state file with the recorded states of these names.
fn state_file(names: &[&str]) -> String {
    let cases: Vec<Value> =
        serde_json::from_str(include_str!("../../../../tests/random/states.json")).unwrap();
    let resources: Vec<Value> = (cases.iter())
        .filter(|case| names.iter().any(|name| case["name"] == *name))
        .map(|case| {
            json!({
                "mode": "managed", "type": case["type"], "name": "it",
                "provider": "provider[\"registry.terraform.io/hashicorp/random\"]",
                "instances": [{"schema_version": case["version"], "attributes": case["state"], "sensitive_attributes": []}],
            })
        })
        .collect();
    assert_eq!(resources.len(), names.len());
    let lineage = "3c1b3a4e-0f0f-4a39-8f5e-0b8f0c6f8f6a";
    format!(
        "{:#}\n",
        json!({
            "version": 4, "terraform_version": "1.11.4", "serial": 7, "lineage": lineage, "outputs": {}, "resources": resources,
            "check_results": null,
        })
    )
}

#[test]
fn an_operator_upgrades_and_asks_the_way_back_with_the_program_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("terraform.tfstate");
    let old = state_file(&["TestUpgradePasswordStateV2toV3, valid-hash"]);
    fs::write(&path, &old).unwrap();
    let secret =
        serde_json::from_str::<Value>(&old).unwrap()["resources"][0]["instances"][0]["attributes"]
            ["result"]
            .clone();
    let names = || {
        let entries = fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = entries.collect();
        names.sort();
        names
    };

    // Nothing is written without being asked for.
    let (status, plan, _) = run(folder.path(), &["plan", "terraform.tfstate", "--diff"]);
    assert_eq!(
        (status, fs::read_to_string(&path).unwrap(), names()),
        (Some(0), old.clone(), vec!["terraform.tfstate".to_owned()])
    );
    assert!(
        plan.contains("random_password.it  2 → 3") && !plan.contains(secret.as_str().unwrap()),
        "{plan}"
    );
    let (status, inspected, _) = run(folder.path(), &["inspect", "terraform.tfstate"]);
    assert!(
        status == Some(0) && inspected.contains("random_password"),
        "{inspected}"
    );
    let (status, history, _) = run(folder.path(), &["explain", "random_password"]);
    assert!(
        status == Some(0) && history.contains("stored at 0: 0 → 1 → 3"),
        "{history}"
    );

    let (status, _, problem) = run(folder.path(), &["upgrade", "terraform.tfstate"]);
    assert_eq!(status, Some(0), "{problem}");
    let upgraded = fs::read_to_string(&path).unwrap();
    assert_eq!(
        serde_json::from_str::<Value>(&upgraded).unwrap()["resources"][0]["instances"][0]["schema_version"],
        3
    );

    assert_eq!(names().len(), 2, "a backup is kept: {:?}", names());

    // The releases are known without the file of the lock. Release 3.3.2 stored a hash that cannot be made again, so that nothing is written.
    let (status, _, problem) = run(
        folder.path(),
        &["downgrade", "terraform.tfstate", "--to-release", "3.3.2"],
    );
    assert!(
        status == Some(1)
            && problem.contains("bcrypt_hash")
            && !problem.contains(secret.as_str().unwrap()),
        "{problem}"
    );
    let (status, _, problem) = run(
        folder.path(),
        &["downgrade", "terraform.tfstate", "--to-release", "3.9.0"],
    );
    assert_eq!(
        (status, fs::read_to_string(&path).unwrap(), names().len()),
        (Some(0), upgraded, 2),
        "{problem}"
    );
    let (status, _, problem) = run(
        folder.path(),
        &["downgrade", "terraform.tfstate", "--to-release", "1.0.0"],
    );
    let expected =
        "error: the lock in this program has no release 1.0.0; it has 3.9.0, 3.3.2, 3.2.0, 2.3.1\n";
    assert_eq!((status, problem.as_str()), (Some(2), expected));
}

#[test]
fn a_state_that_cannot_be_upgraded_is_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("terraform.tfstate");
    let broken = state_file(&["TestUpgradePasswordStateV2toV3, valid-hash"])
        .replace("\"length\": ", "\"length\": [], \"was\": ");
    fs::write(&path, &broken).unwrap();
    let (status, plan, _) = run(folder.path(), &["plan", "terraform.tfstate"]);
    assert!(
        status == Some(1) && plan.contains("cannot be upgraded"),
        "{plan}"
    );
    let (checked, shown, _) = run(folder.path(), &["check", "terraform.tfstate"]);
    assert_eq!((checked, &shown), (status, &plan));
    // The lock in the program knows who wrote it.
    assert!(plan.contains("release 3.3.2 writes version 2"), "{plan}");
    assert_eq!(
        run(folder.path(), &["upgrade", "terraform.tfstate"]).0,
        Some(1)
    );
    assert_eq!(fs::read_to_string(&path).unwrap(), broken);
}

#[test]
fn the_provider_keeps_its_own_commands() {
    let folder = tempfile::tempdir().unwrap();
    let (status, help, _) = run(folder.path(), &["help"]);
    let commands = [
        "plan ",
        "upgrade ",
        "downgrade ",
        "inspect ",
        "explain ",
        "schema ",
    ];
    assert!(
        status == Some(0)
            && commands
                .iter()
                .all(|command| help.contains(&format!("  {command}"))),
        "{help}"
    );
    assert!(
        !help.contains("lint") && help.contains("terraform-provider-random plan terraform.tfstate"),
        "{help}"
    );
    let (_, _, usage) = run(folder.path(), &["--help"]);
    assert!(
        usage.contains("package ") && usage.contains("help       lists its other commands"),
        "{usage}"
    );
    let (_, _, version) = run(folder.path(), &["--version"]);
    assert!(
        version.contains("hashicorp/random, built with upstate-provider"),
        "{version}"
    );
    let (status, _, problem) = run(folder.path(), &["explain", "U0001"]);
    assert!(status == Some(2) && problem.contains("U0001"), "{problem}");
    // Terraform starts it without a command.
    let (status, _, started) = run(folder.path(), &[]);
    assert!(
        status == Some(1) && started.contains("Terraform"),
        "{started}"
    );
}
