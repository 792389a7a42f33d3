//! Where findings are said to be.

use serde_json::Value;

use crate::findings::workspace::{Printed, SOURCES, Workspace};

/// Place and rule of every finding.
fn places(printed: &Printed) -> Vec<(String, String)> {
    let json = printed.json();
    let findings = json["findings"].as_array().unwrap();
    let place = |finding: &Value| match &finding["location"] {
        Value::Null => "-".to_owned(),
        place => format!(
            "{}:{}:{}",
            place["file"].as_str().unwrap(),
            place["line"],
            place["col"]
        ),
    };
    findings
        .iter()
        .map(|finding| {
            (
                place(finding),
                format!(
                    "{} {}",
                    finding["id"].as_str().unwrap(),
                    finding["path"].as_str().unwrap()
                ),
            )
        })
        .collect()
}

/// Line and column of `needle` in a source, from 1 on.
fn at(file: &str, needle: &str) -> String {
    let text = std::fs::read_to_string(
        std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("src/bin/acme")
            .join(file),
    )
    .unwrap();
    let (line, found) = text
        .lines()
        .enumerate()
        .find(|(_, line)| line.contains(needle))
        .unwrap_or_else(|| panic!("{file}: {needle}"));
    format!(
        "{SOURCES}/{file}:{}:{}",
        line + 1,
        found.find(needle).unwrap() + 1
    )
}

fn expected() -> Vec<(String, &'static str)> {
    vec![
        (at("bucket.rs", "acl: "), "default-changed acl"),
        // What is gone is at home in the struct that lost it.
        (at("bucket.rs", "Bucket {"), "attribute-removed owner"),
        (at("bucket.rs", "acl: "), "attribute-renamed legacy_acl"),
        (at("bucket.rs", "name: String,"), "force-new-added name"),
        // Objects are written elsewhere.
        (at("rule.rs", "age: String"), "type-changed rule.age"),
        (at("rule.rs", "Rule {"), "attribute-removed rule.suffix"),
        // The field has another name than the attribute.
        (at("bucket.rs", "labels: "), "list-to-set tags"),
        (
            at("main.rs", "ResourceDefinition::builder"),
            "resource-added ",
        ),
        // A struct that a macro wrote: where the macro is called.
        (
            at("bucket.rs", "topic!(Topic)"),
            "attribute-optional-to-required retention",
        ),
        ("-".to_owned(), "resource-removed "),
    ]
}

#[test]
fn findings_are_at_their_structs_and_fields() {
    let printed = Workspace::new().run(&["check", "--release", "2.5.0", "--format", "json"]);
    let places = places(&printed);
    for (place, finding) in expected() {
        let found: Vec<_> = places
            .iter()
            .filter(|(_, found)| found == finding)
            .map(|(place, _)| place.as_str())
            .collect();
        assert_eq!(found, [place], "{finding} in {places:#?}");
    }
    let legacy = printed.json()["findings"]
        .as_array()
        .unwrap()
        .iter()
        .find(|finding| finding["path"] == "legacy_acl")
        .unwrap()
        .clone();
    assert_eq!(legacy["baseline_location"]["file"], "upstate.lock");
}

#[test]
fn they_are_the_same_from_every_folder() {
    let workspace = Workspace::new();
    let arguments = ["check", "--release", "2.5.0", "--format", "sarif", "--lock"];
    let run = |folder: &str, lock: &str| {
        Printed::of(
            &workspace
                .command(folder)
                .args(arguments)
                .arg(lock)
                .output()
                .unwrap(),
        )
        .out
    };
    let here = run(".", "upstate.lock");
    assert!(here.contains("bucket.rs"), "{here}");
    assert_eq!(run("tests/src", "../../upstate.lock"), here);
    let lock = workspace.file("upstate.lock");
    assert_eq!(run("tests/src/bin/acme", lock.to_str().unwrap()), here);
    // Somewhere else altogether, the lock shows the way.
    let elsewhere = tempfile::tempdir().unwrap();
    let mut command = workspace.command(".");
    let output = command
        .current_dir(elsewhere.path())
        .args(arguments)
        .arg(&lock)
        .output()
        .unwrap();
    assert_eq!(Printed::of(&output).out, here);
}

#[test]
fn without_sources_the_lock_is_what_there_is() {
    let workspace = Workspace::without_sources();
    let printed = workspace.run(&["check", "--release", "2.5.0", "--format", "json"]);
    assert!(
        places(&printed).iter().all(|(place, _)| place == "-"),
        "{printed:#?}"
    );
    let text = workspace.run(&["check", "--release", "2.5.0"]).out;
    let lock = workspace.read("upstate.lock");
    let line = lock
        .lines()
        .position(|line| line.starts_with("owner = "))
        .unwrap()
        + 1;
    assert!(
        text.contains(&format!(
            "  --> upstate.lock:{line}  (was string, optional)\n"
        )),
        "{text}"
    );
}

#[test]
fn a_source_that_was_edited_since_is_read_as_it_is() {
    let workspace = Workspace::new();
    let file = format!("{SOURCES}/bucket.rs");
    let text = workspace.read(&file);
    let edited = text.replace(
        "use upstate::Resource;",
        "use upstate::Resource;\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n",
    );
    workspace.write(&file, &edited);
    let line = edited
        .lines()
        .position(|line| line.contains("name: String"))
        .unwrap()
        + 1;
    let printed = workspace.run(&["check", "--release", "2.5.0", "--format", "json"]);
    let found = places(&printed);
    assert!(
        found.contains(&(
            format!("{file}:{line}:16"),
            "force-new-added name".to_owned()
        )),
        "{found:#?}"
    );
    // What is not Rust any more: the line that the compiler saw, if there is one.
    workspace.write(&file, "not { Rust");
    let found = places(&workspace.run(&["check", "--release", "2.5.0", "--format", "json"]));
    assert!(
        found.contains(&("-".to_owned(), "force-new-added name".to_owned())),
        "{found:#?}"
    );
}
