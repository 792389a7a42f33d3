//! The guide and the other pages: every link leads somewhere, every page is in the table of
//! contents, every piece of Rust in the guide is compiled, every message is in the index, and the
//! words are plain. None of it needs a crate of this workspace, so this builds in seconds.

mod audience;
mod codes;
mod first_issues;
mod first_pages;
mod messages;
mod openings;
mod plain;
mod release;
mod repeats;
mod security;
mod summaries;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Where the workspace is.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap()
}

/// The Markdown files in a folder, and below it if `deep`, by their path.
fn pages(folder: &Path, deep: bool, found: &mut BTreeMap<PathBuf, String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && deep {
            pages(&path, deep, found);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            let text = fs::read_to_string(&path).unwrap();
            found.insert(path, text);
        }
    }
}

/// Every page that people read in the repository or as the guide.
fn all_pages() -> BTreeMap<PathBuf, String> {
    let (root, mut found) = (root(), BTreeMap::new());
    pages(&root, false, &mut found);
    for room in [
        "fuzz", "macros", "runtime", "state", "compat", "cli", "kube", "provider", "server",
    ] {
        pages(&root.join(room), false, &mut found);
    }
    pages(&root.join("docs"), true, &mut found);
    found
}

/// The lines of a page that are prose, each with its number; those in fences are code.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut code = false;
    (1..).zip(text.lines()).filter(move |(_, line)| {
        let fence = line.trim_start().starts_with("```");
        code ^= fence;
        !code && !fence
    })
}

/// What the links of a page name, with the line that each is in.
fn links(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (number, line) in prose(text) {
        // Between backticks `](` is not a link.
        let plain: String = line.split('`').step_by(2).collect::<Vec<_>>().join("code");
        let targets = plain
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split_once(')'))
            .map(|(target, _)| (number, target.to_owned()));
        found.extend(targets);
    }
    found
}

/// The name by which a heading is linked to: lower case, blanks to hyphens, the rest of the
/// punctuation gone.
fn anchor(heading: &str) -> String {
    let kept = heading
        .trim()
        .chars()
        .filter(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_'));
    kept.map(|letter| {
        if letter == ' ' {
            '-'
        } else {
            letter.to_ascii_lowercase()
        }
    })
    .collect()
}

fn anchors(text: &str) -> BTreeSet<String> {
    let headings = prose(text).filter(|(_, line)| line.starts_with('#'));
    headings
        .map(|(_, line)| anchor(line.trim_start_matches('#')))
        .collect()
}

#[test]
fn links_lead_somewhere() {
    let (root, pages) = (root(), all_pages());
    let mut checked = 0;
    let mut broken = Vec::new();
    for (path, text) in &pages {
        for (line, target) in links(text)
            .into_iter()
            .filter(|(_, target)| !target.starts_with("https://"))
        {
            checked += 1;
            let (file, fragment) = target
                .split_once('#')
                .map_or((target.as_str(), None), |(file, fragment)| {
                    (file, Some(fragment))
                });
            let goal = if file.is_empty() {
                path.clone()
            } else {
                path.parent().unwrap().join(file)
            };
            let there = goal
                .canonicalize()
                .ok()
                .filter(|goal| goal.starts_with(&root));
            let right = match (&there, fragment) {
                (None, _) => false,
                (Some(_), None) => true,
                (Some(goal), Some(fragment)) => pages
                    .get(goal)
                    .is_some_and(|text| anchors(text).contains(fragment)),
            };
            if !right {
                broken.push(format!(
                    "{}:{line}: {target}",
                    path.strip_prefix(&root).unwrap().display()
                ));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("../.."));
    assert!(checked > 40, "only {checked} links were seen");
}

/// The page and the heading of an address in the book, if they are there.
fn is_in_the_book(address: &str) -> bool {
    let (file, fragment) = address
        .split_once('#')
        .map_or((address, None), |(file, fragment)| (file, Some(fragment)));
    let page = root().join("docs/src").join(file).with_extension("md");
    fs::read_to_string(page)
        .is_ok_and(|text| fragment.is_none_or(|fragment| anchors(&text).contains(fragment)))
}

#[test]
fn redirects_of_the_book_lead_from_where_nothing_is_to_where_something_is() {
    let settings = fs::read_to_string(root().join("docs/book.toml")).unwrap();
    let (_, redirects) = settings.split_once("[output.html.redirect]\n").unwrap();
    let redirects: Vec<(&str, &str)> = redirects
        .lines()
        .filter_map(|line| line.split_once(" = "))
        .collect();
    assert!(
        redirects.len() > 5,
        "only {} redirects were seen",
        redirects.len()
    );
    for (from, to) in redirects {
        let from = from
            .trim_matches('"')
            .strip_prefix('/')
            .expect("a path begins with a slash");
        assert!(!is_in_the_book(from), "{from} is still there");
        assert!(is_in_the_book(to.trim_matches('"')), "{to} is not there");
    }
}

#[test]
fn every_page_is_in_the_table_of_contents_once() {
    let folder = root().join("docs/src");
    let mut there = BTreeMap::new();
    pages(&folder, true, &mut there);
    let contents = there.remove(&folder.join("SUMMARY.md")).unwrap();
    let mut listed: Vec<PathBuf> = links(&contents)
        .into_iter()
        .map(|(_, target)| folder.join(target))
        .collect();
    listed.sort();
    assert_eq!(listed, there.into_keys().collect::<Vec<_>>());
}

#[test]
fn every_chapter_with_rust_in_it_is_compiled() {
    let folder = root().join("docs/src");
    let mut there = BTreeMap::new();
    pages(&folder, true, &mut there);
    let compiled = fs::read_to_string(root().join("tests/src/lib.rs")).unwrap();
    for (path, _) in there
        .iter()
        .filter(|(_, text)| text.lines().any(|line| line.starts_with("```rust")))
    {
        let name = path.strip_prefix(&folder).unwrap().to_str().unwrap();
        assert!(
            compiled.contains(&format!("{name}\"")),
            "{name} has Rust in it that nothing compiles"
        );
    }
}

/// GitHub and the book show a page as it is.
#[test]
fn pages_have_no_hidden_lines_and_no_includes() {
    let root = root();
    let mut problems = Vec::new();
    for (path, text) in all_pages() {
        let mut rust = false;
        for (number, line) in (1..).zip(text.lines()) {
            if line.starts_with("```") {
                rust = line.starts_with("```rust");
            }
            if rust && (line == "#" || line.starts_with("# ")) || line.contains("{{#") {
                problems.push(format!(
                    "{}:{number}: {line}",
                    path.strip_prefix(&root).unwrap().display()
                ));
            }
        }
    }
    assert!(
        problems.is_empty(),
        "see tests/build.rs for what an example needs around it\n{}",
        problems.join("../..")
    );
}

/// The table is in the documentation of `Acceptance`, which is read with the crate, and in the
/// guide, which is read before.
#[test]
fn the_checks_of_go_are_a_page_of_the_guide() {
    let table = fs::read_to_string(root().join("provider/docs/acceptance.md")).unwrap();
    let (_, table) = table
        .split_once("\n\n|")
        .expect("a table follows a heading");
    let page = format!(
        "# The checks of Go's acceptance tests\n\nAfter this page you can translate an acceptance test of `terraform-plugin-testing`. The table is \
         that of the documentation of `Acceptance`.\n\n|{table}"
    );
    let path = root().join("docs/src/acceptance.md");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, &page).unwrap();
    }
    assert_eq!(
        fs::read_to_string(path).unwrap(),
        page,
        "UPDATE=1 writes the page anew"
    );
}

/// The exports of the packages of `terraform-plugin-testing` 1.16.0, without `Steps` and the names
/// of the groups of checks.
#[test]
fn every_check_of_go_is_translated() {
    let page = fs::read_to_string(root().join("docs/src/acceptance.md")).unwrap();
    let words: BTreeSet<&str> = page
        .split(|letter: char| !letter.is_alphanumeric())
        .collect();
    let exported = include_str!("checks_of_go.txt")
        .lines()
        .filter_map(|line| line.split_once(": "));
    let names =
        exported.flat_map(|(package, names)| names.split(' ').map(move |name| (package, name)));
    let missing: Vec<_> = names.filter(|(_, name)| !words.contains(name)).collect();
    assert!(
        missing.is_empty(),
        "provider/docs/acceptance.md has no row for {missing:?}"
    );
}

/// The contents of the fences of a page that begin with ` ```KIND `.
fn fences<'p>(page: &'p str, kind: &str) -> Vec<&'p str> {
    let fence = format!("```{kind}\n");
    page.split(fence.as_str())
        .skip(1)
        .map(|block| block.split("```").next().unwrap())
        .collect()
}

#[test]
fn the_readme_has_a_command_to_try_and_the_test_command() {
    let page = fs::read_to_string(root().join("README.md")).unwrap();
    for command in [
        "\ncargo run -q -p upstate-examples --bin realworld -- upgrade ",
        "\ncargo test --workspace\n",
    ] {
        assert!(
            page.contains(command),
            "README.md lacks `{}`",
            command.trim()
        );
    }
}

#[test]
fn the_programs_of_the_readme_are_compiled() {
    let page = fs::read_to_string(root().join("README.md")).unwrap();
    let programs = fences(&page, "rust,no_run");
    assert_eq!(programs.len(), 2, "README.md has two programs");
    for (name, program) in ["quick_start", "quick_start_document"].iter().zip(programs) {
        let path = format!("tests/src/bin/{name}.rs");
        let compiled = fs::read_to_string(root().join(&path)).unwrap();
        assert!(
            compiled.ends_with(&format!("\n\n{program}")),
            "{path} is not what README.md has"
        );
    }
}

#[test]
fn links_and_headings_are_read_as_they_are_shown() {
    let page = "# A *Title*, of sorts\n[a](b.md) and `[no](code)` ![c](d.svg)\n```rust\n[x](y)\n```\n## `Format::new`\n";
    assert_eq!(
        links(page),
        [(2, "b.md".to_owned()), (2, "d.svg".to_owned())]
    );
    assert_eq!(
        anchors(page),
        ["a-title-of-sorts", "formatnew"].map(str::to_owned).into()
    );
}
