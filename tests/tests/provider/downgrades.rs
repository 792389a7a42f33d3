//! State that a new release of a provider wrote, taken back to the release before it: that one
//! plans no changes.

use std::process::Command;

use serde_json::{Value, json};

use super::real::ran::Ran;
use super::real::terraform::V1_15;
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
    let mut command = workspace.program();
    command
        .args(["downgrade", "terraform.tfstate"])
        .args(options)
        .current_dir(workspace.path(""));
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
    assert_eq!(
        workspace.plan().error()["summary"],
        "Resource instance managed by newer provider version"
    );

    downgrade(&workspace, &["--to", "skiff_boat=0"]).succeeds();
    let stored = workspace.instance("skiff_boat");
    assert_eq!(
        (&stored["schema_version"], &stored["attributes"]),
        (&json!(0), &as_release_1_stored_it())
    );
    assert_eq!(workspace.state()["serial"], serial + 1);
    let plan = workspace.planned();
    assert_eq!(
        plan["resource_changes"][0]["change"]["actions"],
        json!(["no-op"]),
        "{:#}",
        plan["resource_changes"]
    );
    workspace.changes_nothing();
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
    downgrade(&workspace, &["--to", "skiff_boat=0"])
        .fails_with("Version 0 cannot hold the value \"north\" (at harbour).");
    assert_eq!(workspace.read("terraform.tfstate"), before);

    let refused = downgrade(&workspace, &["--to", "skiff_boat=0"]);
    refused.fails_with("--allow-loss drops what the older version cannot hold");

    let ran = downgrade(&workspace, &["--to", "skiff_boat=0", "--allow-loss"]);
    let printed = format!("{}{}", ran.succeeds().out, ran.err);
    assert!(
        printed.contains("cannot hold the value \"north\""),
        "{printed}"
    );
    assert_eq!(
        workspace.instance("skiff_boat")["attributes"],
        as_release_1_stored_it()
    );
    assert_eq!(
        workspace.planned()["resource_changes"][0]["change"]["actions"],
        json!(["no-op"])
    );
}

/// A workspace with a mooring, whose state release 2 wrote, and a lock that knows all releases.
fn moored(berth: &str) -> Workspace {
    let mut workspace = Workspace::with("skiff", V1_15);
    for (release, version) in [("0", "0.9.0"), ("1", "1.0.0"), ("2", "2.0.0")] {
        workspace.set("SKIFF_RELEASE", release);
        of_release(&workspace, release, &["lock", "--release", version]).succeeds();
    }
    workspace.write(
        "main.tf",
        &format!("resource \"skiff_mooring\" \"it\" {{\n berth = \"{berth}\"\n}}\n"),
    );
    assert_eq!(workspace.apply().changes(), (1, 0, 0));
    let stored = workspace.instance("skiff_mooring");
    assert_eq!(
        (
            &stored["schema_version"],
            &stored["identity_schema_version"]
        ),
        (&json!(1), &json!(1))
    );
    workspace.write(
        "main.tf",
        "resource \"skiff_mooring\" \"it\" {\n place = \"north\"\n}\n",
    );
    workspace
}

/// Runs a command of a release's program.
fn of_release(workspace: &Workspace, release: &str, arguments: &[&str]) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_provider_under_test"));
    command
        .args(arguments)
        .current_dir(workspace.path(""))
        .env("SKIFF_RELEASE", release)
        .env_remove("CARGO_MANIFEST_DIR");
    Ran::of(&mut command, arguments)
}

#[test]
fn identities_go_back_to_the_release_that_reads_them() {
    let mut workspace = moored("north");
    workspace.set("SKIFF_RELEASE", "1");
    // Attributes alone are not enough.
    of_release(
        &workspace,
        "2",
        &[
            "downgrade",
            "terraform.tfstate",
            "--to",
            "skiff_mooring=0",
            "--output",
            "half.tfstate",
        ],
    )
    .succeeds();
    let whole = workspace.read("terraform.tfstate");
    workspace.write("terraform.tfstate", &workspace.read("half.tfstate"));
    assert_eq!(
        workspace.plan().error()["summary"],
        "Resource instance managed by newer provider version"
    );
    workspace.write("terraform.tfstate", &whole);

    let plan = of_release(
        &workspace,
        "2",
        &[
            "plan",
            "terraform.tfstate",
            "--to-release",
            "1.0.0",
            "--diff",
        ],
    );
    assert!(
        plan.succeeds().out.contains("  identity  1 → 0\n"),
        "{}",
        plan.out
    );
    of_release(
        &workspace,
        "2",
        &["downgrade", "terraform.tfstate", "--to-release", "1.0.0"],
    )
    .succeeds();
    let stored = workspace.instance("skiff_mooring");
    assert_eq!(stored["identity"], json!({"place": "north"}));
    assert_eq!(
        (
            &stored["identity_schema_version"],
            &stored["schema_version"]
        ),
        (&json!(0), &json!(0))
    );
    workspace.changes_nothing();
    assert_eq!(workspace.apply().changes(), (0, 0, 0));
    // And up again.
    workspace.set("SKIFF_RELEASE", "2");
    workspace.write(
        "main.tf",
        "resource \"skiff_mooring\" \"it\" {\n berth = \"north\"\n}\n",
    );
    assert_eq!(workspace.apply().changes(), (0, 0, 0));
    assert_eq!(
        workspace.instance("skiff_mooring")["identity"],
        json!({"berth": "north", "port": "home"})
    );
}

#[test]
fn what_an_older_identity_cannot_hold_is_named() {
    let workspace = moored("south/north");
    let before = workspace.read("terraform.tfstate");
    let to = [
        "downgrade",
        "terraform.tfstate",
        "--to",
        "skiff_mooring_identity=0",
    ];
    of_release(&workspace, "2", &to)
        .fails_with("Version 0 cannot hold the value \"south\" (at port).");
    of_release(&workspace, "2", &[&to[..], &["--strict"]].concat())
        .fails_with("It is lossy: port (any value but the constant).");
    assert_eq!(workspace.read("terraform.tfstate"), before);
    let ran = of_release(&workspace, "2", &[&to[..], &["--allow-loss"]].concat());
    assert!(
        format!("{}{}", ran.succeeds().out, ran.err).contains("cannot hold the value \"south\""),
        "{}",
        ran.out
    );
    let stored = workspace.instance("skiff_mooring");
    assert_eq!(
        (&stored["identity"], &stored["identity_schema_version"]),
        (&json!({"place": "north"}), &json!(0))
    );
    // The attributes were not asked for.
    assert_eq!(stored["schema_version"], 1);
}

#[test]
fn a_release_without_identities_reads_state_without_them() {
    let mut workspace = moored("north");
    workspace.set("SKIFF_RELEASE", "0");
    let to = ["downgrade", "terraform.tfstate", "--to-release", "0.9.0"];
    of_release(&workspace, "2", &to).fails_with(
        "Release 0.9.0 has no identity of skiff_mooring, so the stored one is removed.",
    );
    of_release(&workspace, "2", &[&to[..], &["--allow-loss"]].concat()).succeeds();
    let stored = workspace.instance("skiff_mooring");
    assert_eq!(
        (stored.get("identity"), &stored["identity_schema_version"]),
        (None, &json!(0))
    );
    workspace.changes_nothing();
    assert_eq!(workspace.apply().changes(), (0, 0, 0));
    // The releases after it make one again.
    for (release, identity) in [
        ("1", json!({"place": "north"})),
        ("2", json!({"berth": "north", "port": "home"})),
    ] {
        workspace.set("SKIFF_RELEASE", release);
        if release == "2" {
            workspace.write(
                "main.tf",
                "resource \"skiff_mooring\" \"it\" {\n berth = \"north\"\n}\n",
            );
        }
        assert_eq!(workspace.apply().changes(), (0, 0, 0));
        workspace
            .run(&["apply", "-refresh-only", "-auto-approve", "-input=false"])
            .succeeds();
        assert_eq!(workspace.instance("skiff_mooring")["identity"], identity);
    }
}
