//! `lint`: the compiler's messages about models, one mistake a message, with what can be typed.

use std::ffi::OsString;
use std::io::{BufRead as _, Write as _};
use std::path::PathBuf;

use annotate_snippets::Renderer;
use clap::Args as ClapArgs;
use serde_json::Value;

use crate::format::Format;
use crate::lint::{Line, Messages, Translated, check, folded};
use crate::outcome::Outcome;
use crate::terminal;

/// Show the compile errors of models one by one, with what to type at its place
///
/// Runs `cargo check`. A message that holds several mistakes is taken apart, a mistake that is in
/// several places is shown once, and each help that can be typed is shown as a change of the
/// source. With `--format json` the messages have the form of `cargo check --message-format=json`,
/// so that editors offer the changes: set rust-analyzer's `check.overrideCommand` to
/// `["cargo", "upstate", "lint", "--format", "json", "--", "--workspace", "--all-targets"]`.
///
/// `check` is another command: it compares the schemas of a release with those of earlier ones.
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Examples:\n  cargo upstate lint\n  cargo upstate lint -- -p my-models --all-features\n  cargo check --message-format=json | {program} lint --from -"
)]
pub(crate) struct Lint {
    /// The format of the messages
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Read messages that cargo or the compiler printed as JSON, - for standard input, and do not
    /// run cargo
    #[arg(long, value_name = "FILE", conflicts_with = "cargo")]
    from: Option<PathBuf>,
    /// Options of `cargo check`, such as `-p PACKAGE`
    #[arg(value_name = "OPTION", last = true)]
    cargo: Vec<OsString>,
}

/// The messages about models, held back until all of them are known.
struct Held {
    format: Format,
    messages: Messages,
    waiting: Vec<(Translated, Value)>,
    errors: bool,
}

impl Lint {
    pub(crate) fn run(&self) -> Outcome {
        let mut held = Held {
            format: self.format,
            messages: Messages::default(),
            waiting: Vec::new(),
            errors: false,
        };
        let checked = match &self.from {
            None => check(&self.cargo, |line| held.line(line)),
            Some(path) => recorded(path, &mut held),
        };
        match checked.and_then(|succeeded| {
            held.finish()
                .map(|()| succeeded)
                .map_err(|error| error.to_string())
        }) {
            Ok(true) if !held.errors => Outcome::Done,
            Ok(_) => Outcome::Refused,
            Err(problem) => {
                terminal::fail(&problem);
                Outcome::Unreadable
            }
        }
    }
}

fn recorded(path: &PathBuf, held: &mut Held) -> Result<bool, String> {
    let unreadable = |error: std::io::Error| format!("cannot read {}: {error}", path.display());
    let mut each = |line: std::io::Result<String>| -> Result<(), String> {
        held.line(&line.map_err(unreadable)?)
            .map_err(|error| format!("cannot write to standard output: {error}"))
    };
    if path.as_os_str() == "-" {
        std::io::stdin().lock().lines().try_for_each(&mut each)?;
    } else {
        std::io::BufReader::new(std::fs::File::open(path).map_err(unreadable)?)
            .lines()
            .try_for_each(&mut each)?;
    }
    Ok(true)
}

impl Held {
    fn line(&mut self, line: &str) -> std::io::Result<()> {
        match self.messages.read(line) {
            Line::Models(all, value) => {
                self.errors = true;
                self.waiting.extend(
                    all.into_iter()
                        .map(|translated| (translated, value.clone())),
                );
                Ok(())
            }
            Line::Message(value) => {
                let message = value
                    .get("message")
                    .filter(|message| message.is_object())
                    .unwrap_or(&value);
                // "For more information about this error, try `rustc --explain E0080`": that is
                // about constants.
                if message.get("level").and_then(Value::as_str) == Some("failure-note") {
                    return Ok(());
                }
                self.errors |= message.get("level").and_then(Value::as_str) == Some("error");
                match self.format {
                    Format::Json => writeln!(std::io::stdout(), "{line}"),
                    // "aborting due to 3 previous errors" would count what is taken apart here.
                    Format::Text
                        if message
                            .get("spans")
                            .and_then(Value::as_array)
                            .is_some_and(Vec::is_empty) =>
                    {
                        Ok(())
                    }
                    Format::Text => {
                        let rendered = message
                            .get("rendered")
                            .and_then(Value::as_str)
                            .unwrap_or_default();
                        write!(anstream::stdout(), "{rendered}")
                    }
                }
            }
            Line::Other(line) => {
                if line.contains("\"build-finished\"") {
                    self.finish()?;
                }
                match self.format {
                    Format::Json => writeln!(std::io::stdout(), "{line}"),
                    Format::Text => Ok(()),
                }
            }
        }
    }

    /// Writes what was held back.
    fn finish(&mut self) -> std::io::Result<()> {
        // Folding drops lines, so that each message is put into the first line that had it.
        let (all, mut values): (Vec<Translated>, Vec<Value>) = self.waiting.drain(..).unzip();
        let places: Vec<(String, String)> = all
            .iter()
            .map(|one| (one.place(), one.problem.summary.clone()))
            .collect();
        for translated in folded(all) {
            match self.format {
                Format::Text => write!(
                    anstream::stdout(),
                    "{}",
                    translated.rendered(Renderer::styled())
                )?,
                Format::Json => {
                    let key = (translated.place(), translated.problem.summary.clone());
                    let index = places
                        .iter()
                        .position(|place| *place == key)
                        .unwrap_or_default();
                    let Some(value) = values.get_mut(index) else {
                        continue;
                    };
                    if value.get("reason").is_some() {
                        if let Some(object) = value.as_object_mut() {
                            object.insert("message".to_owned(), translated.message());
                        }
                        writeln!(std::io::stdout(), "{value}")?;
                    } else {
                        writeln!(std::io::stdout(), "{}", translated.message())?;
                    }
                }
            }
        }
        std::io::stdout().flush()
    }
}
