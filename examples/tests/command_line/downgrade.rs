//! `downgrade`, and `plan` of one.

use std::fs;

use serde_json::Value;

use super::{Folder, code, realworld, realworld_reading, stderr, stdout, text};

/// Two storage accounts of the current version and one of version 2, a type that nobody knows, and white space of its own.
const STATE: &str = r#"{
  "version": 4, "terraform_version": "1.9.0", "serial": 7, "lineage": "6a0c",
  "outputs": {},
  "resources": [
    {"mode": "managed", "type": "azurerm_storage_account", "name": "new", "provider": "provider[\"x/y/azurerm\"]", "instances": [
      {"index_key": 0, "schema_version": 3,   "attributes": {"id": "a", "account_encryption_source": "Microsoft.Storage", "account_replication_type": "LRS", "account_tier": "Standard", "account_type": null, "allow_nested_items_to_be_public": true, "primary_access_key": "hunter2"}},
      {"index_key": 1, "schema_version": 2, "attributes": {"id": "b", "account_tier": "Standard", "account_replication_type": "LRS"}}
    ]},
    {"mode": "managed", "type": "unknown_thing", "name": "x", "provider": "provider[\"x/y/unknown\"]", "instances": [{"schema_version": 3, "attributes": {"id": "c"}}]}
  ]
}
"#;

/// That, with an encryption source that versions before 2 do not have.
fn other_source() -> String {
    STATE.replacen("Microsoft.Storage", "Microsoft.Keyvault", 1)
}

#[test]
fn a_state_goes_back_in_place_and_up_again() {
    let folder = Folder::new();
    let state = folder.file("terraform.tfstate", STATE);
    let output = realworld(&[
        "downgrade",
        text(&state),
        "--to",
        "azurerm_storage_account=2",
    ]);
    assert_eq!(code(&output), 0, "{}{}", stdout(&output), stderr(&output));
    let printed = stdout(&output);
    assert!(
        printed.contains("downgraded                 instances  versions\n  azurerm_storage_account          1  3 → 2\n"),
        "{printed}"
    );
    assert!(
        printed.contains("1 downgraded, 1 already that old, 1 left as they are (1 unknown type)"),
        "{printed}"
    );
    assert_eq!(
        folder.names(),
        ["terraform.tfstate", "terraform.tfstate.backup"]
    );
    assert_eq!(
        fs::read_to_string(folder.0.path().join("terraform.tfstate.backup")).unwrap(),
        STATE
    );

    // Nothing changed but the one instance and the serial.
    let after = fs::read_to_string(&state).unwrap();
    let differ: Vec<(&str, &str)> = STATE
        .lines()
        .zip(after.lines())
        .filter(|(before, after)| before != after)
        .collect();
    assert_eq!(differ.len(), 2, "{after}");
    assert!(differ[0].1.contains(r#""serial": 8,"#), "{after}");
    assert!(
        differ[1]
            .1
            .contains(r#""schema_version": 2,   "attributes": "#)
            && differ[1].1.contains("allow_blob_public_access"),
        "{after}"
    );

    assert_eq!(
        code(&realworld(&[
            "upgrade",
            text(&state),
            "--exclude",
            "azurerm_storage_account.new[1]"
        ])),
        0
    );
    let again: Value = serde_json::from_str(&fs::read_to_string(&state).unwrap()).unwrap();
    let mut before: Value = serde_json::from_str(STATE).unwrap();
    before["serial"] = 9.into();
    assert_eq!(again, before, "up after down is what it was");
}

#[test]
fn what_would_be_lost_is_refused_unless_it_is_allowed() {
    let folder = Folder::new();
    let before = other_source();
    let state = folder.file("terraform.tfstate", &before);
    let arguments = [
        "downgrade",
        text(&state),
        "--to",
        "azurerm_storage_account=1",
        "--only",
        "azurerm_storage_account.new[0]",
    ];
    let output = realworld(&arguments);
    assert_eq!(code(&output), 1, "{}", stdout(&output));
    let printed = stderr(&output);
    let said =
        "Version 1 cannot hold the value \"Microsoft.Keyvault\" (at account_encryption_source).";
    assert!(
        printed.contains(said)
            && printed.contains("cannot be downgraded")
            && !printed.contains("hunter2"),
        "{printed}"
    );
    assert!(
        printed.contains("refused: nothing was written"),
        "{printed}"
    );
    assert_eq!(fs::read_to_string(&state).unwrap(), before);
    assert_eq!(folder.names(), ["terraform.tfstate"]);

    let output = realworld(&[&arguments[..], &["--allow-loss"]].concat());
    assert_eq!(code(&output), 0, "{}", stdout(&output));
    let printed = stdout(&output);
    assert!(
        printed.contains("warning: Value Lost\n    Version 1 cannot hold")
            && printed.contains(said),
        "{printed}"
    );
    assert!(!fs::read_to_string(&state).unwrap().contains("Keyvault"));
    assert_eq!(
        fs::read_to_string(folder.0.path().join("terraform.tfstate.backup")).unwrap(),
        before
    );
}

#[test]
fn a_plan_of_a_downgrade_shows_it_and_writes_nothing() {
    let folder = Folder::new();
    let state = folder.file("terraform.tfstate", STATE);
    let output = realworld(&[
        "plan",
        text(&state),
        "--diff",
        "--to",
        "azurerm_storage_account=2",
    ]);
    assert_eq!(code(&output), 0, "{}", stdout(&output));
    let printed = stdout(&output);
    for line in [
        "azurerm_storage_account.new[0]  3 → 2",
        "  ~ allow_nested_items_to_be_public → allow_blob_public_access  moved true\n",
        "1 to downgrade",
    ] {
        assert!(printed.contains(line), "{line}: {printed}");
    }
    assert!(
        printed.contains("would be downgraded") && !printed.contains("hunter2"),
        "{printed}"
    );
    assert_eq!(fs::read_to_string(&state).unwrap(), STATE);
    let dry = realworld(&[
        "downgrade",
        text(&state),
        "--to",
        "azurerm_storage_account=2",
        "--dry-run",
        "--format",
        "json",
    ]);
    let json: Value = serde_json::from_str(&stdout(&dry)).unwrap();
    assert_eq!(json["instances"][0]["outcome"], "downgraded");
    assert_eq!(json["instances"][0]["to"], 2);
    assert_eq!(json["types"][0]["outcome"], "downgraded");
    assert_eq!(folder.names(), ["terraform.tfstate"]);
}

#[test]
fn a_release_is_looked_up_in_the_lock() {
    let folder = Folder::new();
    let state = folder.file("terraform.tfstate", STATE);
    // Release 0.2.0 is the first with version 3 of the storage account, and with a type that 0.1.0 did not have.
    let lock = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/upstate.lock")).unwrap();
    let later = |lock: &str, entry: &str| {
        let (before, after) = lock.split_once(entry).unwrap();
        format!(
            "{before}{entry}{}",
            after.replacen("released 0.1.0", "released 0.2.0", 1)
        )
    };
    let lock = later(&lock, "\n[azurerm_storage_account 3]").replacen(
        "release 0.1.0\n",
        "release 0.1.0\nrelease 0.2.0\n",
        1,
    );
    let path = folder.file("upstate.lock", &lock);
    let run = |release: &str, lock: &std::path::Path| {
        realworld(&[
            "downgrade",
            text(&state),
            "--dry-run",
            "--diff",
            "--to-release",
            release,
            "--lock",
            text(lock),
        ])
    };
    let printed = stdout(&run("0.1.0", &path));
    assert!(
        printed.contains("azurerm_storage_account.new[0]  3 → 2"),
        "{printed}"
    );
    let printed = stdout(&run("0.2.0", &path));
    assert!(
        printed.starts_with("nothing to downgrade in ")
            && printed.contains(": 2 already that old, "),
        "{printed}"
    );
    let output = run("9.9.9", &path);
    assert_eq!(code(&output), 2);
    assert!(
        stderr(&output).contains("has no release 9.9.9; it has 0.2.0, 0.1.0"),
        "{}",
        stderr(&output)
    );
    let output = run("0.1.0", &folder.0.path().join("none.lock"));
    assert_eq!(code(&output), 3);
    assert!(
        stderr(&output).contains("none.lock, which says which schema versions each release had"),
        "{}",
        stderr(&output)
    );
    // A release that did not have the type cannot read its state.
    let without: String = lock
        .split("\n[")
        .filter(|entry| !entry.starts_with("azurerm_storage_account "))
        .collect::<Vec<_>>()
        .join("\n[");
    let path = folder.file("without.lock", without);
    let output = run("0.1.0", &path);
    assert_eq!(code(&output), 1);
    assert!(
        stdout(&output).contains("Release 0.1.0 did not have azurerm_storage_account."),
        "{}",
        stdout(&output)
    );
}

#[test]
fn a_downgrade_that_does_not_say_how_far_is_a_mistake() {
    for (arguments, said) in [
        (
            &["downgrade", "-"][..],
            "nothing says how far back; write --to-release RELEASE, or --to TYPE=VERSION",
        ),
        (
            &["downgrade", "-", "--to", "azurerm_storage_account"],
            "is not a type and a schema version",
        ),
        (
            &["downgrade", "-", "--to", "azurerm_storage_acount=1"],
            "did you mean \"azurerm_storage_account\"?",
        ),
        (
            &["downgrade", "-", "--to", "azurerm_storage_account=9"],
            "is later than the current version of azurerm_storage_account, which is 3",
        ),
        (
            &["plan", "-", "--allow-loss"],
            "--allow-loss is for state that goes back",
        ),
    ] {
        let output = realworld_reading(STATE.as_bytes(), arguments);
        assert_eq!(code(&output), 2, "{arguments:?}");
        assert!(
            stderr(&output).contains(said),
            "{arguments:?}: {}",
            stderr(&output)
        );
        assert_eq!(stdout(&output), "");
    }
}

#[test]
fn explain_tells_both_directions() {
    let printed = stdout(&realworld(&["explain", "azurerm_storage_account"]));
    assert!(
        printed.contains("  up:   lossless\n  back: lossless\n"),
        "{printed}"
    );
    assert!(
        printed.contains("  back: lossy: account_encryption_source (any value but the constant)\n"),
        "{printed}"
    );
}
