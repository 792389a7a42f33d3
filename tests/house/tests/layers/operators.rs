//! The files that know an operator by name. A new one is in three: its word, the list `operators!`
//! and its work.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The number of other files of the product that name an operator. It may only fall, and an
/// operator that is not here has none.
const OTHERS: [(&str, usize); 26] = [
    ("Take", 10),
    ("Copy", 9),
    ("Set", 13),
    ("Default", 8),
    ("NullIf", 7),
    ("Convert", 8),
    ("Json", 9),
    ("Named", 6),
    ("Function", 10),
    ("Combine", 12),
    ("Values", 8),
    ("Reformat", 8),
    ("Compose", 8),
    ("Extract", 10),
    ("Enclose", 1),
    ("Entries", 2),
    ("Filter", 1),
    ("FilterKeys", 1),
    ("Join", 1),
    ("Member", 1),
    ("Merge", 1),
    ("Rekey", 1),
    ("Split", 1),
    ("Unwrap", 1),
    ("Variants", 2),
    ("Wrap", 2),
];

/// An operator, as a line of `operators!` has it.
struct Operator<'l> {
    variant: &'l str,
    /// The file of its word.
    word: &'l str,
    effects: Vec<&'l str>,
    /// True if its work is in a file of its own.
    is_apart: bool,
}

/// Reads `Copy(from: Prior) copy[COPY];` or `join Join(separator: Text) join[JOIN];`.
fn operator(line: &str) -> Option<Operator<'_>> {
    let (head, effects) = line.trim().strip_suffix("];")?.split_once('[')?;
    let (names, arguments) = head.split_once('(')?;
    let (_, word) = arguments.rsplit_once(") ")?;
    let variant = names.rsplit(' ').next()?;
    Some(Operator {
        variant,
        word,
        effects: effects.split(' ').collect(),
        is_apart: names.contains(' '),
    })
}

/// The text of each file of a folder without comments and tests.
fn read_below(folder: &Path, texts: &mut BTreeMap<PathBuf, String>) {
    for entry in fs::read_dir(folder).expect("a folder of a crate can be read") {
        let path = entry.expect("an entry").path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if path.is_dir() {
            if name != "tests" && name != "golden" {
                read_below(&path, texts);
            }
        } else if name.ends_with(".rs") && name != "tests.rs" && !name.ends_with(".expanded.rs") {
            let text = fs::read_to_string(&path).expect("a file of a crate can be read");
            let code: Vec<&str> = text
                .lines()
                .filter(|line| !line.trim_start().starts_with("//"))
                .collect();
            texts.insert(path, code.join("\n"));
        }
    }
}

/// True if `text` has a name, and not just a longer one that begins with it.
fn has_name(text: &str, name: &str) -> bool {
    text.split(name)
        .skip(1)
        .any(|rest| !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_'))
}

fn names_it(text: &str, operator: &Operator<'_>) -> bool {
    let Operator {
        variant,
        word,
        effects,
        is_apart,
    } = operator;
    // Many types have variants of the same names, so that `Self` counts only where it is this type.
    let is_its = !is_apart
        && ["impl Operation", "for Operation"]
            .into_iter()
            .any(|of| has_name(text, of));
    ["Operation", "Structure"]
        .into_iter()
        .any(|of| has_name(text, &format!("{of}::{variant}")))
        || is_its && has_name(text, &format!("Self::{variant}"))
        || effects
            .iter()
            .any(|effect| has_name(text, &format!("{word}::{effect}")))
}

#[test]
fn few_files_know_an_operator_by_name() {
    let mut texts = BTreeMap::new();
    for package in ["words", "macros", "runtime"] {
        read_below(&super::root().join(package).join("src"), &mut texts);
    }
    let page = fs::read_to_string(super::root().join("words/src/operators/mod.rs"))
        .expect("the list of operators can be read");
    let (_, list) = page
        .split_once("macro_rules! operators")
        .expect("there is a list of operators");
    let (list, _) = list
        .split_once("macro_rules! effects")
        .expect("the list of operators has an end");
    let operators: Vec<Operator<'_>> = list.lines().filter_map(operator).collect();
    let others = BTreeMap::from(OTHERS);
    let mut problems = Vec::new();
    for operator in &operators {
        let naming: Vec<String> = texts
            .iter()
            .filter(|(_, text)| names_it(text, operator))
            .map(|(path, _)| {
                path.strip_prefix(super::root())
                    .unwrap_or(path)
                    .display()
                    .to_string()
            })
            .collect();
        let allowed = others.get(operator.variant).copied().unwrap_or_default();
        if naming.len() > allowed {
            problems.push(format!(
                "{}: {} files name it, {allowed} may: {}",
                operator.variant,
                naming.len(),
                naming.join(" ")
            ));
        }
        if naming.len() < allowed {
            problems.push(format!(
                "{}: {} files name it: write that in place of {allowed}",
                operator.variant,
                naming.len()
            ));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(
        operators.len() > OTHERS.len(),
        "only {} operators are found",
        operators.len()
    );
}
