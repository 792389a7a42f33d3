//! `upgrade --ndjson`: stored states, one a line.

use serde_json::Value;

use super::{Folder, code, realworld, realworld_reading, stderr, stdout, text};

const LINES: &str = r#"{"id": 7, "type_name": "docker_network", "schema_version": 0, "attributes": {"name": "b", "labels": {"env": "dev"}}, "at": "x"}
{"type_name":"docker_network","schema_version":1,"attributes":{"name":"b"},"note":1.50}
{"type_name":"other","schema_version":9,"attributes":{"a":   1}}

{"type_name":"docker_network","schema_version":2,"attributes":{}}
not json
{"type_name":"docker_network"}
{"type_name":"docker_network","attributes_flat":{"name":"b","labels.%":"1","labels.env":"dev"}}
{"error": {"summary": "stale"}, "type_name":"other","attributes":{}}
"#;

#[test]
fn lines_are_upgraded_in_order_and_errors_stand_in_their_lines() {
    let output = realworld_reading(LINES.as_bytes(), &["upgrade", "--ndjson"]);
    assert_eq!(code(&output), 1);
    let printed = stdout(&output);
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines.len(), LINES.lines().count(), "{printed}");
    let first = r#"{"id": 7, "type_name": "docker_network", "schema_version": 1, "attributes": {"#;
    assert!(
        lines[0].starts_with(first) && lines[0].ends_with(r#"}, "at": "x"}"#),
        "{}",
        lines[0]
    );
    assert!(
        lines[0].contains(r#""labels":[{"label":"env","value":"dev"}]"#),
        "{}",
        lines[0]
    );
    assert_eq!(lines[1], LINES.lines().nth(1).unwrap());
    assert_eq!(lines[2], LINES.lines().nth(2).unwrap());
    assert_eq!(lines[3], "");
    let error = |line: usize| serde_json::from_str::<Value>(lines[line]).unwrap();
    assert_eq!(error(4)["error"]["summary"], "Resource State Is Newer");
    assert_eq!(error(4)["schema_version"], 2);
    assert_eq!(error(5)["line"], 6);
    assert_eq!(error(5)["input"], "not json");
    assert_eq!(
        error(5)["error"]["detail"],
        "Not valid JSON: expected `null`, `true` or `false` (byte 0)."
    );
    assert_eq!(error(6)["error"]["detail"], "The line has no `attributes`.");
    assert_eq!(error(7)["schema_version"], 1);
    assert_eq!(error(7)["attributes"]["labels"][0]["label"], "env");
    assert_eq!(lines[8], r#"{"type_name":"other","attributes":{}}"#);
    assert_eq!(
        stderr(&output),
        "2 upgraded, 1 already current, 2 of unknown types, unchanged, 3 not upgraded, each with its error\n"
    );
    // What came out is what goes in again: errors are not piled up.
    let again = realworld_reading(printed.as_bytes(), &["upgrade", "--ndjson"]);
    let again = stdout(&again);
    assert_eq!(again.lines().nth(4), lines.get(4).copied());
    assert_eq!(again.lines().next(), lines.first().copied());
}

#[test]
fn many_lines_keep_their_order() {
    let line = |index: usize| {
        let pad = "x".repeat(index % 97 * 20);
        format!(
            r#"{{"n":{index},"type_name":"docker_network","schema_version":0,"attributes":{{"name":"{pad}","labels":{{}}}}}}"#
        )
    };
    let input: String = (0..9_000).map(|index| line(index) + "\n").collect();
    let folder = Folder::new();
    let (from, to) = (
        folder.file("rows", &input),
        folder.0.path().join("upgraded"),
    );
    let output = realworld(&["upgrade", "--ndjson", text(&from), "--output", text(&to)]);
    assert_eq!(
        (code(&output), stderr(&output).as_str()),
        (0, "9000 upgraded, 0 already current\n")
    );
    let lines = std::fs::read_to_string(&to).unwrap();
    for (index, line) in lines.lines().enumerate() {
        assert!(
            line.starts_with(&format!(r#"{{"n":{index},"#))
                && line.contains(r#""schema_version":1"#),
            "{line}"
        );
    }
    assert_eq!(lines.lines().count(), 9_000);
}

#[test]
fn an_output_that_cannot_be_written_is_named() {
    let folder = Folder::new();
    let (from, to) = (
        folder.file("rows", LINES),
        folder.0.path().join("missing/upgraded"),
    );
    let output = realworld(&["upgrade", "--ndjson", text(&from), "--output", text(&to)]);
    assert_eq!(code(&output), 3);
    assert!(
        stderr(&output).starts_with(&format!("error: cannot write {}: ", to.display())),
        "{}",
        stderr(&output)
    );
}

#[test]
fn more_than_one_file_and_options_of_documents_are_refused() {
    let folder = Folder::new();
    let (one, other) = (folder.file("one", LINES), folder.file("other", LINES));
    for more in [
        [text(&other)].as_slice(),
        &["--type", "docker_network"],
        &["--file-format", "json"],
        &["--unversioned", "0"],
    ] {
        let output = realworld(&[["upgrade", "--ndjson", text(&one)].as_slice(), more].concat());
        assert_eq!(
            (code(&output), stdout(&output).as_str()),
            (2, ""),
            "{more:?}"
        );
        assert!(
            stderr(&output).contains("--ndjson"),
            "{more:?}: {}",
            stderr(&output)
        );
    }
}
