//! `adopt` on a file of a program that used serde: what it writes compiles, and reads and writes
//! what serde does.

use std::path::Path;
use std::process::Command;

/// The program as it was.
#[path = "../adopt/before.rs"]
#[allow(
    unreachable_pub,
    clippy::trivially_copy_pass_by_ref,
    reason = "a file of another program"
)]
mod before;

/// The program as `adopt` writes it.
#[path = "../adopt/after.rs"]
#[allow(
    unreachable_pub,
    unused_imports,
    clippy::trivially_copy_pass_by_ref,
    reason = "a file of another program"
)]
mod after;

#[test]
fn the_file_is_rewritten() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("adopt");
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("settings.rs");
    std::fs::copy("tests/adopt/before.rs", &file).unwrap();
    let adopt = |options: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_upstate"))
            .arg("adopt")
            .arg(&file)
            .args(options)
            .output()
            .unwrap();
        let [out, err] =
            [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        (
            output.status.code(),
            out.replace(&*file.to_string_lossy(), "settings.rs"),
            err,
        )
    };
    let (code, out, err) = adopt(&["--document", "Settings=app.settings", "--dry-run"]);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    assert!(
        out.contains("+#[derive(Debug, Clone, PartialEq, upstate::Document)]"),
        "{out}"
    );
    assert_eq!(
        std::fs::read(&file).unwrap(),
        std::fs::read("tests/adopt/before.rs").unwrap()
    );

    let (code, out, _) = adopt(&["--document", "Settings=app.settings"]);
    assert_eq!(
        (code, out.as_str()),
        (
            Some(0),
            "settings.rs: rewrote Settings, Theme, UserId, Window\n"
        )
    );
    let written = std::fs::read_to_string(&file).unwrap();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write("tests/adopt/after.rs", &written).unwrap();
    }
    assert_eq!(
        written,
        std::fs::read_to_string("tests/adopt/after.rs").unwrap(),
        "UPDATE=1 writes tests/adopt/after.rs"
    );

    let (code, out, _) = adopt(&[]);
    assert_eq!(
        (code, out.as_str()),
        (
            Some(0),
            "settings.rs: no struct or enum derives serde's traits alone\n"
        )
    );
    let (code, _, err) = adopt(&["--document", "Settings"]);
    assert_eq!(code, Some(2));
    assert!(err.contains("\"Settings\" does not name a struct and its type: write --document Settings=app.settings"), "{err}");
    let (code, _, err) = adopt(&["--document", "Nothing=app.settings"]);
    assert_eq!(code, Some(1));
    assert!(
        err.contains("no struct `Nothing` derives serde's traits there"),
        "{err}"
    );
}

#[test]
fn what_it_writes_reads_and_writes_what_serde_does() {
    for stored in [
        r#"{"windowWidth": 80, "colour": "red", "theme": {"kind": "own", "accentColor": "blue"}, "owner": 7, "limits": {"1": "a", "20": "b"},
            "full_screen": true, "zoom": "150 %", "plugin": {"any": [1.5, null]}, "extra": {"kept": 1}}"#,
        r#"{"windowWidth": 80, "accent": null, "theme": {"kind": "plain"}, "owner": 7, "retries": 4, "limits": {}, "plugin": null}"#,
    ] {
        let by_serde: before::Settings = serde_json::from_str(stored).unwrap();
        let (ours, notes) = upstate::upgrade_json_with_notes::<after::Settings>(0, stored).unwrap();
        assert_eq!(notes.undefined(), []);
        let written: serde_json::Value =
            serde_json::from_slice(&upstate::to_json(&ours).unwrap()).unwrap();
        assert_eq!(written, serde_json::to_value(&by_serde).unwrap());
        assert_eq!(
            serde_json::from_value::<before::Settings>(written).unwrap(),
            by_serde
        );
    }
}
