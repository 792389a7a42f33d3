//! `cargo check`, and its messages line by line.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io::{self, BufRead, BufReader};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::rc::Rc;

use serde_json::Value;

use super::translate::{Translated, found, offset, translate};

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
        match translate(message, &folder_of(&value), &mut self.files) {
            Some(translated) => Line::Models(translated, value),
            None => Line::Message(value),
        }
    }
}

/// An error of the compiler that is about no model.
#[derive(Debug)]
pub(crate) struct Foreign {
    /// The file, whatever the compiler calls it.
    pub(crate) file: Option<PathBuf>,
    pub(crate) at: Range<usize>,
    pub(crate) text: String,
    /// True with a code of the compiler. Errors of syntax have none.
    pub(crate) has_code: bool,
}

impl Foreign {
    /// The error of a message; `None` for a warning, and for the count of the errors, which has no
    /// place.
    pub(crate) fn of(line: &Value) -> Option<Self> {
        let message = line.get("message").filter(|message| message.is_object());
        let message = message.unwrap_or(line);
        let text_of = |value: &Value, name: &str| Some(value.get(name)?.as_str()?.to_owned());
        if text_of(message, "level")? != "error" {
            return None;
        }
        let spans = message.get("spans")?.as_array()?;
        let is_primary = |span: &&Value| span.get("is_primary") == Some(&Value::Bool(true));
        let span = spans.iter().find(is_primary).or_else(|| spans.first())?;
        let file = text_of(span, "file_name").and_then(|name| found(&folder_of(line), &name));
        let at = |name: &str| offset(span, name).unwrap_or_default();
        Some(Self {
            file: file.and_then(|file| file.canonicalize().ok()),
            at: at("byte_start")..at("byte_end"),
            text: text_of(message, "message").unwrap_or_default(),
            has_code: message.get("code").is_some_and(|code| !code.is_null()),
        })
    }
}

/// The folder in which the names of files in a line begin.
fn folder_of(line: &Value) -> PathBuf {
    let manifest = line.get("manifest_path").and_then(Value::as_str);
    let folder = manifest.and_then(|manifest| Path::new(manifest).parent());
    folder.map_or_else(
        || std::env::current_dir().unwrap_or_default(),
        Path::to_path_buf,
    )
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
