//! `cargo check`, and its messages line by line.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::rc::Rc;

use serde_json::Value;

use super::translate::{Translated, translate};

/// A line of what cargo prints.
#[derive(Debug)]
pub(crate) enum Line {
    /// Mistakes in models, and the line that had them, whose message each of theirs replaces.
    Models(Vec<Translated>, Value),
    /// A message of the compiler about anything else.
    Message(Value),
    /// Everything else, as it was.
    Other(String),
}

/// The messages of one run, and the files that they are about.
#[derive(Debug, Default)]
pub(crate) struct Messages {
    files: BTreeMap<PathBuf, Rc<str>>,
}

impl Messages {
    /// Reads a line.
    pub(crate) fn read(&mut self, line: &str) -> Line {
        let Ok(value) = serde_json::from_str::<Value>(line) else {
            return Line::Other(line.to_owned());
        };
        // Without cargo, the compiler prints the message itself.
        let message = match value.get("reason").and_then(Value::as_str) {
            Some("compiler-message") => value.get("message"),
            Some(_) => None,
            None => value.get("$message_type").map(|_| &value),
        };
        let Some(message) = message else {
            return Line::Other(line.to_owned());
        };
        let manifest = value
            .get("manifest_path")
            .and_then(Value::as_str)
            .map(Path::new);
        let here = std::env::current_dir().unwrap_or_default();
        let folder = manifest.and_then(Path::parent).unwrap_or(&here);
        match translate(message, folder, &mut self.files) {
            Some(translated) => Line::Models(translated, value),
            None => Line::Message(value),
        }
    }
}

/// Runs `cargo check` with more arguments, in the folder that this program runs in; true if it
/// found no error.
///
/// # Errors
/// A sentence: cargo cannot be started, or `each` cannot go on.
pub(crate) fn check(
    arguments: &[OsString],
    mut each: impl FnMut(&str) -> io::Result<()>,
) -> Result<bool, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let mut command = Command::new(&cargo);
    command
        .args(["check", "--message-format=json"].map(OsStr::new))
        .args(arguments)
        .stdout(Stdio::piped());
    let failed = |error: io::Error| format!("cannot run {}: {error}", Path::new(&cargo).display());
    let mut child = command.spawn().map_err(failed)?;
    let Some(out) = child.stdout.take() else {
        return Err(failed(io::ErrorKind::BrokenPipe.into()));
    };
    let mut printed = Ok(());
    for line in BufReader::new(out).lines() {
        printed = line.and_then(|line| each(&line));
        if printed.is_err() {
            break;
        }
    }
    let status = child.wait().map_err(failed)?;
    printed.map_err(|error| format!("cannot write to standard output: {error}"))?;
    Ok(status.success())
}
