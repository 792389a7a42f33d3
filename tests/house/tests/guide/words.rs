//! The words of the house: CONTRIBUTING.md has the rules, and this finds the worst breaches of
//! them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use super::summaries::sources;

/// Words that have a plainer one.
const WORDS: [(&str, &str); 8] = [
    ("shall", "say who does it"),
    ("anew", "again, or a verb that says so: rewrite, recreate"),
    ("whoever", "name who"),
    ("told", "report, say"),
    ("alike", "in the same way"),
    ("stands", "is"),
    ("texts", "strings"),
    ("heed", "respect"),
];

/// Phrases, as they are after punctuation is taken out.
const PHRASES: [(&str, &str); 5] = [
    ("save that", "except that"),
    ("stand beside", "be next to"),
    ("one who", "name who"),
    ("without a word", "silently"),
    ("a text", "a string"),
];

/// Where programs are.
const CODE: [&str; 25] = [
    "benches",
    "cli/src",
    "compat/src",
    "examples/harbor/src",
    "examples/random/src",
    "examples/ferry",
    "examples/notes",
    "examples/server",
    "examples/src",
    "examples/tests",
    "fuzz/fuzz_targets",
    "macros/src",
    "provider/examples",
    "provider/src",
    "runtime/src",
    "server/src",
    "server/tests",
    "state/src",
    "tests/house",
    "tests/kubernetes",
    "tests/stores",
    "tests/src",
    "tests/tests",
    "ui-tests/tests/pass",
    "upstate/src",
];

/// The programs, by their paths below the root.
pub(crate) fn programs() -> Vec<(String, String)> {
    let root = super::root();
    let mut files = Vec::new();
    for folder in CODE {
        sources(&root.join(folder), &mut files);
    }
    let name = |file: &std::path::Path| {
        file.strip_prefix(&root)
            .unwrap()
            .to_str()
            .unwrap()
            .to_owned()
    };
    let programs = files
        .iter()
        .map(|file| (name(file), fs::read_to_string(file).unwrap()));
    // These have what is to be found.
    programs
        .filter(|(name, _)| !name.starts_with("tests/house/tests/guide/"))
        .collect()
}

/// The breaches in a line of prose. Code between backticks is left out.
pub(crate) fn breaches(line: &str) -> Vec<String> {
    let plain = line
        .split('`')
        .step_by(2)
        .collect::<Vec<_>>()
        .join(" ")
        .to_lowercase()
        .replace("told apart", "apart");
    let letters: String = plain
        .chars()
        .map(|letter| {
            if letter.is_ascii_alphabetic() || letter == '\'' {
                letter
            } else {
                ' '
            }
        })
        .collect();
    let tokens: Vec<&str> = letters.split_whitespace().collect();
    let spaced = format!(" {} ", tokens.join(" "));
    let mut found = Vec::new();
    for (word, plainer) in WORDS.iter().chain(&PHRASES) {
        if spaced.contains(&format!(" {word} ")) {
            found.push(format!("\"{word}\": {plainer}"));
        }
    }
    for window in tokens.windows(4) {
        if let [before, "is", "no", after] = window
            && *before != "there"
            && !matches!(*after, "longer" | "more")
        {
            found.push(format!("\"is no {after}\": is not"));
        }
    }
    let sentence = line
        .trim_start()
        .trim_start_matches(['/', '!', '-', '*', '|', ' ']);
    if sentence.starts_with("The same") {
        found.push("\"The same …\": say what it does".to_owned());
    }
    found
}

#[test]
fn pages_have_plain_words() {
    let root = super::root();
    let mut problems = String::new();
    let mut pages = super::all_pages();
    super::pages(&root.join("macros/docs"), true, &mut pages);
    super::pages(&root.join("provider/docs"), true, &mut pages);
    for (path, text) in &pages {
        let name = path.strip_prefix(&root).unwrap().to_str().unwrap();
        // These are the rules themselves.
        let rules = text.find("\n## Words\n").map_or(0..0, |begin| {
            let end = text[begin + 1..]
                .find("\n\n## ")
                .map_or(text.len(), |end| begin + 1 + end);
            text[..begin].lines().count()..text[..end].lines().count() + 1
        });
        for (number, line) in super::prose(text).filter(|(number, _)| !rules.contains(number)) {
            for breach in breaches(line) {
                writeln!(problems, "{name}:{number}: {breach}").unwrap();
            }
        }
    }
    assert!(
        problems.is_empty(),
        "CONTRIBUTING.md has the rules for words.\n{problems}"
    );
}

#[test]
fn every_page_says_what_its_reader_can_do() {
    let root = super::root();
    let mut pages = BTreeMap::new();
    super::pages(&root.join("docs/src"), true, &mut pages);
    pages.retain(|path, _| !path.ends_with("SUMMARY.md"));
    for (path, text) in &pages {
        let says = text
            .lines()
            .take(12)
            .any(|line| line.to_lowercase().contains("after this page you"));
        assert!(
            says,
            "{} does not begin with what its reader can do after it",
            path.display()
        );
    }
}

/// The comment that a line of a program is, or ends in.
fn comment(line: &str) -> Option<&str> {
    let line = line.trim_start();
    if line.starts_with("//") {
        Some(line)
    } else {
        line.find(" // ").and_then(|at| line.get(at + 1..))
    }
}

#[test]
fn comments_have_plain_words() {
    let mut problems = String::new();
    for (name, text) in programs() {
        for (number, comment) in (1..)
            .zip(text.lines().map(comment))
            .filter_map(|(number, found)| Some((number, found?)))
        {
            for breach in breaches(comment) {
                writeln!(problems, "{name}:{number}: {breach}").unwrap();
            }
        }
    }
    assert!(
        problems.is_empty(),
        "CONTRIBUTING.md has the rules for words.\n{problems}"
    );
}

#[test]
fn a_breach_is_found_and_plain_words_pass() {
    for line in [
        "/// The same as `get`.",
        "It shall be done.",
        "| `x` | what was told |",
        "//! A value that is no number.",
        "It is written anew.",
        "a text of JSON",
    ] {
        assert_eq!(breaches(line).len(), 1, "{line}");
    }
    for line in [
        "There is no file.",
        "It is no longer there.",
        "`The same told text`",
        "the same file",
        "The plain text is sent.",
        "They cannot be told apart.",
    ] {
        assert_eq!(breaches(line), Vec::<String>::new(), "{line}");
    }
}
