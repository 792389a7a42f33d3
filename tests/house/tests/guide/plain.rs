//! Comments and names of the crates, by rules 11 to 13 of CONTRIBUTING.md's "Words". What breaks
//! them is counted for each crate, and the counts in its block `words` may only fall:
//! `UPDATE=1 cargo test -p upstate-house` writes smaller ones.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use proc_macro2::{TokenStream, TokenTree};

use super::summaries::sources;

/// Words that a documentation comment does not begin with.
pub(crate) const FIRST: [&str; 13] = [
    "What", "Whatever", "Whether", "Where", "Wherever", "How", "Which", "Who", "Whose", "Why",
    "Of", "So", "Whoever",
];

/// Words of a comment that gives a reason. A number or a reference (code between backticks, a link,
/// a section) is one, too.
const REASONS: [&str; 36] = [
    "because",
    "so",
    "otherwise",
    "since",
    "else",
    "as",
    "for",
    "would",
    "could",
    "must",
    "cannot",
    "may",
    "only",
    "not",
    "no",
    "never",
    "never",
    "without",
    "until",
    "before",
    "after",
    "where",
    "when",
    "if",
    "unless",
    "though",
    "but",
    "than",
    "too",
    "instead",
    "like",
    "again",
    "all",
    "expect",
    "reason",
    "safety",
];

/// Words that no name has. The ordinary ones are in CONTRIBUTING.md.
const NAMES: [&str; 24] = [
    "told", "tell", "tells", "telling", "said", "says", "asked", "asks", "came", "comes", "stood",
    "stands", "standing", "leg", "legs", "via", "station", "stations", "blot", "blots", "deed",
    "deeds", "nobody", "somebody",
];

/// The number of breaches of one crate.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub(crate) struct Counts {
    first_words: usize,
    comments: usize,
    pub(crate) names: usize,
}

/// A place, and what is wrong there.
type Breach = (usize, String);

/// The comments of a file: the number of the first line, how they begin (`//`, `///` or `//!`), and
/// their words in one line.
fn comments(text: &str) -> Vec<(usize, &str, String)> {
    let mut found: Vec<(usize, &str, String)> = Vec::new();
    let mut last = 0;
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim_start();
        let Some(kind) = ["///", "//!", "//"]
            .into_iter()
            .find(|kind| line.starts_with(kind))
        else {
            continue;
        };
        let words = line[kind.len()..].trim();
        match found.last_mut() {
            Some((_, before, all))
                if *before == kind
                    && last + 1 == number
                    && !words.is_empty()
                    && !all.ends_with('\n') =>
            {
                write!(all, " {words}").unwrap();
            }
            // A paragraph ends the sentence that is looked at, and is read on as the same comment.
            Some((_, before, all)) if *before == kind && last + 1 == number => all.push('\n'),
            _ => found.push((number, kind, words.to_owned())),
        }
        last = number;
    }
    found
}

fn first_words(text: &str) -> Vec<Breach> {
    let documentation = comments(text)
        .into_iter()
        .filter(|(_, kind, _)| *kind != "//");
    let first = documentation.map(|(number, _, words)| {
        (
            number,
            words
                .split([' ', ','])
                .next()
                .unwrap_or_default()
                .to_owned(),
        )
    });
    first
        .filter(|(_, word)| FIRST.contains(&word.as_str()))
        .collect()
}

fn without_reason(text: &str) -> Vec<Breach> {
    let gives = |words: &str| {
        let is_reason = |word: &str| REASONS.contains(&word.to_lowercase().as_str());
        words.contains(['`', '§', '<', '['])
            || words.contains(|letter: char| letter.is_ascii_digit())
            || words
                .split(|letter: char| !letter.is_alphabetic())
                .any(is_reason)
    };
    let plain = comments(text)
        .into_iter()
        .filter(|(_, kind, _)| *kind == "//");
    plain
        .filter(|(_, _, words)| !gives(words))
        .map(|(number, _, words)| (number, words))
        .collect()
}

fn names(tokens: TokenStream, found: &mut Vec<Breach>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => names(group.stream(), found),
            TokenTree::Ident(ident) => {
                let name = ident.to_string();
                let parted: String = name
                    .chars()
                    .flat_map(|letter| [letter.is_uppercase().then_some('_'), Some(letter)])
                    .flatten()
                    .collect();
                if parted
                    .to_lowercase()
                    .split('_')
                    .any(|word| NAMES.contains(&word))
                {
                    found.push((ident.span().start().line, name));
                }
            }
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

/// The breaches of a crate, and their lines for the reader.
fn of_crate(package: &str) -> (Counts, Vec<String>) {
    let root = super::root();
    let (mut files, mut counts, mut lines) = (Vec::new(), Counts::default(), Vec::new());
    sources(&root.join(package).join("src"), &mut files);
    for file in files
        .iter()
        .filter(|file| !file.to_string_lossy().ends_with(".expanded.rs"))
    {
        let text = fs::read_to_string(file).unwrap();
        let mut named = Vec::new();
        names(
            text.parse().expect("a file of the crate is Rust"),
            &mut named,
        );
        let (first, comments) = (first_words(&text), without_reason(&text));
        counts.first_words += first.len();
        counts.comments += comments.len();
        counts.names += named.len();
        let shown = file.strip_prefix(&root).unwrap().display();
        for (rule, breaches) in [
            ("begins with", first),
            ("gives no reason:", comments),
            ("is called", named),
        ] {
            lines.extend(
                breaches
                    .into_iter()
                    .map(|(number, what)| format!("{shown}:{number}: {rule} {what}")),
            );
        }
    }
    (counts, lines)
}

const CRATES: &str = "\n```words\n";

pub(crate) fn listed(page: &str) -> BTreeMap<String, Counts> {
    let (_, rest) = page
        .split_once(CRATES)
        .expect("CONTRIBUTING.md has the block `words`");
    let (block, _) = rest
        .split_once("```")
        .expect("the block `words` has an end");
    let line = |line: &str| {
        let (name, counts) = line
            .split_once(':')
            .expect("a crate's name is before its counts");
        let counts: Vec<usize> = counts
            .split_whitespace()
            .filter_map(|count| count.parse().ok())
            .collect();
        let &[first_words, comments, names] = counts.as_slice() else {
            panic!("three counts: {line}")
        };
        (
            name.to_owned(),
            Counts {
                first_words,
                comments,
                names,
            },
        )
    };
    block.lines().map(line).collect()
}

#[test]
fn comments_and_names_become_plainer_only() {
    let path = super::root().join("CONTRIBUTING.md");
    let page = fs::read_to_string(&path).unwrap();
    let (mut problems, mut block) = (Vec::new(), String::new());
    for (package, before) in listed(&page) {
        let (now, lines) = of_crate(&package);
        writeln!(
            block,
            "{package}: {} {} {}",
            now.first_words, now.comments, now.names
        )
        .unwrap();
        let rose = now.first_words > before.first_words
            || now.comments > before.comments
            || now.names > before.names;
        if rose {
            problems.push(format!(
                "{package}: {now:?}, and {before:?} are let pass. All there are:\n{}",
                lines.join("\n")
            ));
        } else if now != before && std::env::var_os("UPDATE").is_none() {
            problems.push(format!(
                "{package} became plainer: `UPDATE=1 cargo test -p upstate-house` writes it down"
            ));
        }
        if std::env::var_os("UPSTATE_WORDS").is_some_and(|wanted| wanted == *package) {
            println!("{}", lines.join("\n"));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    if std::env::var_os("UPDATE").is_some() {
        let (begin, rest) = page.split_once(CRATES).unwrap();
        let (_, end) = rest.split_once("```").unwrap();
        fs::write(&path, format!("{begin}{CRATES}{block}```{end}")).unwrap();
    }
}

#[test]
fn breaches_are_found_and_plain_comments_pass() {
    let text = "/// Whether it fits.\n/// Where it is.\nfn f() {}\n\n/// True if it fits.\n///\n/// What it is.\nfn g() {}\n//! How it is.\n";
    assert_eq!(
        first_words(text),
        [(1, "Whether".to_owned()), (9, "How".to_owned())]
    );
    let text = "// Adds one.\nadd(1);\n// Adds one, so that\n// the end is found.\n// See `add`.\n\n// A heading\n";
    assert_eq!(
        without_reason(text),
        [(1, "Adds one.".to_owned()), (7, "A heading".to_owned())]
    );
    let mut found = Vec::new();
    names(
        "fn told_of(x: NobodyAsked, via_: u8) {}\nlet ways = \"told\"; let storage = retold;"
            .parse()
            .unwrap(),
        &mut found,
    );
    assert_eq!(
        found,
        [
            (1, "told_of".to_owned()),
            (1, "NobodyAsked".to_owned()),
            (1, "via_".to_owned())
        ]
    );
}
