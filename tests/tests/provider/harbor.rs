//! The example provider, from the first apply to the last.

use std::fs;

use serde_json::json;

use super::workspace::Workspace;

/// The configuration next to the provider, without what a workspace says itself.
fn example() -> String {
    let text = include_str!("../../../examples/harbor/terraform/main.tf");
    let (_, rest) = text.split_once("provider \"harbor\"").unwrap();
    format!("provider \"harbor\"{rest}")
}

#[test]
fn the_whole_example_is_applied_left_alone_and_destroyed() {
    let workspace = Workspace::new("harbor");
    workspace.write("main.tf", &example());
    workspace.write("port/tides.txt", "high at noon\n");
    workspace.validate().succeeds();
    assert_eq!(workspace.plan().changes(), (4, 0, 0));
    assert_eq!(workspace.apply().changes(), (4, 0, 0));
    let directory = workspace.instance("harbor_directory");
    let id = directory["attributes"]["id"].as_str().unwrap();
    assert_eq!(
        workspace.read("port/docs/readme.txt"),
        format!("Welcome to {id}.\n")
    );
    assert_eq!(
        workspace.read("port/quays.conf"),
        "# managed by Terraform\n[north]\ncranes = 2\ndepth = 12\n[south]\ndepth = 7\n"
    );
    assert_eq!(workspace.read("port/docs/visitor.key").len(), 32);
    assert!(!workspace.path("port/visitor").exists());
    assert!(
        workspace
            .read("port/harbor.log")
            .starts_with("wrote docs/readme.txt, ")
    );
    assert_eq!(
        workspace.state()["outputs"]["tides"]["value"],
        "high at noon\n"
    );
    assert_eq!(workspace.plan().changes(), (0, 0, 0));
    workspace.write(
        "files.tfquery.hcl",
        include_str!("../../../examples/harbor/terraform/files.tfquery.hcl"),
    );
    let found = workspace.run(&["query", "-no-color"]);
    found.succeeds();
    assert!(
        found.out.contains("docs/readme.txt") && found.out.contains("tides.txt"),
        "{}",
        found.out
    );
    assert_eq!(workspace.destroy().changes(), (0, 0, 4));
    assert!(!workspace.path("port/docs").exists());
    assert_eq!(workspace.state()["resources"], json!([]));
}

#[test]
fn what_changed_on_disk_is_seen_and_put_right() {
    let workspace = Workspace::new("harbor");
    workspace.write(
        "main.tf",
        "resource \"harbor_file\" \"it\" {\n path = \"a.txt\"\n content = \"one\"\n}\n",
    );
    workspace.apply().succeeds();
    fs::write(workspace.path("harbor/a.txt"), "two").unwrap();
    assert_eq!(workspace.plan().changes(), (0, 1, 0));
    fs::remove_file(workspace.path("harbor/a.txt")).unwrap();
    assert_eq!(workspace.apply().changes(), (1, 0, 0));
    assert_eq!(workspace.read("harbor/a.txt"), "one");
}

#[test]
fn a_secret_is_written_and_never_stored() {
    let workspace = Workspace::new("harbor");
    let config = |secret: &str, version: u32| {
        format!(
            "resource \"harbor_file\" \"it\" {{\n path = \"key\"\n secret = \"{secret}\"\n secret_version = {version}\n permissions = \"0600\"\n}}\n"
        )
    };
    workspace.write("main.tf", &config("sesame", 1));
    workspace.apply().succeeds();
    assert_eq!(workspace.read("harbor/key"), "sesame");
    let stored = workspace.read("terraform.tfstate");
    assert!(!stored.contains("sesame"), "{stored}");
    // Nobody can know that another secret is meant, until its version says so.
    workspace.write("main.tf", &config("mellon", 1));
    assert_eq!(workspace.plan().changes(), (0, 0, 0));
    workspace.write("main.tf", &config("mellon", 2));
    assert_eq!(workspace.apply().changes(), (0, 1, 0));
    assert_eq!(workspace.read("harbor/key"), "mellon");
}

#[test]
fn things_that_are_there_are_imported_by_id_and_by_identity() {
    let workspace = Workspace::new("harbor");
    workspace.write("harbor/by_id.txt", "one");
    workspace.write("harbor/by_identity.txt", "two");
    let file = |name: &str, content: &str| {
        format!(
            "resource \"harbor_file\" \"{name}\" {{\n path = \"{name}.txt\"\n content = \"{content}\"\n}}\n"
        )
    };
    workspace.write(
        "main.tf",
        &(file("by_id", "one") + &file("by_identity", "two")),
    );
    workspace
        .run(&["import", "-no-color", "harbor_file.by_id", "by_id.txt"])
        .succeeds();
    workspace.write(
        "import.tf",
        "import {\n to = harbor_file.by_identity\n identity = { path = \"by_identity.txt\" }\n}\n",
    );
    assert_eq!(workspace.apply().changes(), (0, 0, 0));
    assert_eq!(workspace.state()["resources"].as_array().unwrap().len(), 2);
    workspace.write("harbor/docs/.harbor", "dir-7");
    workspace.write(
        "docs.tf",
        "resource \"harbor_directory\" \"docs\" {\n path = \"docs\"\n}\n",
    );
    workspace
        .run(&["import", "-no-color", "harbor_directory.docs", "docs"])
        .succeeds();
    assert_eq!(
        workspace.instance("harbor_directory")["attributes"]["id"],
        "dir-7"
    );
    workspace.write("missing.tf", &file("missing", ""));
    let missing = workspace.run(&["import", "-no-color", "harbor_file.missing", "nowhere.txt"]);
    assert!(
        missing
            .fails()
            .err
            .contains("There is no harbor_file named \"nowhere.txt\", so nothing was imported."),
        "{}",
        missing.err
    );
}

#[test]
fn another_path_makes_a_new_file_and_another_mode_does_not() {
    let workspace = Workspace::new("harbor");
    workspace.write(
        "main.tf",
        "resource \"harbor_file\" \"it\" {\n path = \"a.txt\"\n content = \"one\"\n}\n",
    );
    workspace.apply().succeeds();
    workspace.write(
        "main.tf",
        "resource \"harbor_file\" \"it\" {\n path = \"a.txt\"\n content = \"one\"\n permissions = \"0600\"\n}\n",
    );
    assert_eq!(workspace.apply().changes(), (0, 1, 0));
    workspace.write(
        "main.tf",
        "resource \"harbor_file\" \"it\" {\n path = \"b.txt\"\n content = \"one\"\n}\n",
    );
    let plan = workspace.planned();
    assert_eq!(
        plan["resource_changes"][0]["change"]["actions"],
        json!(["delete", "create"])
    );
    assert_eq!(
        plan["resource_changes"][0]["change"]["replace_paths"],
        json!([["path"]])
    );
    assert_eq!(workspace.apply().changes(), (1, 0, 1));
    assert!(!workspace.path("harbor/a.txt").exists());
}

#[test]
fn mistakes_in_a_configuration_are_told_where_they_stand() {
    let workspace = Workspace::new("harbor");
    workspace.write(
        "main.tf",
        "resource \"harbor_file\" \"it\" {\n  path    = \"../a.txt\"\n  content = \"one\"\n}\n",
    );
    let error = workspace.validate().error();
    assert_eq!(error["summary"], "Invalid Path");
    assert_eq!(
        error["detail"],
        "The path \"../a.txt\" does not stay below the provider's root: expected a relative path without `..`, such as docs/a.txt."
    );
    assert_eq!(error["range"]["start"]["line"], 2);
    workspace.write(
        "main.tf",
        "resource \"harbor_file\" \"it\" {\n  path = \"a.txt\"\n}\n",
    );
    assert_eq!(workspace.validate().error()["summary"], "Invalid Content");
}
