//! Many cases for one start of the compiler: each is a module of one program, because rustc needs 0.4 s to start and to read its libraries, and
//! a hundredth of that for a case.
//!
//! A case passes here only if rustc's messages about its file are its snapshot. Any other is left to `trybuild`, which is slow and shows
//! the difference, so a mistake of this module costs time and hides nothing.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

/// Cases in one program, each time with those that are left: rustc does not come to some messages where others are, and shortens
/// types that have one name in several modules otherwise.
const SIZES: [usize; 3] = [64, 8, 1];

/// A compiler with the libraries of a test.
#[derive(Debug)]
pub struct Compiler {
    program: String,
    arguments: Vec<String>,
    /// Where it writes.
    folder: PathBuf,
}

impl Compiler {
    /// The compiler that was called with `arguments`; its programs are written into `folder`.
    ///
    /// # Errors
    ///
    /// The folder cannot be made.
    pub fn of(arguments: &[&str], folder: &Path) -> io::Result<Self> {
        std::fs::create_dir_all(folder)?;
        let (program, arguments) = arguments
            .split_first()
            .map_or(("rustc", arguments), |(program, rest)| (*program, rest));
        let mut libraries = vec![];
        for (at, argument) in arguments.iter().enumerate() {
            if matches!(*argument, "-L" | "--extern") {
                libraries.extend(arguments.iter().skip(at).take(2).map(ToString::to_string));
            } else if argument.starts_with("--edition") {
                libraries.push(argument.to_string());
            }
        }
        Ok(Self {
            program: program.to_owned(),
            arguments: libraries,
            folder: folder.to_owned(),
        })
    }

    /// The cases in the folders of `folder` whose messages are not known to be their snapshots.
    ///
    /// # Errors
    ///
    /// A file cannot be read or written, or the compiler cannot be started.
    pub fn differing(&self, folder: &Path) -> io::Result<Vec<PathBuf>> {
        let mut cases = vec![];
        for inner in std::fs::read_dir(folder)? {
            for case in std::fs::read_dir(inner?.path())? {
                cases.push(case?.path());
            }
        }
        cases.retain(|case| case.extension().is_some_and(|extension| extension == "rs"));
        if cases.is_empty() {
            return Err(io::Error::other(format!(
                "{} has no cases",
                folder.display()
            )));
        }
        cases.sort();
        for size in SIZES {
            cases = self.differing_in_programs_of(size, cases)?;
        }
        Ok(cases)
    }

    fn differing_in_programs_of(
        &self,
        size: usize,
        cases: Vec<PathBuf>,
    ) -> io::Result<Vec<PathBuf>> {
        // Those with the same codes are at home in one phase of the compiler, which ends after the first one with errors.
        let mut by_codes = BTreeMap::<Vec<String>, Vec<PathBuf>>::new();
        for case in cases {
            let snapshot =
                std::fs::read_to_string(case.with_extension("stderr")).unwrap_or_default();
            let mut codes: Vec<String> = snapshot
                .lines()
                .filter_map(|line| line.strip_prefix("error[")?.split(']').next())
                .map(str::to_owned)
                .collect();
            codes.sort();
            codes.dedup();
            // Its messages are known to be its own only where it is alone.
            if is_elsewhere(&snapshot) {
                codes.push(case.display().to_string());
            }
            by_codes.entry(codes).or_default().push(case);
        }
        let programs: Vec<&[PathBuf]> = by_codes
            .values()
            .flat_map(|cases| cases.chunks(size))
            .collect();
        let (next, differing) = (AtomicUsize::new(0), Mutex::new(vec![]));
        let worked = || -> io::Result<()> {
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(cases) = programs.get(at) else {
                    return Ok(());
                };
                let found = self.differing_in(cases, &format!("of_{size}_{at}"))?;
                if let Ok(mut differing) = differing.lock() {
                    differing.extend(found);
                }
            }
        };
        std::thread::scope(|scope| {
            let threads = std::thread::available_parallelism().map_or(1, usize::from);
            let started: Vec<_> = (0..threads).map(|_| scope.spawn(worked)).collect();
            started.into_iter().try_for_each(|thread| {
                thread
                    .join()
                    .unwrap_or_else(|_| Err(io::Error::other("a thread panicked")))
            })
        })?;
        let mut differing = differing.into_inner().unwrap_or_default();
        differing.sort();
        Ok(differing)
    }

    fn differing_in(&self, cases: &[PathBuf], name: &str) -> io::Result<Vec<PathBuf>> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let messages = match cases {
            // Alone it is the whole program, as for `trybuild`, and all messages are about it.
            [case] => HashMap::from([(
                case.as_path(),
                self.messages(case)?
                    .into_iter()
                    .map(|(_, text)| text)
                    .collect(),
            )]),
            cases => {
                let program = self.folder.join(name).with_extension("rs");
                let mut modules = String::from("fn main() {}\n");
                for (number, case) in cases.iter().enumerate() {
                    let _ = writeln!(
                        modules,
                        "#[path = r\"{}\"]\nmod case_{number};",
                        case.display()
                    );
                }
                std::fs::write(&program, modules)?;
                let mut about = HashMap::<&Path, String>::new();
                for (file, text) in self.messages(&program)? {
                    let found = cases
                        .iter()
                        .enumerate()
                        .find(|(_, case)| file.as_ref() == Some(*case));
                    let Some((number, case)) = found else {
                        // Any of the cases may have caused it, so that all are compiled again with fewer others.
                        if !lines(&text, root).is_empty() {
                            return Ok(cases.to_vec());
                        }
                        continue;
                    };
                    // rustc puts the module before the name of a type that other cases have, too.
                    let text = text.replace(&format!("case_{number}::"), "");
                    about.entry(case).or_default().push_str(&text);
                }
                about
            }
        };
        let mut differing = vec![];
        for case in cases {
            let snapshot =
                std::fs::read_to_string(case.with_extension("stderr")).unwrap_or_default();
            let messages = messages.get(case.as_path()).map_or("", String::as_str);
            if snapshot.is_empty() || lines(&snapshot, root) != lines(messages, root) {
                differing.push(case.clone());
            }
        }
        Ok(differing)
    }

    /// rustc's messages about a program, and the file that each is about.
    fn messages(&self, program: &Path) -> io::Result<Vec<(Option<PathBuf>, String)>> {
        let output = Command::new(&self.program)
            // As cargo calls it, so that it finds the sources of the libraries and shows them in place of notes.
            .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
            .arg(program)
            .args(&self.arguments)
            // As `trybuild` calls it for the snapshots.
            .args([
                "--crate-type=bin",
                "--emit=metadata",
                "--error-format=json",
                "--diagnostic-width=140",
                "--verbose",
                "--cfg=trybuild",
                "-Adead_code",
            ])
            .args(["--crate-name=cases", "--out-dir"])
            .arg(&self.folder)
            .output()?;
        let text = String::from_utf8_lossy(&output.stderr);
        let messages = text
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok());
        Ok(messages
            .map(|message| {
                (
                    about(&message),
                    rendered(&message).unwrap_or_default().to_owned(),
                )
            })
            .collect())
    }
}

/// True if an error of a snapshot is at another file than its case.
fn is_elsewhere(snapshot: &str) -> bool {
    let mut is_first = false;
    snapshot.lines().any(|line| {
        is_first |= line.starts_with("error") || line.starts_with("warning");
        let place = line
            .trim_start()
            .strip_prefix("--> ")
            .filter(|_| std::mem::take(&mut is_first));
        place.is_some_and(|place| !place.starts_with("tests/ui/"))
    })
}

fn rendered(message: &Value) -> Option<&str> {
    message.get("rendered")?.as_str()
}

/// The file of the primary span, or the one in which the macro is called that the span is in.
fn about(message: &Value) -> Option<PathBuf> {
    let mut span = message
        .get("spans")?
        .as_array()?
        .iter()
        .find(|span| span.get("is_primary") == Some(&Value::Bool(true)))?;
    while let Some(call) = span.pointer("/expansion/span") {
        span = call;
    }
    Some(PathBuf::from(span.get("file_name")?.as_str()?))
}

/// The lines of messages by which they are compared: without those that `trybuild` changes, which are about other files and lists of what other
/// crates have, and without the margin, whose width depends on them.
fn lines(messages: &str, root: &Path) -> Vec<String> {
    let root = format!("{}/", root.display());
    let messages = messages
        .replace(&root, "")
        .replace("$DIR/", "")
        .replace("crate `cases`", "crate `$CRATE`");
    let (mut is_elsewhere, mut is_list) = (false, false);
    let mut lines = vec![];
    for line in messages.lines() {
        let text = line.trim();
        if let Some(place) = text
            .strip_prefix("--> ")
            .or_else(|| text.strip_prefix("::: "))
        {
            is_elsewhere = !place.starts_with("tests/ui/");
            is_list = false;
            if !is_elsewhere {
                lines.push(place.to_owned());
            }
            continue;
        }
        let digits = text.trim_start_matches(|first: char| first.is_ascii_digit());
        let (number, code) = (text.len() - digits.len(), digits.trim_start());
        if is_elsewhere && (number > 0 || code.starts_with(['|', '.'])) {
            continue;
        }
        is_elsewhere = false;
        is_list &= !code.starts_with(['|', '=', '~', '+', '-'])
            && !STARTS.iter().any(|start| text.starts_with(start));
        if text.is_empty()
            || text == "|"
            || is_list
            || LEFT_OUT.iter().any(|start| text.starts_with(start))
        {
            continue;
        }
        is_list = text.contains("the following other types implement trait");
        lines.push(if code.starts_with(['|', '=', '~', '+', '-']) {
            format!("{}{code}", text.get(..number).unwrap_or_default())
        } else {
            text.to_owned()
        });
    }
    lines
}

/// Words with which a message or its part begins.
const STARTS: [&str; 4] = ["error", "warning", "note", "help"];
/// Lines of rustc's that no snapshot has.
const LEFT_OUT: [&str; 5] = [
    "error: aborting due to ",
    "For more information about ",
    "Some errors have detailed explanations",
    "= note: the full name for the type",
    "= note: consider using `--verbose`",
];
