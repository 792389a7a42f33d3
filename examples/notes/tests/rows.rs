//! The program reads and rewrites the rows of every release, and leaves a bad one as it is.

#![allow(clippy::unwrap_used, reason = "the test's own helpers may panic too")]

use std::path::Path;
use std::process::Command;

fn run(database: &Path) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_notes"))
        .arg(database)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn notes_of_three_releases_are_read_and_rewritten_and_a_bad_one_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.db");
    let first = run(&path);
    for line in [
        r#"1: Note { title: "Milk", body: Some("two bottles"), tags: {} }"#,
        r#"2: Note { title: "Call", body: None, tags: {"urgent", "work"} }"#,
        r#"3: Note { title: "Rest", body: None, tags: {"home"} }"#,
        "4: Conversion error from type Text at index: 0, error: Unable to Upgrade Resource State\nThe upgrade from schema version 0 refused this state: the note has no first line that could be its title.",
        r#"1, now: {"type":"note","schema_version":2,"body":"two bottles","tags":[],"title":"Milk"}"#,
        r#"2, now: {"type":"note","schema_version":2,"title":"Call","body":null,"tags":["urgent","work"]}"#,
        // What was current already is not touched, and neither is what could not be read.
        r#"3, now: {"type":"note","schema_version":2,"title":"Rest","body":null,"tags":["home"]}"#,
        r#"4, now: {"text":""}"#,
    ] {
        assert!(first.contains(line), "{line} in {first}");
    }
    let now = |printed: &str| {
        printed
            .lines()
            .filter(|line| line.contains(", now:"))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let again = run(&path);
    assert!(
        !again.contains("by 1.0") && now(&again) == now(&first),
        "{again}"
    );
}
