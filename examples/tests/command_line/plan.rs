//! `plan`: what would change.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::upgrade::one_of_many_refused;
use super::{Folder, REFUSED, code, committed_state, realworld, realworld_reading, stdout, text};

#[test]
fn plan_writes_nothing_and_says_what_would_happen() {
    let folder = Folder::new();
    let before = committed_state();
    let state = folder.file("terraform.tfstate", &before);
    let output = realworld(&["plan", text(&state)]);
    assert_eq!(code(&output), 0);
    assert!(
        stdout(&output).contains("would be upgraded"),
        "{}",
        stdout(&output)
    );
    let json: Value = serde_json::from_str(&stdout(&realworld(&[
        "plan",
        text(&state),
        "--format",
        "json",
    ])))
    .unwrap();
    assert_eq!(json["totals"]["instances"], 184);
    assert_eq!(json["serial"], 1187);
    assert_eq!(json["written"], Value::Null);
    assert_eq!(json["new_serial"], 1188);
    assert_eq!(fs::read(&state).unwrap(), before);
    assert_eq!(folder.names(), ["terraform.tfstate"]);
}

#[test]
fn what_no_schema_defines_is_named() {
    let folder = Folder::new();
    let accepted = REFUSED.replace(r#", {"indices": ["b"]}"#, "");
    let state = folder.file(
        "terraform.tfstate",
        accepted.replace(r#""id": "cluster/t","#, r#""id": "cluster/t", "motdd": 1,"#),
    );
    let output = realworld(&["plan", text(&state)]);
    assert_eq!(code(&output), 0, "{}", stdout(&output));
    let printed = stdout(&output);
    assert!(
        printed.contains("  ! motdd  lost: stored, but defined by no schema of its version\n"),
        "{printed}"
    );
    // It has one line, and the last line counts it.
    assert_eq!(printed.matches("motdd").count(), 1, "{printed}");
    assert!(
        printed.ends_with("1 to upgrade, 0 already current; 1 value to be lost\n"),
        "{printed}"
    );
    assert_eq!(
        code(&realworld(&["plan", text(&state), "--detailed-exitcode"])),
        4
    );
    let json: Value = serde_json::from_str(&stdout(&realworld(&[
        "plan",
        text(&state),
        "--format",
        "json",
    ])))
    .unwrap();
    assert_eq!(json["instances"][0]["dropped"][0]["path"], "motdd");
    assert_eq!(
        (
            &json["totals"]["dropped_values"],
            &json["totals"]["lost_values"]
        ),
        (&json!(0), &json!(1))
    );
}

/// The lines of one instance in a plan.
fn details<'p>(printed: &'p str, heading: &str) -> Vec<&'p str> {
    let lines = printed.lines().skip_while(|line| *line != heading).skip(1);
    lines.take_while(|line| !line.is_empty()).collect()
}

#[test]
fn every_change_is_named_with_its_path() {
    let printed = stdout(&realworld_reading(
        &committed_state(),
        &["plan", "-", "--diff"],
    ));
    for (heading, lines) in [
        (
            "aws_route53_record.site[\"app\"]  1 → 2",
            &[
                "  ~ failover → failover_routing_policy[0].type  moved \"PRIMARY\"",
                "  ~ weight → weighted_routing_policy[0].weight  moved 0",
            ][..],
        ),
        (
            "aws_route53_record.site[\"mail\"]  0 → 2",
            &[
                "  ~ name    \"mail.example.com.\" → \"mail.example.com\"",
                "  - weight  -1",
            ],
        ),
        (
            "google_kms_crypto_key.state[1]  0 → 1",
            &["  only the version"],
        ),
    ] {
        assert_eq!(details(&printed, heading), lines, "{heading}\n{printed}");
    }
    assert!(
        printed.ends_with("175 to upgrade, 4 already current, 3 left as they are (3 unknown types), 2 data sources; 38 values to be dropped with a reason\n"),
        "{printed}"
    );
    let output = realworld_reading(&committed_state(), &["plan", "-", "--format", "json"]);
    let report: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(report["format_version"], "1.0");
    let instances = report["instances"].as_array().unwrap();
    assert_eq!(instances.len(), 175);
    let mail = instances
        .iter()
        .find(|instance| instance["address"] == "aws_route53_record.site[\"mail\"]")
        .unwrap();
    assert_eq!(
        *mail,
        json!({
            "address": "aws_route53_record.site[\"mail\"]",
            "type": "aws_route53_record",
            "from": 0,
            "to": 2,
            "outcome": "upgraded",
            "changes": [
                {"path": "name", "action": "change", "before": "mail.example.com.", "after": "mail.example.com"},
                {"path": "weight", "action": "remove", "before": -1},
            ],
            "dropped": [],
            "diagnostics": [],
        })
    );
}

#[test]
fn a_plan_has_a_line_for_each_type_unless_more_is_wanted() {
    let printed = stdout(&realworld_reading(&committed_state(), &["plan", "-"]));
    for line in [
        "  aws_db_instance                                                   2  0,1 → 2   2 changed, 1 new, 2 dropped",
        "  aws_fsx_ontap_storage_virtual_machine                             1  0 → 1     1 moved",
        "  cloudflare_bot_management                                         1  0 → 500   only the version",
        "  (--diff shows what changes in each instance)",
    ] {
        assert!(
            printed.lines().any(|one| one == line),
            "{line:?} is not in\n{printed}"
        );
    }
    // A warning is something to do, so it is there with its instance.
    assert_eq!(
        printed
            .matches("the configuration must be changed to match")
            .count(),
        1,
        "{printed}"
    );
    assert!(!printed.contains("failover_routing_policy"), "{printed}");
}

/// The eye is at the end of a terminal, so that what fails is there, though it is the first of the file; only the next commands and
/// the sum follow.
#[test]
fn failures_are_at_the_end_of_a_plan() {
    let output = realworld_reading(one_of_many_refused().as_bytes(), &["plan", "-"]);
    assert_eq!(code(&output), 1);
    let printed = stdout(&output);
    let place = |text: &str| {
        printed
            .rfind(text)
            .unwrap_or_else(|| panic!("no {text}: {printed}"))
    };
    let order = [
        "  aws_db_instance  ",
        "cannot be upgraded                      instances",
        "warning: Resource State Upgraded",
        "elasticstack_elasticsearch_transform.t[\"eu\"]  0 → 1  cannot be upgraded\n",
        "  error: Unable to Upgrade Resource State\n",
        "\nnext:\n",
        "\n1 cannot be upgraded, 175 to upgrade",
    ];
    let places: Vec<usize> = order.iter().map(|text| place(text)).collect();
    assert!(places.is_sorted(), "{places:?}: {printed}");
    let (_, end) = printed.split_once("  0 → 1  cannot be upgraded\n").unwrap();
    assert!(
        end.lines().count() < 15 && !end.contains("warning: "),
        "{end}"
    );
}

/// A terminal shows from the beginning that something is done: while the file is read, and then instance by instance.
#[cfg(target_os = "linux")]
#[test]
fn reading_a_large_file_is_shown() {
    let (name, source) = (
        "t".repeat(800),
        r#""source": [{"indices": ["a"]}], "destination": [{"index": "d"}]"#,
    );
    let attributes = format!(r#"{{"id": "cluster/t", "name": "{name}", {source}}}"#);
    let instance = |index: usize| {
        format!(r#"{{"index_key": {index}, "schema_version": 0, "attributes": {attributes}}}"#)
    };
    let instances: Vec<String> = (0..6000).map(instance).collect();
    let state = format!(
        r#"{{"version": 4, "serial": 1, "resources": [{{"mode": "managed", "type": "elasticstack_elasticsearch_transform", "name": "t",
            "provider": "provider.elasticstack", "instances": [{}]}}]}}"#,
        instances.join(",")
    );
    let folder = Folder::new();
    let state = folder.file("terraform.tfstate", state);
    let command = format!(
        "'{}' plan '{}'",
        env!("CARGO_BIN_EXE_realworld"),
        text(&state)
    );
    // `script` gives the command a terminal. A CI system is none, so this test brings its own.
    let mut terminal = Command::new("script");
    terminal
        .args(["-qec", &command, "/dev/null"])
        .env_remove("CI")
        .env("TERM", "xterm")
        .stdin(std::process::Stdio::null());
    let output = terminal.output().unwrap();
    assert_eq!(code(&output), 0);
    let printed = stdout(&output);
    let reading = printed
        .find(" reading 5.")
        .unwrap_or_else(|| panic!("{printed}"));
    let planning = printed
        .find("planning [")
        .unwrap_or_else(|| panic!("{printed}"));
    assert!(
        reading < planning && planning < printed.find("6000 to upgrade").unwrap(),
        "{reading} {planning}"
    );
    // A pipe has none of it.
    let piped = realworld(&["plan", text(&state)]);
    assert!(
        piped.stderr.is_empty() && !stdout(&piped).contains("reading"),
        "{piped:?}"
    );
}

#[test]
fn a_report_keeps_to_the_width_of_the_terminal() {
    let folder = Folder::new();
    let state = folder.file("terraform.tfstate", committed_state());
    for (more, columns) in [(&[][..], 80), (&["--diff"], 80), (&["--diff"], 140)] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_realworld"));
        let output = command
            .args(["plan", text(&state)])
            .args(more)
            .env("COLUMNS", columns.to_string())
            .output()
            .unwrap();
        let printed = stdout(&output);
        // Names and paths are whole, since they are searched for.
        let is_whole = |line: &str| {
            line.trim_start()
                .split("  ")
                .any(|part| !part.contains(' ') && part.len() > columns - 30)
        };
        let wide: Vec<&str> = printed
            .lines()
            .filter(|line| line.chars().count() > columns && !is_whole(line))
            .collect();
        assert!(wide.is_empty(), "{columns}: {wide:#?}");
        assert!(
            !printed.lines().any(|line| line.ends_with(' ')),
            "{printed}"
        );
    }
}

#[test]
fn many_instances_of_a_kind_are_shown_by_their_first() {
    let instance = r#"{"index_key": INDEX, "schema_version": 0, "attributes": {"id": "cluster/t", "name": "t", "source": [], "destination": []}}"#;
    let instances: Vec<String> = (0..14)
        .map(|index| instance.replace("INDEX", &index.to_string()))
        .collect();
    let state = format!(
        r#"{{"version": 4, "serial": 1, "resources": [{{"mode": "managed", "type": "elasticstack_elasticsearch_transform", "name": "t",
            "provider": "provider.elasticstack", "instances": [{}]}}]}}"#,
        instances.join(",")
    );
    let printed = stdout(&realworld_reading(
        state.as_bytes(),
        &["plan", "-", "--diff"],
    ));
    assert_eq!(printed.matches("]  0 → 1  ").count(), 10, "{printed}");
    assert!(
        printed.contains("… and 4 more of elasticstack_elasticsearch_transform at version 0\n"),
        "{printed}"
    );
    let all = stdout(&realworld_reading(
        state.as_bytes(),
        &["plan", "-", "--all"],
    ));
    assert_eq!(all.matches("]  0 → 1  ").count(), 14, "{all}");
    let json: Value = serde_json::from_str(&stdout(&realworld_reading(
        state.as_bytes(),
        &["plan", "-", "--format", "json"],
    )))
    .unwrap();
    assert_eq!(json["instances"].as_array().unwrap().len(), 14);
}

#[test]
fn the_exit_code_can_tell_whether_there_is_something_to_do() {
    let before = committed_state();
    assert_eq!(
        code(&realworld_reading(
            &before,
            &["plan", "-", "--detailed-exitcode"]
        )),
        2
    );
    let after = realworld_reading(&before, &["upgrade", "-"]).stdout;
    assert_eq!(
        code(&realworld_reading(
            &after,
            &["plan", "-", "--detailed-exitcode"]
        )),
        0
    );
    assert_eq!(
        code(&realworld_reading(
            REFUSED.as_bytes(),
            &["plan", "-", "--detailed-exitcode"]
        )),
        1
    );
    assert_eq!(
        code(&realworld_reading(
            b"",
            &["plan", "-", "--detailed-exitcode"]
        )),
        3
    );
    // A mistake must not look like a change.
    assert_eq!(
        code(&realworld(&[
            "plan",
            "--detailed-exitcode",
            "--no-such-option"
        ])),
        1
    );
    assert_eq!(
        code(&realworld_reading(
            &before,
            &["plan", "-", "--detailed-exitcode", "--only", "no_such_type"]
        )),
        1
    );
    assert_eq!(
        code(&realworld(&[
            "plan",
            "-",
            "--detailed-exitcode",
            "--allow-loss"
        ])),
        1
    );
}

#[test]
fn pipes_get_no_colours_and_terminals_that_do_not_want_them_neither() {
    let printed = stdout(&realworld_reading(&committed_state(), &["plan", "-"]));
    assert!(!printed.contains('\u{1b}'));
    let forced = Command::new(env!("CARGO_BIN_EXE_realworld"))
        .args(["schema", "aws_instance"])
        .env("CLICOLOR_FORCE", "1")
        .output()
        .unwrap();
    assert!(stdout(&forced).contains('\u{1b}'));
    let plain = Command::new(env!("CARGO_BIN_EXE_realworld"))
        .args(["schema", "aws_instance"])
        .env("CLICOLOR_FORCE", "0")
        .env("NO_COLOR", "1")
        .output()
        .unwrap();
    assert!(!stdout(&plain).contains('\u{1b}'));
}

#[test]
fn a_refusal_names_the_releases_that_the_lock_knows() {
    let folder = Folder::new();
    let state = folder.file("terraform.tfstate", REFUSED);
    let lock =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("upstate.lock")).unwrap();
    let plan = || {
        let output = Command::new(env!("CARGO_BIN_EXE_realworld"))
            .args(["plan", text(&state)])
            .current_dir(folder.0.path())
            .env_remove("CARGO_MANIFEST_DIR")
            .output()
            .unwrap();
        assert_eq!(code(&output), 1);
        stdout(&output)
    };
    assert!(plan().contains("cannot be upgraded\n  error:"));
    folder.file("upstate.lock", &lock);
    assert!(
        plan().contains("cannot be upgraded\n  release 0.1.0 writes version 1\n  error:"),
        "{}",
        plan()
    );
    // One that cannot be read does not stop it.
    folder.file("upstate.lock", "<<<<<<< ours");
    assert!(
        plan().contains("cannot be upgraded\n  error:"),
        "{}",
        plan()
    );
}
