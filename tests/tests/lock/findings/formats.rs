//! Every format as its reader takes it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::findings::workspace::{Printed, SOURCES, Workspace, recorded};

fn check(workspace: &Workspace, release: &str, format: &str) -> Printed {
    workspace.run(&["check", "--release", release, "--format", format])
}

/// A run of each kind: with findings, without, with waivers, known ones, broken policies, another
/// baseline.
pub(crate) fn runs(format: &str) -> Vec<(&'static str, Printed)> {
    let workspace = Workspace::new();
    let mut runs = vec![
        ("findings", check(&workspace, "2.5.0", format)),
        ("a major release", check(&workspace, "3.0.0", format)),
    ];
    runs.push((
        "no release",
        workspace.run_unnumbered(&["check", "--format", format]),
    ));
    runs.push((
        "the package's version",
        workspace.run(&["check", "--format", format]),
    ));
    runs.push((
        "a release that goes back",
        check(&workspace, "2.0.0", format),
    ));
    runs.push((
        "a changelog",
        workspace.run(&["changelog", "--format", format]),
    ));
    assert_eq!(workspace.run(&["known", "--release", "2.5.0"]).code, 0);
    runs.push(("known", check(&workspace, "2.5.0", format)));
    fs::remove_file(workspace.file("upstate.known.json")).unwrap();
    workspace.write(
        "upstate.toml",
        "state-policy = \"wire\"\n[[waive]]\nrule = \"force-new-added\"\nreason = \"50 %, \\\"ever\\\": <no>\"\nuntil = \"9.0.0\"\n\
         [[waive]]\nrule = \"list-to-set\"\nuntil = \"9.0.0\"\n",
    );
    runs.push(("waived", check(&workspace, "2.5.0", format)));
    workspace.write("upstate.toml", "fixtures = \"states\"\n");
    workspace.write("states/acme_bucket/0.json", "{}");
    runs.push(("fixtures", check(&workspace, "2.5.0", format)));
    assert_eq!(
        workspace
            .run(&["lock", "--release", "2.4.1", "--lock", "now.lock"])
            .code,
        0
    );
    runs.push((
        "clean",
        workspace.run(&[
            "check",
            "--release",
            "2.4.1",
            "--against",
            "now.lock",
            "--format",
            format,
        ]),
    ));
    workspace.write("now.lock", "upstate-lock 1\n");
    runs.push((
        "nothing to compare with",
        workspace.run(&["check", "--against", "now.lock", "--format", format]),
    ));
    runs
}

fn validator(schema: &str) -> jsonschema::Validator {
    let schema: Value = serde_json::from_str(schema).unwrap();
    jsonschema::draft202012::meta::validate(&schema)
        .unwrap_or_else(|error| panic!("the schema is none: {error}"));
    jsonschema::draft202012::new(&schema).unwrap()
}

fn valid(validator: &jsonschema::Validator, value: &Value, what: &str) {
    let errors: Vec<String> = validator
        .iter_errors(value)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(
        errors.is_empty(),
        "{what}: {}\n{value:#}",
        errors.join("\n")
    );
}

#[test]
fn the_json_schema_of_a_type_is_printed_for_each_of_its_versions() {
    let workspace = Workspace::without_sources();
    let run = |arguments: &[&str]| workspace.run(&[&["schema"], arguments].concat());
    let printed = run(&["acme_bucket", "--format", "json-schema"]);
    let validator = validator(&printed.out);
    let bucket = json!({"id": "b", "name": "n", "acl": null, "tags": ["x"], "rule": []});
    valid(&validator, &bucket, "a bucket");
    let wrong = json!({"id": "b", "name": null, "tags": ["x", "x"], "rule": [7]});
    let found: BTreeSet<String> = validator
        .iter_errors(&wrong)
        .map(|error| error.instance_path().to_string())
        .collect();
    assert_eq!(
        found,
        ["/name", "/rule/0", "/tags"].map(str::to_owned).into()
    );

    let refused = run(&["acme_bucket", "--format", "json-schema", "--version", "1"]);
    assert_eq!(refused.code, 2);
    assert!(
        refused
            .err
            .contains("acme_bucket has no schema of version 1; it has those of: 3"),
        "{refused:?}"
    );
    assert!(
        run(&["--format", "json-schema"])
            .err
            .contains("a JSON Schema is of one type; name it")
    );
    assert!(
        run(&["acme_bucket", "--version", "3"])
            .err
            .contains("--version is for --format json-schema")
    );
}

/// The schema that is printed, which is the one in the guide.
fn published(name: &str) -> String {
    let printed = Workspace::without_sources().run(&["schema", name]);
    assert_eq!(printed.code, 0, "{printed:?}");
    let page = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join(format!("../docs/src/schemas/{name}.schema.json"));
    assert_eq!(
        fs::read_to_string(page).unwrap(),
        printed.out,
        "docs/src/schemas has another schema of {name}"
    );
    printed.out
}

#[test]
fn json_is_as_its_schema_says() {
    let validator = validator(&published("findings"));
    for (what, printed) in runs("json") {
        valid(&validator, &printed.json(), what);
        if what != "a changelog" {
            assert_eq!(
                printed.json()["ok"] == json!(true),
                printed.code == 0,
                "{what}: exits with {}",
                printed.code
            );
        }
    }
    // The schema is not a net that all goes through.
    let mut json = check(&Workspace::new(), "2.5.0", "json").json();
    json["findings"][0]["surprise"] = json!(1);
    assert!(!validator.is_valid(&json));
}

#[test]
fn lines_of_json_are_as_their_schema_says() {
    let validator = validator(&published("findings"));
    for (what, printed) in runs("jsonl") {
        let lines: Vec<Value> = printed
            .out
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        for line in &lines {
            valid(&validator, line, what);
        }
        let (last, findings) = lines.split_last().unwrap();
        assert_eq!(last["type"], "summary", "{what}");
        assert!(
            findings.iter().all(|line| line["type"] == "finding"),
            "{what}"
        );
    }
}

#[test]
fn findings_are_in_the_order_of_their_places() {
    let json = check(&Workspace::new(), "2.5.0", "json").json();
    let findings = json["findings"].as_array().unwrap();
    let key = |finding: &Value| {
        ["resource", "path", "id"].map(|name| finding[name].as_str().unwrap().to_owned())
    };
    assert!(findings.is_sorted_by_key(key));
    let prints: BTreeSet<&str> = findings
        .iter()
        .map(|finding| finding["fingerprint"].as_str().unwrap())
        .collect();
    assert_eq!(prints.len(), findings.len(), "a fingerprint is there twice");
}

#[test]
fn the_guide_is_as_its_schema_says() {
    let validator = validator(&published("guide"));
    let workspace = Workspace::new();
    workspace.write("upstate.toml", "guide = \"guide\"\n");
    workspace.write("guide/3.toml", NOTES);
    for release in ["2.4.2", "3.0.0"] {
        valid(
            &validator,
            &workspace
                .run(&["guide", "--release", release, "--format", "json"])
                .json(),
            release,
        );
    }
}

const NOTES: &str = "[[note]]\npath = \"acme_bucket.owner\"\nwhy = \"The API forgot about it.\"\n\n\
    [[note]]\npath = \"acme_bucket.acl\"\nrule = \"default-changed\"\nextra = \"See the API's own page.\"\n\n\
    [[note]]\npath = \"acme_bucket.rule.age\"\nwhy = \"Units.\"\nbefore = \"age = 7\"\nafter = \"age = \\\"7d\\\"\"\nvalue-map = { \"7\" = \"7d\" }\n";

#[test]
fn text_is_recorded() {
    let workspace = Workspace::new();
    let printed = workspace.run(&["check", "--release", "2.5.0"]);
    assert_eq!(printed.code, 1);
    recorded("check.txt", &printed.out);
    recorded(
        "changelog.txt",
        &workspace.run(&["changelog", "--release", "2.5.0"]).out,
    );
    recorded(
        "quiet.txt",
        &workspace
            .run(&["check", "--release", "2.5.0", "--quiet"])
            .out,
    );
    let verbose = workspace
        .run(&["check", "--release", "2.5.0", "--verbose"])
        .out;
    assert!(
        verbose.contains("\nPassed  ") && verbose.contains("\nTook      "),
        "{verbose}"
    );
    assert_eq!(workspace.run(&["check", "--quiet", "--verbose"]).code, 2);
}

#[test]
fn markdown_and_guide_are_recorded() {
    let workspace = Workspace::new();
    recorded("comment.md", &check(&workspace, "2.5.0", "markdown").out);
    workspace.write("upstate.toml", "guide = \"guide\"\n");
    workspace.write("guide/3.toml", NOTES);
    let guide = workspace.run(&["guide", "--release", "3.0.0"]);
    recorded("guide.md", &guide.out);
    assert_eq!(guide.err, "");
    assert_eq!(
        workspace.run(&["guide", "--release", "3.0.0"]).out,
        guide.out,
        "it is the same every time"
    );
    recorded(
        "stub.md",
        &workspace
            .run(&["guide", "--release", "3.0.0", "--format", "changelog"])
            .out,
    );
    workspace.write(
        "guide/3.toml",
        "[[note]]\npath = \"acme_bucket.gone\"\nwhy = \"?\"\n",
    );
    let unused = workspace.run(&["guide", "--release", "3.0.0"]);
    assert_eq!(
        unused.err,
        "warning: a note is about nothing that changed: acme_bucket.gone\n"
    );
}

#[test]
fn colours_come_when_they_are_asked_for() {
    let workspace = Workspace::new();
    let colour = |when: &str| {
        workspace
            .run(&["--color", when, "check", "--release", "2.5.0"])
            .out
            .contains('\u{1b}')
    };
    assert_eq!(
        [colour("auto"), colour("always"), colour("never")],
        [false, true, false]
    );
}

#[test]
fn annotations_are_escaped_and_the_worst_come_first() {
    for (what, printed) in runs("github") {
        let mut rank = 0;
        let (verdict, annotations): (Vec<&str>, Vec<&str>) = printed
            .out
            .lines()
            .partition(|line| !line.starts_with("::"));
        assert_eq!(verdict.len(), 1, "{what}: {printed:?}");
        for line in annotations {
            let (command, text) = line.strip_prefix("::").unwrap().split_once("::").unwrap();
            let (level, properties) = command.split_once(' ').unwrap();
            let this = ["error", "warning", "notice"]
                .iter()
                .position(|known| *known == level)
                .unwrap();
            assert!(this >= rank, "{what}: {line}");
            rank = this;
            let names: Vec<&str> = properties
                .split(',')
                .map(|property| property.split_once('=').unwrap().0)
                .collect();
            assert_eq!(names, ["title", "file", "line", "col"], "{what}: {line}");
            assert!(!text.is_empty());
        }
    }
}

#[test]
fn counts_are_outputs_of_the_step() {
    let workspace = Workspace::new();
    let outputs = workspace.file("outputs");
    fs::write(&outputs, "before=1\n").unwrap();
    let mut command = workspace.command(".");
    command.env("GITHUB_OUTPUT", &outputs).args([
        "check",
        "--release",
        "2.5.0",
        "--format",
        "github",
    ]);
    assert_eq!(Printed::of(&command.output().unwrap()).code, 1);
    let json = check(&workspace, "2.5.0", "json").json();
    let count = |name: &str| json["counts"][name].to_string();
    let expected = format!(
        "before=1\nok=false\nrequired-release=3.0.0\nbreaking={}\npotential={}\nsafe={}\nerrors={}\nwarnings={}\nwaived=0\nknown=0\n",
        count("breaking"),
        count("potential"),
        count("safe"),
        count("errors"),
        count("warnings")
    );
    assert_eq!(fs::read_to_string(&outputs).unwrap(), expected);
}

#[test]
fn every_item_of_code_quality_has_a_place_and_a_fingerprint_of_its_own() {
    for (what, printed) in runs("gitlab") {
        let items = printed.json();
        let mut prints = BTreeSet::new();
        for item in items.as_array().unwrap() {
            assert!(
                !item["location"]["path"].as_str().unwrap().is_empty(),
                "{what}: {item}"
            );
            assert!(
                item["location"]["lines"]["begin"].as_u64().unwrap() > 0,
                "{what}: {item}"
            );
            assert!(
                ["critical", "major", "info"].contains(&item["severity"].as_str().unwrap()),
                "{what}: {item}"
            );
            assert!(
                prints.insert(item["fingerprint"].as_str().unwrap()),
                "{what}: {item}"
            );
            assert!(
                !item["description"].as_str().unwrap().is_empty() && item["check_name"].is_string(),
                "{what}: {item}"
            );
        }
    }
    let items = check(&Workspace::new(), "2.5.0", "gitlab").json();
    let removed = items
        .as_array()
        .unwrap()
        .iter()
        .find(|item| item["check_name"] == "attribute-removed")
        .unwrap();
    assert_eq!(removed["location"]["path"], format!("{SOURCES}/bucket.rs"));
    assert_eq!(removed["severity"], "critical");
}

#[test]
fn test_reports_have_a_case_for_each_rule_and_count_right() {
    for (what, printed) in runs("junit") {
        let attribute = |line: &str, name: &str| {
            let start = line
                .find(&format!(" {name}=\""))
                .unwrap_or_else(|| panic!("{what}: {line}"))
                + name.len()
                + 3;
            line[start..].split('"').next().unwrap().to_owned()
        };
        let mut sums = [0; 3];
        for suite in printed.out.split("  <testsuite ").skip(1) {
            let head = suite.lines().next().unwrap();
            let head = format!(" {head}");
            let counts = ["tests", "failures", "skipped"]
                .map(|name| attribute(&head, name).parse::<usize>().unwrap());
            let found =
                ["<testcase ", "<failure ", "<skipped/>"].map(|tag| suite.matches(tag).count());
            assert_eq!(counts, found, "{what}: {head}");
            assert!(
                counts[0] >= upstate_compat::RULES.len(),
                "{what}: what passed is shown too"
            );
            let cases = suite
                .lines()
                .filter(|line| line.trim_start().starts_with("<testcase "));
            let names: BTreeSet<String> = cases.map(|line| attribute(line, "name")).collect();
            assert!(names.len() + 1 >= counts[0], "{what}: cases of one name");
            for (sum, count) in sums.iter_mut().zip(counts) {
                *sum += count;
            }
        }
        let head = printed.out.lines().nth(1).unwrap();
        assert_eq!(
            ["tests", "failures", "skipped"]
                .map(|name| attribute(head, name).parse::<usize>().unwrap()),
            sums,
            "{what}"
        );
    }
}

#[test]
fn the_guide_shows_what_is_really_printed() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let chapter = fs::read_to_string(here.join("../docs/src/lock.md")).unwrap();
    let check = fs::read_to_string(here.join("findings/check.txt")).unwrap();
    let (_, shown) = chapter
        .split_once("$ acme check --release 2.5.0\n")
        .unwrap();
    let (shown, _) = shown.split_once("\n```").unwrap();
    for part in shown.split("\n\n").filter(|part| *part != "…") {
        assert!(
            check.contains(part),
            "docs/src/lock.md shows what is not printed:\n{part}"
        );
    }
    let (_, entry) = chapter.split_once("```markdown\n").unwrap();
    let (entry, _) = entry.split_once("\n```").unwrap();
    assert!(
        fs::read_to_string(here.join("findings/guide.md"))
            .unwrap()
            .contains(entry),
        "{entry}"
    );
}

#[cfg(unix)]
#[test]
fn who_may_read_a_new_lock_is_decided_by_the_umask() {
    use std::os::unix::fs::PermissionsExt as _;
    let workspace = Workspace::new();
    workspace.write("any", "");
    let mode = |name: &str| {
        fs::metadata(workspace.file(name))
            .unwrap()
            .permissions()
            .mode()
            & 0o777
    };
    assert_eq!(
        workspace
            .run(&["lock", "--release", "2.4.1", "--lock", "now.lock"])
            .code,
        0
    );
    assert_eq!(workspace.run(&["known", "--release", "2.5.0"]).code, 0);
    assert_eq!(
        [mode("now.lock"), mode("upstate.known.json")],
        [mode("any"); 2]
    );
}
