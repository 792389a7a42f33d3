//! How headings and sentences of the guide begin: with their subject, by rule 11 of CONTRIBUTING.md's "Words".

use std::fmt::Write as _;

use super::plain::FIRST;
use super::repeats::{paragraphs, read};

/// The headings and sentences of a page that begin with one of the words. A question may: a reader has it.
fn breaches(page: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (_, paragraph) in paragraphs(page) {
        let paragraph = paragraph.trim_start_matches(['#', '-', '|', '>', ' ', '*']);
        for sentence in paragraph.split_inclusive(['.', '?', '!']).map(str::trim_start) {
            let first =
                sentence.trim_start_matches(['*', '[', '"', '(', '\u{201c}']).split([' ', ',']).next().unwrap_or_default();
            if FIRST.contains(&first) && !sentence.trim_end_matches(['*', ')']).ends_with('?') {
                found.push(sentence.to_owned());
            }
        }
    }
    found
}

#[test]
fn sentences_begin_with_their_subject() {
    let mut lines = String::new();
    // The table of contents has titles of pages.
    for (path, page) in read().into_iter().filter(|(path, _)| !path.ends_with("SUMMARY.md")) {
        for breach in breaches(&page) {
            writeln!(lines, "{}: {}", path.display(), breach.chars().take(80).collect::<String>()).unwrap();
        }
    }
    assert!(lines.is_empty(), "a heading or sentence begins with its subject, or \"If …\":\n{lines}");
}

#[test]
fn an_opening_is_found_and_a_question_passes() {
    let page =
        "## What holds\n\nWhat is there stays. It is so. Where it is, it stays.\n\n- How it is done\n\n| a | Whether it fits |\n";
    assert_eq!(breaches(page).len(), 5);
    assert_eq!(
        breaches("## Why not serde?\n\nSo that it fits, it is cut. **Who leaves** loses. Nothing is so: what is there stays.\n"),
        ["So that it fits, it is cut.", "**Who leaves** loses."]
    );
}
