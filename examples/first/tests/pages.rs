//! The guide's first pages: each program is the one of its page, and prints what the page says when it is run as the page says.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "the test's own helpers may panic too"
)]

use std::fs;
use std::path::Path;
use std::process::Command;

fn page(name: &str) -> String {
    fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../docs/src")
            .join(name),
    )
    .unwrap()
}

/// The first listing of a page in a language.
fn listing<'p>(page: &'p str, language: &str) -> &'p str {
    let (_, rest) = page.split_once(&format!("```{language}\n")).unwrap();
    rest.split_once("```").unwrap().0
}

/// Runs each command of the page's consoles after the one that makes the crate, and compares what it prints.
fn runs(page: &str, program: &str, folder: &Path) {
    let consoles = page
        .split("```console\n")
        .skip(1)
        .map(|rest| rest.split_once("```").unwrap().0);
    let mut ran = 0;
    for (command, printed) in consoles
        .flat_map(|console| console.split("$ ").skip(1))
        .filter_map(|one| one.split_once('\n'))
    {
        if command.starts_with("cargo new") || command.starts_with("cargo add") {
            continue;
        }
        let line = command
            .replace("cargo run -q --", program)
            .replace("cargo run -q", program);
        // `set -e` and `pipefail`, so that a program that fails in a pipe is seen.
        let output = Command::new("bash")
            .args(["-eo", "pipefail", "-c", &line])
            .current_dir(folder)
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{command}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        assert_eq!(
            String::from_utf8(output.stdout).unwrap(),
            printed,
            "{command}"
        );
        ran += 1;
    }
    assert!(ran >= 2, "the page has {ran} commands to run");
}

fn is_the_pages(page: &str, compiled: &str) {
    assert!(
        compiled.ends_with(&format!("\n\n{}", listing(page, "rust,no_run"))),
        "the program is not what its page has"
    );
}

#[test]
fn settings_files() {
    let page = page("start-settings.md");
    is_the_pages(&page, include_str!("../src/bin/first_settings.rs"));
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("settings.json"), listing(&page, "json")).unwrap();
    runs(&page, env!("CARGO_BIN_EXE_first_settings"), folder.path());
}

#[test]
fn an_operator() {
    let page = page("start-operator.md");
    is_the_pages(&page, include_str!("../src/bin/first_operator.rs"));
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("review.json"), listing(&page, "json")).unwrap();
    runs(&page, env!("CARGO_BIN_EXE_first_operator"), folder.path());
}
