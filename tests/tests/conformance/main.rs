//! Runs the cases recorded from the reference implementation, and any further files named in `UPSTATE_CASES`.
//!
//! `cargo test -p upstate-tests --test conformance -- --nocapture` prints a line an area. A difference that `docs/deviations.md`
//! lists with its reason is counted as a deviation; any other fails.

mod areas;
mod canonical;
mod moves;
mod ops;
mod sdk;
mod state_files;
mod upgrades;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value as Json;

/// What running one case came to.
enum Outcome {
    Passed,
    Failed(String),
    /// The area is not run yet, because what it tests is not built.
    NotRun,
}

#[derive(Default)]
struct Tally {
    passed: usize,
    total: usize,
    not_run: usize,
    deviations: Vec<String>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn case_files() -> Vec<PathBuf> {
    let folder = root().join("tests/conformance");
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    if let Some(more) = std::env::var_os("UPSTATE_CASES") {
        files.extend(std::env::split_paths(&more).filter(|path| !path.as_os_str().is_empty()));
    }
    files
}

/// The case ids that the first table of `docs/deviations.md` explains: a row begins with the id between backticks.
fn listed_deviations() -> BTreeSet<String> {
    let path = root().join("docs/deviations.md");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let table = text.split("\n## ").next().unwrap_or_default();
    let rows = table.lines().filter_map(|line| line.strip_prefix("| "));
    rows.filter_map(|row| row.split('|').next()).flat_map(|cell| cell.split('`').skip(1).step_by(2).map(str::to_owned)).collect()
}

#[test]
fn cases_behave_as_the_reference_does_or_deviate_for_a_stated_reason() {
    let listed = listed_deviations();
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    let mut failures = Vec::new();
    let mut unused: BTreeSet<String> = listed.clone();
    for file in case_files() {
        let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let cases: Vec<Json> = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        for case in &cases {
            let id = case["id"].as_str().unwrap_or("(no id)");
            let tally = tallies.entry(case["area"].as_str().unwrap_or("(no area)").to_owned()).or_default();
            tally.total += 1;
            match areas::run(case) {
                Outcome::Passed => tally.passed += 1,
                Outcome::NotRun => tally.not_run += 1,
                Outcome::Failed(_) if listed.contains(id) => {
                    unused.remove(id);
                    tally.deviations.push(id.to_owned());
                }
                Outcome::Failed(why) => failures.push(format!("{id} ({}): {why}", case["description"].as_str().unwrap_or(""))),
            }
        }
    }
    for (area, tally) in &tallies {
        let not_run = if tally.not_run > 0 { format!(", not run: {}", tally.not_run) } else { String::new() };
        println!("{area}: {}/{}, deviations: {}{not_run}", tally.passed, tally.total, tally.deviations.join(" "));
    }
    for failure in &failures {
        println!("\n{failure}");
    }
    assert!(failures.is_empty(), "{} cases differ without a stated reason", failures.len());
    assert!(unused.is_empty(), "docs/deviations.md lists cases that do not deviate: {unused:?}");
    for area in [
        "json_decode",
        "msgpack",
        "flatmap",
        "diagnostics",
        "upgrade_framework",
        "upgrade_sdk_chain",
        "move_state",
        "identity",
        "statefile",
    ] {
        assert!(tallies.get(area).is_some_and(|tally| tally.total > 0 && tally.not_run == 0), "{area} was not run");
    }
}
