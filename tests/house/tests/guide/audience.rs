//! The sizes on the page of whom upstate is for: crates as cargo counts them, and lines of the
//! sources.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::summaries::sources;

/// The rows of the table, and the arguments by which cargo counts the crates of each.
const ROWS: [(&str, &[&[&str]]); 5] = [
    ("| `upstate` |", &[&["upstate"]]),
    ("| `upstate-state` |", &[&["upstate-state"]]),
    (
        "| `upstate-cli`, `upstate-kube` with its webhook |",
        &[&["upstate-cli"], &["upstate-kube", "--features", "webhook"]],
    ),
    ("| `upstate-provider` |", &[&["upstate-provider"]]),
    ("| `upstate-server` |", &[&["upstate-server"]]),
];

/// The crates that one is built from, itself included, one a line.
fn tree(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO"))
        // Another platform has other crates, and the page is about the one that the tests run on.
        .args([
            "tree",
            "--locked",
            "--target=x86_64-unknown-linux-gnu",
            "--edges=normal,build",
            "--prefix=none",
            "--package",
        ])
        .args(arguments)
        .current_dir(super::root())
        .output()
        .expect("cargo runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).expect("cargo writes UTF-8")
}

/// The number of crates that one is built from.
fn crates(arguments: &[&str]) -> usize {
    let tree = tree(arguments);
    tree.lines()
        .map(|line| line.trim_end_matches(" (*)"))
        .filter(|line| !line.is_empty())
        .collect::<BTreeSet<_>>()
        .len()
}

/// The table as it is now.
fn table() -> String {
    let row = |(begin, trees): (&str, &[&[&str]])| {
        let counts: Vec<String> = trees
            .iter()
            .map(|arguments| crates(arguments).to_string())
            .collect();
        format!("{begin} {} |\n", counts.join(", "))
    };
    ROWS.into_iter().map(row).collect()
}

/// The modules that a file says are compiled for tests alone.
fn modules_of_tests(file: &Path, text: &str) -> Vec<PathBuf> {
    let below = match file.file_name().and_then(|name| name.to_str()) {
        Some("mod.rs" | "lib.rs" | "main.rs") => file.parent().unwrap().to_owned(),
        _ => file.with_extension(""),
    };
    let (mut found, mut test) = (Vec::new(), false);
    for line in text.lines().map(str::trim) {
        match line
            .split_once("mod ")
            .and_then(|(_, name)| name.strip_suffix(';'))
        {
            Some(name) if test => found.push(below.join(name)),
            _ => {}
        }
        // Other attributes and comments may be between the two.
        test = line.starts_with("#[cfg(test)]")
            || line.starts_with("#[cfg(all(test")
            || test && line.starts_with(['#', '/']);
    }
    found
}

/// The lines of a file that are neither blank, comments, nor tests at its end.
fn lines(text: &str) -> usize {
    let all: Vec<&str> = text.lines().collect();
    let begins = |pair: &[&str]| {
        pair[0] == "#[cfg(test)]" && pair[1].starts_with("mod ") && pair[1].ends_with('{')
    };
    let end = all.windows(2).position(begins).unwrap_or(all.len());
    let counts = |line: &&&str| !line.trim().is_empty() && !line.trim_start().starts_with("//");
    all[..end].iter().filter(counts).count()
}

fn lines_without_tests(root: &Path) -> usize {
    let mut files = Vec::new();
    for room in [
        "words", "macros", "runtime", "upstate", "state", "compat", "cli", "kube", "provider",
        "server",
    ] {
        sources(&root.join(room).join("src"), &mut files);
    }
    // Expansions of the derives are recorded, because a test compares them.
    files.retain(|file| !file.to_string_lossy().ends_with(".expanded.rs"));
    let texts: Vec<(PathBuf, String)> = files
        .into_iter()
        .map(|file| (file.clone(), fs::read_to_string(file).unwrap()))
        .collect();
    let tests: BTreeSet<PathBuf> = texts
        .iter()
        .flat_map(|(file, text)| modules_of_tests(file, text))
        .collect();
    let is_test = |file: &Path| {
        file.with_extension("")
            .ancestors()
            .any(|above| tests.contains(above))
    };
    texts
        .iter()
        .filter(|(file, _)| !is_test(file))
        .map(|(_, text)| lines(text))
        .sum()
}

#[test]
fn the_page_names_the_crates_that_need_a_c_compiler() {
    let needs_c =
        |arguments: &&[&str]| tree(arguments).lines().any(|line| line.starts_with("cc v"));
    let named: Vec<&str> = ROWS
        .iter()
        .flat_map(|(_, trees)| trees.iter().copied())
        .filter(needs_c)
        .map(|tree| tree[0])
        .collect();
    assert_eq!(named, ["upstate-kube", "upstate-server"]);
    let page = fs::read_to_string(super::root().join("docs/src/audience.md")).unwrap();
    assert!(page.contains("Only the server, the webhook of `upstate-kube` and the drivers of databases need a C compiler."));
}

#[test]
fn sizes_on_the_page_are_those_of_today() {
    let path = super::root().join("docs/src/audience.md");
    let page = fs::read_to_string(&path).unwrap();
    let (before, rest) = page
        .split_once("|---|--:|\n")
        .expect("the page has a table");
    let (listed, after) = rest
        .split_once("\n\n")
        .expect("a paragraph is after the table");
    let now = table();
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, format!("{before}|---|--:|\n{now}\n{after}")).unwrap();
    } else {
        assert_eq!(
            format!("{listed}\n"),
            now,
            "`UPDATE=1 cargo test -p upstate-house --test guide` writes the table"
        );
    }
    let (_, about) = page
        .split_once("It is about ")
        .expect("the page has the number of lines");
    let (about, _) = about
        .split_once(" lines of Rust without tests and comments")
        .expect("the page says what it counts");
    let (about, now): (usize, _) = (
        about.replace(',', "").parse().unwrap(),
        lines_without_tests(&super::root()),
    );
    assert!(
        now.abs_diff(about) < 10_000,
        "docs/src/audience.md says {about} lines, and {now} there are"
    );
}

#[test]
fn lines_of_tests_and_comments_are_not_counted() {
    assert_eq!(
        lines(
            "//! A file.\n\nfn f() {\n    // 1\n    g();\n}\n\n#[cfg(test)]\nmod tests {\n    fn h() {}\n}\n"
        ),
        3
    );
    assert_eq!(lines("#[cfg(test)]\nmod tests;\nfn f() {}\n"), 3);
    let text = "mod a;\n#[cfg(test)]\nmod b;\n#[cfg(test)]\n#[path = \"x.rs\"]\npub(crate) mod c;\nmod d;\n#[cfg(all(test, unix))]\nmod e;\n";
    let found = |file: &str| modules_of_tests(Path::new(file), text);
    assert_eq!(
        found("src/lib.rs"),
        ["src/b", "src/c", "src/e"].map(PathBuf::from)
    );
    assert_eq!(
        found("src/door.rs"),
        ["src/door/b", "src/door/c", "src/door/e"].map(PathBuf::from)
    );
}
