//! Runs the cases recorded from the reference implementation, and any further files named in
//! `UPSTATE_CASES`.
//!
//! `cargo test -p upstate-tests --test engine conformance -- --nocapture` prints a line an area. A
//! difference that `docs/src/deviations.md` lists with its reason is counted as a deviation, if
//! upstate does there what the page says it does; any other fails.

mod areas;
mod canonical;
mod codes;
mod deviations;
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
    let entries =
        std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| {
        path.extension()
            .is_some_and(|extension| extension == "json")
    });
    files.sort();
    if let Some(more) = std::env::var_os("UPSTATE_CASES") {
        files.extend(std::env::split_paths(&more).filter(|path| !path.as_os_str().is_empty()));
    }
    files
}

#[test]
fn cases_behave_as_the_reference_does_or_deviate_for_a_stated_reason() {
    let listed = deviations::listed();
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    let mut failures = Vec::new();
    let mut unused: BTreeSet<&str> = listed.keys().map(String::as_str).collect();
    for file in case_files() {
        let text = std::fs::read_to_string(&file)
            .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let cases: Vec<Json> = serde_json::from_str(&text)
            .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        for case in &cases {
            let id = case["id"].as_str().unwrap_or("(no id)");
            let tally = tallies
                .entry(case["area"].as_str().unwrap_or("(no area)").to_owned())
                .or_default();
            tally.total += 1;
            match areas::run(case) {
                Outcome::Passed => tally.passed += 1,
                Outcome::NotRun => tally.not_run += 1,
                Outcome::Failed(why) if listed.contains_key(id) => {
                    unused.remove(id);
                    match (deviations::outcome(case), &listed[id]) {
                        (Ok(outcome), said) if outcome == *said => {
                            tally.deviations.push(id.to_owned())
                        }
                        (outcome, said) => {
                            failures.push(format!(
                                "{id}: the page says {said}, but it came to {outcome:?}; {why}"
                            ));
                        }
                    }
                }
                Outcome::Failed(why) => failures.push(format!(
                    "{id} ({}): {why}",
                    case["description"].as_str().unwrap_or("")
                )),
            }
        }
    }
    for (area, tally) in &tallies {
        let not_run = if tally.not_run > 0 {
            format!(", not run: {}", tally.not_run)
        } else {
            String::new()
        };
        println!(
            "{area}: {}/{}, deviations: {}{not_run}",
            tally.passed,
            tally.total,
            tally.deviations.join(" ")
        );
    }
    for failure in &failures {
        println!("\n{failure}");
    }
    assert!(
        failures.is_empty(),
        "{} cases differ without a stated reason",
        failures.len()
    );
    assert!(
        unused.is_empty(),
        "docs/src/deviations.md lists cases that do not deviate: {unused:?}"
    );
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
        assert!(
            tallies
                .get(area)
                .is_some_and(|tally| tally.total > 0 && tally.not_run == 0),
            "{area} was not run"
        );
    }
}

/// A case like these, which must fail.
fn failure(case: &Json) -> String {
    match areas::run(case) {
        Outcome::Failed(why) => why,
        Outcome::Passed => panic!("passed: {case}"),
        Outcome::NotRun => panic!("not run: {case}"),
    }
}

#[test]
fn an_error_passes_only_as_the_one_that_is_expected() {
    let mixed =
        serde_json::json!([{"type": "string", "value": "x"}, {"type": "bool", "value": true}]);
    let encoded = |code: &str, path: Json| {
        serde_json::json!({
            "area": "msgpack", "direction": "encode", "type": ["object", {"a": ["list", "dynamic"]}], "value": {"a": mixed},
            "msgpack_hex": "", "expected": {"error": {"code": code, "path": path}}
        })
    };
    let a = serde_json::json!([{"attribute_name": "a"}]);
    assert!(matches!(
        areas::run(&encoded("mixed_element_types", a.clone())),
        Outcome::Passed
    ));
    assert!(failure(&encoded("mixed_element_types", serde_json::json!([]))).contains("expected"));
    assert!(failure(&encoded("unknown_value", a.clone())).contains("unknown value"));
    assert!(
        failure(&encoded("no_such_code", a)).contains("the code \"no_such_code\" is not known")
    );

    let flat = |code: &str| {
        serde_json::json!({
            "area": "flatmap", "direction": "encode", "type": ["object", {"a": "dynamic"}],
            "value": {"a": {"type": "string", "value": "x"}}, "expected": {"error": {"code": code}}
        })
    };
    assert!(matches!(
        areas::run(&flat("dynamic_in_flatmap")),
        Outcome::Passed
    ));
    assert!(failure(&flat("bad_count")).contains("is dynamic"));

    let json = |code: &str| {
        serde_json::json!({
            "area": "json_decode", "type": ["object", {"a": "number"}], "raw_state": {"json_text": "{\"a\": \"x\"}"},
            "expected": {"error": {"code": code, "path": [{"attribute_name": "a"}]}}
        })
    };
    assert!(matches!(areas::run(&json("bad_number")), Outcome::Passed));
    assert!(failure(&json("bad_bool")).contains("BadBool"));
    assert!(failure(&json("no_such_code")).contains("is not known"));

    let upgraded = |code: &str, detail: &str| {
        serde_json::json!({
            "area": "upgrade_framework", "schema": {"version": 3, "attributes": {}}, "stored_version": 0, "raw_state": {"json": {}},
            "expected": {"error": {"code": code, "detail_contains": [detail]}}
        })
    };
    assert!(matches!(
        areas::run(&upgraded("no_upgrade_support", "version 0")),
        Outcome::Passed
    ));
    assert!(failure(&upgraded("no_upgrade_support", "version 2")).contains("version 2"));
    assert!(
        failure(&upgraded("upgrader_returned_nothing", "version 0")).contains("Missing Upgraded")
    );
    assert!(failure(&upgraded("no_such_code", "version 0")).contains("is not known"));
}
