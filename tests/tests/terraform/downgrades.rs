//! State that a new release of a provider wrote, taken back to the release before it: that one plans no changes.

use std::process::Command;

use serde_json::{Value, json};

use super::real::ran::Ran;
use super::workspace::Workspace;

/// A workspace whose state the new release wrote.
fn applied_by_the_new_release(harbour: &str) -> Workspace {
    let workspace = Workspace::new("skiff");
    workspace.write(
        "main.tf",
        &format!(
            "resource \"skiff_boat\" \"it\" {{\n name = \"Alma\"\n length = 12\n {harbour}\n crew = [\"Ada\", \"Ben\"]\n sail {{\n area = 20\n }}\n sail {{\n area = 7\n }}\n}}\n"
        ),
    );
    assert_eq!(workspace.apply().changes(), (1, 0, 0));
    assert_eq!(workspace.instance("skiff_boat")["schema_version"], 1);
    workspace
}

/// Installs the old release, with the configuration that its user had.
fn take_the_old_release(workspace: &mut Workspace) {
    workspace.set("SKIFF_RELEASE", "1");
    workspace.write(
        "main.tf",
        "resource \"skiff_boat\" \"it\" {\n title = \"Alma\"\n length = \"12\"\n crew = [\"Ada\", \"Ben\"]\n sail {\n area = \"20\"\n }\n sail {\n area = \"7\"\n }\n}\n",
    );
}

/// Runs a command of the new release's program on the state file.
fn downgrade(workspace: &Workspace, options: &[&str]) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_provider_under_test"));
    command.args(["downgrade", "terraform.tfstate"]).args(options).current_dir(workspace.path(""));
    Ran::of(&mut command, options)
}

fn as_release_1_stored_it() -> Value {
    json!({"id": "boat-1", "title": "Alma", "length": "12", "flag": null, "crew": ["Ada", "Ben"],
        "sail": [{"area": "20"}, {"area": "7"}]})
}

#[test]
fn the_old_release_plans_no_changes_after_a_downgrade() {
    let mut workspace = applied_by_the_new_release("");
    let serial = workspace.state()["serial"].as_u64().unwrap();
    take_the_old_release(&mut workspace);
    // This is why people need it.
    assert_eq!(workspace.plan().error()["summary"], "Resource instance managed by newer provider version");

    downgrade(&workspace, &["--to", "skiff_boat=0"]).succeeds();
    let stored = workspace.instance("skiff_boat");
    assert_eq!((&stored["schema_version"], &stored["attributes"]), (&json!(0), &as_release_1_stored_it()));
    assert_eq!(workspace.state()["serial"], serial + 1);
    let plan = workspace.planned();
    assert_eq!(plan["resource_changes"][0]["change"]["actions"], json!(["no-op"]), "{:#}", plan["resource_changes"]);
    let ran = workspace.run(&["plan", "-input=false", "-no-color"]);
    assert!(ran.succeeds().out.contains("No changes. Your infrastructure matches the configuration."), "{}", ran.out);
    assert_eq!(workspace.apply().changes(), (0, 0, 0));
    // And up again: where nothing was lost, the new release finds what it wrote.
    let mut back = workspace;
    back.set("SKIFF_RELEASE", "2");
    back.write(
        "main.tf",
        "resource \"skiff_boat\" \"it\" {\n name = \"Alma\"\n length = 12\n crew = [\"Ada\", \"Ben\"]\n sail {\n area = 20\n }\n sail {\n area = 7\n }\n}\n",
    );
    assert_eq!(back.apply().changes(), (0, 0, 0));
    assert_eq!(back.instance("skiff_boat")["schema_version"], 1);
}

#[test]
fn what_the_old_release_cannot_hold_is_dropped_only_if_that_is_allowed() {
    let mut workspace = applied_by_the_new_release("harbour = \"north\"");
    take_the_old_release(&mut workspace);
    let before = workspace.read("terraform.tfstate");
    downgrade(&workspace, &["--to", "skiff_boat=0"]).fails_with("Version 0 cannot hold the value \"north\" (at harbour).");
    assert_eq!(workspace.read("terraform.tfstate"), before);

    let refused = downgrade(&workspace, &["--to", "skiff_boat=0"]);
    refused.fails_with("--allow-loss drops what the older version cannot hold");

    let ran = downgrade(&workspace, &["--to", "skiff_boat=0", "--allow-loss"]);
    let printed = format!("{}{}", ran.succeeds().out, ran.err);
    assert!(printed.contains("cannot hold the value \"north\""), "{printed}");
    assert_eq!(workspace.instance("skiff_boat")["attributes"], as_release_1_stored_it());
    assert_eq!(workspace.planned()["resource_changes"][0]["change"]["actions"], json!(["no-op"]));
}
