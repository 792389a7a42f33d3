//! `plan` and `upgrade` of documents, as a program of its own: this one, which runs the command
//! line when it is started with arguments after `--as-program`, and the tests otherwise.

#![allow(
    clippy::indexing_slicing,
    clippy::single_element_loop,
    clippy::unwrap_used,
    reason = "tests"
)]

use std::fs;
#[cfg(unix)]
use std::io::Write as _;
use std::path::Path;
#[cfg(unix)]
use std::process::Stdio;
use std::process::{Command, ExitCode, Output};

use upstate::{Document, Registry, Resource};

/// Settings, as version 1 stores them.
#[derive(Resource)]
#[resource(type_name = "app_settings", version = 1)]
#[upgrade_from(0 => 1, rename(colour => theme), convert(retries: String, empty = null))]
#[allow(dead_code, reason = "only its schema is used")]
struct Settings {
    theme: Option<String>,
    retries: Option<i64>,
    #[attribute(sensitive)]
    token: Option<String>,
}

/// A document beside it.
#[derive(Document)]
#[document(type_name = "app.preferences")]
#[allow(dead_code, reason = "only its schema is used")]
struct Preferences {
    theme: String,
}

/// The variable that names what the program stores.
const STORES: &str = "UPSTATE_TEST_STORES";

fn main() -> ExitCode {
    let mut arguments = std::env::args_os();
    if arguments.any(|argument| argument == "--as-program") {
        let arguments = std::iter::once("settings".into()).chain(arguments);
        let registry = match std::env::var(STORES).as_deref() {
            Ok("documents") => Registry::new().with::<Preferences>(),
            Ok("both") => Registry::new().with::<Preferences>().with::<Settings>(),
            _ => Registry::new().with::<Settings>(),
        };
        return upstate_cli::run(registry, arguments);
    }
    every_syntax_is_planned_and_upgraded();
    every_syntax_goes_back();
    what_an_older_version_cannot_hold_is_refused();
    binary_documents_are_planned_and_upgraded();
    several_files_are_upgraded_and_a_bad_one_is_left();
    a_document_under_a_former_name_of_its_type_is_upgraded();
    mistakes_change_nothing();
    a_document_with_a_version_like_that_of_state_is_not_taken_for_state();
    what_a_file_holds_is_shown_as_text();
    #[cfg(unix)]
    a_pipe_is_planned();
    what_would_be_lost_has_its_own_code();
    many_values_without_a_schema_are_named_in_part();
    rules_are_explained_in_the_words_of_what_is_stored();
    println!("all tests passed");
    ExitCode::SUCCESS
}

fn run(folder: &Path, arguments: &[&str]) -> (i32, String) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    let Output {
        status,
        stdout,
        stderr,
    } = command
        .arg("--as-program")
        .args(["--color", "never"])
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    (
        status.code().unwrap(),
        String::from_utf8(stdout).unwrap() + &String::from_utf8(stderr).unwrap(),
    )
}

const TOML: &str = "# Of ada.\ntype = \"app_settings\"\nschema_version = 0\ncolour = 'dark' # at night\nretries = \"3\"\ntoken = \"hunter2\"\nother = 1\n";

fn every_syntax_is_planned_and_upgraded() {
    for (name, stored, upgraded) in [
        #[cfg(feature = "toml")]
        (
            "settings.toml",
            TOML,
            "# Of ada.\ntype = \"app_settings\"\nschema_version = 1\ntheme = 'dark' # at night\nretries = 3\ntoken = \"hunter2\"\nother = 1\n",
        ),
        #[cfg(feature = "jsonc")]
        (
            "settings.jsonc",
            "{\n  \"type\": \"app_settings\", // ours\n  \"schema_version\": 0,\n  \"colour\": \"dark\",\n  \"retries\": \"3\",\n  \"token\": \"hunter2\",\n  \"other\": 1,\n}\n",
            "{\n  \"type\": \"app_settings\", // ours\n  \"schema_version\": 1,\n  \"theme\": \"dark\",\n  \"retries\": 3,\n  \"token\": \"hunter2\",\n  \"other\": 1,\n}\n",
        ),
        #[cfg(feature = "yaml")]
        (
            "settings.yml",
            "type: app_settings\nschema_version: 0\ncolour: dark\nretries: '3'\ntoken: hunter2\nother: 1\n",
            "type: app_settings\nschema_version: 1\ntheme: dark\nretries: 3\ntoken: hunter2\nother: 1\n",
        ),
        (
            "settings.json",
            "{\n  \"type\": \"app_settings\",\n  \"schema_version\": 0,\n  \"colour\": \"dark\",\n  \"retries\": \"3\",\n  \"token\": \"hunter2\",\n  \"other\": 1\n}\n",
            "{\n  \"type\": \"app_settings\",\n  \"schema_version\": 1,\n  \"theme\": \"dark\",\n  \"retries\": 3,\n  \"token\": \"hunter2\",\n  \"other\": 1\n}\n",
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        fs::write(&path, stored).unwrap();
        let with_format = |arguments: &[&str]| {
            let json = if name == "settings.json" {
                vec!["--file-format", "json"]
            } else {
                Vec::new()
            };
            run(folder.path(), &[arguments, &json].concat())
        };
        let plan = format!(
            "{name}: app_settings, 0 → 1\n  - colour   \"dark\"\n  ~ retries  \"3\" → 3\n  + theme    \"dark\"\n  kept, though no schema defines it: other\n"
        );
        let (code, text) = with_format(&["plan", name, "--detailed-exitcode"]);
        assert_eq!(
            (code, text),
            (2, format!("{plan}1 document to upgrade, 0 current\n"))
        );
        assert_eq!(fs::read_to_string(&path).unwrap(), stored);
        let (code, text) = with_format(&["upgrade", name]);
        assert_eq!(
            (code, text),
            (
                0,
                format!(
                    "{plan}  the old file is {name}.v0.backup\n1 document upgraded, 0 current\n"
                )
            )
        );
        assert_eq!(fs::read_to_string(&path).unwrap(), upgraded, "{name}");
        assert_eq!(
            fs::read_to_string(folder.path().join(format!("{name}.v0.backup"))).unwrap(),
            stored
        );
        let (code, text) = with_format(&["upgrade", name, "--format", "json"]);
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(
            (code, &json["documents"][0]["outcome"]),
            (0, &"current".into()),
            "{text}"
        );
    }
}

fn every_syntax_goes_back() {
    for (name, stored, earlier) in [
        #[cfg(feature = "toml")]
        (
            "settings.toml",
            "# Of ada.\ntype = \"app_settings\"\nschema_version = 1\ntheme = 'dark' # at night\nretries = 3\ntoken = \"hunter2\"\nother = 1\n",
            TOML,
        ),
        #[cfg(feature = "jsonc")]
        (
            "settings.jsonc",
            "{\n  \"type\": \"app_settings\", // ours\n  \"schema_version\": 1,\n  \"theme\": \"dark\",\n  \"retries\": 3,\n  \"token\": \"hunter2\",\n  \"other\": 1,\n}\n",
            "{\n  \"type\": \"app_settings\", // ours\n  \"schema_version\": 0,\n  \"colour\": \"dark\",\n  \"retries\": \"3\",\n  \"token\": \"hunter2\",\n  \"other\": 1,\n}\n",
        ),
        (
            "settings.json",
            "{\n  \"type\": \"app_settings\",\n  \"schema_version\": 1,\n  \"theme\": \"dark\",\n  \"retries\": 3,\n  \"token\": \"hunter2\",\n  \"other\": 1\n}\n",
            "{\n  \"type\": \"app_settings\",\n  \"schema_version\": 0,\n  \"colour\": \"dark\",\n  \"retries\": \"3\",\n  \"token\": \"hunter2\",\n  \"other\": 1\n}\n",
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        fs::write(&path, stored).unwrap();
        let back = |arguments: &[&str]| {
            let to = ["--to", "app_settings=0"];
            let json: &[&str] = if name == "settings.json" {
                &["--file-format", "json"]
            } else {
                &[]
            };
            run(folder.path(), &[arguments, &to, json].concat())
        };
        let plan = format!(
            "{name}: app_settings, 1 → 0\n  + colour   \"dark\"\n  ~ retries  3 → \"3\"\n  - theme    \"dark\"\n  kept, though no schema defines it: other\n"
        );
        let planned = format!("{plan}1 document to downgrade, 0 unchanged\n");
        let (code, text) = back(&["plan", name, "--detailed-exitcode"]);
        assert_eq!((code, &text), (2, &planned));
        let (code, text) = back(&["downgrade", name, "--dry-run"]);
        assert_eq!((code, &text), (0, &planned));
        assert_eq!(fs::read_to_string(&path).unwrap(), stored);
        let (code, text) = back(&["downgrade", name]);
        let done = format!(
            "{plan}  the old file is {name}.v1.backup\n1 document downgraded, 0 unchanged\n"
        );
        assert_eq!((code, text), (0, done));
        assert_eq!(fs::read_to_string(&path).unwrap(), earlier, "{name}");
        let backup = folder.path().join(format!("{name}.v1.backup"));
        assert_eq!(fs::read_to_string(backup).unwrap(), stored);
        let (code, text) = back(&["downgrade", name, "--format", "json"]);
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(
            (code, &json["documents"][0]["outcome"], &json["unchanged"]),
            (0, &"unchanged".into(), &1.into()),
            "{text}"
        );
    }
}

fn what_an_older_version_cannot_hold_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let stored = r#"{"type":"app_settings","schema_version":1,"theme":"dark","retries":3,"token":"hunter2","colour":"red"}"#;
    let newer = stored.replace(":1", ":2");
    let write = || {
        fs::write(folder.path().join("a"), stored).unwrap();
        fs::write(folder.path().join("b"), &newer).unwrap();
    };
    write();
    let back = |command: &str, options: &[&str]| {
        let arguments = ["a", "b", "--file-format", "json", "--to", "app_settings=0"];
        run(
            folder.path(),
            &[[command].as_slice(), &arguments, options].concat(),
        )
    };
    for command in ["plan", "downgrade"] {
        let (code, text) = back(command, &[]);
        assert_eq!(code, 1, "{text}");
        for part in [
            "refused: a can't be downgraded; the file is unchanged.",
            "The document holds at `colour` what no schema defines, and version 0 cannot hold 1 of these values.",
            "refused: b can't be downgraded; the file is unchanged.",
            "2 refused and unchanged; --allow-loss drops what the older version cannot hold\n",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
        assert!(!text.contains("hunter2"), "{text}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
        assert_eq!(fs::read_to_string(folder.path().join("a")).unwrap(), stored);
    }
    let (code, text) = back("plan", &["--strict"]);
    assert_eq!(code, 1, "{text}");
    assert!(!text.contains("--allow-loss"), "{text}");
    let (code, text) = back("downgrade", &["--allow-loss"]);
    assert_eq!(code, 1, "{text}");
    for part in [
        "a: app_settings, 1 → 0\n",
        "\n  warning: Value Lost\n  The document holds at `colour` what no schema defines, and version 0 cannot hold 1 of these values.\n  the old file is a.v1.backup\n",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert_eq!(
        fs::read_to_string(folder.path().join("a")).unwrap(),
        r#"{"type":"app_settings","schema_version":0,"colour":"dark","retries":"3","token":"hunter2"}"#
    );
    assert_eq!(
        fs::read_to_string(folder.path().join("a.v1.backup")).unwrap(),
        stored
    );
    assert_eq!(fs::read_to_string(folder.path().join("b")).unwrap(), newer);
    // A plan ends with another code if something would be lost.
    write();
    fs::remove_file(folder.path().join("b")).unwrap();
    let options = [
        "plan",
        "a",
        "--file-format",
        "json",
        "--to",
        "app_settings=0",
        "--allow-loss",
        "--detailed-exitcode",
    ];
    assert_eq!(run(folder.path(), &options).0, 4);
}

/// A map of at most 15 members in `MessagePack` or CBOR, whose short strings and small numbers
/// differ in their first bytes alone.
fn binary(map: u8, string: u8, members: &[(&str, Result<&str, u8>)]) -> Vec<u8> {
    let text = |text: &str| {
        [
            &[string + u8::try_from(text.len()).unwrap()],
            text.as_bytes(),
        ]
        .concat()
    };
    let mut bytes = vec![map + u8::try_from(members.len()).unwrap()];
    for (name, value) in members {
        bytes.extend(text(name));
        bytes.extend(value.map_or_else(|number| vec![number], text));
    }
    bytes
}

fn binary_documents_are_planned_and_upgraded() {
    let formats: &[(&str, u8, u8)] = &[
        #[cfg(feature = "msgpack")]
        ("settings.msgpack", 0x80, 0xa0),
        #[cfg(feature = "cbor")]
        ("settings.cbor", 0xa0, 0x60),
    ];
    for (name, map, string) in formats {
        let of_version = |version, changed: &[(&'static str, Result<&'static str, u8>)]| {
            let head = [
                ("type", Ok("app_settings")),
                ("schema_version", Err(version)),
            ];
            binary(
                *map,
                *string,
                &[
                    &head,
                    changed,
                    &[("token", Ok("hunter2")), ("other", Err(1))],
                ]
                .concat(),
            )
        };
        let stored = of_version(0, &[("colour", Ok("dark")), ("retries", Ok("3"))]);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        fs::write(&path, &stored).unwrap();
        let plan = format!(
            "{name}: app_settings, 0 → 1\n  - colour   \"dark\"\n  ~ retries  \"3\" → 3\n  + theme    \"dark\"\n  kept, though no schema defines it: other\n"
        );
        let (code, text) = run(folder.path(), &["plan", name, "--detailed-exitcode"]);
        assert_eq!(
            (code, text),
            (2, format!("{plan}1 document to upgrade, 0 current\n"))
        );
        assert_eq!(fs::read(&path).unwrap(), stored);
        let (code, text) = run(folder.path(), &["upgrade", name]);
        assert_eq!(
            (code, text),
            (
                0,
                format!(
                    "{plan}  the old file is {name}.v0.backup\n1 document upgraded, 0 current\n"
                )
            )
        );
        assert_eq!(
            fs::read(&path).unwrap(),
            of_version(1, &[("theme", Ok("dark")), ("retries", Err(3))]),
            "{name}"
        );
        assert_eq!(
            fs::read(folder.path().join(format!("{name}.v0.backup"))).unwrap(),
            stored
        );
        let (code, text) = run(
            folder.path(),
            &["downgrade", name, "--to", "app_settings=0"],
        );
        assert_eq!(code, 0, "{text}");
        assert_eq!(fs::read(&path).unwrap(), stored, "{name}");
        // Half of it is no document, and stays.
        fs::write(&path, &stored[..stored.len() / 2]).unwrap();
        let (code, text) = run(folder.path(), &["upgrade", name]);
        assert!(
            code == 1 && text.contains("can't be read; the file is unchanged."),
            "{code} {text}"
        );
        assert_eq!(fs::read(&path).unwrap(), stored[..stored.len() / 2]);
    }
}

fn several_files_are_upgraded_and_a_bad_one_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    let old = r#"{"type":"app_settings","schema_version":0,"token":"hunter2"}"#;
    file("a", old);
    file("b", &old.replace('}', ""));
    file("c", &old.replace(":0", ":7"));
    file("d", &old.replace(":0", ":1"));
    let (code, text) = run(
        folder.path(),
        &[
            "upgrade",
            "--file-format",
            "json",
            "a",
            "b",
            "c",
            "d",
            "missing",
        ],
    );
    assert_eq!(code, 1);
    for part in [
        "a: app_settings, 0 → 1\n",
        "refused: b can't be read; the file is unchanged.",
        "refused: c can't be read; the file is unchanged.",
        "Resource State Is Newer",
        "d: current\n",
        "refused: missing: No such file",
        "1 document upgraded, 1 current, 3 refused and unchanged\n",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(!text.contains("hunter2"), "{text}");
    assert_eq!(
        fs::read_to_string(folder.path().join("a")).unwrap(),
        r#"{"type":"app_settings","schema_version":1,"token":"hunter2","retries":null,"theme":null}"#
    );
    assert_eq!(
        fs::read_to_string(folder.path().join("b")).unwrap(),
        old.replace('}', "")
    );
    // Old releases wrote neither type nor version, so the command line gives them.
    file("e", "{\"retries\": \"3\"}");
    let (code, text) = run(
        folder.path(),
        &[
            "upgrade",
            "--file-format",
            "json",
            "e",
            "--type",
            "app_settings",
            "--unversioned",
            "0",
        ],
    );
    assert_eq!(code, 0, "{text}");
    assert_eq!(
        fs::read_to_string(folder.path().join("e")).unwrap(),
        r#"{"schema_version":1,"retries":3,"theme":null,"token":null}"#
    );
    // Because a document with a version and no type is of a format without types.
    file("f", "{\"version\": 0, \"retries\": \"3\"}");
    for (command, outcome) in [
        ("plan", "1 document to upgrade, 0 current\n"),
        ("upgrade", "1 document upgraded, 0 current\n"),
        ("upgrade", "0 documents upgraded, 1 current\n"),
    ] {
        let (code, text) = run(
            folder.path(),
            &[
                command,
                "--file-format",
                "json",
                "f",
                "--version-member",
                "version",
                "--type",
                "app_settings",
            ],
        );
        assert_eq!(code, 0, "{text}");
        assert!(text.ends_with(outcome), "{text}");
    }
    assert_eq!(
        fs::read_to_string(folder.path().join("f")).unwrap(),
        r#"{"version":1,"retries":3,"theme":null,"token":null}"#
    );
}

/// Another member has the name of one that no schema defines.
fn what_would_be_lost_has_its_own_code() {
    let folder = tempfile::tempdir().unwrap();
    let stored = r#"{"type":"app_settings","schema_version":0,"colour":"dark","theme":"old"}"#;
    fs::write(folder.path().join("a"), stored).unwrap();
    let plan = ["plan", "--file-format", "json", "a", "--detailed-exitcode"];
    let (code, text) = run(folder.path(), &plan);
    assert!(
        code == 4
            && text.contains("\n  would be lost, because no schema defines it: theme\n")
            && !text.contains("kept"),
        "{code} {text}"
    );
    assert!(
        text.ends_with(
            "1 document to upgrade, 0 current; 1 value would be lost, which is refused without --allow-loss\n"
        ),
        "{text}"
    );
    let (code, text) = run(
        folder.path(),
        &[plan.as_slice(), &["--format", "json"]].concat(),
    );
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        (
            code,
            &json["lost_values"],
            &json["documents"][0]["lost_values"],
            &json["documents"][0]["lost"]
        ),
        (4, &1.into(), &1.into(), &serde_json::json!(["theme"])),
        "{text}"
    );
    // A plan ends as the upgrade that it shows.
    for command in [["plan"].as_slice(), &["upgrade", "--dry-run"]] {
        let (code, text) = run(
            folder.path(),
            &[command, &["--file-format", "json", "a"]].concat(),
        );
        assert!(
            code == 1 && text.contains("1 value would be lost, which is refused"),
            "{code} {text}"
        );
        let (code, text) = run(
            folder.path(),
            &[command, &["--file-format", "json", "a", "--allow-loss"]].concat(),
        );
        assert!(
            code == 0 && text.ends_with("0 current; 1 value would be lost\n"),
            "{code} {text}"
        );
    }
    let (code, text) = run(
        folder.path(),
        &[plan.as_slice(), &["--allow-loss"]].concat(),
    );
    assert_eq!(code, 4, "{text}");
    let (code, text) = run(folder.path(), &["upgrade", "--file-format", "json", "a"]);
    assert!(
        code == 1 && text.contains("Undefined Values") && text.contains("`theme`"),
        "{code} {text}"
    );
    assert!(
        text.contains(
            "Remove them, or upgrade the file with `--allow-loss` or `Format::upgrade_file_with_loss`, which keeps a backup."
        ),
        "{text}"
    );
    assert_eq!(fs::read_to_string(folder.path().join("a")).unwrap(), stored);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    let allowed = ["upgrade", "--file-format", "json", "a", "--allow-loss"];
    let (code, text) = run(folder.path(), &allowed);
    assert!(
        code == 0
            && text.contains("\n  lost, because no schema defines it: theme\n")
            && text.ends_with("1 document upgraded, 0 current; 1 value lost\n"),
        "{code} {text}"
    );
    assert_eq!(
        fs::read_to_string(folder.path().join("a")).unwrap(),
        r#"{"type":"app_settings","schema_version":1,"theme":"dark","retries":null,"token":null}"#
    );
    assert_eq!(
        fs::read_to_string(folder.path().join("a.v0.backup")).unwrap(),
        stored
    );
}

/// Each value is in the line that says what becomes of it.
fn many_values_without_a_schema_are_named_in_part() {
    let folder = tempfile::tempdir().unwrap();
    let odd: Vec<String> = (0..12).map(|index| format!(r#""odd{index}":1"#)).collect();
    let stored = format!(
        r#"{{"type":"app_settings","schema_version":0,"colour":"dark",{},"theme":"old"}}"#,
        odd.join(",")
    );
    fs::write(folder.path().join("a"), stored).unwrap();
    let plan = ["plan", "--file-format", "json", "a", "--allow-loss"];
    let (code, text) = run(folder.path(), &plan);
    let line = |start: &str| text.lines().find(|line| line.starts_with(start));
    let kept = line("  kept, though no schema defines it: odd").unwrap();
    assert!(
        code == 0 && kept.ends_with(" and 2 more") && kept.matches("odd").count() == 10,
        "{code} {text}"
    );
    assert_eq!(
        line("  would be lost"),
        Some("  would be lost, because no schema defines it: theme")
    );
}

/// Neither values nor names that a file holds control the terminal.
fn what_a_file_holds_is_shown_as_text() {
    let folder = tempfile::tempdir().unwrap();
    let stored = "{\"type\":\"app_settings\",\"schema_version\":0,\"colour\":\"da\u{9b}2Jrk\",\"oth\u{202e}er\":1}";
    fs::write(folder.path().join("a"), stored).unwrap();
    for format in ["text", "json"] {
        let (code, text) = run(
            folder.path(),
            &["plan", "--file-format", "json", "a", "--format", format],
        );
        assert!(
            code == 0 && text.contains("2Jrk") && !text.contains(['\u{9b}', '\u{202e}']),
            "{code} {text}"
        );
    }
}

fn a_document_with_a_version_like_that_of_state_is_not_taken_for_state() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("settings.json");
    for version in [1, 3, 4] {
        let stored = format!(r#"{{"version":{version},"theme":"dark"}}"#);
        fs::write(&file, &stored).unwrap();
        for arguments in [
            ["plan", "settings.json"].as_slice(),
            &["upgrade", "settings.json"],
            &["downgrade", "settings.json", "--to", "app_settings=0"],
        ] {
            let (code, text) = run(folder.path(), arguments);
            assert_ne!(code, 0, "{arguments:?}: {text}");
            assert!(
                text.contains("settings.json is not a state file")
                    && text.contains("--file-format json --version-member version"),
                "{arguments:?}: {text}"
            );
            assert_eq!(fs::read_to_string(&file).unwrap(), stored);
        }
    }
    fs::write(&file, r#"{"version":1,"theme":"dark"}"#).unwrap();
    let advised = [
        "plan",
        "settings.json",
        "--file-format",
        "json",
        "--version-member",
        "version",
        "--type",
        "app_settings",
    ];
    let (code, text) = run(folder.path(), &advised);
    assert_eq!(code, 0, "{text}");
}

fn a_document_under_a_former_name_of_its_type_is_upgraded() {
    let folder = tempfile::tempdir().unwrap();
    let stored = r#"{"type":"settings","schema_version":0,"colour":"dark"}"#;
    let path = folder.path().join("a");
    fs::write(&path, stored).unwrap();
    let upgrade = ["upgrade", "--file-format", "json", "a"];
    let run_with = |more: &[&str]| run(folder.path(), &[upgrade.as_slice(), more].concat());
    for (more, expected, part) in [
        (Vec::new(), 1, "refused: a"),
        (vec!["--type", "app_settings"], 1, "refused: a"),
        (
            vec!["--former-type", "settings"],
            2,
            "write --former-type settings=app_settings",
        ),
        (
            vec!["--former-type", "settings=other"],
            2,
            "this program has no type \"other\"",
        ),
    ] {
        let (code, text) = run_with(&more);
        assert!(code == expected && text.contains(part), "{code} {text}");
        assert_eq!(fs::read_to_string(&path).unwrap(), stored);
    }
    let (code, text) = run_with(&["--former-type", "settings=app_settings"]);
    assert!(
        code == 0 && text.contains("a: app_settings, 0 → 1\n"),
        "{code} {text}"
    );
    assert_eq!(
        fs::read_to_string(&path).unwrap(),
        r#"{"type":"app_settings","schema_version":1,"theme":"dark","retries":null,"token":null}"#
    );
}

fn mistakes_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let files = ["a.toml", "b.yaml", "c.tfstate"];
    for name in files {
        fs::write(folder.path().join(name), TOML).unwrap();
    }
    let comments = "# Of ada.\ntype: app_settings\nschema_version: 0\n";
    fs::write(folder.path().join("b.yaml"), comments).unwrap();
    for (arguments, code, part) in [
        (
            ["upgrade", "a.toml", "--output", "x"].as_slice(),
            2,
            "documents are upgraded in place",
        ),
        (
            &["upgrade", "a.toml", "--exclude", "app_settings"],
            2,
            "--only and --exclude are for state files",
        ),
        (
            &["upgrade", "a.toml", "--only", "app_settings", "--dry-run"],
            2,
            "--only and --exclude are for state files",
        ),
        (
            &["plan", "a.toml", "--exclude", "app_settings"],
            2,
            "documents are planned whole",
        ),
        (
            &["plan", "a.toml", "--partial"],
            2,
            "documents are planned whole",
        ),
        (
            &["plan", "c.tfstate", "--allow-loss"],
            2,
            "--allow-loss is for state that goes back",
        ),
        (
            &["upgrade", "c.tfstate", "--allow-loss"],
            2,
            "--allow-loss is for documents, and for state that goes back",
        ),
        (
            &["upgrade", "a.toml", "--allow-loss", "--strict"],
            2,
            "cannot be used with",
        ),
        (
            &["downgrade", "a.toml"],
            2,
            "nothing says how far back; write --to-release RELEASE, or --to TYPE=VERSION",
        ),
        (
            &[
                "downgrade",
                "a.toml",
                "--to",
                "app_settings=0",
                "--output",
                "x",
            ],
            2,
            "documents are downgraded in place and whole",
        ),
        (
            &[
                "downgrade",
                "--file-format",
                "json",
                "-",
                "--to",
                "app_settings=0",
            ],
            2,
            "documents are rewritten in their files",
        ),
        #[cfg(feature = "toml")]
        (
            &["upgrade", "a.toml", "c.tfstate"],
            2,
            "c.tfstate is a state file by its name",
        ),
        (
            &[
                "upgrade",
                "--file-format",
                "state",
                "c.tfstate",
                "c.tfstate",
            ],
            2,
            "c.tfstate is a state file by --file-format",
        ),
        (
            &["plan", "--file-format", "state", "c.tfstate", "c.tfstate"],
            2,
            "state files are given one at a time",
        ),
        #[cfg(feature = "toml")]
        (&["upgrade", "a.toml", "--strict"], 1, "Undefined Values"),
        #[cfg(not(feature = "toml"))]
        (
            &["upgrade", "a.toml"],
            2,
            "its author can build `upstate-cli` with the feature `toml`",
        ),
        #[cfg(feature = "yaml")]
        (&["upgrade", "b.yaml"], 1, "More Than Values Would Change"),
        (
            &["upgrade", "--file-format", "json", "-"],
            2,
            "documents are rewritten in their files",
        ),
        (
            &["plan", "--file-format", "json", "-", "--detailed-exitcode"],
            1,
            "documents are rewritten in their files",
        ),
    ] {
        let (actual, text) = run(folder.path(), arguments);
        assert!(
            actual == code && text.contains(part),
            "{arguments:?}: {actual} {text}"
        );
        assert_eq!(
            fs::read_to_string(folder.path().join("a.toml")).unwrap(),
            TOML
        );
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), files.len());
    }
    #[cfg(feature = "yaml")]
    {
        let (code, text) = run(folder.path(), &["upgrade", "b.yaml", "--discard-comments"]);
        assert_eq!(code, 0, "{text}");
        assert_eq!(
            fs::read_to_string(folder.path().join("b.yaml.v0.backup")).unwrap(),
            comments
        );
    }
}

/// A shell's `<(…)` is one.
#[cfg(unix)]
fn a_pipe_is_planned() {
    let mut program = Command::new(std::env::current_exe().unwrap());
    program.args([
        "--as-program",
        "--color",
        "never",
        "plan",
        "--file-format",
        "json",
        "/dev/stdin",
    ]);
    let mut child = program
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(br#"{"type":"app_settings","schema_version":0,"colour":"dark"}"#)
        .unwrap();
    let Output { status, stdout, .. } = child.wait_with_output().unwrap();
    let text = String::from_utf8(stdout).unwrap();
    assert!(
        status.success() && text.contains("/dev/stdin: app_settings, 0 → 1\n"),
        "{status} {text}"
    );
}

fn rules_are_explained_in_the_words_of_what_is_stored() {
    const OF_TERRAFORM: &str = "an attribute or block is gone

Configurations that set it and expressions that read it fail; the stored value is dropped.

What to do: Deprecate it for a release first; then raise the schema version and account for the stored value in the upgrade.

";
    const OF_DOCUMENTS: &str = "a member is gone

The stored value is dropped when the document is read.

What to do: Raise the version and say in the upgrade why the value may go: `drop(x: T, \"…\")`.

";
    let explained = |stores: &str, rule: &str| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        let output = command
            .args(["--as-program", "explain", rule])
            .env(STORES, stores)
            .output()
            .unwrap();
        assert!(output.status.success(), "{stores}");
        String::from_utf8(output.stdout).unwrap()
    };
    let resources = explained("resources", "attribute-removed");
    let (of_terraform, facts) = resources.split_at(resources.find("level ").unwrap());
    assert_eq!(of_terraform, format!("attribute-removed: {OF_TERRAFORM}"));
    assert_eq!(
        explained("documents", "attribute-removed"),
        format!("attribute-removed: {OF_DOCUMENTS}{facts}")
    );
    assert_eq!(
        explained("both", "attribute-removed"),
        format!("{of_terraform}For documents: {OF_DOCUMENTS}{facts}")
    );
    // Their words are for documents already.
    for rule in ["member-required", "variant-removed"] {
        assert_eq!(explained("both", rule), explained("documents", rule));
    }
}
