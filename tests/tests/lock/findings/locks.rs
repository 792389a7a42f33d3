//! `lock` on disk: merges by a real git, several writers at once, release numbers and days, and
//! what it imports.

use std::process::{Command, Output};

use upstate_compat::lock::Lock;

use crate::findings::workspace::{Printed, Workspace};

/// A schema document with these types, each with one attribute.
fn document(types: &[(&str, &str)]) -> String {
    let schema = |(name, ty): &(&str, &str)| {
        format!(
            r#""{name}": {{"version": 0, "block": {{"attributes": {{"id": {{"type": "string", "computed": true}}, "size": {{"type": "{ty}", "optional": true}}}}}}}}"#
        )
    };
    let schemas: Vec<String> = types.iter().map(schema).collect();
    format!(
        r#"{{"provider_schemas": {{"example.com/test/acme": {{"resource_schemas": {{{}}}}}}}}}"#,
        schemas.join(", ")
    )
}

/// An empty repository.
fn repository() -> Workspace {
    let workspace = Workspace::without_sources();
    std::fs::remove_dir(workspace.file(".git")).unwrap();
    std::fs::remove_file(workspace.file("upstate.lock")).unwrap();
    git(&workspace, &["init", "-q", "-b", "main"]);
    workspace
}

fn run_git(workspace: &Workspace, arguments: &[&str]) -> Output {
    let identity = [
        "-c",
        "user.name=A",
        "-c",
        "user.email=a@example.com",
        "-c",
        "commit.gpgsign=false",
    ];
    Command::new("git")
        .arg("-C")
        .arg(workspace.path())
        .args(identity)
        .args(arguments)
        .output()
        .unwrap()
}

fn git(workspace: &Workspace, arguments: &[&str]) {
    let output = run_git(workspace, arguments);
    assert!(output.status.success(), "{arguments:?}: {output:?}");
}

/// Locks a document as a release, and commits it.
fn release(workspace: &Workspace, release: &str, types: &[(&str, &str)]) {
    workspace.write("schemas.json", &document(types));
    let printed = workspace.run(&["lock", "--import", "schemas.json", "--release", release]);
    assert_eq!((printed.code, printed.err.as_str()), (0, ""), "{printed:?}");
    git(workspace, &["add", "upstate.lock"]);
    git(workspace, &["commit", "-qm", release]);
}

/// Two branches that each lock what the other has not; `main` is checked out.
fn branches(ours: &[(&str, &str)], theirs: &[(&str, &str)]) -> Workspace {
    let workspace = repository();
    release(&workspace, "1.0.0", &[("acme_alpha", "string")]);
    git(&workspace, &["checkout", "-qb", "other"]);
    release(&workspace, "1.0.1", theirs);
    git(&workspace, &["checkout", "-q", "main"]);
    release(&workspace, "1.1.0", ours);
    workspace
}

#[test]
fn two_branches_of_a_lock_are_put_together() {
    let workspace = branches(
        &[("acme_alpha", "string"), ("acme_beta", "string")],
        &[("acme_alpha", "string"), ("acme_gamma", "number")],
    );
    assert!(
        !run_git(&workspace, &["merge", "-q", "other"])
            .status
            .success(),
        "git cannot merge it"
    );
    let unfinished = workspace.run(&["check"]);
    assert!(
        unfinished
            .err
            .contains("a merge was not finished here: `lock --resolve` puts both sides together"),
        "{unfinished:?}"
    );

    let conflict = workspace.read("upstate.lock");
    let resolved = workspace.run(&["lock", "--resolve"]);
    assert_eq!(
        (resolved.code, resolved.err.as_str()),
        (0, ""),
        "{resolved:?}"
    );
    assert_eq!(
        resolved.out,
        "wrote upstate.lock: 3 versions of both sides, up to release 1.1.0\n"
    );
    let text = workspace.read("upstate.lock");
    let lock = Lock::parse(&text).unwrap();
    assert_eq!(
        lock.releases()
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>(),
        ["1.0.0", "1.0.1", "1.1.0"]
    );
    assert_eq!(
        lock.entries().map(|(name, ..)| name).collect::<Vec<_>>(),
        ["acme_alpha", "acme_beta", "acme_gamma"]
    );
    git(&workspace, &["commit", "-qam", "merged"]);
    let again = workspace.run(&["lock", "--resolve"]);
    assert_eq!(
        (again.code, again.out.as_str()),
        (0, "nothing to resolve in upstate.lock\n"),
        "{again:?}"
    );

    // Where git is not at hand, the two sides are in the file.
    std::fs::remove_dir_all(workspace.file(".git")).unwrap();
    workspace.write("upstate.lock", &conflict);
    assert_eq!(workspace.run(&["lock", "--resolve"]).code, 0);
    assert_eq!(workspace.read("upstate.lock"), text);
}

#[test]
fn git_calls_it_as_a_merge_driver() {
    let workspace = branches(
        &[("acme_alpha", "string"), ("acme_beta", "string")],
        &[("acme_alpha", "string"), ("acme_gamma", "number")],
    );
    workspace.write(".gitattributes", "upstate.lock merge=upstate\n");
    let driver = format!("{} lock --lock %A --resolve %B", env!("CARGO_BIN_EXE_acme"));
    git(&workspace, &["config", "merge.upstate.driver", &driver]);
    git(&workspace, &["merge", "-q", "other"]);
    assert_eq!(
        Lock::parse(&workspace.read("upstate.lock"))
            .unwrap()
            .entries()
            .count(),
        3
    );
}

#[test]
fn two_shapes_of_one_version_are_not_put_together() {
    let workspace = branches(
        &[("acme_alpha", "string"), ("acme_beta", "string")],
        &[("acme_alpha", "string"), ("acme_beta", "number")],
    );
    assert!(
        !run_git(&workspace, &["merge", "-q", "other"])
            .status
            .success()
    );
    let before = workspace.read("upstate.lock");
    let refused = workspace.run(&["lock", "--resolve"]);
    assert_eq!(refused.code, 1, "{refused:?}");
    let expected =
        "error: acme_beta version 0: `size` is \"string\" null? now, and was \"number\" null?\n";
    assert!(refused.err.starts_with(expected), "{}", refused.err);
    assert!(
        refused.err.contains("give the later one another version"),
        "{}",
        refused.err
    );
    assert_eq!(workspace.read("upstate.lock"), before);
}

#[test]
fn releases_that_are_locked_at_once_take_turns() {
    let workspace = repository();
    workspace.write("schemas.json", &document(&[("acme_alpha", "string")]));
    let start = |number: u32| {
        let release = format!("1.0.{number}");
        let mut command = workspace.command(".");
        command.args(["lock", "--import", "schemas.json", "--release", &release]);
        command
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap()
    };
    let running: Vec<_> = (0..6).map(start).collect();
    for child in running {
        let printed = Printed::of(&child.wait_with_output().unwrap());
        assert_eq!(printed.code, 0, "{printed:?}");
    }
    assert_eq!(
        Lock::parse(&workspace.read("upstate.lock"))
            .unwrap()
            .releases()
            .len(),
        6
    );
}

#[test]
fn a_release_keeps_its_v_and_days_that_go_back_are_noticed() {
    let workspace = repository();
    workspace.write("schemas.json", &document(&[("acme_alpha", "string")]));
    let lock = |release: &str, date: &str| {
        workspace.run(&[
            "lock",
            "--import",
            "schemas.json",
            "--release",
            release,
            "--date",
            date,
        ])
    };
    assert_eq!(lock("v1.1.0", "2026-02-01").err, "");
    let odd = lock("v1.2.0", "2026-01-01");
    assert_eq!(
        (odd.code, odd.err.as_str()),
        (
            0,
            "warning: release v1.2.0 is of 2026-01-01, and v1.1.0 before it of 2026-02-01: a later release has an earlier day; `--date` corrects one\n"
        )
    );
    assert_eq!(lock("v1.2.0", "2026-03-01").err, "");
    let text = workspace.read("upstate.lock");
    assert!(
        text.contains("release v1.1.0 2026-02-01\nrelease v1.2.0 2026-03-01\n"),
        "{text}"
    );
    assert!(text.contains("released v1.1.0\n"), "{text}");
    let changes = workspace.run(&["changelog", "--release", "v2.0.0"]);
    assert!(changes.out.contains("v1.2.0 -> v2.0.0"), "{changes:?}");
}

#[test]
fn schemas_that_a_program_prints_are_imported() {
    let workspace = repository();
    let printed = workspace.run(&["schema", "--format", "json"]);
    workspace.write("schemas.json", &printed.out);
    let imported = workspace.run(&["lock", "--import", "schemas.json", "--release", "1.0.0"]);
    assert_eq!(
        (imported.code, imported.err.as_str()),
        (0, ""),
        "{imported:?}"
    );
    assert!(
        imported.out.contains("new       acme_bucket version 3\n"),
        "{imported:?}"
    );
}
