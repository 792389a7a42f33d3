//! Types each help of each compile error, and compiles the result.
//!
//! `lint` turns the code in a help into changes of the source. For each case of `ui-tests` they are
//! made, one by one: the mistake must be gone, and no exact change may be one under a condition. If
//! another one comes up, its help is followed, too: twice at most, and never back to a source that
//! was there. `UPSTATE_TYPED=all` takes all cases, as `.ci/full` does; otherwise one of twenty-four
//! that have a help.

#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;
use upstate_ui_arguments::arguments;

/// Changes that are right, and do not end in a program that compiles: the case, the code that is
/// typed, and why.
const KNOWN: &str = include_str!("typed.txt");

/// The libraries of the cases.
const CRATES: [&str; 4] = ["upstate", "upstate_kube", "serde", "serde_json"];

/// The compiler, and where it finds what the cases use.
struct Compiler {
    libraries: Vec<&'static str>,
    root: PathBuf,
    out: PathBuf,
}

/// An error of the compiler or of `lint`, and the sources that its helps make.
#[derive(Debug, Clone)]
struct Error {
    summary: String,
    /// The bytes that it points at.
    at: Range<usize>,
    typed: Vec<Typed>,
}

#[derive(Debug, Clone)]
struct Typed {
    help: String,
    source: String,
    /// The bytes of the source that were typed.
    ranges: Vec<Range<usize>>,
}

impl Compiler {
    fn new() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        // Those that this test is linked with, because cargo would compile others for a package of
        // the cases.
        let arguments: &[&'static str] = &arguments!();
        let is_wanted = |pair: &&[&'static str]| match pair[0] {
            "-L" => true,
            "--extern" => pair[1]
                .split_once('=')
                .is_some_and(|(name, _)| CRATES.contains(&name)),
            _ => false,
        };
        let libraries: Vec<&'static str> = arguments
            .windows(2)
            .filter(is_wanted)
            .flatten()
            .copied()
            .collect();
        let found = libraries
            .iter()
            .filter(|argument| **argument == "--extern")
            .count();
        assert_eq!(found, CRATES.len(), "{libraries:?}");
        let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("typed");
        std::fs::create_dir_all(&out).unwrap();
        Self {
            libraries,
            root,
            out,
        }
    }

    /// The errors of a source, as `lint` reports them.
    fn errors(&self, name: &str, source: &str) -> Vec<Error> {
        let file = self.out.join(format!("{name}.rs"));
        std::fs::write(&file, source).unwrap();
        let mut rustc = Command::new("rustc");
        rustc.args([
            "--edition=2024",
            "--crate-type=bin",
            "--emit=metadata",
            "--error-format=json",
            "-Awarnings",
        ]);
        rustc
            .args(&self.libraries)
            .arg("-o")
            .arg(file.with_extension("rmeta"))
            .arg(&file);
        // The derives look for the lock there.
        rustc
            .env("CARGO_MANIFEST_DIR", self.root.join("ui-tests"))
            .current_dir(&self.root);
        let compiled = rustc.output().unwrap();
        let mut lint = Command::new(env!("CARGO_BIN_EXE_upstate"))
            .args(["lint", "--from", "-", "--format", "json"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .current_dir(&self.root)
            .spawn()
            .unwrap();
        lint.stdin
            .take()
            .unwrap()
            .write_all(&compiled.stderr)
            .unwrap();
        let output = lint.wait_with_output().unwrap();
        let messages = String::from_utf8(output.stdout).unwrap();
        let values = messages.lines().map(|line| {
            serde_json::from_str::<Value>(line).unwrap_or_else(|_| panic!("{name}: {line}"))
        });
        let is_error = |value: &Value| {
            value["level"] == "error" && !value["spans"].as_array().unwrap().is_empty()
        };
        values
            .filter(is_error)
            .map(|value| Error::new(&value, source))
            .collect()
    }
}

impl Error {
    fn new(value: &Value, source: &str) -> Self {
        // Those with a change of the compiler's own are not tried: it knows.
        let ours = match value.pointer("/code/code").and_then(Value::as_str) {
            Some(code) => code.starts_with("upstate::"),
            None => !value["message"]
                .as_str()
                .unwrap()
                .starts_with("cannot find "),
        };
        let children = value["children"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|_| ours);
        let typed = children.filter_map(|child| {
            let mut edits: Vec<(usize, usize, String)> = Vec::new();
            for span in child["spans"].as_array().unwrap() {
                let offset = |name: &str| usize::try_from(span[name].as_u64().unwrap()).unwrap();
                // A reason that is left open is refused, so that nobody forgets it.
                let with = span["suggested_replacement"]
                    .as_str()?
                    .replace("\"…\"", "\"why\"");
                edits.push((offset("byte_start"), offset("byte_end"), with));
            }
            edits.sort_unstable_by_key(|edit| std::cmp::Reverse(edit.0));
            let mut changed = source.to_owned();
            for (start, end, with) in &edits {
                changed.replace_range(start..end, with);
            }
            let mut grown = 0;
            let ranges = edits.iter().rev().map(|(start, end, with)| {
                let range = start + grown..start + grown + with.len();
                grown = (grown + with.len()).saturating_sub(end - start);
                range
            });
            let ranges = ranges.collect();
            let help = child["message"].as_str().unwrap().to_owned();
            let is_exact = child["spans"]
                .as_array()
                .unwrap()
                .iter()
                .any(|span| span["suggestion_applicability"] == "MachineApplicable");
            // `upstate fix` would decide what only the author knows.
            let words: String = help.split('`').step_by(2).collect();
            let is_condition = words
                .split(' ')
                .any(|word| ["if", "If", "unless"].contains(&word));
            assert!(!(is_exact && is_condition), "is exact: {help}");
            (!edits.is_empty()).then_some(Typed {
                help,
                source: changed,
                ranges,
            })
        });
        let primary = value["spans"]
            .as_array()
            .unwrap()
            .iter()
            .find(|span| span["is_primary"] == true)
            .unwrap();
        let offset = |name: &str| usize::try_from(primary[name].as_u64().unwrap()).unwrap();
        Self {
            summary: value["message"].as_str().unwrap().to_owned(),
            at: offset("byte_start")..offset("byte_end"),
            typed: typed.collect(),
        }
    }
}

/// The count of each message.
fn counted(errors: &[Error]) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for error in errors {
        *counts.entry(error.summary.as_str()).or_default() += 1;
    }
    counts
}

/// A message without the names in it: several fields have one mistake.
fn shape(summary: &str) -> String {
    summary.split('`').step_by(2).collect()
}

/// Follows the help of an error; the reason why it leads nowhere.
fn followed(
    (compiler, name): (&Compiler, &str),
    before: &[Error],
    met: &BTreeSet<String>,
    error: &Error,
    typed: &Typed,
    round: usize,
    seen: &mut BTreeSet<String>,
) -> Result<(), String> {
    if !seen.insert(typed.source.clone()) {
        return Err("leads back to a source that was there".to_owned());
    }
    let after = compiler.errors(name, &typed.source);
    let count = |errors: &[Error]| {
        counted(errors)
            .get(error.summary.as_str())
            .copied()
            .unwrap_or(0)
    };
    if count(&after) >= count(before) {
        return Err("does not mend it".to_owned());
    }
    let mut all = met.clone();
    all.extend(after.iter().map(|error| shape(&error.summary)));
    for next in after
        .iter()
        .filter(|error| !met.contains(&shape(&error.summary)))
    {
        // Structs, functions and conversions are the author's, and a case does not have all of
        // them.
        if next.summary.starts_with("cannot find ")
            || next.summary.starts_with("there is no upgrade from ")
        {
            continue;
        }
        let is_refused = typed
            .ranges
            .iter()
            .any(|range| range.start < next.at.end && next.at.start < range.end);
        if round == 2 && is_refused {
            return Err(format!("the third mistake after it: {}", next.summary));
        }
        if next.typed.is_empty() || round == 2 {
            // A mistake elsewhere is another one.
            if is_refused {
                return Err(format!("is refused: {}", next.summary));
            }
            continue;
        }
        let mut problems = Vec::new();
        for typed in &next.typed {
            match followed((compiler, name), &after, &all, next, typed, round + 1, seen) {
                Ok(()) => return Ok(()),
                Err(problem) => problems.push(format!("{}: {problem}", typed.help)),
            }
        }
        return Err(format!(
            "leads to: {}; {}",
            next.summary,
            problems.join("; ")
        ));
    }
    Ok(())
}

fn cases(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in std::fs::read_dir(root.join("ui-tests/tests/ui")).unwrap() {
        let folder = folder.unwrap().path();
        if folder.is_dir() {
            found.extend(
                std::fs::read_dir(folder)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
        }
    }
    found.retain(|path| path.extension().is_some_and(|extension| extension == "rs"));
    found.sort();
    found
}

#[test]
fn each_help_that_can_be_typed_mends_its_mistake() {
    let compiler = Compiler::new();
    let all = std::env::var("UPSTATE_TYPED").is_ok_and(|value| value == "all");
    let mut cases = cases(&compiler.root);
    if !all {
        let has_help = |case: &PathBuf| {
            std::fs::read_to_string(case.with_extension("stderr"))
                .unwrap()
                .contains("help: ")
        };
        cases = cases.into_iter().filter(has_help).step_by(24).collect();
    }
    let (next, tried) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let wrong = Mutex::new(BTreeMap::new());
    let work = || {
        while let Some(path) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            let source = std::fs::read_to_string(path).unwrap();
            let folder = path
                .parent()
                .unwrap()
                .file_name()
                .unwrap()
                .to_string_lossy();
            let case = format!("{folder}/{}", path.file_stem().unwrap().to_string_lossy());
            let name = case.replace('/', "_");
            let before = compiler.errors(&name, &source);
            let met: BTreeSet<String> = before.iter().map(|error| shape(&error.summary)).collect();
            for error in &before {
                for typed in &error.typed {
                    tried.fetch_add(1, Ordering::Relaxed);
                    let mut seen = BTreeSet::from([source.clone()]);
                    if let Err(problem) = followed(
                        (&compiler, &name),
                        &before,
                        &met,
                        error,
                        typed,
                        1,
                        &mut seen,
                    ) {
                        wrong.lock().unwrap().insert(
                            format!("{case}: {}", typed.help),
                            format!("{} -> {problem}", error.summary),
                        );
                    }
                }
            }
        }
    };
    std::thread::scope(|scope| {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        for _ in 0..threads {
            scope.spawn(work);
        }
    });
    let wrong = wrong.into_inner().unwrap();
    let known: BTreeSet<&str> = KNOWN
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .collect();
    println!(
        "{} helps of {} cases were typed",
        tried.load(Ordering::Relaxed),
        cases.len()
    );
    let unknown: Vec<String> = wrong
        .iter()
        .filter(|(key, _)| !known.contains(key.as_str()))
        .map(|(key, why)| format!("{key}\n    {why}"))
        .collect();
    assert!(
        unknown.is_empty(),
        "{} helps lead nowhere:\n{}",
        unknown.len(),
        unknown.join("\n")
    );
    if all {
        let mended: Vec<&&str> = known
            .iter()
            .filter(|known| !wrong.contains_key(**known))
            .collect();
        assert!(
            mended.is_empty(),
            "these lead to a program that compiles now; remove them from typed.txt:\n{mended:?}"
        );
        assert!(tried.into_inner() > 400, "few helps were typed");
    }
}
