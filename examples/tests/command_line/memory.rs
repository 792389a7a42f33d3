//! Schema memory on the command line: `lock`, `check` and what belongs to it.

#![allow(clippy::unwrap_used, reason = "the test's own helpers may panic too")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use upstate_compat::Snapshot;
use upstate_compat::lock::Lock;

/// A folder with the lock of an imagined earlier release, which differs from what the program serves now.
struct Folder(tempfile::TempDir);

impl Folder {
    fn with(edit: impl FnOnce(&mut Snapshot)) -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        let mut released = Snapshot::of(&upstate_examples::registry());
        edit(&mut released);
        let mut lock = Lock::default();
        lock.freeze(&released, "1.4.0".parse().unwrap()).unwrap();
        fs::write(folder.lock(), lock.to_string()).unwrap();
        folder
    }

    fn lock(&self) -> PathBuf {
        self.0.path().join("upstate.lock")
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.0.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let lock = self.lock();
        let mut command = Command::new(env!("CARGO_BIN_EXE_realworld"));
        command
            .args(arguments)
            .args(["--lock", lock.to_str().unwrap()])
            .env_remove("CARGO_PKG_VERSION");
        command.output().unwrap()
    }
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// The release had one attribute more.
fn one_more(released: &mut Snapshot) {
    let attributes = &mut released
        .resources
        .get_mut("aws_key_pair")
        .unwrap()
        .attributes;
    let legacy = attributes["key_name"].clone();
    attributes.insert("legacy".to_owned(), legacy);
}

fn released(folder: &Folder) -> String {
    let lock = folder.lock();
    lock.parent().unwrap().display().to_string()
}

#[test]
fn the_committed_lock_is_what_the_examples_serve() {
    let lock = Path::new(env!("CARGO_MANIFEST_DIR")).join("upstate.lock");
    let mut command = Command::new(env!("CARGO_BIN_EXE_realworld"));
    let output = command
        .args([
            "check",
            "--release",
            "0.1.0",
            "--lock",
            lock.to_str().unwrap(),
        ])
        .output()
        .unwrap();
    assert_eq!(code(&output), 0, "{}", stdout(&output));
}

#[test]
fn an_attribute_that_is_gone_is_reported_with_all_that_follows() {
    let folder = Folder::with(one_more);
    let output = folder.run(&["check", "--release", "1.5.0"]);
    assert_eq!(code(&output), 1);
    let text = stdout(&output).replace(&released(&folder), "…");
    let (first, rest) = text.split_once("\n\n").unwrap();
    let resources = upstate_examples::registry().definitions().len();
    let head = format!(
        "Checking  realworld 1.4.0 -> 1.5.0 (minor) against …/upstate.lock (1.4.0) · {resources} resources, 1 changed"
    );
    assert_eq!(first, head);
    let lines = fs::read_to_string(folder.lock()).unwrap();
    let line = lines
        .lines()
        .position(|line| line.starts_with("legacy = "))
        .unwrap()
        + 1;
    // From a folder of the repository, the finding is at the struct that lost the attribute.
    let file = "src/realworld/aws/key_pair.rs";
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap();
    let (row, line_of) = text
        .lines()
        .enumerate()
        .find(|(_, line)| line.contains("struct KeyPair "))
        .unwrap();
    let source = format!(
        "examples/{file}:{}:{}",
        row + 1,
        line_of.find("KeyPair").unwrap() + 1
    );
    let finding = format!(
        "error[attribute-removed]: aws_key_pair.legacy is gone\n  \
           --> {source}  (was string, optional, computed; …/upstate.lock:{line})\n   \
            = state:  the value is dropped on read · schema version 1 -> 2 needed · upgrade v1 -> v2 missing\n   \
            = semver: major (release is minor)\n   \
            = policy: removed-without-deprecation\n   \
            = breaks: resource \"aws_key_pair\" \"x\" {{ legacy = … }}\n   \
            = fix:    Deprecate it for a release first; then raise the schema version and account for the stored value in the upgrade.\n   \
            = more:   realworld explain attribute-removed · "
    );
    assert!(rest.contains(&finding), "{rest}\nexpected:\n{finding}");
    for rule in [
        "release-bump-insufficient",
        "removed-without-deprecation",
        "schema-version-not-bumped",
    ] {
        assert!(rest.contains(&format!("error[{rule}]")), "{rest}");
    }
    assert!(
        rest.ends_with("required release: 2.0.0 (have 1.5.0)                    FAIL\n"),
        "{rest}"
    );
    let quiet = folder.run(&["check", "--release", "1.5.0", "--quiet"]);
    assert_eq!(stdout(&quiet).lines().count(), 4, "{}", stdout(&quiet));
    assert_eq!(
        code(&folder.run(&["changelog", "--release", "1.5.0"])),
        0,
        "a changelog judges nothing"
    );
}

#[test]
fn every_format_says_the_same() {
    let folder = Folder::with(one_more);
    let printed = |format: &str| {
        let output = folder.run(&["check", "--release", "1.5.0", "--format", format]);
        assert_eq!(code(&output), 1, "{format}: {}", stderr(&output));
        stdout(&output)
    };
    let json: Value = serde_json::from_str(&printed("json")).unwrap();
    assert_eq!(
        (&json["format"], &json["ok"], &json["required_bump"]),
        (&1.into(), &false.into(), &"major".into())
    );
    let findings = json["findings"].as_array().unwrap();
    assert_eq!(findings.len(), 4);
    let removed = findings
        .iter()
        .find(|finding| finding["id"] == "attribute-removed")
        .unwrap();
    assert_eq!(removed["path"], "legacy");
    assert!(removed["baseline_location"]["line"].as_u64().unwrap() > 1);
    let fingerprint = removed["fingerprint"].as_str().unwrap();
    assert_eq!(fingerprint.len(), 12);

    let sarif: Value = serde_json::from_str(&printed("sarif")).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), 4);
    let rules = sarif["runs"][0]["tool"]["driver"]["rules"]
        .as_array()
        .unwrap();
    for result in results {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
        assert_eq!(result["level"], "error");
    }
    assert!(
        results
            .iter()
            .any(|result| result["partialFingerprints"]["upstate/v1"] == fingerprint)
    );

    let junit = printed("junit");
    assert_eq!(junit.matches("<failure ").count(), 4, "{junit}");
    let passed =
        |line: &str| line.contains("<testcase name=\"type-changed\" classname=\"aws_key_pair\"/>");
    assert!(junit.lines().any(passed), "what passed is shown too");

    let github = printed("github");
    assert_eq!(github.matches("::error title=").count(), 4, "{github}");
    assert!(
        github
            .lines()
            .all(|line| line.starts_with("::error ") || line.starts_with("required release: ")),
        "{github}"
    );

    let markdown = printed("markdown");
    assert!(
        markdown
            .starts_with("<!-- upstate check -->\n### ❌ must not be released like this: required release 2.0.0 (have 1.5.0)\n"),
        "{markdown}"
    );
    assert!(
        markdown.contains("| **fails** | `legacy`<br>"),
        "{markdown}"
    );
}

#[test]
fn a_finding_is_let_through_with_a_reason_until_a_release() {
    let folder = Folder::with(|released| {
        let attributes = &mut released
            .resources
            .get_mut("aws_key_pair")
            .unwrap()
            .attributes;
        attributes.get_mut("key_name").unwrap().force_new ^= true;
    });
    let json = |folder: &Folder| -> Value {
        serde_json::from_str(&stdout(&folder.run(&[
            "check",
            "--release",
            "1.5.0",
            "--format",
            "json",
        ])))
        .unwrap()
    };
    let before = json(&folder);
    let finding = before["findings"]
        .as_array()
        .unwrap()
        .iter()
        .find(|finding| finding["path"] == "key_name")
        .unwrap();
    let rule = finding["id"].as_str().unwrap();
    let fingerprint = finding["fingerprint"].as_str().unwrap();
    let accept = |until: &str, fingerprint: &str| {
        folder.run(&[
            "accept",
            fingerprint,
            "--reason",
            "always-failed",
            "--until",
            until,
            "--release",
            "1.5.0",
        ])
    };
    assert_eq!(
        code(&accept("1.5.0", fingerprint)),
        2,
        "an end that is over"
    );
    assert_eq!(code(&accept("2.0.0", "000000000000")), 2, "no such finding");
    let output = accept("2.0.0", fingerprint);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let settings = fs::read_to_string(folder.0.path().join("upstate.toml")).unwrap();
    let expected = format!(
        "[[waive]]\nrule = \"{rule}\"\npath = \"aws_key_pair.key_name\"\nfingerprint = \"{fingerprint}\"\nreason = \"always-failed\"\nuntil = \"2.0.0\"\n"
    );
    assert_eq!(settings, expected);
    let after = json(&folder);
    let finding = after["findings"]
        .as_array()
        .unwrap()
        .iter()
        .find(|finding| finding["path"] == "key_name")
        .unwrap();
    assert_eq!(finding["waived"]["reason"], "always-failed");
    assert_eq!(after["ok"], true, "{after:#}");
}

#[test]
fn what_was_released_is_not_locked_anew() {
    let folder = Folder::with(one_more);
    let before = fs::read(folder.lock()).unwrap();
    let output = folder.run(&["lock", "--release", "1.5.0"]);
    assert_eq!(code(&output), 1);
    assert!(
        stderr(&output).contains("aws_key_pair version 1: `legacy` is gone, which was \"string\""),
        "{}",
        stderr(&output)
    );
    assert_eq!(fs::read(folder.lock()).unwrap(), before);
    // The program's own version is the release that is not named.
    let output = folder.run(&["lock"]);
    assert_eq!(code(&output), 1);
    assert!(
        stderr(&output).contains("release 0.1.0 is older than 1.4.0, which is in the lock"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn what_cannot_be_compared_is_never_fine() {
    let folder = Folder::with(|_| {});
    let missing = tempfile::tempdir().unwrap();
    let missing = missing.path().join("upstate.lock");
    let mut command = Command::new(env!("CARGO_BIN_EXE_realworld"));
    let output = command
        .args(["check", "--lock", missing.to_str().unwrap()])
        .output()
        .unwrap();
    assert_eq!(code(&output), 3);
    assert!(
        stderr(&output).contains("to compare with; `lock --release …` writes one at a release"),
        "{}",
        stderr(&output)
    );
    folder.write("upstate.toml", "preset = \"lax\"\n");
    assert_eq!(code(&folder.run(&["check"])), 2);
    folder.write("upstate.toml", "[rules]\nno-such-rule = \"allow\"\n");
    let output = folder.run(&["check"]);
    assert_eq!(
        (
            code(&output),
            stderr(&output).contains("there is no rule no-such-rule")
        ),
        (2, true)
    );
    folder.write("upstate.toml", "");
    assert_eq!(
        code(&folder.run(&["check", "--against", "git:no-such-revision"])),
        3
    );
    fs::write(folder.lock(), "upstate-lock 1\n[broken\n").unwrap();
    let output = folder.run(&["check"]);
    assert_eq!(code(&output), 3);
    assert!(
        stderr(&output).contains("line 2: expected `[type version] fingerprint"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn recorded_states_are_upgraded() {
    let folder = Folder::with(|_| {});
    folder.write("upstate.toml", "fixtures = \"states\"\n");
    folder.write(
        "states/aws_key_pair/v0/one.json",
        "{\"id\": 7, \"public_key\": [\"not\", \"text\"]}",
    );
    let output = folder.run(&["check", "--release", "1.5.0"]);
    assert_eq!(code(&output), 4, "{}", stdout(&output));
    assert!(
        stdout(&output).contains("error[prior-schema-mismatch]: aws_key_pair: "),
        "{}",
        stdout(&output)
    );
    assert!(
        !stdout(&output).contains("error[upgrader-output-mismatch]"),
        "{}",
        stdout(&output)
    );
    // What the prior schema reads and the upgrade refuses is the upgrade's.
    folder.write("states/aws_key_pair/v0/one.json", "{\"id\": \"a\"}");
    folder.write("states/azurerm_cdn_endpoint/v0/one.json", "{\"id\": \"\"}");
    let output = folder.run(&["check", "--release", "1.5.0"]);
    assert_eq!(code(&output), 4, "{}", stdout(&output));
    assert!(
        stdout(&output).contains("error[upgrader-output-mismatch]: azurerm_cdn_endpoint: upgrading recorded state failed\n"),
        "{}",
        stdout(&output)
    );
    assert!(
        !stdout(&output).contains("error[prior-schema-mismatch]: azurerm_cdn_endpoint"),
        "{}",
        stdout(&output)
    );
}

#[test]
fn the_guide_is_the_same_every_time_and_holds_the_notes() {
    let folder = Folder::with(one_more);
    folder.write("upstate.toml", "guide = \"guide\"\n");
    let output = folder.run(&["check", "--release", "2.0.0"]);
    assert!(
        stdout(&output).contains("error[upgrade-guide-entry-missing]"),
        "{}",
        stdout(&output)
    );
    folder.write(
        "guide/2.toml",
        "[[note]]\npath = \"aws_key_pair.legacy\"\nwhy = \"The API forgot about it.\"\nbefore = \"legacy = 1\"\n",
    );
    let guide = stdout(&folder.run(&["guide", "--release", "2.0.0"]));
    assert_eq!(guide, stdout(&folder.run(&["guide", "--release", "2.0.0"])));
    let entry = "## Resource: `aws_key_pair`\n\n### `legacy` removed\n\nThe API forgot about it.\n\n\
        It was `string, optional, computed`.\n\n\
        **Who is affected:** Configurations that set `legacy`, and expressions that read it. Nothing else has to change.\n\n\
        **What to do:**\n\n1. Delete `legacy` from your configuration.\n\
        2. Let expressions that read `legacy` read another attribute, or delete them.\n\nBefore:\n\n```hcl\nlegacy = 1\n```\n";
    assert!(
        guide.starts_with("# Upgrading to 2.0.0\n") && guide.contains(entry),
        "{guide}"
    );
    assert!(
        !stdout(&folder.run(&["check", "--release", "2.0.0"]))
            .contains("upgrade-guide-entry-missing")
    );
    let json: Value = serde_json::from_str(&stdout(&folder.run(&[
        "guide",
        "--release",
        "2.0.0",
        "--format",
        "json",
    ])))
    .unwrap();
    assert_eq!(
        json["entries"][0]["note"]["why"],
        "The API forgot about it."
    );
}

#[test]
fn rules_explain_themselves() {
    let realworld = |arguments: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_realworld"))
            .args(arguments)
            .output()
            .unwrap()
    };
    let output = realworld(&["explain", "list-to-set"]);
    let text = stdout(&output);
    assert!(
        text.starts_with("list-to-set: a list became a set\n\n"),
        "{text}"
    );
    assert!(
        text.contains("version  a new schema version is needed, unless `state-policy = \"wire\"`"),
        "{text}"
    );
    let output = realworld(&["explain", "list-to-sett"]);
    assert_eq!(
        (
            code(&output),
            stderr(&output).contains("did you mean `list-to-set`?")
        ),
        (2, true)
    );
    let all: Value =
        serde_json::from_str(&stdout(&realworld(&["rules", "--format", "json"]))).unwrap();
    assert_eq!(all.as_array().unwrap().len(), upstate_compat::RULES.len());
    let state = stdout(&realworld(&["rules", "--axis", "state"]));
    assert!(
        state.contains("\nlist-to-set ") && !state.contains("\nvalidator-added "),
        "{state}"
    );
}
