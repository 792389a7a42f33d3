//! Ephemeral resources, which Terraform knows from 1.10 on.

use serde_json::json;

use super::real::terraform::{V1_10, V1_15};
use super::workspace::Workspace;

fn lease(arguments: &str) -> Workspace {
    let workspace = Workspace::new("quay");
    let log = workspace.path("lease.log");
    workspace.write(
        "main.tf",
        &format!("ephemeral \"quay_lease\" \"it\" {{\n  log = {log:?}\n  {arguments}\n}}\n"),
    );
    workspace
}

#[test]
fn a_pass_is_used_as_a_secret_and_stored_nowhere() {
    let workspace = Workspace::with("harbor", V1_15);
    workspace.write(
        "main.tf",
        "ephemeral \"harbor_pass\" \"it\" {\n path = \"pass\"\n}\n\
         resource \"harbor_file\" \"it\" {\n path = \"used\"\n secret = ephemeral.harbor_pass.it.number\n secret_version = 1\n}\n",
    );
    assert_eq!(workspace.apply().changes(), (1, 0, 0));
    let used = workspace.read("harbor/used");
    assert_eq!(used.len(), 32);
    assert!(
        !workspace.path("harbor/pass").exists(),
        "it is closed at the end"
    );
    assert!(!workspace.read("terraform.tfstate").contains(&used));
}

#[test]
fn terraform_1_10_opens_and_closes_one() {
    let workspace = Workspace::with("quay", V1_10);
    let log = workspace.path("lease.log");
    workspace.write(
        "main.tf",
        &format!("ephemeral \"quay_lease\" \"it\" {{\n  log = {log:?}\n}}\n"),
    );
    workspace.plan().succeeds();
    assert_eq!(workspace.read("lease.log"), "open\nclose after 0\n");
}

#[test]
fn one_that_lasts_is_renewed_until_it_needs_no_more() {
    let workspace = lease("behaviour = \"renew\"");
    // Something that takes long while it is open.
    workspace.write("slow.tf", "resource \"quay_gauge\" \"it\" {\n blocks = 1500\n depends_on = [ephemeral.quay_lease.it]\n}\n");
    workspace.apply().succeeds();
    let log = workspace.read("lease.log");
    // The second renewal knows of the first. Terraform closes with what was kept when it was
    // opened.
    assert!(log.contains("open\nrenew\nrenew\nclose after 0\n"), "{log}");
}

#[test]
fn a_failure_is_a_diagnostic() {
    let invalid = lease("behaviour = \"invalid\"").validate().error();
    assert_eq!(
        (&invalid["summary"], &invalid["range"]["start"]["line"]),
        (&json!("Invalid Behaviour"), &json!(3))
    );
    let refused = lease("behaviour = \"refuse\"").plan().error();
    assert_eq!(
        (&refused["summary"], &refused["detail"]),
        (
            &json!("Unable to Open Ephemeral Resource"),
            &json!("no more leases")
        )
    );
    let panicked = lease("behaviour = \"panic\"").plan();
    assert!(
        panicked.error()["detail"]
            .as_str()
            .unwrap()
            .starts_with("The provider panicked."),
        "{}",
        panicked.out
    );
    assert!(!format!("{}{}", panicked.out, panicked.err).contains("sesame"));
}
