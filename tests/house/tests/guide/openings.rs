//! Beginnings: of headings and sentences with their subject, of pages with the reader's purpose, by
//! rules 10 and 11 of CONTRIBUTING.md's "Words".

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use super::plain::FIRST;
use super::repeats::{paragraphs, visible};

/// The first paragraph of a page, after its title.
fn opening(page: &str) -> String {
    let mut written = paragraphs(page)
        .into_iter()
        .filter(|(_, paragraph)| !paragraph.is_empty());
    written.nth(1).map_or(String::new(), |(_, paragraph)| {
        paragraph.trim_end().to_owned()
    })
}

#[test]
fn each_page_says_first_what_its_reader_can_do_after_it() {
    let mut lines = String::new();
    let guide = super::root().join("docs/src");
    let mut pages = BTreeMap::new();
    super::pages(&guide, true, &mut pages);
    // The table of contents has titles of pages.
    pages.remove(&guide.join("SUMMARY.md"));
    for (path, page) in &pages {
        let opening = opening(page);
        if !opening.starts_with("After this page you ") {
            writeln!(
                lines,
                "{}: {}",
                path.display(),
                opening.chars().take(80).collect::<String>()
            )
            .unwrap();
        }
    }
    assert!(
        lines.is_empty(),
        "the first sentence of a page is \"After this page you can …\":\n{lines}"
    );
    assert!(pages.len() > 40, "only {} pages were seen", pages.len());
}

/// The headings and sentences of a page that begin with one of the words. A question may: a reader
/// has it.
fn breaches(page: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (_, paragraph) in paragraphs(page) {
        let paragraph = paragraph.trim_start_matches(['#', '-', '|', '>', ' ', '*']);
        for sentence in paragraph
            .split_inclusive(['.', '?', '!'])
            .map(str::trim_start)
        {
            let first = sentence
                .trim_start_matches(['*', '[', '"', '(', '\u{201c}'])
                .split([' ', ','])
                .next()
                .unwrap_or_default();
            if FIRST.contains(&first) && !sentence.trim_end_matches(['*', ')']).ends_with('?') {
                found.push(sentence.to_owned());
            }
        }
    }
    found
}

/// All that people read, by path: the pages, those that the documentation of crates includes, and
/// what the next release's changelog is made of.
fn all_read() -> BTreeMap<PathBuf, String> {
    let (root, mut found) = (super::root(), super::all_pages());
    for folder in [
        "words",
        "changelog.d",
        "macros/docs",
        "cli/docs",
        "kube/docs",
        "provider/docs",
    ] {
        super::pages(&root.join(folder), false, &mut found);
    }
    // The table of contents has titles of pages.
    found.remove(&root.join("docs/src/SUMMARY.md"));
    found
        .into_iter()
        .map(|(path, page)| (path.strip_prefix(&root).unwrap().to_owned(), visible(&page)))
        .collect()
}

#[test]
fn sentences_begin_with_their_subject() {
    let mut lines = String::new();
    let pages = all_read();
    for (path, page) in &pages {
        for breach in breaches(page) {
            writeln!(
                lines,
                "{}: {}",
                path.display(),
                breach.chars().take(80).collect::<String>()
            )
            .unwrap();
        }
    }
    assert!(pages.len() > 180, "only {} pages were seen", pages.len());
    assert!(
        lines.is_empty(),
        "a heading or sentence begins with its subject, or \"If …\":\n{lines}"
    );
}

#[test]
fn the_opening_of_a_page_is_the_paragraph_after_its_title() {
    assert_eq!(
        opening("# Lock\n\n![a](b.svg)\n\nAfter this\npage you can.\n\nMore.\n"),
        "After this page you can."
    );
    assert_eq!(
        opening("# Lock\n\n## Files\n\nAfter this page you can.\n"),
        "## Files"
    );
    assert_eq!(opening("# Lock\n"), "");
}

#[test]
fn an_opening_is_found_and_a_question_passes() {
    let page = "## What holds\n\nWhat is there stays. It is so. Where it is, it stays.\n\n- How it is done\n\n| a | Whether it fits |\n";
    assert_eq!(breaches(page).len(), 5);
    assert_eq!(
        breaches(
            "## Why not serde?\n\nSo that it fits, it is cut. **Who leaves** loses. Nothing is so: what is there stays.\n"
        ),
        ["So that it fits, it is cut.", "**Who leaves** loses."]
    );
}
