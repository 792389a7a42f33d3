//! The command line, as a person or a script meets it.

#![allow(clippy::unwrap_used, reason = "the test's own helpers may panic too")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use upstate::UpgradeRequest;

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        fs::write(&path, content).unwrap();
        path
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(self.0.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

fn realworld(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_realworld")).args(arguments).output().unwrap()
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

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn committed_state() -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("state/terraform.tfstate")).unwrap()
}

/// How many instances the committed state has in all, to be upgraded, and to be upgraded with another attribute.
fn counts() -> (usize, usize, usize) {
    let registry = upstate_examples::registry();
    let state: Value = serde_json::from_slice(&committed_state()).unwrap();
    let (mut all, mut old, mut changed) = (0, 0, 0);
    for resource in state.get("resources").and_then(Value::as_array).unwrap() {
        let type_name = resource["type"].as_str().unwrap();
        for instance in resource["instances"].as_array().unwrap() {
            all += 1;
            let version = instance["schema_version"].as_u64().unwrap();
            if resource["mode"] == "data" || registry.get(type_name).is_none_or(|known| known.version() == version) {
                continue;
            }
            old += 1;
            let before = &instance["attributes"];
            let response = registry.upgrade(&UpgradeRequest::json(type_name, version, before.to_string().as_bytes()));
            let after: Value = serde_json::from_slice(response.state().unwrap()).unwrap();
            changed += usize::from(after != *before);
        }
    }
    assert!(changed > 0 && changed < old && old < all);
    (all, old, changed)
}

/// A state with one instance that cannot be upgraded: its block stands twice where the model takes one.
const REFUSED: &str = r#"{
  "version": 4,
  "serial": 7,
  "resources": [
    {
      "mode": "managed",
      "type": "elasticstack_elasticsearch_transform",
      "name": "t",
      "instances": [
        {
          "index_key": "eu",
          "schema_version": 0,
          "attributes": {
            "id": "cluster/t",
            "name": "t",
            "source": [{"indices": ["a"]}, {"indices": ["b"]}],
            "destination": [{"index": "d"}]
          }
        }
      ]
    }
  ]
}
"#;

#[test]
fn upgrade_in_place_keeps_a_backup_and_is_done_once() {
    let folder = Folder::new();
    let before = committed_state();
    let state = folder.file("terraform.tfstate", &before);
    let output = realworld(&["upgrade", text(&state)]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let printed = stdout(&output);
    assert!(printed.contains("aws_elasticache_replication_group"), "{printed}");
    assert!(printed.contains("1 → 3"), "{printed}");
    let (_, upgraded, _) = counts();
    let summary = format!("{upgraded} upgraded, 4 already current, 3 left as they are (3 unknown types), 2 data sources");
    assert!(printed.contains(&summary), "{printed}");
    assert!(printed.contains("serial 1187 → 1188"), "{printed}");
    assert_eq!(folder.names(), ["terraform.tfstate", "terraform.tfstate.backup"]);
    assert_eq!(fs::read(folder.0.path().join("terraform.tfstate.backup")).unwrap(), before);

    let after = fs::read(&state).unwrap();
    let output = realworld(&["upgrade", text(&state)]);
    assert_eq!(code(&output), 0);
    assert!(stdout(&output).contains("nothing to do"), "{}", stdout(&output));
    assert_eq!(fs::read(&state).unwrap(), after);
    assert_eq!(fs::read(folder.0.path().join("terraform.tfstate.backup")).unwrap(), before);
}

/// A state file as Terraform lays it out, taken apart: the lines of each instance's attributes, the versions, and all other lines.
struct Parts<'t> {
    attributes: Vec<Vec<&'t str>>,
    versions: Vec<&'t str>,
    rest: Vec<&'t str>,
}

fn parts(text: &str) -> Parts<'_> {
    let mut parts = Parts { attributes: Vec::new(), versions: Vec::new(), rest: Vec::new() };
    let mut lines = text.split('\n');
    while let Some(line) = lines.next() {
        if line.starts_with(r#"          "attributes": {"#) {
            let mut block = vec![line];
            if !line.contains('}') {
                block.extend(lines.by_ref().take_while(|line| !line.starts_with("          }")));
            }
            parts.attributes.push(block);
        } else if line.starts_with(r#"          "schema_version": "#) {
            parts.versions.push(line);
        } else {
            parts.rest.push(line);
        }
    }
    parts
}

#[test]
fn upgrade_changes_nothing_but_what_it_must() {
    let folder = Folder::new();
    let before = String::from_utf8(committed_state()).unwrap();
    let state = folder.file("terraform.tfstate", &before);
    let output = folder.0.path().join("new.tfstate");
    assert_eq!(code(&realworld(&["upgrade", text(&state), "--output", text(&output)])), 0);
    assert!(fs::read_to_string(&state).unwrap() == before, "the input was touched");
    assert_eq!(folder.names(), ["new.tfstate", "terraform.tfstate"]);

    let after = fs::read_to_string(&output).unwrap();
    let (before, after) = (parts(&before), parts(&after));
    let changed: Vec<(&&str, &&str)> = before.rest.iter().zip(&after.rest).filter(|(before, after)| before != after).collect();
    assert_eq!(changed, [(&r#"  "serial": 1187,"#, &r#"  "serial": 1188,"#)]);
    assert_eq!(before.rest.len(), after.rest.len());
    // One line of version and one block of attributes an upgraded instance, and no other.
    let versions = before.versions.iter().zip(&after.versions).filter(|(before, after)| before != after).count();
    let attributes = before.attributes.iter().zip(&after.attributes).filter(|(before, after)| before != after).count();
    let (_, upgraded, changed) = counts();
    assert_eq!((versions, attributes), (upgraded, changed));
    assert_eq!((before.versions.len(), before.attributes.len()), (after.versions.len(), after.attributes.len()));
}

#[test]
fn a_refused_upgrade_says_where_and_writes_nothing() {
    let folder = Folder::new();
    let state = folder.file("terraform.tfstate", REFUSED);
    for command in ["plan", "upgrade"] {
        let output = realworld(&[command, text(&state)]);
        assert_eq!(code(&output), 1);
        let printed = stdout(&output);
        for part in [
            "elasticstack_elasticsearch_transform.t[\"eu\"]",
            "in source",
            "stored at schema version 0, current version 1, id \"cluster/t\"",
            "1 cannot be upgraded",
            "refused",
        ] {
            assert!(printed.contains(part), "{part:?} is not in\n{printed}");
        }
    }
    let json: Value = serde_json::from_str(&stdout(&realworld(&["upgrade", text(&state), "--format", "json"]))).unwrap();
    assert_eq!(json["written"], "nothing");
    assert_eq!(json["diagnostics"][0]["address"], "elasticstack_elasticsearch_transform.t[\"eu\"]");
    assert_eq!(json["diagnostics"][0]["path"], "source");
    assert_eq!(json["types"][0]["outcome"], "failed");
    let elsewhere = folder.0.path().join("new.tfstate");
    assert_eq!(code(&realworld(&["upgrade", text(&state), "-o", text(&elsewhere)])), 1);
    assert_eq!(fs::read_to_string(&state).unwrap(), REFUSED);
    assert_eq!(folder.names(), ["terraform.tfstate"]);
}

#[test]
fn unreadable_input_is_told_with_its_position_and_left_alone() {
    let folder = Folder::new();
    let whole = committed_state();
    let deep = "[".repeat(1_000_000);
    let cases: Vec<(&str, Vec<u8>, &str)> = vec![
        ("empty", Vec::new(), "the file is empty"),
        ("text", b"hello".to_vec(), ":1:1: the file cannot be read: not valid JSON"),
        ("cut", whole[..whole.len() / 2].to_vec(), "not valid JSON"),
        ("version3", br#"{"version": 3, "modules": []}"#.to_vec(), ":1:13: this state file has format version 3"),
        ("version5", br#"{"version": 5}"#.to_vec(), ":1:13: this state file has format version 5"),
        (
            "untyped",
            br#"{"version": 4, "resources": [{"mode": "managed", "name": "x"}]}"#.to_vec(),
            ":1:30: this resource has no `type`",
        ),
        (
            "array",
            REFUSED.replace("\"attributes\": {", "\"attributes\": [], \"x\": {").into_bytes(),
            ":13:25: `attributes` must be an object, found an array",
        ),
        ("deep", format!("{{\"x\": {deep}").into_bytes(), "more than 256 values inside one another"),
        ("latin1", b"{\"version\": 4, \"lineage\": \"\xe9\"}".to_vec(), ":1:28: the file is not UTF-8 text"),
    ];
    for (name, content, message) in cases {
        let state = folder.file(name, &content);
        for command in ["plan", "upgrade"] {
            let output = realworld(&[command, text(&state)]);
            assert_eq!(code(&output), 3, "{name}");
            assert!(stderr(&output).contains(message), "{name}: {}", stderr(&output));
            assert_eq!(stdout(&output), "");
        }
        assert_eq!(fs::read(&state).unwrap(), content);
    }
    let missing = folder.0.path().join("missing");
    let output = realworld(&["upgrade", text(&missing)]);
    assert_eq!(code(&output), 3);
    assert!(stderr(&output).contains("cannot read"), "{}", stderr(&output));
    let state = folder.file("good", &whole);
    let output = realworld(&["upgrade", text(&state), "--output", text(&folder.0.path().join("no/such/folder"))]);
    assert_eq!(code(&output), 3);
    assert!(stderr(&output).contains("cannot write"), "{}", stderr(&output));
}

#[test]
fn wrong_usage_exits_with_2_and_help_with_0() {
    for arguments in [&["upgrade"][..], &["frobnicate"], &["schema", "no_such_type"], &["plan", "x", "--format", "yaml"], &[]] {
        let output = realworld(arguments);
        assert_eq!(code(&output), 2, "{arguments:?}");
        assert!(!stderr(&output).is_empty());
    }
    let known = stderr(&realworld(&["schema", "aws_instanec"]));
    assert!(known.contains("did you mean \"aws_instance\"?"), "{known}");
    for arguments in [&["--help"][..], &["upgrade", "--help"], &["--version"]] {
        let output = realworld(arguments);
        assert_eq!(code(&output), 0, "{arguments:?}");
        assert!(!stdout(&output).is_empty());
    }
    assert!(stdout(&realworld(&["--help"])).contains("Exit codes: 0 done"));
}

#[test]
fn plan_writes_nothing_and_says_what_would_happen() {
    let folder = Folder::new();
    let before = committed_state();
    let state = folder.file("terraform.tfstate", &before);
    let output = realworld(&["plan", text(&state)]);
    assert_eq!(code(&output), 0);
    assert!(stdout(&output).contains("would be upgraded"), "{}", stdout(&output));
    let json: Value = serde_json::from_str(&stdout(&realworld(&["plan", text(&state), "--format", "json"]))).unwrap();
    assert_eq!(json["instances"], counts().0);
    assert_eq!(json["serial"], 1187);
    assert_eq!(json.get("written"), None);
    assert_eq!(fs::read(&state).unwrap(), before);
    assert_eq!(folder.names(), ["terraform.tfstate"]);
}

#[test]
fn schema_shows_types_routes_and_attributes() {
    let printed = stdout(&realworld(&["schema", "aws_elasticache_replication_group"]));
    assert!(printed.contains("schema version 3"), "{printed}");
    assert!(printed.contains("upgrades 1 → 2 → 3"), "{printed}");
    let json: Value = serde_json::from_str(&stdout(&realworld(&["schema", "--format", "json"]))).unwrap();
    assert_eq!(json.as_object().unwrap().len(), upstate_examples::registry().definitions().len());
    assert_eq!(json["aws_instance"]["version"], 2);
}

#[test]
fn what_no_schema_defines_is_named() {
    let folder = Folder::new();
    let accepted = REFUSED.replace(r#", {"indices": ["b"]}"#, "");
    let state = folder.file("terraform.tfstate", accepted.replace(r#""id": "cluster/t","#, r#""id": "cluster/t", "motdd": 1,"#));
    let output = realworld(&["plan", text(&state)]);
    assert_eq!(code(&output), 0, "{}", stdout(&output));
    let printed = stdout(&output);
    assert!(printed.contains("dropped: 1 attribute, stored but defined by no schema of its version"), "{printed}");
    assert!(printed.contains("elasticstack_elasticsearch_transform.t[\"eu\"]: motdd"), "{printed}");
    let json: Value = serde_json::from_str(&stdout(&realworld(&["plan", text(&state), "--format", "json"]))).unwrap();
    assert_eq!(json["dropped"][0]["path"], "motdd");
}
