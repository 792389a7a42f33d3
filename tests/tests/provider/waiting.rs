//! A Terraform that waits for its lock while a state file is upgraded in place.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::Stdio;

use serde_json::json;
use upstate_state::{LockedFile, StateFile};

use super::real::terraform::{Release, V1_6, V1_10, V1_15};
use super::workspace::Workspace;

const REMOVE: [&str; 4] = ["state", "rm", "-lock-timeout=40s", "harbor_file.it"];

/// Starts `terraform state rm` while the state is worked on, and replaces the state once it waits.
fn waits(release: Release) {
    let workspace = Workspace::with("harbor", release);
    let stored = workspace.stored("harbor_file", 0, &json!({"id": "f", "filename": "a.txt"}));
    workspace.store(&[stored]);
    let path = workspace.path("terraform.tfstate");
    let before = workspace.read("terraform.tfstate");
    let upgraded = before.replace("\"serial\": 7", "\"serial\": 8");
    assert_ne!(upgraded, before);

    let file = LockedFile::open(&path).unwrap();
    let mut terraform = workspace
        .command(&REMOVE)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = BufReader::new(terraform.stdout.take().unwrap());
    let mut line = String::new();
    while !line.contains("Acquiring state lock") {
        line.clear();
        assert_ne!(
            said.read_line(&mut line).unwrap(),
            0,
            "it did not wait for the lock"
        );
    }
    let mut new = file.replacement().unwrap();
    new.write_all(upgraded.as_bytes()).unwrap();
    new.put_in_place().unwrap();

    // It must not say that it has removed something.
    let (mut rest, mut errors) = (String::new(), String::new());
    said.read_to_string(&mut rest).unwrap();
    terraform
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut errors)
        .unwrap();
    assert_eq!(terraform.wait().unwrap().code(), Some(1), "{rest}{errors}");
    let why = "upstate-has-replaced-this-file-while-Terraform-waited-for-its-lock.nothing-was-changed.run-the-command-again";
    assert!(errors.contains(why), "{errors}");
    assert_eq!(fs::read_to_string(&path).unwrap(), upgraded);
    StateFile::parse(upgraded.as_bytes()).unwrap();
    let names: Vec<_> = fs::read_dir(path.parent().unwrap())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert!(
        !names
            .iter()
            .any(|name| name.as_encoded_bytes().starts_with(b".terraform.tfstate")),
        "{names:?}"
    );

    // And when it is run again, it does.
    workspace.run(&REMOVE).succeeds();
    assert_eq!(workspace.state()["resources"], json!([]));
}

#[test]
fn terraform_1_6_is_told_to_run_again() {
    waits(V1_6);
}

#[test]
fn terraform_1_10_is_told_to_run_again() {
    waits(V1_10);
}

#[test]
fn terraform_1_15_is_told_to_run_again() {
    waits(V1_15);
}
