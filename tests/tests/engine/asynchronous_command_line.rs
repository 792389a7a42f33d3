//! The command line of a program whose upgraders ask a service.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// A state with so many instances of version 0 and one of version 1.
fn state(asking: usize) -> String {
    let asking: String = (0..asking)
        .map(|id| {
            format!(r#"{{"index_key":{id},"schema_version":0,"attributes":{{"id":"{id}"}}}},"#)
        })
        .collect();
    format!(
        r#"{{"version":4,"serial":1,"resources":[{{"mode":"managed","type":"example_named","name":"n","provider":"provider.p",
            "instances":[{asking}{{"index_key":"old","schema_version":1,"attributes":{{"id":"x","name":"old"}}}}]}}]}}"#
    )
}

fn run(service: &str, arguments: &[&str], folder: &Path) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_awaiting"));
    let Output {
        status,
        stdout,
        stderr,
    } = command
        .args(arguments)
        .env("UPSTATE_TEST_SERVICE", service)
        .current_dir(folder)
        .output()
        .unwrap();
    (
        status.code().unwrap(),
        String::from_utf8(stdout).unwrap(),
        String::from_utf8(stderr).unwrap(),
    )
}

#[test]
fn upgraders_that_ask_a_service_are_run_and_it_is_connected_to_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t");
    fs::write(&path, state(40)).unwrap();
    let (code, out, err) = run("up", &["plan", "t", "--all"], folder.path());
    assert_eq!((code, err.as_str()), (0, "connected\n"), "{out}");
    assert!(
        out.contains("\"name of 39\"") && out.contains("41 to upgrade"),
        "{out}"
    );
    let (code, out, err) = run("up", &["upgrade", "t"], folder.path());
    assert_eq!((code, err.as_str()), (0, "connected\n"), "{out}");
    assert!(fs::read_to_string(&path).unwrap().contains("\"name of 7\""));
    // Nothing is left to ask.
    assert_eq!(run("up", &["upgrade", "t"], folder.path()).2, "");
    let lines = r#"{"type_name":"example_named","schema_version":0,"attributes":{"id":"a"}}"#;
    fs::write(folder.path().join("lines"), lines).unwrap();
    let (code, out, err) = run("up", &["upgrade", "--ndjson", "lines"], folder.path());
    assert_eq!(
        (code, err.as_str()),
        (0, "connected\n1 upgraded, 0 already current\n")
    );
    assert!(out.contains("\"name of a\""), "{out}");
}

#[test]
fn who_asks_nothing_needs_no_service() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("t"), state(0)).unwrap();
    for arguments in [
        &["plan", "t"][..],
        &["inspect", "t"],
        &["explain", "example_named"],
        &["upgrade", "t"],
    ] {
        let (code, out, err) = run("down", arguments, folder.path());
        assert_eq!((code, err.as_str()), (0, ""), "{out}");
    }
}

#[test]
fn a_service_that_is_down_or_missing_is_told_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t");
    fs::write(&path, state(1)).unwrap();
    let (code, _, err) = run("down", &["upgrade", "t"], folder.path());
    assert_eq!(code, 1);
    let why = "The upgrade of example_named from schema version 0 may ask a service, and this program cannot connect to it: the service is \
               down";
    assert!(err.contains(why), "{err}");
    let (code, out, err) = run("down", &["plan", "t", "--format", "json"], folder.path());
    assert_eq!(code, 1, "{err}");
    let remedy = "\"Check the credentials and the network, and run it again.\"";
    assert!(
        out.contains("\"unreachable\"") && out.contains(remedy),
        "{out}"
    );
    let (code, _, err) = run("missing", &["upgrade", "t"], folder.path());
    assert_eq!(code, 1);
    assert!(
        err.contains("there is no service to ask for the name"),
        "{err}"
    );
    let lacks = "warning: an upgrader that may ask a service failed, and this program connects to none; its author can have it connect with \
         `upstate_cli::main_with`\n";
    assert!(err.contains(lacks), "{err}");
    assert_eq!(fs::read_to_string(&path).unwrap(), state(1));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_downgrade_is_checked_by_asking_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t");
    fs::write(&path, state(3)).unwrap();
    assert_eq!(run("up", &["upgrade", "t"], folder.path()).0, 0);
    let upgraded = fs::read_to_string(&path).unwrap();
    let back = [
        "downgrade",
        "t",
        "--to",
        "example_named=0",
        "--exclude",
        "example_named.n[\"old\"]",
    ];
    let (code, out, err) = run(
        "up",
        &[
            "plan",
            "t",
            "--to",
            "example_named=0",
            "--exclude",
            "example_named.n[\"old\"]",
        ],
        folder.path(),
    );
    assert_eq!((code, err.as_str()), (0, "connected\n"), "{out}");
    let (code, out, err) = run("missing", &back, folder.path());
    assert_eq!(
        (
            code,
            err.contains("warning: an upgrader that may ask a service failed")
        ),
        (1, true),
        "{out} {err}"
    );
    assert!(
        err.contains("there is no service to ask for the name"),
        "{err}"
    );
    let (code, out, err) = run("up", &back, folder.path());
    assert_eq!((code, err.as_str()), (0, "connected\n"), "{out}");
    assert!(
        fs::read_to_string(&path)
            .unwrap()
            .contains(r#""schema_version":0,"attributes":{"id":"2"}"#)
    );

    // A name that the service does not give would be lost.
    fs::write(&path, upgraded.replace("name of 1", "mine")).unwrap();
    let (code, _, err) = run("up", &back, folder.path());
    assert_eq!(code, 1);
    assert!(
        err.contains("Version 0 cannot hold the value \"mine\" (at name)"),
        "{err}"
    );
    // By the verdict alone, nothing needs to be asked.
    let (code, out, err) = run("down", &[&back[..], &["--strict"]].concat(), folder.path());
    assert_eq!((code, err.contains("connected")), (1, false), "{out}");
    assert!(
        err.contains("The downgrade from version 2 to 0 may lose something"),
        "{err}"
    );
    let (code, _, err) = run(
        "up",
        &[&back[..], &["--strict", "--allow-loss"]].concat(),
        folder.path(),
    );
    assert_eq!(
        (code, err.contains("cannot be used with")),
        (2, true),
        "{err}"
    );
    let (code, _, err) = run("up", &["downgrade", "t", "--strict"], folder.path());
    assert_eq!(
        (code, err.contains("nothing says how far back")),
        (2, true),
        "{err}"
    );
}
