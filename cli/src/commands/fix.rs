//! `fix`: the changes that compile errors of models leave no choice about, written into the source.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Write as _;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args as ClapArgs;
use serde::Serialize;
use upstate_state::atomic_file::write_public;

use super::next::{Diff, FORMAT_VERSION, File, Files, diffs, read, shown, writable, write_json};
use crate::format::Format;
use crate::lint::{Foreign, Line, Messages, Translated, check, folded};
use crate::outcome::Outcome;
use crate::rust_file::{Change, RustFile};
use crate::terminal::{self, Failure};

/// A mended mistake uncovers others. How often the compiler is asked.
const MOST_OFTEN: usize = 10;

/// Files in folders that are not the author's: of what cargo and build scripts make, where cargo
/// marks only a folder of its own with the first, and of sources that cargo fetched.
const OF_CARGO: [&str; 3] = ["CACHEDIR.TAG", ".rustc_info.json", ".cargo-checksum.json"];

/// Mend what the compile errors of models leave no choice about: a misspelt word, a missing pair of
/// quotes, an option in the wrong place
///
/// Runs `cargo check` and applies the helps that are complete and the only ones of their mistake,
/// until there are none. Whatever needs a value, a reason or a choice stays, and `lint` shows it. A
/// change that does not mend its mistake, or makes another error, is taken back.
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Examples:\n  cargo upstate fix\n  cargo upstate fix --dry-run\n  cargo upstate fix --allow-dirty -- -p my-models"
)]
pub(crate) struct Fix {
    /// Change nothing; print what would change in the source
    #[arg(long)]
    dry_run: bool,
    /// Also change files when the working directory has changes that are not committed
    #[arg(long)]
    allow_dirty: bool,
    /// Also change files that no version control knows
    #[arg(long)]
    allow_no_vcs: bool,
    /// The format of the changes
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Options of `cargo check`, such as `-p PACKAGE`
    #[arg(value_name = "OPTION", last = true)]
    cargo: Vec<OsString>,
}

/// A mended mistake.
#[derive(Debug, PartialEq, Serialize)]
struct Fixed {
    file: String,
    line: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    message: String,
    help: String,
}

#[derive(Serialize)]
struct Report<'a> {
    format_version: &'static str,
    command: &'static str,
    /// True if the source was changed.
    written: bool,
    fixes: &'a [Fixed],
    /// The errors that are still there; with `--dry-run`, all of them.
    errors: usize,
    /// The changes that were not written, one diff a file.
    diffs: Vec<Diff>,
}

/// The errors of one run of the compiler.
struct Errors {
    models: Vec<Translated>,
    others: Vec<Foreign>,
}

impl Errors {
    /// The number of times that a file has a mistake.
    fn count(&self, path: &Path, summary: &str) -> usize {
        let is_it = |error: &&Translated| error.problem.summary == summary && is_at(error, path);
        self.models.iter().filter(is_it).count()
    }

    /// The errors about no model that a file has more often than before.
    fn new_in(&self, path: &Path, before: &Self) -> Vec<&Foreign> {
        let count = |errors: &Self, text: &str| {
            let is_it =
                |error: &&Foreign| error.file.as_deref() == Some(path) && error.text == text;
            errors.others.iter().filter(is_it).count()
        };
        let all = self
            .others
            .iter()
            .filter(|error| error.file.as_deref() == Some(path));
        let new = all.filter(|error| count(self, &error.text) > count(before, &error.text));
        new.collect()
    }
}

/// The changes of one round.
#[derive(Default)]
struct Round {
    files: Files,
    mends: Vec<Mend>,
    /// Mistakes whose changes would leave a file that cannot be read, so that they are left out.
    unfit: Vec<(PathBuf, Fixed)>,
}

/// The changes for one mistake.
struct Mend {
    path: PathBuf,
    fixed: Fixed,
    edits: Vec<Change>,
}

impl Fix {
    pub(crate) fn run(&self) -> Outcome {
        let done = workspace().and_then(|root| {
            if !self.dry_run {
                self.may_write(&root)?;
            }
            self.fix(&root)
        });
        done.unwrap_or_else(|failure| failure.trimmed().say())
    }

    /// Refuses to mix its changes with those of the author, anywhere in the workspace, since any of
    /// its packages may have errors.
    fn may_write(&self, root: &Path) -> Result<(), Failure> {
        let refused = |problem: String| Err(Failure::refused(problem));
        let status = |folder: &Path| {
            let mut git = Command::new("git");
            let output = git
                .arg("-C")
                .arg(folder)
                .args(["status", "--porcelain", "--untracked-files=no", "."])
                .output()
                .ok()?;
            output
                .status
                .success()
                .then(|| String::from_utf8_lossy(&output.stdout).into_owned())
        };
        // Git is called for the current folder, too, because a member of the workspace may have its
        // own repository.
        let known: Vec<String> = [root, Path::new(".")]
            .into_iter()
            .filter_map(status)
            .collect();
        if known.is_empty() && !self.allow_no_vcs {
            return refused("git does not know this folder, so changes could not be taken back; use --allow-no-vcs".to_owned());
        }
        match known.iter().find(|changed| !changed.trim().is_empty()) {
            Some(changed) if !self.allow_dirty => refused(format!(
                "these files have changes that are not committed; commit them first, or use --allow-dirty\n{changed}"
            )),
            Some(_) | None => Ok(()),
        }
    }

    /// Refuses to change files that are not to be written, or whose changes could not be taken back.
    fn may_change(&self, files: &Files) -> Result<(), Failure> {
        writable(files)?;
        if self.allow_no_vcs {
            return Ok(());
        }
        let unknown = files.keys().filter(|path| is_unknown(path));
        let unknown: Vec<String> = unknown.map(|path| shown(path)).collect();
        if unknown.is_empty() {
            return Ok(());
        }
        Err(Failure::refused(format!(
            "git does not know {}, so changes could not be taken back; add and commit first, or use --allow-no-vcs",
            unknown.join(", ")
        )))
    }

    fn errors(&self) -> Result<Errors, Failure> {
        let (mut messages, mut models, mut others) = (Messages::default(), Vec::new(), Vec::new());
        let checked = check(&self.cargo, |line| {
            match messages.read(line) {
                Line::Models(all, _) => models.extend(all),
                Line::Message(value) => others.extend(Foreign::of(&value)),
                Line::Other(_) => {}
            }
            Ok(())
        });
        let succeeded = checked.map_err(Failure::unreadable)?;
        if !succeeded && models.is_empty() && others.is_empty() {
            return Err(Failure::unreadable(
                "`cargo check` failed without an error about the source",
            ));
        }
        Ok(Errors {
            models: folded(models),
            others,
        })
    }

    fn fix(&self, root: &Path) -> Result<Outcome, Failure> {
        let mut errors = self.errors()?;
        if self.dry_run {
            let round = Round::of(&errors.models, root, &[])?;
            for (_, fixed) in &round.unfit {
                warn_unfit(fixed);
            }
            let all: Vec<Fixed> = round.mends.into_iter().map(|mend| mend.fixed).collect();
            return Ok(self.report(&all, &errors, diffs(&round.files)));
        }
        let mut fixes: Vec<Fixed> = Vec::new();
        match self.rounds(root, &mut errors, &mut fixes) {
            Err(failure) if fixes.is_empty() => Err(failure),
            // Otherwise nobody would hear of what the rounds before have written.
            Err(failure) => {
                let outcome = failure.trimmed().say();
                let reported = self.report(&fixes, &errors, Vec::new());
                Ok(outcome.and(reported))
            }
            Ok(()) => Ok(self.report(&fixes, &errors, Vec::new())),
        }
    }

    /// Writes changes until there are none.
    fn rounds(
        &self,
        root: &Path,
        errors: &mut Errors,
        fixes: &mut Vec<Fixed>,
    ) -> Result<(), Failure> {
        let mut refused: Vec<(PathBuf, String)> = Vec::new();
        for _ in 0..MOST_OFTEN {
            let round = Round::of(&errors.models, root, &refused)?;
            for (path, fixed) in &round.unfit {
                warn_unfit(fixed);
                refused.push((path.clone(), fixed.message.clone()));
            }
            if round.mends.is_empty() {
                break;
            }
            self.may_change(&round.files)?;
            let written = round
                .files
                .iter()
                .try_for_each(|(path, file)| write(path, &file.after));
            let after = match written.and_then(|()| self.errors()) {
                Ok(after) => after,
                Err(problem) => {
                    // No check has proved them.
                    take_back(&round.files)?;
                    return Err(problem);
                }
            };
            let mut failed = Vec::new();
            for mend in &round.mends {
                if let Some(why) = round.failure(mend, errors, &after) {
                    let Fixed {
                        file,
                        line,
                        message,
                        ..
                    } = &mend.fixed;
                    let sentence = format!(
                        "{file}:{line}: {message}: the change was taken back, because {why}"
                    );
                    failed.push(((mend.path.clone(), message.clone()), sentence));
                }
            }
            if failed.is_empty() {
                fixes.extend(round.mends.into_iter().map(|mend| mend.fixed));
                *errors = after;
            } else {
                take_back(&round.files)?;
                for (mistake, sentence) in failed {
                    terminal::warn(&sentence);
                    refused.push(mistake);
                }
            }
        }
        Ok(())
    }

    fn report(&self, fixes: &[Fixed], errors: &Errors, diffs: Vec<Diff>) -> Outcome {
        let count = errors.models.len() + errors.others.len();
        let printed = match self.format {
            Format::Json => {
                let written = !self.dry_run && !fixes.is_empty();
                let report = Report {
                    format_version: FORMAT_VERSION,
                    command: "fix",
                    written,
                    fixes,
                    errors: count,
                    diffs,
                };
                write_json(&report)
            }
            Format::Text if self.dry_run => diffs
                .iter()
                .try_for_each(|Diff { diff, .. }| write!(std::io::stdout(), "{diff}")),
            Format::Text => lines(fixes, count),
        };
        let outcome = terminal::printed(printed);
        if count > 0 && !self.dry_run {
            outcome.and(Outcome::Refused)
        } else {
            outcome
        }
    }
}

/// The changes, and what remains.
fn lines(fixes: &[Fixed], errors: usize) -> std::io::Result<()> {
    let mut out = anstream::stdout().lock();
    for Fixed {
        file,
        line,
        message,
        help,
        ..
    } in fixes
    {
        writeln!(out, "{file}:{line}: {message}\n    {help}")?;
    }
    match (fixes.len(), errors) {
        (0, 0) => writeln!(out, "there is nothing to mend"),
        (0, errors) => writeln!(
            out,
            "{} left, none with a change that leaves no choice; `lint` shows them",
            terminal::plural(errors, "error")
        ),
        (mended, 0) => writeln!(
            out,
            "{} mended; the models compile",
            terminal::plural(mended, "mistake")
        ),
        (mended, errors) => {
            let (mended, errors) = (
                terminal::plural(mended, "mistake"),
                terminal::plural(errors, "error"),
            );
            writeln!(out, "{mended} mended, {errors} left; `lint` shows them")
        }
    }
}

impl Round {
    /// The changes that leave no choice, no two of them to the same bytes.
    fn of(
        errors: &[Translated],
        root: &Path,
        refused: &[(PathBuf, String)],
    ) -> Result<Self, Failure> {
        let mut changes: BTreeMap<PathBuf, (&str, Vec<Change>)> = BTreeMap::new();
        let mut round = Self::default();
        for error in errors {
            let Some((help, change)) = error.problem.exact() else {
                continue;
            };
            // Resolved, because a module that two packages share has several names.
            let Ok(path) = error.file.canonicalize() else {
                continue;
            };
            let is_refused = refused
                .iter()
                .any(|(other, summary)| *other == path && *summary == error.problem.summary);
            if is_refused || !is_authors(&path, root) {
                continue;
            }
            let (text, taken) = changes
                .entry(path.clone())
                .or_insert_with(|| (error.text(), Vec::new()));
            let overlaps = change.edits.iter().any(|(range, _)| {
                taken
                    .iter()
                    .any(|(other, _)| range.start <= other.end && other.start <= range.end)
            });
            // Otherwise the file was saved between two messages.
            if overlaps || *text != error.text() {
                continue;
            }
            let fixed = Fixed {
                file: shown(&error.file),
                line: error.line(),
                code: error.problem.code.clone(),
                message: error.problem.summary.clone(),
                help: help.text.clone(),
            };
            let with: Vec<Change> = taken.iter().chain(&change.edits).cloned().collect();
            // Otherwise the compiler would stop before the derives, and all of their mistakes would
            // seem to be mended.
            if changed(text, &with).is_none_or(|after| RustFile::parse(&after).is_err()) {
                round.unfit.push((path, fixed));
                continue;
            }
            *taken = with;
            let edits = change.edits.clone();
            round.mends.push(Mend { path, fixed, edits });
        }
        for (path, (text, changes)) in changes {
            let before = read(&path)?;
            let is_another = || {
                Failure::refused(format!(
                    "{} changed meanwhile; nothing was written to it",
                    shown(&path)
                ))
            };
            // Otherwise places in the text that the compiler read would be taken for places in this
            // one.
            if before != text && !changes.is_empty() {
                return Err(is_another());
            }
            let after = changed(&before, &changes).ok_or_else(is_another)?;
            if after != before {
                round.files.insert(path, File { before, after });
            }
        }
        Ok(round)
    }

    /// The reason why a change is not to stay, by the errors before and after the round.
    fn failure(&self, mend: &Mend, before: &Errors, after: &Errors) -> Option<String> {
        let Mend { path, fixed, .. } = mend;
        let in_file = || self.mends.iter().filter(move |other| other.path == *path);
        // Counted, because another struct of the file may have the same mistake without a change
        // that leaves no choice.
        let changed = in_file()
            .filter(|other| other.fixed.message == fixed.message)
            .count();
        if after.count(path, &fixed.message) + changed > before.count(path, &fixed.message) {
            return Some("it did not mend its mistake".to_owned());
        }
        let is_of = |mend: &Mend, error: &Foreign| {
            let mut places = self.places(mend).into_iter();
            places.any(|place| place.start <= error.at.end && error.at.start <= place.end)
        };
        // Behind an error without a code the derives may not have run. Another one elsewhere may
        // be an old one, which the mistake had hidden.
        let is_made = |error: &&Foreign| {
            is_of(mend, error) || !error.has_code && !in_file().any(|other| is_of(other, error))
        };
        let error = after.new_in(path, before).into_iter().find(is_made)?;
        let line = error.text.lines().next().unwrap_or_default();
        Some(format!(
            "there is another error with it: {}",
            terminal::plain(line)
        ))
    }

    /// The bytes of a change in its file after the round.
    fn places(&self, mend: &Mend) -> Vec<Range<usize>> {
        let in_file = self.mends.iter().filter(|other| other.path == mend.path);
        let edits: Vec<&Change> = in_file.flat_map(|other| &other.edits).collect();
        let place = |(range, with): &Change| {
            let (mut gone, mut made) = (0, 0);
            for (earlier, with) in &edits {
                if earlier.start < range.start {
                    gone += earlier.len();
                    made += with.len();
                }
            }
            let start = (range.start + made).saturating_sub(gone);
            start..start + with.len()
        };
        mend.edits.iter().map(place).collect()
    }
}

/// Warns that a change was left out.
fn warn_unfit(fixed: &Fixed) {
    let Fixed {
        file,
        line,
        message,
        ..
    } = fixed;
    terminal::warn(&format!(
        "{file}:{line}: {message}: the change was left out, because the file could not be read as Rust with it"
    ));
}

/// The text with changes, no two of which are to the same bytes; `None` if they are those of another
/// one.
fn changed(text: &str, changes: &[Change]) -> Option<String> {
    let mut changes: Vec<&Change> = changes.iter().collect();
    changes.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
    let mut after = text.to_owned();
    for (range, with) in changes {
        after.get(range.clone())?;
        after.replace_range(range.clone(), with);
    }
    Some(after)
}

/// True if a file is the author's to change: in the workspace, and not made or fetched by cargo.
fn is_authors(path: &Path, root: &Path) -> bool {
    // Without the workspace's own folder, because there a mark is the author's, or cargo's where
    // that is the target folder, too.
    let mut inside = path
        .ancestors()
        .skip(1)
        .take_while(|folder| *folder != root);
    path.starts_with(root)
        && inside.all(|folder| OF_CARGO.iter().all(|name| !folder.join(name).exists()))
}

/// True if an error is in a file, whatever the compiler calls it.
fn is_at(error: &Translated, path: &Path) -> bool {
    error.file.canonicalize().is_ok_and(|file| file == path)
}

/// True if git does not have a file.
fn is_unknown(path: &Path) -> bool {
    let (folder, name) = (path.parent(), path.file_name());
    let mut git = Command::new("git");
    git.arg("-C").arg(folder.unwrap_or(Path::new("/")));
    // Otherwise `[a].rs` would be known where `a.rs` is.
    git.arg("--literal-pathspecs");
    git.args(["ls-files", "--error-unmatch", "--"]).args(name);
    match git.output() {
        Ok(output) => !output.status.success(),
        Err(_) => true,
    }
}

/// Puts back the files as they were before a round, but for those that the author has saved since.
fn take_back(files: &Files) -> Result<(), Failure> {
    let mut saved = Vec::new();
    for (path, File { before, after }) in files {
        match std::fs::read_to_string(path) {
            Ok(now) if now == *after => write(path, before)?,
            // It was not written yet.
            Ok(now) if now == *before => {}
            Ok(_) | Err(_) => saved.push(shown(path)),
        }
    }
    if saved.is_empty() {
        return Ok(());
    }
    let files = saved.join(", ");
    Err(Failure::refused(format!(
        "{files}: changed meanwhile, so changes that did not mend their mistakes are still there"
    )))
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    write_public(path, text.as_bytes())
        .map_err(|error| Failure::unreadable(format!("cannot write {}: {error}", shown(path))))
}

/// The folder of the workspace that the compiler is run in.
fn workspace() -> Result<PathBuf, Failure> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let output = Command::new(&cargo)
        .args(["locate-project", "--workspace", "--message-format=plain"])
        .output();
    let output = output.map_err(|error| {
        Failure::unreadable(format!(
            "cannot run {}: {error}",
            Path::new(&cargo).display()
        ))
    })?;
    if !output.status.success() {
        return Err(Failure::unreadable(
            String::from_utf8_lossy(&output.stderr)
                .trim_end()
                .to_owned(),
        ));
    }
    let manifest = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim_end());
    let folder = manifest
        .parent()
        .and_then(|folder| folder.canonicalize().ok());
    folder.ok_or_else(|| Failure::unreadable(format!("cannot read {}", manifest.display())))
}
