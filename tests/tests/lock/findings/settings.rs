//! Settings, where they may stand, and what may be compared with.

use std::process::Command;
#[cfg(unix)]
use std::process::Stdio;

use serde_json::Value;

use crate::findings::workspace::{Printed, Workspace};

/// What the finding of `rule` counts as; nothing if there is none.
fn severity(printed: &Printed, rule: &str) -> Option<String> {
    let json = printed.json();
    let findings = json["findings"].as_array().unwrap();
    findings
        .iter()
        .find(|finding| finding["id"] == rule)
        .map(|finding| finding["severity"].as_str().unwrap().to_owned())
}

fn check(workspace: &Workspace) -> Printed {
    workspace.run(&["check", "--release", "2.5.0", "--format", "json"])
}

#[test]
fn settings_may_stand_in_the_metadata_of_the_package() {
    let workspace = Workspace::new();
    workspace.write("Cargo.toml", "[package]\nname = \"acme\"\n\n[package.metadata.upstate.rules]\nforce-new-added = \"warn\"\n");
    assert_eq!(
        severity(&check(&workspace), "force-new-added").as_deref(),
        Some("warning")
    );
    // A waiver is written where the settings are.
    let json = check(&workspace).json();
    let found = json["findings"]
        .as_array()
        .unwrap()
        .iter()
        .find(|finding| finding["id"] == "default-changed")
        .unwrap()
        .clone();
    let print = found["fingerprint"].as_str().unwrap();
    let accepted = workspace.run(&[
        "accept",
        print,
        "--reason",
        "security",
        "--until",
        "3.0.0",
        "--release",
        "2.5.0",
    ]);
    assert_eq!(accepted.code, 0, "{accepted:?}");
    let manifest = workspace.read("Cargo.toml");
    assert!(
        manifest.contains("\n[[package.metadata.upstate.waive]]\nrule = \"default-changed\"\n"),
        "{manifest}"
    );
    let again = check(&workspace).json();
    let found = again["findings"]
        .as_array()
        .unwrap()
        .iter()
        .find(|finding| finding["fingerprint"] == print)
        .unwrap();
    assert_eq!(found["waived"]["reason"], "security");
    // Two homes are one too many.
    workspace.write("upstate.toml", "");
    let both = check(&workspace);
    assert_eq!(both.code, 2);
    assert_eq!(
        both.err,
        "error: both ./upstate.toml and the metadata of ./Cargo.toml have settings; keep one of them\n"
    );
}

#[cfg(unix)]
#[test]
fn waivers_that_are_written_at_once_are_all_there() {
    let workspace = Workspace::new();
    let json = check(&workspace).json();
    let failing = json["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|finding| finding["fails"] == true)
        .take(6);
    let accepted: Vec<_> = failing
        .map(|finding| {
            let print = finding["fingerprint"].as_str().unwrap();
            let mut command = workspace.command(".");
            command.args([
                "accept",
                print,
                "--reason",
                "security",
                "--until",
                "3.0.0",
                "--release",
                "2.5.0",
            ]);
            command
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    // Some rules cannot be waived.
    let written = accepted
        .into_iter()
        .filter_map(|mut child| child.wait().unwrap().success().then_some(()))
        .count();
    assert!(written > 1, "{written}");
    assert_eq!(
        workspace.read("upstate.toml").matches("[[waive]]").count(),
        written
    );
}

#[test]
fn a_waiver_does_not_break_the_file_of_the_settings() {
    for (file, settings) in [
        (
            "upstate.toml",
            "waive = [{ rule = \"list-to-set\", reason = \"security\", until = \"9.0.0\" }]\n",
        ),
        (
            "Cargo.toml",
            "[package]\nname = \"acme\"\nmetadata.upstate = { preset = \"strict\" }\n",
        ),
    ] {
        let workspace = Workspace::new();
        workspace.write(file, settings);
        let json = check(&workspace).json();
        let found = json["findings"]
            .as_array()
            .unwrap()
            .iter()
            .find(|finding| finding["id"] == "default-changed")
            .unwrap();
        let print = found["fingerprint"].as_str().unwrap();
        let refused = workspace.run(&[
            "accept",
            print,
            "--reason",
            "security",
            "--until",
            "3.0.0",
            "--release",
            "2.5.0",
        ]);
        assert_eq!(refused.code, 2, "{refused:?}");
        let begin = format!(
            "error: {file} has its settings in brackets, so that no waiver can be put behind them; "
        );
        assert!(
            refused.err.starts_with(&begin)
                && refused
                    .err
                    .contains("waive]]\nrule = \"default-changed\"\n"),
            "{refused:?}"
        );
        assert_eq!(workspace.read(file), settings);
    }
}

#[test]
fn a_package_takes_the_settings_of_its_workspace_and_adds_to_them() {
    let workspace = Workspace::new();
    workspace.write(
        "Cargo.toml",
        "[workspace]\nmembers = [\"acme\"]\n\n[workspace.metadata.upstate.rules]\nforce-new-added = \"warn\"\nlist-to-set = \"allow\"\n",
    );
    workspace.write("acme/upstate.lock", &workspace.read("upstate.lock"));
    let run = || {
        Printed::of(
            &workspace
                .command("acme")
                .args(["check", "--release", "2.5.0", "--format", "json"])
                .output()
                .unwrap(),
        )
    };
    workspace.write("acme/Cargo.toml", "[package]\nname = \"acme\"\n");
    assert_eq!(
        severity(&run(), "force-new-added").as_deref(),
        Some("breaking"),
        "nothing is taken unasked"
    );
    workspace.write(
        "acme/Cargo.toml",
        "[package.metadata.upstate]\nworkspace = true\nrules.list-to-set = \"info\"\n",
    );
    assert_eq!(
        severity(&run(), "force-new-added").as_deref(),
        Some("warning")
    );
    assert_eq!(severity(&run(), "list-to-set").as_deref(), Some("info"));
    // At the root the workspace's own count.
    assert_eq!(severity(&check(&workspace), "list-to-set"), None);
}

#[test]
fn what_was_known_is_let_through_until_it_is_settled() {
    let workspace = Workspace::new();
    assert_eq!(check(&workspace).code, 1);
    let known = workspace.run(&["known", "--release", "2.5.0"]);
    assert_eq!((known.code, known.err.as_str()), (0, ""), "{known:?}");
    let printed = check(&workspace);
    let json = printed.json();
    assert_eq!(
        (printed.code, &json["ok"]),
        (0, &Value::Bool(true)),
        "{json:#}"
    );
    assert!(json["counts"]["known"].as_u64().unwrap() > 5);
    let text = workspace.run(&["check", "--release", "2.5.0"]).out;
    assert!(
        text.contains("   = known:  was there when the rules were adopted\n"),
        "{text}"
    );
    // What is settled is reported, and only taken out.
    let file: Value = serde_json::from_str(&workspace.read("upstate.known.json")).unwrap();
    let mut all = file["known"].as_array().unwrap().clone();
    let gone = all.remove(0);
    all.push("000000000000".into());
    workspace.write(
        "upstate.known.json",
        &serde_json::json!({ "format": 1, "known": all }).to_string(),
    );
    let text = workspace.run(&["check", "--release", "2.5.0"]);
    assert_eq!(text.code, 1);
    assert!(
        text.out
            .contains("1 known finding settled since; `acme known` takes them out"),
        "{}",
        text.out
    );
    assert_eq!(workspace.run(&["known", "--release", "2.5.0"]).code, 0);
    let file: Value = serde_json::from_str(&workspace.read("upstate.known.json")).unwrap();
    let left = file["known"].as_array().unwrap();
    assert!(
        !left.contains(&gone) && !left.contains(&"000000000000".into()),
        "{file:#}"
    );
    workspace.write("upstate.known.json", "{\"format\": 2, \"known\": []}");
    assert_eq!(check(&workspace).code, 2);
}

#[test]
fn each_setting_does_what_it_says() {
    let workspace = Workspace::new();
    let with = |settings: &str| {
        workspace.write("upstate.toml", settings);
        workspace.run(&["check", "--release", "3.0.0", "--format", "json"])
    };
    let failing = |printed: &Printed| -> Vec<String> {
        let json = printed.json();
        let fails = json["findings"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|finding| finding["fails"] == true);
        fails
            .map(|finding| finding["id"].as_str().unwrap().to_owned())
            .collect()
    };
    let strict = with("");
    assert!(
        severity(&strict, "description-changed").is_some()
            && failing(&strict).contains(&"schema-version-not-bumped".to_owned())
    );
    let state = with("preset = \"state\"\n");
    assert!(
        severity(&state, "default-changed").is_none() && severity(&state, "list-to-set").is_some()
    );
    assert!(severity(&with("preset = \"config\"\n"), "default-changed").is_some());
    assert!(severity(&with("preset = \"documents\"\n"), "default-changed").is_none());
    let wire = with("state-policy = \"wire\"\n").json();
    let list = wire["findings"]
        .as_array()
        .unwrap()
        .iter()
        .find(|finding| finding["id"] == "list-to-set")
        .unwrap()
        .clone();
    assert_eq!(
        (&list["state"]["bump"], &list["state"]["upgrader"]),
        (&Value::Bool(false), &"not needed".into())
    );
    assert!(failing(&with("fail-on = \"safe\"\n")).contains(&"description-changed".to_owned()));
    assert!(
        !failing(&with("fail-on = \"policy-only\"\n"))
            .iter()
            .any(|id| id == "resource-removed")
    );
    let minor = with("[rules]\ndefault-changed = { level = \"potential\", semver = \"minor\" }\n");
    assert_eq!(
        severity(&minor, "default-changed").as_deref(),
        Some("potential")
    );
    assert_eq!(with("[rules]\nno-such = \"allow\"\n").code, 2);
    assert_eq!(with("presets = \"state\"\n").code, 2);
}

#[test]
fn a_revision_of_the_repository_can_be_compared_with() {
    let workspace = Workspace::without_sources();
    std::fs::remove_dir(workspace.file(".git")).unwrap();
    let git = |arguments: &[&str]| {
        let identity = [
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@example.com",
            "-c",
            "commit.gpgsign=false",
        ];
        let output = Command::new("git")
            .arg("-C")
            .arg(workspace.path())
            .args(identity)
            .args(arguments)
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
    };
    git(&["init", "-q"]);
    git(&["add", "upstate.lock"]);
    git(&["commit", "-qm", "2.4.1"]);
    git(&["tag", "v2.4.1"]);
    workspace.write("upstate.lock", "upstate-lock 1\n");
    for against in ["v2.4.1", "git:v2.4.1", "git:v2.4.1:./upstate.lock"] {
        let printed = workspace.run(&[
            "check",
            "--release",
            "2.5.0",
            "--against",
            against,
            "--format",
            "json",
        ]);
        let json = printed.json();
        assert_eq!(
            (&json["baseline"]["release"], &json["baseline"]["revision"]),
            (&"2.4.1".into(), &"v2.4.1".into()),
            "{against}"
        );
        assert_eq!(printed.code, 1, "{against}");
    }
    let text = workspace
        .run(&["check", "--release", "2.5.0", "--against", "v2.4.1"])
        .out;
    assert!(
        text.starts_with(
            "Checking  acme 2.4.1 -> 2.5.0 (minor) against upstate.lock at v2.4.1 (2.4.1) "
        ),
        "{text}"
    );
    let missing = workspace.run(&["check", "--against", "v9"]);
    assert_eq!(missing.code, 3);
    assert!(
        missing
            .err
            .starts_with("error: there is no file v9, and git has no v9:./upstate.lock: "),
        "{}",
        missing.err
    );
}
