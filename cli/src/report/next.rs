//! The command to type after a refusal.

use std::fmt::Write as _;
use std::path::Path;

use upstate_state::Instance;

use super::{About, Written};
use crate::program::program_name;
use crate::source::is_dash;
use crate::terminal::{BOLD, DIM, plain};

/// The first instance that failed.
pub(super) struct Next {
    type_name: String,
    address: String,
}

impl Next {
    pub(super) fn after(instance: &Instance<'_>) -> Self {
        Self {
            type_name: plain(instance.type_name()),
            address: plain(&instance.address().to_string()),
        }
    }

    /// Writes commands that look into the refusal, and one that goes on without what failed.
    pub(super) fn write(
        &self,
        out: &mut String,
        about: &About<'_>,
        failed: usize,
        written: &Written,
    ) {
        let program = program_name();
        let address = quoted(&self.address);
        let mut lines = vec![
            (
                format!("{program} explain {}", self.type_name),
                "what each upgrader of the type does",
            ),
            (
                format!("terraform state show {address}"),
                "the stored state",
            ),
        ];
        // A downgrade says where to go with options of its own. What is done partially has left
        // these out already.
        if about.back.is_none() && !about.partial {
            let which = if failed == 1 {
                format!("--exclude {address}")
            } else {
                "--partial".to_owned()
            };
            let state = if is_dash(about.state) {
                "-".to_owned()
            } else {
                quoted_path(about.state)
            };
            let command = match written {
                Written::Planned => "plan",
                Written::Nothing | Written::To(_) | Written::Stdout | Written::InPlace { .. } => {
                    "upgrade"
                }
            };
            lines.push((
                format!("{program} {command} {state} {which}"),
                "all other instances",
            ));
        }
        let width = lines
            .iter()
            .map(|(command, _)| command.chars().count())
            .max()
            .unwrap_or_default();
        let _ = writeln!(out, "{BOLD}next{BOLD:#}:");
        for (command, what) in lines {
            let _ = writeln!(out, "  {command:width$}  {DIM}{what}{DIM:#}");
        }
        out.push('\n');
    }
}

fn quoted_path(path: &Path) -> String {
    let shown = plain(&path.display().to_string());
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "./_-+".contains(letter);
    if shown.chars().all(is_plain) {
        shown
    } else {
        quoted(&shown)
    }
}

/// A word for the shell.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}
