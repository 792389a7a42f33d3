//! The release that a command is about: its number, and its day.

use crate::findings::workspace::Workspace;

/// The first line of a check with the lock of a release that `acme` itself made.
fn headline(workspace: &Workspace, arguments: &[&str], unnumbered: bool) -> String {
    let arguments = [&["check", "--lock", "now.lock"], arguments].concat();
    let printed = if unnumbered {
        workspace.run_unnumbered(&arguments)
    } else {
        workspace.run(&arguments)
    };
    printed.out.lines().next().unwrap_or_default().to_owned()
}

/// A built program runs where there is no cargo.
#[test]
fn the_release_is_the_version_of_the_package_without_cargo_too() {
    let workspace = Workspace::new();
    assert_eq!(
        workspace
            .run(&["lock", "--release", "0.0.9", "--lock", "now.lock"])
            .code,
        0
    );
    let version = env!("CARGO_PKG_VERSION");
    let found = headline(&workspace, &[], false);
    assert!(
        found.starts_with(&format!("Checking  acme 0.0.9 -> {version} (")),
        "{found}"
    );
    let found = headline(&workspace, &["--release", "0.0.10"], false);
    assert!(
        found.starts_with("Checking  acme 0.0.9 -> 0.0.10 ("),
        "{found}"
    );
    // `main` without the macro has nothing but cargo's word.
    let found = headline(&workspace, &[], true);
    assert!(
        found.starts_with("Checking  acme 0.0.9 -> unnumbered"),
        "{found}"
    );
    let mut of_cargo = workspace.command(".");
    of_cargo
        .args(["check", "--lock", "now.lock"])
        .env("ACME_UNNUMBERED", "1")
        .env("CARGO_PKG_VERSION", "0.3.0");
    let found = String::from_utf8(of_cargo.output().unwrap().stdout).unwrap();
    assert!(
        found.starts_with("Checking  acme 0.0.9 -> 0.3.0 ("),
        "{found}"
    );
    let unnumbered = workspace.run_unnumbered(&["lock", "--lock", "now.lock"]);
    assert_eq!(
        (unnumbered.code, unnumbered.err.as_str()),
        (2, "error: say which release this is: --release 1.4.0\n")
    );
    assert_eq!(workspace.run(&["lock", "--lock", "now.lock"]).code, 0);
    assert!(
        workspace.read("now.lock").contains("\nrelease 0.0.9 "),
        "{}",
        workspace.read("now.lock")
    );
    assert!(
        workspace
            .read("now.lock")
            .contains(&format!("\nrelease {version} ")),
        "{}",
        workspace.read("now.lock")
    );
}

const SCHEMAS: &str = r#"{"format_version": "1.0", "provider_schemas": {"registry.terraform.io/example/acme": {"resource_schemas": {
    "acme_shelf": {"version": 0, "block": {"attributes": {"id": {"type": "string", "computed": true}}}}
}}}}"#;

#[test]
fn a_release_keeps_its_first_day_unless_another_is_given() {
    let workspace = Workspace::without_sources();
    workspace.write("schemas.json", SCHEMAS);
    let day = |lock: &str, arguments: &[&str]| {
        let printed =
            workspace.run(&[&["lock", "--release", "2.4.1", "--lock", lock], arguments].concat());
        assert_eq!(printed.code, 0, "{printed:?}");
        workspace
            .read(lock)
            .lines()
            .find(|line| line.starts_with("release 2.4.1"))
            .unwrap()
            .to_owned()
    };
    assert_eq!(
        day("now.lock", &["--date", "2026-02-20"]),
        "release 2.4.1 2026-02-20"
    );
    let written = workspace.read("now.lock");
    assert_eq!(day("now.lock", &[]), "release 2.4.1 2026-02-20");
    assert_eq!(workspace.read("now.lock"), written);
    assert_eq!(
        day("now.lock", &["--date", "2026-02-21"]),
        "release 2.4.1 2026-02-21"
    );
    // A release that was made without upstate was not made today.
    let import = ["--import", "schemas.json"];
    assert_eq!(day("imported.lock", &import), "release 2.4.1");
    assert_eq!(
        day(
            "imported.lock",
            &[&import[..], &["--date", "2025-11-03"]].concat()
        ),
        "release 2.4.1 2025-11-03"
    );
    assert_eq!(
        workspace
            .run(&["lock", "--release", "2.4.1", "--date", "yesterday"])
            .code,
        2
    );
}
