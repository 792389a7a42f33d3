//! The way of a report about a weakness: what SECURITY.md sends people to is there, and what it
//! promises with a fix, too.

use std::fs;

fn read(path: &str) -> String {
    fs::read_to_string(super::root().join(path)).unwrap()
}

#[test]
fn the_way_of_a_report_leads_somewhere() {
    let policy = read("SECURITY.md");
    assert!(
        policy.contains("Use *Report a vulnerability* in the repository's Security tab"),
        "the way is another: test that"
    );
    // Without that setting the tab has no such button.
    assert!(
        read("CONTRIBUTING.md").contains("turn on *Private vulnerability reporting*"),
        "\"Releasing\" says nothing about it"
    );
    // People who came to write a public issue are sent there before they do.
    assert!(
        read(".github/ISSUE_TEMPLATE/bug.md").contains("SECURITY.md"),
        "the form for bugs does not name it"
    );
    for page in ["README.md", "docs/src/security-model.md"] {
        assert!(
            read(page).contains("SECURITY.md"),
            "{page} does not say how to report a weakness"
        );
    }
}

#[test]
fn a_fix_is_in_the_changelog_and_an_advisory() {
    assert!(
        read("SECURITY.md").contains("the changelog and an advisory name the problem"),
        "the promise is another: test that"
    );
    assert!(
        read("towncrier.toml").contains("directory = \"security\""),
        "the changelog has no part for fixes of weaknesses"
    );
    assert!(
        read("CONTRIBUTING.md").contains("A security fix gets an advisory"),
        "\"Releasing\" says nothing about an advisory"
    );
}

#[test]
fn the_versions_that_get_fixes_are_those_that_there_are() {
    let is_released = read("CHANGELOG.md")
        .lines()
        .any(|line| line.starts_with("## 0.1.0 ("));
    let is_before = read("SECURITY.md").contains("until 0.1.0, the newest commit does");
    assert_ne!(
        is_released, is_before,
        "SECURITY.md says which commits get fixes before there is a release, and only then"
    );
}
