//! `next`: the next version of a changed model, written into its source.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::Args as ClapArgs;
use serde::Serialize;
use similar::TextDiff;
use upstate_compat::lock::{FILE_NAME, Lock};
use upstate_state::atomic_file::write_public;

use crate::format::Format;
use crate::next::{Answer, Found, Kind, ask, edit, remains};
use crate::outcome::Outcome;
use crate::terminal::{self, Failure};

/// Additions keep its first number.
pub(super) const FORMAT_VERSION: &str = "1.0";

/// An error has room for some operators. How often the compiler is asked for more of them.
const MOST_OFTEN: usize = 20;

/// Raise the version of a model that changed since its release, and write the upgrader from the
/// released version
///
/// Runs `cargo check`, whose error about the model has the difference, and writes it into the
/// source: `version = N` and `#[upgrade_from(…)]`. Run it again after further changes: it completes
/// that upgrader. What only you know remains to be written: reasons, values, and whether a field
/// was renamed.
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Examples:\n  {program} next example_server\n  {program} next example_server --dry-run\n  {program} next example_server --dry-run --format json\n  {program} next example_server -- -p my-models --all-features"
)]
pub(crate) struct Next {
    /// The types whose models changed
    #[arg(value_name = "TYPE", required = true)]
    types: Vec<String>,
    /// Change nothing; print what would change in the source
    #[arg(long)]
    dry_run: bool,
    /// The format of the changes
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Options of `cargo check`, such as `-p PACKAGE`
    #[arg(value_name = "OPTION", last = true)]
    cargo: Vec<OsString>,
}

/// A file of source while it is edited.
pub(super) struct File {
    pub(super) before: String,
    pub(super) after: String,
}

pub(super) type Files = BTreeMap<PathBuf, File>;

/// The answer for programs.
#[derive(Serialize)]
struct Report<'a> {
    format_version: &'static str,
    command: &'static str,
    /// True if the source was changed.
    written: bool,
    proposals: Vec<Change<'a>>,
    /// The proposal, one diff a file; empty where it was written.
    diffs: Vec<Diff>,
    /// The errors that the compiler has besides, or still.
    errors: usize,
}

#[derive(Serialize)]
struct Change<'a> {
    #[serde(rename = "type")]
    type_name: &'a str,
    file: String,
    line: usize,
    /// The version that the upgrader is from.
    from: u64,
    /// True if the model gets a new version, or the upgrader of an earlier one is completed.
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<u64>,
    operators: Vec<Operator<'a>>,
    /// The number of further ones, for which an error of the compiler has no room.
    left_out: usize,
    /// The operators for fields that have another name in the upgrader.
    #[serde(skip_serializing_if = "Option::is_none")]
    instead: Option<&'a str>,
}

#[derive(Serialize)]
struct Operator<'a> {
    operator: &'a str,
    /// The author's remark on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    remains: Option<&'static str>,
}

#[derive(Serialize)]
pub(super) struct Diff {
    file: String,
    pub(super) diff: String,
}

impl<'a> Change<'a> {
    fn of(
        Found {
            proposal,
            file,
            line,
            ..
        }: &'a Found,
    ) -> Self {
        let (from, version, instead) = match &proposal.kind {
            Kind::Changed { released } => (*released, Some(released.saturating_add(1)), None),
            Kind::Incomplete { version } => (*version, None, None),
            Kind::Misnamed { version, instead } | Kind::Beyond { version, instead } => {
                (*version, None, Some(instead.as_str()))
            }
        };
        let operators = proposal.operators.iter().map(|operator| Operator {
            operator,
            remains: remains(operator),
        });
        Self {
            type_name: &proposal.type_name,
            file: shown(file),
            line: *line,
            from,
            version,
            operators: operators.collect(),
            left_out: proposal.left_out,
            instead,
        }
    }
}

impl Next {
    pub(crate) fn run(&self) -> Outcome {
        self.next()
            .unwrap_or_else(|failure| failure.trimmed().say())
    }

    fn next(&self) -> Result<Outcome, Failure> {
        let mut answer = self.ask()?;
        if answer.found.is_empty() {
            return self.nothing(&answer);
        }
        let mut done: Vec<Found> = Vec::new();
        for _ in 0..MOST_OFTEN {
            let is_new = |found: &&Found| !done.iter().any(|written| written.is_again(found));
            let new: Vec<Found> = answer.found.iter().filter(is_new).cloned().collect();
            if new.is_empty() {
                break;
            }
            let files = edited(&new)?;
            if self.dry_run {
                return Ok(terminal::printed(match self.format {
                    Format::Text => show(&files, &new),
                    Format::Json => json(&new, Some(diffs(&files)), &answer),
                }));
            }
            writable(&files)?;
            for (path, file) in &files {
                write_public(path, file.after.as_bytes()).map_err(|error| {
                    Failure::unreadable(format!("cannot write {}: {error}", path.display()))
                })?;
            }
            done.extend(new);
            answer = self.ask()?;
        }
        let outcome = terminal::printed(match self.format {
            Format::Text => report(&done, &answer),
            Format::Json => json(&done, None, &answer),
        });
        match answer.found.first() {
            Some(Found {
                proposal,
                file,
                line,
                ..
            }) => Err(Failure::refused(format!(
                "{}:{line}: the compiler still finds a difference between {} and {FILE_NAME}; `cargo check` shows it",
                shown(file),
                proposal.type_name
            ))),
            None => Ok(outcome),
        }
    }

    fn ask(&self) -> Result<Answer, Failure> {
        ask(&self.types, &self.cargo).map_err(Failure::unreadable)
    }

    /// Says why there is nothing to do.
    fn nothing(&self, answer: &Answer) -> Result<Outcome, Failure> {
        if !answer.succeeded && answer.others.is_empty() {
            let problem = format!("`cargo check` failed:\n{}", answer.stderr);
            return Err(Failure::unreadable(problem));
        }
        let locks = locks(&answer.packages);
        let types: Vec<&str> = locks
            .iter()
            .flat_map(|(_, lock)| lock.entries().map(|(type_name, ..)| type_name))
            .collect();
        for wanted in &self.types {
            if types.contains(&wanted.as_str()) {
                continue;
            }
            let near = terminal::nearest(wanted, types.iter().copied());
            let near = near
                .map(|name| format!("; did you mean {name:?}?"))
                .unwrap_or_default();
            return Err(match locks.first() {
                Some((path, _)) => Failure::refused(format!(
                    "{} has no type {wanted:?}{near}\nA type that no release has stored needs no next version",
                    shown(path)
                )),
                None => Failure::refused(format!(
                    "there is no {FILE_NAME} that says what releases stored\n`lock --release VERSION` of your program writes it"
                )),
            });
        }
        let types = self.types.join(", ");
        if let Some(first) = answer.others.first() {
            let count = terminal::plural(answer.others.len(), "error");
            return Err(Failure::refused(format!(
                "the compiler has {count}, and none about the stored shape of {types}; mend them first. The first is:\n{first}"
            )));
        }
        Ok(terminal::printed(match self.format {
            Format::Text => writeln!(
                std::io::stdout(),
                "{types}: the stored shape needs no new version"
            ),
            Format::Json => json(&[], None, answer),
        }))
    }
}

/// All files with all proposals in them, or none where one cannot be written.
fn edited(found: &[Found]) -> Result<Files, Failure> {
    // From the end of each file to its start, so that the places before stay where they are.
    let mut found: Vec<&Found> = found.iter().collect();
    found.sort_by(|one, other| {
        (&other.file, other.line, other.column).cmp(&(&one.file, one.line, one.column))
    });
    let mut files = Files::new();
    for found in found {
        let file = match files.entry(found.file.clone()) {
            std::collections::btree_map::Entry::Occupied(file) => file.into_mut(),
            std::collections::btree_map::Entry::Vacant(place) => {
                let before = read(&found.file)?;
                place.insert(File {
                    after: before.clone(),
                    before,
                })
            }
        };
        // Otherwise another struct may be at the place by now.
        if !is_as_read(&file.before, found) {
            let problem = format!(
                "{} was changed while the compiler read it: run `next` again",
                shown(&found.file)
            );
            return Err(Failure::refused(problem));
        }
        let place = format!("{}:{}", shown(&found.file), found.line);
        file.after = edit(&file.after, found)
            .map_err(|problem| Failure::refused(format!("{place}: {problem}")))?;
    }
    Ok(files)
}

/// Refuses to change read-only files, because a new file would take the place of each.
pub(super) fn writable(files: &Files) -> Result<(), Failure> {
    let is_read_only = |path: &&PathBuf| {
        std::fs::metadata(path).is_ok_and(|metadata| metadata.permissions().readonly())
    };
    let read_only = files.keys().filter(is_read_only);
    let read_only: Vec<String> = read_only.map(|path| shown(path)).collect();
    if read_only.is_empty() {
        return Ok(());
    }
    Err(Failure::refused(format!(
        "{}: read-only, so nothing was written; make it writable, or see the changes with --dry-run",
        read_only.join(", ")
    )))
}

/// True if the line of a proposal is still the one that the compiler read.
fn is_as_read(text: &str, found: &Found) -> bool {
    let line = found
        .line
        .checked_sub(1)
        .and_then(|line| text.lines().nth(line))
        .unwrap_or_default();
    found
        .read
        .as_ref()
        .is_none_or(|read| line.trim_start_matches('\u{feff}') == read)
}

/// The text of a file of source.
pub(super) fn read(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path)
        .map_err(|error| Failure::unreadable(format!("cannot read {}: {error}", shown(path))))
}

/// The changes, one diff a file.
pub(super) fn diffs(files: &Files) -> Vec<Diff> {
    let diff = |(path, File { before, after }): (&PathBuf, &File)| {
        let file = shown(path);
        Diff {
            diff: TextDiff::from_lines(before, after)
                .unified_diff()
                .header(&file, &file)
                .to_string(),
            file,
        }
    };
    files.iter().map(diff).collect()
}

/// The answer for programs, on one line; with diffs where nothing is written.
fn json(found: &[Found], diffs: Option<Vec<Diff>>, answer: &Answer) -> std::io::Result<()> {
    let report = Report {
        format_version: FORMAT_VERSION,
        command: "next",
        written: diffs.is_none() && !found.is_empty(),
        proposals: found.iter().map(Change::of).collect(),
        diffs: diffs.unwrap_or_default(),
        errors: answer.others.len(),
    };
    write_json(&report)
}

/// Writes an answer for programs, on one line.
pub(super) fn write_json(report: &impl Serialize) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    serde_json::to_writer(&mut out, report)?;
    writeln!(out)?;
    out.flush()
}

/// The changes.
fn show(files: &Files, found: &[Found]) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    for Diff { diff, .. } in diffs(files) {
        write!(out, "{diff}")?;
    }
    let more: usize = found.iter().map(|found| found.proposal.left_out).sum();
    if more > 0 {
        writeln!(
            out,
            "and {} that the compiler has no room for in one error",
            terminal::plural(more, "more operator")
        )?;
    }
    out.flush()
}

/// The written changes, and those that remain.
fn report(done: &[Found], answer: &Answer) -> std::io::Result<()> {
    let mut out = anstream::stdout().lock();
    for Found { proposal, file, .. } in done {
        let (type_name, file) = (&proposal.type_name, shown(file));
        match &proposal.kind {
            Kind::Changed { released } => {
                writeln!(
                    out,
                    "{file}: {type_name} has version {} now, and an upgrader from {released}",
                    released.saturating_add(1)
                )?;
            }
            Kind::Incomplete { version } => {
                writeln!(
                    out,
                    "{file}: the upgrader of {type_name} from version {version} has more operators"
                )?;
            }
            Kind::Misnamed { .. } | Kind::Beyond { .. } => {}
        }
        for operator in &proposal.operators {
            writeln!(
                out,
                "    {operator}{}",
                remains(operator)
                    .map(|what| format!("    <- {what}"))
                    .unwrap_or_default()
            )?;
        }
    }
    if !answer.others.is_empty() {
        writeln!(
            out,
            "next: complete the upgrader; `cargo check` has {}",
            terminal::plural(answer.others.len(), "error")
        )?;
    }
    out.flush()
}

/// The locks that the derive finds for packages, each once.
fn locks(packages: &[PathBuf]) -> Vec<(PathBuf, Lock)> {
    let mut found: Vec<(PathBuf, Lock)> = Vec::new();
    for package in packages {
        let path = package
            .ancestors()
            .map(|folder| folder.join(FILE_NAME))
            .find(|path| path.is_file());
        if let Some(path) = path.filter(|path| !found.iter().any(|(known, _)| known == path))
            && let Ok(text) = std::fs::read_to_string(&path)
            && let Ok(lock) = Lock::parse(&text)
        {
            found.push((path, lock));
        }
    }
    found
}

/// A path as people name it: relative to the folder that this program runs in, if it is there.
pub(super) fn shown(path: &Path) -> String {
    let here = std::env::current_dir().and_then(|here| here.canonicalize());
    let inside = path
        .canonicalize()
        .ok()
        .and_then(|path| Some(path.strip_prefix(here.ok()?).ok()?.to_owned()));
    inside.as_deref().unwrap_or(path).display().to_string()
}
