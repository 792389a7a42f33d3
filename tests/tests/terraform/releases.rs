//! Older releases of Terraform.

use serde_json::json;

use super::real::terraform::{Release, V1_6, V1_10};
use super::workspace::Workspace;

fn lives(release: Release) {
    let workspace = Workspace::with("harbor", release);
    workspace.write("main.tf", "resource \"harbor_file\" \"it\" {\n path = \"a.txt\"\n content = \"hello\"\n}\n");
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
    workspace.write("main.tf", "resource \"harbor_file\" \"it\" {\n path = \"key\"\n secret = \"sesame\"\n}\n");
    let error = workspace.plan().error();
    assert_eq!(error["summary"], "Write-Only Attribute Not Allowed");
    assert_eq!(
        error["detail"],
        "The attribute secret is write-only: its value is used and never stored. This Terraform would store it. Use Terraform 1.11 or \
         later, or leave it out."
    );
}
