//! The index of messages: every summary of a diagnostic is on the page, and every refusal on the
//! page is in the sources.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// Every `.rs` file below a folder.
pub(crate) fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The lines of code before the tests of a file; comments are left out.
fn code(text: &str) -> impl Iterator<Item = &str> {
    let before = text
        .lines()
        .take_while(|line| !line.starts_with("#[cfg(test)]") && !line.starts_with("mod tests"));
    before.filter(|line| !line.trim_start().starts_with("//"))
}

/// Whether a string has the form of a summary: some words, each with a capital letter but for small
/// ones.
fn is_summary(string: &str) -> bool {
    const SMALL: [&str; 12] = [
        "a", "an", "and", "by", "for", "from", "in", "of", "the", "to", "with", "or",
    ];
    let capital = |word: &str| {
        word.starts_with(|first: char| first.is_ascii_uppercase())
            && word
                .chars()
                .all(|letter| letter.is_ascii_alphanumeric() || letter == '-')
    };
    let words: Vec<&str> = string.split(' ').collect();
    words.len() > 1
        && capital(words[0])
        && words
            .iter()
            .all(|word| capital(word) || SMALL.contains(word))
}

fn summaries(root: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for room in ["runtime", "state", "cli", "provider"] {
        let mut files = Vec::new();
        sources(&root.join(room).join("src"), &mut files);
        // Tests have summaries of their own, and the generator of documentation has headings.
        let is_other = |part: &OsStr| {
            part.to_str()
                .is_some_and(|part| part.contains("test") || part == "docs")
        };
        for file in files
            .iter()
            .filter(|file| !file.strip_prefix(root).unwrap().iter().any(is_other))
        {
            let text = fs::read_to_string(file).unwrap();
            for line in code(&text) {
                found.extend(
                    line.split('"')
                        .skip(1)
                        .step_by(2)
                        .filter(|string| is_summary(string))
                        .map(str::to_owned),
                );
            }
        }
    }
    found
}

/// The first cells of the tables of a page. A cell may name several messages.
fn first_cells(page: &str) -> BTreeSet<&str> {
    page.lines()
        .filter_map(|line| line.strip_prefix("| ")?.split(" | ").next())
        .flat_map(|cell| cell.split(" · "))
        .collect()
}

#[test]
fn every_summary_is_in_the_index_of_messages() {
    let root = super::root();
    let page = fs::read_to_string(root.join("docs/src/troubleshooting.md")).unwrap();
    let (listed, there) = (first_cells(&page), summaries(&root));
    assert!(
        there.len() > 60,
        "only {} summaries were found: the test no longer sees them",
        there.len()
    );
    let missing: Vec<&String> = there
        .iter()
        .filter(|summary| !listed.contains(summary.as_str()))
        .collect();
    assert!(
        missing.is_empty(),
        "docs/src/troubleshooting.md does not say what to do about {missing:#?}"
    );
    let gone: Vec<&&str> = listed
        .iter()
        .filter(|cell| is_summary(cell) && !there.contains(**cell))
        .collect();
    assert!(
        gone.is_empty(),
        "docs/src/troubleshooting.md lists what no source says: {gone:#?}"
    );
}

#[test]
fn every_refusal_in_the_index_is_in_the_sources() {
    let root = super::root();
    let page = fs::read_to_string(root.join("docs/src/troubleshooting.md")).unwrap();
    let (_, rest) = page
        .split_once("## Refusals of the command line\n")
        .unwrap();
    let (table, _) = rest.split_once("\n## ").unwrap();
    let mut files = Vec::new();
    sources(&root.join("cli/src"), &mut files);
    let code: String = files
        .iter()
        .map(|file| fs::read_to_string(file).unwrap())
        .collect();
    let cells = first_cells(table);
    let phrases: Vec<&str> = cells
        .iter()
        .filter_map(|cell| cell.strip_prefix('`')?.strip_suffix('`'))
        .collect();
    assert!(
        phrases.len() > 10,
        "the table of refusals has {} rows",
        phrases.len()
    );
    let gone: Vec<&&str> = phrases
        .iter()
        .filter(|phrase| !code.contains(**phrase))
        .collect();
    assert!(
        gone.is_empty(),
        "docs/src/troubleshooting.md lists what the command line does not say: {gone:#?}"
    );
}
