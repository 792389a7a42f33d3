//! The compiler, asked through cargo what it finds in a package.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

use super::proposal::Proposal;

/// The compiler's messages.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    /// Its proposals for the requested types, each once.
    pub(crate) found: Vec<Found>,
    /// The other errors, as it prints them, each once.
    pub(crate) others: Vec<String>,
    /// The folders of the packages that it read.
    pub(crate) packages: Vec<PathBuf>,
    /// The output of cargo itself, of interest if the compiler wrote nothing.
    pub(crate) stderr: String,
    pub(crate) succeeded: bool,
}

/// A proposal, and where in the source it belongs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) proposal: Proposal,
    pub(crate) file: PathBuf,
    /// From 1 on.
    pub(crate) line: usize,
    /// In characters, from 1 on.
    pub(crate) column: usize,
    /// The line as the compiler read it.
    pub(crate) read: Option<String>,
}

impl Found {
    /// True if it is the same proposal for the same place. The line there may be another one by
    /// now, because the proposal was written into it.
    pub(crate) fn is_again(&self, found: &Self) -> bool {
        (&self.proposal, &self.file, self.line, self.column)
            == (&found.proposal, &found.file, found.line, found.column)
    }
}

/// A line of what cargo prints with `--message-format=json`.
#[derive(Deserialize)]
struct Line {
    reason: String,
    manifest_path: Option<PathBuf>,
    message: Option<Diagnostic>,
}

#[derive(Deserialize)]
struct Diagnostic {
    level: String,
    message: String,
    rendered: Option<String>,
    spans: Vec<Span>,
}

#[derive(Deserialize)]
struct Span {
    file_name: PathBuf,
    line_start: usize,
    column_start: usize,
    is_primary: bool,
    #[serde(default)]
    text: Vec<SourceLine>,
}

#[derive(Deserialize)]
struct SourceLine {
    text: String,
}

/// Runs `cargo check` with more arguments, in the folder that this program runs in.
///
/// # Errors
/// A sentence: cargo cannot be started.
pub(crate) fn ask(types: &[String], arguments: &[OsString]) -> Result<Answer, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let ran = Command::new(&cargo)
        .args(["check", "--message-format=json"].map(OsStr::new))
        .args(arguments)
        .output();
    let output =
        ran.map_err(|error| format!("cannot run {}: {error}", Path::new(&cargo).display()))?;
    let mut answer = Answer {
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        succeeded: output.status.success(),
        ..Answer::default()
    };
    // Other lines are what build scripts and the like print.
    for line in String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter_map(|line| serde_json::from_str::<Line>(line).ok())
    {
        answer.read(types, line);
    }
    Ok(answer)
}

impl Answer {
    fn read(
        &mut self,
        types: &[String],
        Line {
            reason,
            manifest_path,
            message,
        }: Line,
    ) {
        let folder = manifest_path.as_deref().and_then(Path::parent);
        if let Some(folder) = folder
            && !self.packages.iter().any(|package| package == folder)
        {
            self.packages.push(folder.to_owned());
        }
        let Some(diagnostic) = message
            .filter(|diagnostic| reason == "compiler-message" && diagnostic.level == "error")
        else {
            return;
        };
        let primary = diagnostic.spans.iter().find(|span| span.is_primary);
        if let Some(proposal) = types
            .iter()
            .find_map(|type_name| Proposal::read(&diagnostic.message, type_name))
            && let (Some(folder), Some(span)) = (folder, primary)
            && let Some(file) = located(folder, &span.file_name)
        {
            let read = span.text.first().map(|line| line.text.clone());
            let found = Found {
                proposal,
                file,
                line: span.line_start,
                column: span.column_start,
                read,
            };
            // The library is compiled again for its tests.
            if !self.found.contains(&found) {
                self.found.push(found);
            }
            return;
        }
        // Without a place it is the count of the others.
        let rendered = diagnostic.rendered.filter(|_| primary.is_some());
        if let Some(rendered) = rendered
            && !self.others.contains(&rendered)
        {
            self.others.push(rendered);
        }
    }
}

/// A file that the compiler names relative to the folder that cargo ran it in: the package's, or
/// the workspace's above it.
fn located(package: &Path, name: &Path) -> Option<PathBuf> {
    package
        .ancestors()
        .map(|folder| folder.join(name))
        .find(|path| path.is_file())
}
