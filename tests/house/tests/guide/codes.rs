//! The page of compile errors: its programs and messages are those of the ui tests, and each code
//! is in the messages that begin with its words.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

/// The snapshots of all ui tests, with their paths.
fn snapshots() -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for folder in fs::read_dir(super::root().join("ui-tests/tests/ui")).unwrap() {
        for file in fs::read_dir(folder.unwrap().path()).unwrap() {
            let path = file.unwrap().path();
            if path
                .extension()
                .is_some_and(|extension| extension == "stderr")
            {
                let text = fs::read_to_string(&path).unwrap();
                found.push((path, text));
            }
        }
    }
    found
}

/// The messages of all ui tests, with the names between backticks taken out.
fn messages() -> Vec<String> {
    let mut found = Vec::new();
    for (_, text) in snapshots() {
        found.extend(
            text.lines()
                .filter(|line| line.starts_with("error"))
                .map(nameless),
        );
    }
    found
}

#[test]
fn no_message_names_a_hidden_module() {
    for (path, text) in snapshots() {
        for hidden in ["__private", "__internal"] {
            assert!(
                !text.contains(hidden),
                "{} has `{hidden}`: `codec/mod.rs` of the runtime gives `FieldType` a shorter path",
                path.display()
            );
        }
    }
}

/// A line with `…` for every name between backticks and every number.
fn nameless(line: &str) -> String {
    let mut parts = line
        .split('`')
        .enumerate()
        .map(|(index, part)| if index % 2 == 1 { "…" } else { part });
    let line = parts.by_ref().collect::<String>();
    let words = line.split(' ').map(|word| {
        if word.bytes().all(|byte| byte.is_ascii_digit()) {
            "…"
        } else {
            word
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// The sections of the page by their code.
fn sections(page: &str) -> BTreeMap<&str, &str> {
    let sections = page.split("\n## ").skip(1);
    sections
        .filter_map(|section| section.split_once(' ').map(|(code, _)| (code, section)))
        .collect()
}

/// The first words of the messages with each code.
const FIRST_WORDS: &str = include_str!("first_words.txt");

/// The page as the command line has it.
const COPY: &str = "cli/docs/compile-errors.md";

fn page() -> String {
    fs::read_to_string(super::root().join("docs/src/compile-errors.md")).unwrap()
}

/// The message of a ui test's first error with its notes, without the places, which are those of
/// the program above it.
fn said(case: &str) -> String {
    let path = super::root()
        .join("ui-tests/tests/ui")
        .join(case)
        .with_extension("stderr");
    let said = fs::read_to_string(path).unwrap();
    let error = said.split("\n\n").next().unwrap();
    let place = error
        .lines()
        .position(|line| line.contains("--> "))
        .unwrap();
    let notes = error
        .lines()
        .skip(place)
        .filter(|line| line.trim_start().starts_with("= note: "));
    let notes = notes.filter(|line| !line.contains("this error originates in"));
    error
        .lines()
        .take(place)
        .chain(notes)
        .flat_map(|line| [line, "\n"])
        .collect()
}

#[test]
fn every_code_has_a_program_that_fails_with_its_message() {
    let page = page();
    let mut updated = page.clone();
    let sections = sections(&page);
    for (code, section) in &sections {
        let case = match *code {
            // These need a lock, which other ui tests have.
            "U0017" => "lock/nested_type_changed".to_owned(),
            "U0018" => "pinned/rename_forgotten".to_owned(),
            code => format!("codes/{}", code.to_lowercase()),
        };
        if case.starts_with("codes/") {
            let [fails] = super::fences(section, "rust,compile_fail")[..] else {
                panic!("{code} has one program that fails")
            };
            // `tests/build.rs` makes a program of it, which is compiled.
            assert_eq!(
                super::fences(section, "diff").len(),
                1,
                "{code} has one change that mends it"
            );
            let program = super::root()
                .join("ui-tests/tests/ui")
                .join(&case)
                .with_extension("rs");
            assert_eq!(
                fs::read_to_string(program).unwrap(),
                format!("{fails}\nfn main() {{}}\n"),
                "{code}"
            );
        }
        let [quoted] = super::fences(section, "text")[..] else {
            panic!("{code} quotes one message")
        };
        updated = updated.replace(quoted, &said(&case));
    }
    if std::env::var_os("UPDATE").is_some() {
        // The copy is written here, too, since a test beside this one would read the page while it
        // is written.
        for path in ["docs/src/compile-errors.md", COPY] {
            fs::write(super::root().join(path), &updated).unwrap();
        }
    } else {
        assert!(
            updated == page,
            "the compiler says something else by now; UPDATE=1 writes it into docs/src/compile-errors.md"
        );
    }
    let programs = fs::read_dir(super::root().join("ui-tests/tests/ui/codes")).unwrap();
    let programs = programs
        .filter(|file| file.as_ref().unwrap().path().extension().unwrap() == "rs")
        .count();
    assert_eq!(
        programs + 2,
        sections.len(),
        "ui-tests/tests/ui/codes has a program that the page does not show"
    );
}

/// The codes between brackets in a string.
fn codes_in(text: &str) -> Vec<&str> {
    let codes = text
        .split("[U")
        .skip(1)
        .filter_map(|rest| rest.split_once(']'))
        .map(|(digits, _)| digits);
    codes
        .filter(|digits| digits.len() == 4 && digits.bytes().all(|digit| digit.is_ascii_digit()))
        .collect()
}

#[test]
fn the_first_words_are_of_real_messages_which_have_the_code() {
    let (page, messages) = (page(), messages());
    let sections = sections(&page);
    let mut codes = Vec::new();
    let mut coded = vec![false; messages.len()];
    for (code, words) in FIRST_WORDS.lines().map(|row| row.split_once(": ").unwrap()) {
        assert!(sections.contains_key(code), "{code} has no section");
        codes.push(code);
        for words in words.split(" · ") {
            let words = words
                .trim_start_matches('"')
                .split('"')
                .next()
                .unwrap()
                .trim_start_matches("… ")
                .trim_end_matches(" …");
            let found: Vec<usize> = (0..messages.len())
                .filter(|index| messages[*index].contains(words))
                .collect();
            assert!(
                !found.is_empty(),
                "no message of the ui tests says {words:?} ({code})"
            );
            // The compiler's own messages have no code of ours.
            let is_known =
                |index: &usize| code == "U0012" || !codes_in(&messages[*index]).is_empty();
            for index in &found {
                assert!(is_known(index), "{code} is missing: {}", messages[*index]);
                coded[*index] = true;
            }
            let has_it = found
                .iter()
                .any(|index| code == "U0012" || codes_in(&messages[*index]).contains(&&code[1..]));
            assert!(has_it, "no message that says {words:?} has the code {code}");
        }
    }
    assert_eq!(codes, sections.keys().copied().collect::<Vec<_>>());
    for (message, coded) in messages.iter().zip(&coded) {
        assert!(
            *coded || codes_in(message).is_empty(),
            "first_words.txt does not have those of: {message}"
        );
    }
    // The codes are for the mistakes that are made, not for a few.
    let share = coded.iter().filter(|coded| **coded).count() * 100 / messages.len();
    assert!(
        share >= 30,
        "first_words.txt has only {share} % of the messages of the ui tests"
    );
}

#[test]
fn every_code_in_a_message_has_its_section() {
    let page = page();
    let sections = sections(&page);
    let mut used = BTreeSet::new();
    for folder in ["macros/src", "runtime/src"] {
        let mut files = Vec::new();
        super::summaries::sources(&super::root().join(folder), &mut files);
        for file in files {
            let text = fs::read_to_string(&file).unwrap();
            for digits in codes_in(&text) {
                let code = format!("U{digits}");
                assert!(
                    sections.contains_key(code.as_str()),
                    "{code} in {} has no section",
                    file.display()
                );
                used.insert(code);
            }
        }
    }
    let unused: Vec<_> = sections
        .keys()
        .filter(|code| !used.contains(**code))
        .collect();
    assert!(unused.is_empty(), "no message has {unused:?}");
}

#[test]
fn the_command_line_has_the_same_page() {
    if std::env::var_os("UPDATE").is_none() {
        let copy = fs::read_to_string(super::root().join(COPY)).unwrap();
        assert!(copy == page(), "UPDATE=1 copies docs/src/compile-errors.md");
    }
}
