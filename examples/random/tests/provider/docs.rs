//! The pages of the registry are those of the models.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::collections::BTreeMap;
use std::path::Path;

/// The titles, the headings and the attributes of the pages that tfplugindocs made of release 3.9.0 in Go.
const PUBLISHED: &str = include_str!("published.txt");

/// The title and the headings of a page, and the name, the type and the marks of each attribute.
fn structure(page: &str) -> Vec<String> {
    let mut parts = page.splitn(3, "---\n").skip(1);
    let (front, body) = (parts.next().unwrap(), parts.next().unwrap());
    let titles = front
        .lines()
        .filter(|line| line.starts_with("page_title: "));
    let (mut lines, mut is_code): (Vec<String>, _) = (titles.map(str::to_owned).collect(), false);
    for line in body.lines() {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        if is_code || is_fence {
            continue;
        }
        if line.starts_with('#') {
            lines.push(line.to_owned());
        }
        let attribute = line
            .strip_prefix("- `")
            .and_then(|rest| rest.split_once("` ("));
        if let Some((name, rest)) = attribute
            && let Some((marks, _)) = rest.split_once(')')
        {
            lines.push(format!("- {name} ({marks})"));
        }
    }
    lines
}

#[test]
fn the_pages_have_the_structure_of_those_in_go() {
    let (mut published, mut page) = (BTreeMap::<&str, Vec<&str>>::new(), "");
    for line in PUBLISHED.lines() {
        match line.strip_prefix("  ") {
            Some(line) => published.entry(page).or_default().push(line),
            None => page = line,
        }
    }
    let pages = random::provider()
        .docs(&Path::new(env!("CARGO_MANIFEST_DIR")).join("examples"))
        .unwrap();
    let made: BTreeMap<String, Vec<String>> = pages
        .pages()
        .map(|(path, text)| (format!("docs/{path}"), structure(text)))
        .collect();
    assert!(made.keys().eq(published.keys()), "{:?}", made.keys());
    for (path, expected) in published {
        assert_eq!(made[path], expected, "{path}");
    }
}

/// A page as both make it: resources that can be imported say how, in the same words.
#[test]
fn the_imports_are_those_of_tfplugindocs() {
    let pages = random::provider()
        .docs(&Path::new(env!("CARGO_MANIFEST_DIR")).join("examples"))
        .unwrap();
    let command = "The [`terraform import` command](https://developer.hashicorp.com/terraform/cli/commands/import) can be used, for example:\n\n\
                   ```shell\nterraform import ";
    for name in ["bytes", "id", "integer", "uuid", "uuid4", "uuid7"] {
        let (_, page) = pages
            .pages()
            .find(|(path, _)| *path == format!("resources/{name}.md"))
            .unwrap();
        let (_, import) = page
            .split_once("\n## Import\n\nImport is supported using the following syntax:\n\n")
            .unwrap();
        assert!(
            import.contains(&format!("{command}random_{name}.")),
            "{import}"
        );
    }
}

#[test]
fn the_pages_are_fresh() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (docs, pages) = (
        folder.join("docs"),
        random::provider().docs(&folder.join("examples")).unwrap(),
    );
    if std::env::var_os("UPDATE").is_some() {
        pages.write(&docs).unwrap();
    }
    assert_eq!(
        pages.problems(&docs).unwrap(),
        [""; 0],
        "UPDATE=1 writes them, and so does `terraform-provider-random docs`"
    );
}

/// The lines that are neither blank nor comments, as `find src -name '*.rs' | xargs cat | grep -vcE '^\s*(//|$)'` counts them. Those in Go are the ones of
/// `find internal -name '*.go' | grep -vE '_test.go|randomtest' | xargs cat | grep -vcE '^\s*(//|$)'` in the sources of v3.9.0.
fn lines(files: impl Iterator<Item = std::path::PathBuf>) -> usize {
    let text: String = files
        .map(|file| std::fs::read_to_string(file).unwrap())
        .collect();
    text.lines()
        .map(str::trim_start)
        .filter(|line| !line.is_empty() && !line.starts_with("//"))
        .count()
}

#[test]
fn the_guide_counts_its_lines() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let sources = || {
        std::fs::read_dir(folder.join("src"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
    };
    let all = lines(
        sources()
            .filter(|path| path.is_file())
            .chain([folder.join("src/bin/random-schemas.rs")]),
    );
    let password = lines([folder.join("src/password.rs")].into_iter());
    let page = folder.join("../../docs/src/start-provider.md");
    let rows = [
        ("| all | 3390 | ", all),
        (
            "| `random_password`, with three upgraders | 866 | ",
            password,
        ),
    ];
    let text = std::fs::read_to_string(&page).unwrap();
    let counted =
        text.lines().map(
            |line| match rows.iter().find(|(row, _)| line.starts_with(row)) {
                Some((row, count)) => format!("{row}{count} |\n"),
                None => format!("{line}\n"),
            },
        );
    let counted: String = counted.collect();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&page, &counted).unwrap();
    }
    assert!(
        rows.iter().all(|(row, _)| counted.contains(row))
            && (text == counted || std::env::var_os("UPDATE").is_some()),
        "UPDATE=1 counts again"
    );
}
