//! The good first issues, and the tests that CONTRIBUTING.md runs: the paths and names that the
//! pages have are in the repository.

use std::fs;
use std::path::{Path, PathBuf};

use super::summaries::sources;

/// All programs by their files. Tests of the house count, because first issues name their
/// variables.
fn programs(root: &Path) -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    for room in [
        "words", "macros", "runtime", "upstate", "state", "compat", "cli", "kube", "provider",
        "server", "tests", "examples",
    ] {
        sources(&root.join(room), &mut files);
    }
    let read = |file: PathBuf| {
        let text = fs::read_to_string(&file).unwrap();
        (file, text)
    };
    files.into_iter().map(read).collect()
}

/// The paths and names between the backticks of a page that `is_there` does not find, each with its
/// line. A command has several of them.
fn missing(page: &str, is_there: impl Fn(&str) -> bool) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (number, line) in super::prose(page) {
        let words = line
            .split('`')
            .skip(1)
            .step_by(2)
            .flat_map(|code| code.split([' ', '=']));
        let is_name = |word: &&str| word.starts_with(|first: char| first.is_ascii_alphabetic());
        found.extend(
            words
                .filter(is_name)
                .filter(|name| !is_there(name))
                .map(|name| (number, name.to_owned())),
        );
    }
    found
}

/// True if a name is in the sources as a whole word.
fn has_word(sources: &str, name: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-');
    let ends = |(at, _): (usize, &str)| {
        !sources[..at].ends_with(is_part)
            && (name.ends_with('!') || !sources[at + name.len()..].starts_with(is_part))
    };
    sources.match_indices(name).any(ends)
}

#[test]
fn names_of_first_issues_are_in_the_repository() {
    let root = super::root();
    let programs: String = programs(&root).into_iter().map(|(_, text)| text).collect();
    let contributing = fs::read_to_string(root.join("CONTRIBUTING.md")).unwrap();
    let is_there = |name: &str| match name.contains('/') {
        true => root.join(name).exists(),
        false => has_word(&programs, name) || has_word(&contributing, name),
    };
    let page = fs::read_to_string(root.join("docs/first-issues.md")).unwrap();
    assert_eq!(
        missing(&page, is_there),
        [],
        "docs/first-issues.md names what is no longer there: remove the row if it is done"
    );
    let counts = super::plain::listed(&contributing);
    for name in page
        .split("UPSTATE_WORDS=")
        .skip(1)
        .filter_map(|rest| rest.split(' ').next())
    {
        assert!(
            counts[name].names > 0,
            "no name of `{name}` has a rejected word any more: remove the row"
        );
    }
    assert!(
        page.matches('`').count() > 20,
        "the page names nothing: the test no longer reads it"
    );
}

/// Cargo calls it a success if a filter fits no test.
#[test]
fn tests_that_contributing_runs_are_there() {
    let root = super::root();
    let programs = programs(&root);
    let page = fs::read_to_string(root.join("CONTRIBUTING.md")).unwrap();
    let commands = page
        .split("`cargo test ")
        .skip(1)
        .filter_map(|rest| rest.split('`').next());
    let filters: Vec<&str> = commands
        .flat_map(|command| command.split(' '))
        .filter(|word| word.contains("::"))
        .collect();
    for filter in &filters {
        let (path, name) = filter.rsplit_once("::").unwrap();
        let module = path.rsplit("::").next().unwrap();
        let is_module = |file: &Path| {
            file.ends_with(format!("{module}.rs")) || file.ends_with(format!("{module}/mod.rs"))
        };
        let has_name = |text: &str| {
            text.contains(&format!("fn {name}")) || text.contains(&format!("mod {name};"))
        };
        assert!(
            programs
                .iter()
                .any(|(file, text)| is_module(file) && has_name(text)),
            "no test is called {filter}"
        );
    }
    assert!(
        filters.len() > 1,
        "the page runs no test by its name: this one no longer reads it"
    );
}

#[test]
fn a_lost_name_is_found_in_a_path_a_name_and_a_command() {
    let is_there = |name: &str| {
        has_word(
            "fn kept() { made!(kept, \"an-id\") } macro_rules! gone {}",
            name,
        )
    };
    let page = "| `kept` is as `gone!` | `run/it` | `TEST=kept made! -p an-id -- --all 1.0` and `kep` |\n```\n`lost`\n```\n`an`";
    let expected = [
        (1, "gone!"),
        (1, "run/it"),
        (1, "TEST"),
        (1, "kep"),
        (5, "an"),
    ];
    assert_eq!(
        missing(page, is_there),
        expected.map(|(line, name)| (line, name.to_owned()))
    );
}
