//! The size of the guide, that nothing is told twice in it, and that what is looked up is in
//! tables.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

/// Sentences of fewer words may be on several pages.
const WORDS: usize = 8;

/// The most words that the guide may have, code included. This number may only fall.
const CEILING: usize = 35_000;

/// A page without the comments around examples, which readers do not see.
pub(crate) fn visible(page: &str) -> String {
    let mut visible = String::new();
    let mut rest = page;
    while let Some((before, after)) = rest.split_once("<!--") {
        visible += before;
        rest = after.split_once("-->").map_or("", |(_, after)| after);
    }
    visible + rest
}

/// The paragraphs, list items and table cells of a page, each with a number that it shares with the
/// other cells of its table.
pub(crate) fn paragraphs(page: &str) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> = Vec::new();
    let mut block = 0;
    let (mut row, mut continues) = (false, false);
    for (_, line) in super::prose(page) {
        let line = line.trim();
        // A picture may be on two pages, and is described on both.
        if line.starts_with("![") {
            continue;
        }
        if line.starts_with('|') {
            block += usize::from(!row);
            found.extend(line.split(" | ").map(|cell| (block, cell.to_owned())));
            (row, continues) = (true, false);
            continue;
        }
        let begins = line.starts_with(['-', '#', '>'])
            || line
                .split_once(". ")
                .is_some_and(|(digits, _)| digits.parse::<u8>().is_ok());
        match found.last_mut() {
            Some((_, paragraph)) if continues && !begins => *paragraph += &format!(" {line}"),
            _ => {
                block += 1;
                found.push((block, line.to_owned()));
            }
        }
        (row, continues) = (false, !line.is_empty());
    }
    found
}

/// The words of each sentence, without markup, punctuation and capital letters; a link is its text.
fn sentences(paragraph: &str) -> Vec<String> {
    let mut text = String::new();
    let mut rest = paragraph;
    while let Some((before, after)) = rest.split_once("](") {
        text += before;
        rest = after.split_once(')').map_or("", |(_, after)| after);
    }
    text += rest;
    let words = |sentence: &str| {
        let plain: String = sentence
            .chars()
            .map(|letter| {
                if letter.is_alphanumeric() {
                    letter
                } else {
                    ' '
                }
            })
            .collect();
        plain
            .to_lowercase()
            .split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let ended = text
        .replace(['?', '!', ';'], ".")
        .replace(".)", ". ")
        .replace(".*", ". ")
        .replace(": ", ". ");
    ended
        .split(". ")
        .map(words)
        .filter(|words| words.len() >= WORDS)
        .map(|words| words.join(" "))
        .collect()
}

/// The pages of the guide and the README. The licenses and the checks of Go are tables that a
/// script and a test write.
fn read() -> BTreeMap<PathBuf, String> {
    let (root, mut found) = (super::root(), BTreeMap::new());
    super::pages(&root.join("docs/src"), true, &mut found);
    found.insert(
        root.join("README.md"),
        fs::read_to_string(root.join("README.md")).unwrap(),
    );
    found.retain(|path, _| !path.ends_with("licenses.md") && !path.ends_with("acceptance.md"));
    found
        .into_iter()
        .map(|(path, page)| (path.strip_prefix(&root).unwrap().to_owned(), visible(&page)))
        .collect()
}

/// The sentences that several pages have, or several places of one page, with these places.
fn repeated(pages: &BTreeMap<PathBuf, String>) -> Vec<String> {
    let mut places: BTreeMap<String, Vec<(&PathBuf, usize)>> = BTreeMap::new();
    // The table of contents has the titles of the pages.
    for (path, page) in pages
        .iter()
        .filter(|(path, _)| !path.ends_with("SUMMARY.md"))
    {
        for (block, paragraph) in paragraphs(page) {
            for sentence in sentences(&paragraph) {
                let places = places.entry(sentence).or_default();
                // The rows of a table may have one cell in common.
                if !places.contains(&(path, block)) {
                    places.push((path, block));
                }
            }
        }
    }
    let shown = |(sentence, places): (String, Vec<(&PathBuf, usize)>)| {
        let names: Vec<String> = places
            .iter()
            .map(|(path, _)| path.display().to_string())
            .collect();
        format!("{}: {sentence}", names.join(", "))
    };
    places
        .into_iter()
        .filter(|(_, places)| places.len() > 1)
        .map(shown)
        .collect()
}

#[test]
fn no_sentence_is_written_twice() {
    let pages = read();
    let repeated = repeated(&pages);
    assert!(
        repeated.is_empty(),
        "say it once, and lead there from the other place\n{}",
        repeated.join("\n")
    );
    let all: usize = pages
        .values()
        .flat_map(|page| paragraphs(page))
        .map(|(_, paragraph)| sentences(&paragraph).len())
        .sum();
    assert!(
        all > 1000,
        "only {all} sentences were found: the test no longer sees them"
    );
}

#[test]
fn the_guide_gets_no_longer() {
    // Without brackets and bars alone, so that the count does not depend on how listings are laid out.
    let is_word = |word: &&str| word.contains(char::is_alphanumeric);
    let words = |page: &String| page.split_whitespace().filter(is_word).count();
    let now: usize = read()
        .iter()
        .filter(|(path, _)| path.starts_with("docs"))
        .map(|(_, page)| words(page))
        .sum();
    assert!(
        now <= CEILING,
        "the guide has {now} words, and {CEILING} are its ceiling: take out what is told elsewhere, or nobody needs"
    );
    assert!(
        now + 1500 > CEILING,
        "the guide has {now} words: write that in place of {CEILING}"
    );
}

#[test]
fn pages_to_look_up_are_tables() {
    let folder = super::root().join("docs/src");
    let contents = fs::read_to_string(folder.join("SUMMARY.md")).unwrap();
    let (_, part) = contents
        .split_once("\n# Look up\n")
        .expect("a part of the guide is looked up");
    let part = part.split("\n# ").next().unwrap();
    let names: Vec<&str> = part
        .split("](")
        .skip(1)
        .map(|rest| rest.split(')').next().unwrap())
        .collect();
    for name in &names {
        let page = visible(&fs::read_to_string(folder.join(name)).unwrap());
        let words = |line: &str| line.split_whitespace().count();
        let all: usize = super::prose(&page).map(|(_, line)| words(line)).sum();
        let in_tables: usize = super::prose(&page)
            .filter(|(_, line)| line.starts_with('|'))
            .map(|(_, line)| words(line))
            .sum();
        assert!(
            2 * in_tables > all,
            "{name} has {in_tables} of {all} words in tables: it is looked up, and not read"
        );
    }
    assert!(names.len() > 5, "the part has {names:?}");
}

#[test]
fn repeated_sentences_are_found_however_they_are_set() {
    let pages = |texts: &[&str]| {
        let named =
            |(number, text): (usize, &&str)| (PathBuf::from(format!("{number}.md")), visible(text));
        texts
            .iter()
            .enumerate()
            .map(named)
            .collect::<BTreeMap<_, _>>()
    };
    let sentence = "The [file](x.md) of the earlier release is read\nand kept. More.";
    for other in [
        "# Title\n\nIt is so: the file of the *earlier* release is read and kept.",
        "- the file of the `earlier` release is read and kept",
        "| a | the file of the earlier release is read and kept |",
    ] {
        assert_eq!(repeated(&pages(&[sentence, other])).len(), 1, "{other}");
    }
    for other in [
        "The file of the earlier release is kept.",
        "```text\nThe file of the earlier release is read and kept.\n```",
        "<!-- around the example:\nThe file of the earlier release is read and kept. -->",
    ] {
        assert_eq!(
            repeated(&pages(&[sentence, other])),
            Vec::<String>::new(),
            "{other}"
        );
    }
    let table = "| a | the interface refused, or the code of the provider failed |\n| b | the interface refused, or the code of the provider failed |";
    assert_eq!(repeated(&pages(&[table])), Vec::<String>::new());
    assert_eq!(
        repeated(&pages(&[&format!("{table}\n\ntext\n\n{table}")])).len(),
        1
    );
}
