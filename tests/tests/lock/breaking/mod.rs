//! Judges the pairs of schemas in `tests/breaking`, and those in any further files named in
//! `UPSTATE_BREAKING_CASES`.
//!
//! `cargo test -p upstate-tests --test lock breaking -- --nocapture` prints a line a case. A case
//! passes if exactly its rules are found, with its verdicts.

mod case;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use case::Case;
use upstate_compat::{Guide, Options, RULES, Snapshot, compare};

fn case_files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("breaking");
    let entries =
        std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| {
        path.extension()
            .is_some_and(|extension| extension == "json")
    });
    files.sort();
    if let Some(more) = std::env::var_os("UPSTATE_BREAKING_CASES") {
        files.extend(std::env::split_paths(&more).filter(|path| !path.as_os_str().is_empty()));
    }
    files
}

fn cases() -> Vec<Case> {
    let read = |file: &PathBuf| -> Vec<Case> {
        let text = std::fs::read_to_string(file)
            .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
    };
    case_files().iter().flat_map(read).collect()
}

#[test]
fn every_case_is_judged_as_it_says() {
    let cases = cases();
    let mut failures = Vec::new();
    for case in &cases {
        let differences = case.differences(&[]);
        println!(
            "{} {}: {}",
            if differences.is_empty() {
                "ok    "
            } else {
                "FAILED"
            },
            case.id,
            case.title
        );
        if !differences.is_empty() {
            failures.push(format!("{}: {}", case.id, differences.join("; ")));
        }
    }
    println!(
        "{} of {} cases pass",
        cases.len() - failures.len(),
        cases.len()
    );
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
    assert!(cases.len() >= 40, "only {} cases", cases.len());
}

#[test]
fn comparing_a_schema_with_itself_is_silent() {
    for case in cases() {
        for side in [case.old_snapshot(), case.new_snapshot()] {
            let mut same = side.clone();
            same.renamed.clear();
            let report = compare(
                &same,
                &same,
                &Options {
                    waivers: Vec::new(),
                    ..case.options()
                },
            );
            assert!(
                report.findings.is_empty(),
                "{}: {:#?}",
                case.id,
                report.findings
            );
            assert!(report.ok && report.resources.is_empty(), "{}", case.id);
        }
    }
    let nothing = Snapshot::default();
    assert!(compare(&nothing, &nothing, &Options::default()).ok);
}

#[test]
fn no_rule_can_be_switched_off_unnoticed() {
    let cases = cases();
    let mut proved: BTreeMap<&str, &str> = BTreeMap::new();
    for case in &cases {
        for rule in RULES.iter().map(|rule| rule.id()) {
            if !proved.contains_key(rule)
                && case.expects(rule)
                && !case.differences(&[rule]).is_empty()
            {
                proved.insert(rule, &case.id);
            }
        }
    }
    let unproved: BTreeSet<&str> = RULES
        .iter()
        .map(|rule| rule.id())
        .filter(|rule| !proved.contains_key(rule))
        .collect();
    assert!(unproved.is_empty(), "no case fails without {unproved:?}");
}

/// What users read of each rule: once as a finding, once as an entry of the guide. Recorded, so
/// that it is read as prose when it changes:
/// `UPDATE=1 cargo test -p upstate-tests --test lock breaking`.
#[test]
fn words_are_recorded() {
    let mut told = BTreeSet::new();
    let mut text = String::new();
    for case in cases()
        .iter()
        .filter(|_| std::env::var_os("UPSTATE_BREAKING_CASES").is_none())
    {
        let report = compare(&case.old_snapshot(), &case.new_snapshot(), &case.options());
        let guide = Guide::new(&report, &[]);
        for finding in report
            .findings
            .iter()
            .filter(|finding| told.insert(finding.rule.id()))
        {
            text += &format!("[{}] {}: {}\n", case.id, finding.rule.id(), finding.message);
            let lines = [
                ("note", finding.note.as_deref()),
                (
                    "state",
                    (!finding.level.is_policy()).then(|| finding.state_impact()),
                ),
                ("breaks", finding.witness.as_deref()),
                ("fix", Some(finding.remediation.as_str())),
            ];
            for (name, line) in lines {
                if let Some(line) = line {
                    text += &format!("    {name}: {line}\n");
                }
            }
            if let Some(entry) = guide
                .entries
                .iter()
                .find(|entry| entry.fingerprint == finding.fingerprint)
            {
                text += &format!(
                    "  guide: {}\n    affected: {}\n",
                    entry.heading, entry.affected
                );
                for step in &entry.steps {
                    text += &format!("    - {step}\n");
                }
                for (name, slot) in [
                    ("state", &entry.state),
                    ("keep", &entry.keep),
                    ("prepare", &entry.prepare),
                ] {
                    if let Some(slot) = slot {
                        text += &format!("    {name}: {slot}\n");
                    }
                }
            }
            text.push('\n');
        }
    }
    if text.is_empty() {
        return;
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("findings/words.txt");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let recorded = std::fs::read_to_string(&path).unwrap();
    for (found, recorded) in text.split("\n\n").zip(recorded.split("\n\n")) {
        assert_eq!(found, recorded, "other words");
    }
    assert_eq!(text, recorded);
}

#[test]
fn cases_name_only_rules_that_there_are() {
    let known: BTreeSet<&str> = RULES.iter().map(|rule| rule.id()).collect();
    for case in cases() {
        for rule in case.expect.rules.iter().chain(&case.expect.waived) {
            assert!(known.contains(rule.as_str()), "{}: {rule}", case.id);
        }
    }
}
