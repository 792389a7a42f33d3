//! `terraform query`, which Terraform knows from 1.14 on.

use serde_json::{Value, json};

use super::real::ran::Ran;
use super::workspace::Workspace;

/// What a list found: names, identities and whole resources.
fn found(ran: &Ran) -> Vec<(String, Value, Value)> {
    ran.succeeds();
    let events = ran
        .out
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    events
        .filter(|event| event["type"] == "list_resource_found")
        .map(|event| {
            let found = &event["list_resource_found"];
            (
                found["display_name"].as_str().unwrap().to_owned(),
                found["identity"].clone(),
                found["resource_object"].clone(),
            )
        })
        .collect()
}

fn query(workspace: &Workspace, list: &str) -> Ran {
    workspace.write("all.tfquery.hcl", list);
    workspace.run(&["query", "-json"])
}

#[test]
fn files_that_are_there_are_found_and_their_configuration_is_written() {
    let workspace = Workspace::new("harbor");
    for (path, text) in [
        ("a.txt", "one"),
        ("docs/b.txt", "two"),
        ("docs/c.md", "three"),
    ] {
        workspace.write(&format!("harbor/{path}"), text);
    }
    let all = "list \"harbor_file\" \"all\" {\n provider = harbor\n}\n";
    let names: Vec<String> = found(&query(&workspace, all))
        .into_iter()
        .map(|(name, ..)| name)
        .collect();
    assert_eq!(names, ["a.txt", "docs/b.txt", "docs/c.md"]);
    let some = "list \"harbor_file\" \"some\" {\n provider = harbor\n include_resource = true\n \
                config {\n path = \"docs\"\n suffix = \".txt\"\n }\n}\n";
    let some = found(&query(&workspace, some));
    let [(_, identity, resource)] = some.as_slice() else {
        panic!("{some:?}")
    };
    assert_eq!(
        (identity, &resource["content"]),
        (&json!({"path": "docs/b.txt"}), &json!("two"))
    );

    // What was found is taken under management without a change.
    workspace.write(
        "all.tfquery.hcl",
        "list \"harbor_file\" \"all\" {\n provider = harbor\n limit = 2\n}\n",
    );
    workspace
        .run(&["query", "-generate-config-out=found.tf"])
        .succeeds();
    let generated = workspace.read("found.tf");
    assert!(
        generated.contains("content")
            && !generated.contains("sha256")
            && !generated.contains("permissions"),
        "{generated}"
    );
    std::fs::remove_file(workspace.path("all.tfquery.hcl")).unwrap();
    assert_eq!(workspace.apply().changes(), (0, 0, 0));
    assert_eq!(workspace.state()["resources"].as_array().unwrap().len(), 2);
}

#[test]
fn a_list_that_ends_badly_says_so_where_it_stands() {
    let workspace = Workspace::new("quay");
    let list = |behaviour: &str| {
        format!(
            "list \"quay_berth\" \"it\" {{\n  provider = quay\n  config {{\n    behaviour = \"{behaviour}\"\n  }}\n}}\n"
        )
    };
    // Terraform 1.15 looks for the attribute beside the `config` block instead of in it, and finds
    // the first line of the list.
    let refused = query(&workspace, &list("refuse")).error();
    assert_eq!(
        (&refused["summary"], &refused["range"]["start"]["line"]),
        (&json!("Fog"), &json!(1))
    );
    let panicked = query(&workspace, &list("panic"));
    assert!(
        panicked.error()["detail"]
            .as_str()
            .unwrap()
            .starts_with("The provider panicked."),
        "{}",
        panicked.out
    );
    let warned = query(&workspace, &list("warn"));
    assert_eq!(found(&warned).len(), 2);
    assert_eq!(warned.diagnostics()[0]["detail"], "There may be more.");
}

#[test]
fn what_is_asked_for_is_checked() {
    let workspace = Workspace::new("harbor");
    workspace
        .write("all.tfquery.hcl", "list \"harbor_file\" \"it\" {\n  provider = harbor\n  config {\n    path = \"..\"\n  }\n}\n");
    let error = workspace.run(&["query", "-json"]).error();
    assert_eq!(
        (&error["summary"], &error["range"]["start"]["line"]),
        (&json!("Invalid Path"), &json!(1))
    );
}

#[test]
fn no_more_are_asked_for_than_the_limit() {
    let workspace = Workspace::new("quay");
    let list = "list \"quay_berth\" \"it\" {\n provider = quay\n limit = 3\n config {\n amount = 100000000\n }\n}\n";
    let names: Vec<String> = found(&query(&workspace, list))
        .into_iter()
        .map(|(name, ..)| name)
        .collect();
    assert_eq!(names, ["Berth berth-1", "Berth berth-2", "Berth berth-3"]);
}
