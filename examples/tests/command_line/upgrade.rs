//! `upgrade`: in place, into other files, through pipes, in part.

use std::fs;

use serde_json::Value;

use super::{
    Folder, REFUSED, code, committed_state, realworld, realworld_reading, stderr, stdout, text,
};

#[test]
fn upgrade_in_place_keeps_a_backup_and_is_done_once() {
    let folder = Folder::new();
    let before = committed_state();
    let state = folder.file("terraform.tfstate", &before);
    let output = realworld(&["upgrade", text(&state)]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let printed = stdout(&output);
    assert!(
        printed.contains("aws_elasticache_replication_group"),
        "{printed}"
    );
    assert!(printed.contains("1,2 → 3"), "{printed}");
    assert!(
        printed.contains(
            "175 upgraded, 4 already current, 3 left as they are (3 unknown types), 2 data sources"
        ),
        "{printed}"
    );
    assert!(printed.contains("serial 1187 → 1188"), "{printed}");
    // It compares nothing, so it does not say of instances that warned that nothing changed.
    assert!(
        printed.contains("azurerm_app_configuration_feature.this[0]")
            && !printed.contains("only the version"),
        "{printed}"
    );
    assert_eq!(
        folder.names(),
        ["terraform.tfstate", "terraform.tfstate.backup"]
    );
    assert_eq!(
        fs::read(folder.0.path().join("terraform.tfstate.backup")).unwrap(),
        before
    );

    let after = fs::read(&state).unwrap();
    let output = realworld(&["upgrade", text(&state)]);
    assert_eq!(code(&output), 0);
    let name = text(&state);
    let idle = format!(
        "nothing to do, {name} is as it was: 179 already current, 3 left as they are (3 unknown types), 2 data sources\n"
    );
    assert_eq!((stdout(&output), stderr(&output)), (idle, String::new()));
    assert_eq!(
        stdout(&realworld(&["plan", name])),
        format!(
            "nothing to upgrade in {name}: 179 already current, 3 left as they are (3 unknown types), 2 data sources\n"
        )
    );
    assert_eq!(fs::read(&state).unwrap(), after);
    assert_eq!(
        fs::read(folder.0.path().join("terraform.tfstate.backup")).unwrap(),
        before
    );
}

struct Parts<'t> {
    attributes: Vec<Vec<&'t str>>,
    versions: Vec<&'t str>,
    rest: Vec<&'t str>,
}

fn parts(text: &str) -> Parts<'_> {
    let mut parts = Parts {
        attributes: Vec::new(),
        versions: Vec::new(),
        rest: Vec::new(),
    };
    let mut lines = text.split('\n');
    while let Some(line) = lines.next() {
        if line.starts_with(r#"          "attributes": {"#) {
            let mut block = vec![line];
            if !line.contains('}') {
                block.extend(
                    lines
                        .by_ref()
                        .take_while(|line| !line.starts_with("          }")),
                );
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
    assert_eq!(
        code(&realworld(&[
            "upgrade",
            text(&state),
            "--output",
            text(&output)
        ])),
        0
    );
    assert!(
        fs::read_to_string(&state).unwrap() == before,
        "the input was touched"
    );
    assert_eq!(folder.names(), ["new.tfstate", "terraform.tfstate"]);

    let after = fs::read_to_string(&output).unwrap();
    let (before, after) = (parts(&before), parts(&after));
    let changed: Vec<(&&str, &&str)> = before
        .rest
        .iter()
        .zip(&after.rest)
        .filter(|(before, after)| before != after)
        .collect();
    assert_eq!(
        changed,
        [(&r#"  "serial": 1187,"#, &r#"  "serial": 1188,"#)]
    );
    assert_eq!(before.rest.len(), after.rest.len());
    // One line of version and one block of attributes an upgraded instance, and no other.
    let versions = before
        .versions
        .iter()
        .zip(&after.versions)
        .filter(|(before, after)| before != after)
        .count();
    let attributes = before
        .attributes
        .iter()
        .zip(&after.attributes)
        .filter(|(before, after)| before != after)
        .count();
    assert_eq!(
        (versions, attributes),
        (175, 167),
        "eight of the upgrades change no attribute"
    );
    assert_eq!(
        (before.versions.len(), before.attributes.len()),
        (after.versions.len(), after.attributes.len())
    );
}

#[test]
fn a_refused_upgrade_says_where_and_writes_nothing() {
    let folder = Folder::new();
    let state = folder.file("terraform.tfstate", REFUSED);
    for command in ["plan", "upgrade"] {
        let output = realworld(&[command, text(&state)]);
        assert_eq!(code(&output), 1);
        // A plan answers with it; a refusal must be seen where the report goes into a file.
        let printed = if command == "plan" {
            stdout(&output)
        } else {
            stderr(&output)
        };
        for part in [
            "elasticstack_elasticsearch_transform.t[\"eu\"]",
            "  0 → 1  cannot be upgraded\n",
            "  error: Unable to Upgrade Resource State\n    There are 2 elements where at most one was expected (at source).\n",
            "terraform.tfstate:17:23\n",
            "next:\n  realworld explain elasticstack_elasticsearch_transform ",
            "  terraform state show 'elasticstack_elasticsearch_transform.t[\"eu\"]' ",
            " --exclude 'elasticstack_elasticsearch_transform.t[\"eu\"]'  all other instances\n",
            "1 cannot be upgraded",
            "refused",
        ] {
            assert!(printed.contains(part), "{part:?} is not in\n{printed}");
        }
    }
    let json: Value = serde_json::from_str(&stdout(&realworld(&[
        "upgrade",
        text(&state),
        "--format",
        "json",
    ])))
    .unwrap();
    assert_eq!(json["written"], Value::Null);
    assert_eq!(json["new_serial"], Value::Null);
    assert_eq!(
        json["instances"][0]["address"],
        "elasticstack_elasticsearch_transform.t[\"eu\"]"
    );
    assert_eq!(json["instances"][0]["outcome"], "failed");
    assert_eq!(
        (
            &json["instances"][0]["line"],
            &json["instances"][0]["column"]
        ),
        (&Value::from(17), &Value::from(23))
    );
    assert_eq!(json["instances"][0]["diagnostics"][0]["path"], "source");
    assert_eq!(json["types"][0]["outcome"], "failed");
    let elsewhere = folder.0.path().join("new.tfstate");
    assert_eq!(
        code(&realworld(&[
            "upgrade",
            text(&state),
            "-o",
            text(&elsewhere)
        ])),
        1
    );
    assert_eq!(fs::read_to_string(&state).unwrap(), REFUSED);
    assert_eq!(folder.names(), ["terraform.tfstate"]);
}

/// A refusal keeps to the width of the terminal that it is on, also where the report goes into a file.
#[cfg(target_os = "linux")]
#[test]
fn a_refusal_on_a_terminal_keeps_to_its_width() {
    let folder = Folder::new();
    let state = folder.file("terraform.tfstate", REFUSED);
    let (program, name) = (env!("CARGO_BIN_EXE_realworld"), text(&state));
    let command = format!("stty cols 80; '{program}' upgrade '{name}' > '{name}.report'");
    // `script` gives the command a terminal.
    let mut terminal = std::process::Command::new("script");
    terminal
        .args(["-qec", &command, "/dev/null"])
        .env("TERM", "xterm")
        .env("NO_COLOR", "1")
        .env_remove("COLUMNS");
    let printed = stdout(
        &terminal
            .stdin(std::process::Stdio::null())
            .output()
            .unwrap(),
    );
    assert!(
        printed.contains("refused") && printed.contains("next:"),
        "{printed}"
    );
    // Paths are whole, however long they are, and so are commands, because somebody copies them.
    let is_wide = |line: &&str| {
        line.trim_end().chars().count() > 80 && !line.contains(name) && !line.starts_with("  ")
    };
    let wide: Vec<&str> = printed.lines().filter(is_wide).collect();
    assert!(wide.is_empty(), "{wide:#?}");
}

/// The committed state with a second resource, which cannot be upgraded.
pub(super) fn one_of_many_refused() -> String {
    let resource = REFUSED
        .split_once("\"resources\": [")
        .unwrap()
        .1
        .rsplit_once(']')
        .unwrap()
        .0
        .trim();
    let state = String::from_utf8(committed_state()).unwrap();
    state.replacen(
        "\"resources\": [",
        &format!("\"resources\": [\n    {resource},"),
        1,
    )
}

#[test]
fn partial_upgrades_leave_out_what_cannot_be_upgraded_and_say_so() {
    let folder = Folder::new();
    let before = one_of_many_refused();
    let state = folder.file("terraform.tfstate", &before);
    assert_eq!(code(&realworld(&["upgrade", text(&state)])), 1);
    assert_eq!(fs::read_to_string(&state).unwrap(), before);
    let output = realworld(&["upgrade", text(&state), "--partial"]);
    assert_eq!(code(&output), 1);
    assert!(
        stdout(&output).contains("1 cannot be upgraded, 175 upgraded"),
        "{}",
        stdout(&output)
    );
    let after = fs::read_to_string(&state).unwrap();
    assert!(
        after.contains("\"source\": [{\"indices\": [\"a\"]}, {\"indices\": [\"b\"]}]"),
        "the failed instance was touched"
    );
    assert!(after.contains("\"serial\": 1188"));
    // Nothing more can be done, so nothing is.
    let again = realworld(&["upgrade", text(&state), "--partial"]);
    assert_eq!(code(&again), 1);
    assert_eq!(fs::read_to_string(&state).unwrap(), after);
    // Also elsewhere the file is as it was then, with its serial.
    let elsewhere = folder.0.path().join("new");
    assert_eq!(
        code(&realworld(&[
            "upgrade",
            text(&state),
            "--partial",
            "-o",
            text(&elsewhere)
        ])),
        1
    );
    assert_eq!(fs::read_to_string(&elsewhere).unwrap(), after);
    let piped = realworld_reading(after.as_bytes(), &["upgrade", "-", "--partial"]);
    assert_eq!((code(&piped), stdout(&piped)), (1, after));
}

#[test]
fn selections_leave_the_rest_as_it_is() {
    let folder = Folder::new();
    let state = folder.file("terraform.tfstate", one_of_many_refused());
    // What cannot be upgraded is not asked for.
    let output = realworld(&[
        "upgrade",
        text(&state),
        "--exclude",
        "elasticstack_elasticsearch_transform.t",
    ]);
    assert_eq!(code(&output), 0, "{}{}", stdout(&output), stderr(&output));
    assert!(
        stdout(&output).contains("175 upgraded, 4 already current, 1 not selected"),
        "{}",
        stdout(&output)
    );
    let state = folder.file("other.tfstate", committed_state());
    let output = realworld(&[
        "upgrade",
        text(&state),
        "--only",
        "aws_*",
        "--exclude",
        "aws_instance.web[?]",
        "--format",
        "json",
    ]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let json: Value = serde_json::from_str(&stdout(&output)).unwrap();
    let addresses: Vec<&str> = json["instances"]
        .as_array()
        .unwrap()
        .iter()
        .map(|instance| instance["address"].as_str().unwrap())
        .collect();
    assert!(addresses.contains(&"aws_key_pair.deploy"), "{addresses:?}");
    assert!(
        addresses
            .iter()
            .all(|address| address.contains("aws_") && !address.starts_with("aws_instance.web[")),
        "{addresses:?}"
    );
    assert_eq!(json["totals"]["upgraded"], addresses.len());
    assert_eq!(
        (&json["serial"], &json["new_serial"]),
        (&Value::from(1187), &Value::from(1188))
    );
    for pattern in [
        &["--only", "aws_instanec"][..],
        &["--exclude", "module.nowhere"],
    ] {
        let before = fs::read(&state).unwrap();
        let output = realworld(&[&["upgrade", text(&state)], pattern].concat());
        assert_eq!(code(&output), 2);
        assert!(
            stderr(&output).contains("matches no instance"),
            "{}",
            stderr(&output)
        );
        assert_eq!(fs::read(&state).unwrap(), before);
    }
    let typo = realworld(&["plan", text(&state), "--only", "aws_instanec"]);
    assert_eq!(
        stderr(&typo),
        "error: --only \"aws_instanec\" matches no instance; did you mean \"aws_instance\"?\n"
    );
}

#[test]
fn pipes_carry_state_in_and_out() {
    let folder = Folder::new();
    let before = committed_state();
    let state = folder.file("terraform.tfstate", &before);
    let new = folder.0.path().join("new");
    assert_eq!(
        code(&realworld(&[
            "upgrade",
            text(&state),
            "--output",
            text(&new)
        ])),
        0
    );
    let expected = fs::read_to_string(&new).unwrap();
    for arguments in [
        &["upgrade", "-"][..],
        &["upgrade", "-", "--threads", "1"],
        &["upgrade", "-", "-o", "-", "--threads", "7"],
    ] {
        let output = realworld_reading(&before, arguments);
        assert_eq!(code(&output), 0);
        assert!(stdout(&output) == expected, "{arguments:?}");
        assert!(
            stderr(&output).ends_with("wrote standard output, serial 1187 → 1188\n"),
            "{}",
            stderr(&output)
        );
    }
    let output = realworld(&["upgrade", text(&state), "--output", "-", "--format", "json"]);
    assert!(stdout(&output) == expected);
    let json: Value = serde_json::from_str(&stderr(&output)).unwrap();
    assert_eq!(json["written"]["path"], "-");
    // Nothing comes out of what is refused.
    let refused = realworld_reading(REFUSED.as_bytes(), &["upgrade", "-"]);
    assert_eq!((code(&refused), stdout(&refused).as_str()), (1, ""));
    assert!(stderr(&refused).contains("refused"), "{}", stderr(&refused));
    let into = folder.0.path().join("from-pipe");
    assert_eq!(
        code(&realworld_reading(
            &before,
            &["upgrade", "-", "--output", text(&into)]
        )),
        0
    );
    assert!(fs::read_to_string(&into).unwrap() == expected);
}

#[test]
fn a_dry_run_is_a_plan() {
    let folder = Folder::new();
    let before = committed_state();
    let state = folder.file("terraform.tfstate", &before);
    let dry = realworld(&["upgrade", text(&state), "--dry-run"]);
    assert_eq!(stdout(&dry), stdout(&realworld(&["plan", text(&state)])));
    assert_eq!(code(&dry), 0);
    assert!(fs::read(&state).unwrap() == before);
    assert_eq!(folder.names(), ["terraform.tfstate"]);
}

#[test]
fn normalizing_is_asked_for_and_writes_as_terraform_does() {
    let folder = Folder::new();
    let odd = r#"{"serial": 3, "version":4, "resources":[
        {"name":"b","type":"other_thing","mode":"managed","provider":"provider.other","instances":[{"attributes":{"z":1.50,"a":"<"}}],"x":1},
        {"name":"a","type":"other_thing","mode":"data","provider":"provider.other","instances":[]}]}"#;
    let state = folder.file("terraform.tfstate", odd);
    // Nothing is to be upgraded, so by itself nothing happens.
    assert!(stdout(&realworld(&["upgrade", text(&state)])).contains("nothing to do"));
    assert_eq!(fs::read_to_string(&state).unwrap(), odd);
    let output = realworld(&["upgrade", text(&state), "--normalize"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let normal = fs::read_to_string(&state).unwrap();
    let expected = r#"{
  "version": 4,
  "terraform_version": "",
  "serial": 3,
  "lineage": "",
  "outputs": {},
  "resources": [
    {
      "mode": "data",
      "type": "other_thing",
      "name": "a",
      "provider": "provider[\"registry.terraform.io/-/other\"]",
      "instances": []
    },
    {
      "mode": "managed",
      "type": "other_thing",
      "name": "b",
      "provider": "provider[\"registry.terraform.io/-/other\"]",
      "instances": [
        {
          "schema_version": 0,
          "attributes": {
            "z": 1.50,
            "a": "\u003c"
          },
          "sensitive_attributes": [],
          "identity_schema_version": 0
        }
      ]
    }
  ],
  "check_results": null
}
"#;
    assert_eq!(normal, expected);
    assert!(
        stdout(&realworld(&["upgrade", text(&state), "--normalize"])).contains("nothing to do")
    );
    // Together with an upgrade, too.
    let output = realworld_reading(&committed_state(), &["upgrade", "-", "--normalize"]);
    let upgraded: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(upgraded["serial"], 1188);
}
