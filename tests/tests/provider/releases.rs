//! Older releases of Terraform.

use serde_json::json;
use upstate_compat::lock::Lock;
use upstate_compat::{Level, Options, Snapshot, compare};

use super::real::terraform::{Release, V1_6, V1_10};
use super::workspace::Workspace;

fn lives(release: Release) {
    let workspace = Workspace::with("harbor", release);
    workspace.write(
        "main.tf",
        "resource \"harbor_file\" \"it\" {\n path = \"a.txt\"\n content = \"hello\"\n}\n",
    );
    assert_eq!(workspace.apply().changes(), (1, 0, 0));
    let old = json!({"id": "f", "filename": "a.txt", "content": "hello", "mode": 644});
    workspace.store(&[workspace.stored("harbor_file", 0, &old)]);
    assert_eq!(workspace.apply().changes(), (0, 0, 0));
    let stored = workspace.instance("harbor_file");
    assert_eq!(stored["schema_version"], 3);
    assert_eq!(stored["attributes"]["permissions"], "0644");
    assert_eq!(workspace.destroy().changes(), (0, 0, 1));
}

#[test]
fn terraform_1_6() {
    lives(V1_6);
}

#[test]
fn terraform_1_10() {
    lives(V1_10);
}

#[test]
fn a_terraform_that_would_store_a_secret_gets_none() {
    let workspace = Workspace::with("harbor", V1_10);
    workspace.write(
        "main.tf",
        "resource \"harbor_file\" \"it\" {\n path = \"key\"\n secret = \"sesame\"\n}\n",
    );
    let error = workspace.plan().error();
    assert_eq!(error["summary"], "Write-Only Attribute Not Allowed");
    assert_eq!(
        error["detail"],
        "The attribute secret is write-only: its value is used and never stored. This Terraform would store it. Use Terraform 1.11 or \
         later, or leave it out."
    );
}

#[test]
fn all_that_terraform_says_of_a_provider_is_imported_into_a_lock() {
    let schemas = Workspace::new("harbor").run(&["providers", "schema", "-json"]);
    let mut lock = Lock::default();
    lock.import(
        schemas.out.as_bytes(),
        Some("harbor"),
        "0.0.9".parse().unwrap(),
    )
    .unwrap();
    assert_eq!(Lock::parse(&lock.to_string()).unwrap(), lock);

    // The models are what it was made of: what Terraform says and they say is the same, and what it
    // does not say is not judged.
    let current = Snapshot::of(harbor::provider().registry()).at("0.1.0".parse().unwrap());
    let (old, new): (Vec<_>, Vec<_>) = (
        lock.baseline().resources.into_keys().collect(),
        current.resources.keys().cloned().collect(),
    );
    assert_eq!(old, new);
    let report = compare(&lock.baseline(), &current, &Options::default());
    let findings = report
        .findings
        .iter()
        .filter(|finding| finding.level > Level::Info);
    let findings: Vec<String> = findings
        .map(|finding| format!("{} {}", finding.rule.id(), finding.message))
        .collect();
    assert_eq!(findings, [""; 0]);
}
