//! `known`: what failed when the rules were adopted. The file only ever shrinks.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use upstate_state::atomic_file::write_public;

use super::files::{Files, compared};
use super::{Failure, Place};
use crate::outcome::Outcome;
use crate::program::Program;
use crate::terminal;

/// The name of the file.
const FILE: &str = "upstate.known.json";

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Known {
    format: u32,
    /// Fingerprints.
    known: BTreeSet<String>,
}

fn path(files: &Files) -> PathBuf {
    files.lock.with_file_name(FILE)
}

/// The fingerprints; nothing if there is no such file.
pub(super) fn read(files: &Files) -> Result<Option<Vec<String>>, Failure> {
    let path = path(files);
    let shown = path.display();
    let text = match std::fs::read(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Failure::usage(format!("cannot read {shown}: {error}"))),
    };
    let known: Known = serde_json::from_slice(&text)
        .map_err(|error| Failure::usage(format!("{shown}: {error}")))?;
    if known.format != 1 {
        return Err(Failure::usage(format!(
            "{shown}: its format is {}, and this upstate reads 1",
            known.format
        )));
    }
    Ok(Some(known.known.into_iter().collect()))
}

pub(super) fn known(program: &Program, place: &Place) -> Result<Outcome, Failure> {
    let compared = compared(program, place, None)?;
    let path = path(&compared.files);
    let (known, words) = if let Some(before) = read(&compared.files)? {
        let settled: BTreeSet<&String> = compared.settled.iter().collect();
        let left: BTreeSet<String> = before
            .iter()
            .filter(|known| !settled.contains(known))
            .cloned()
            .collect();
        let words = format!(
            "{} settled and taken out, {} left",
            terminal::plural(settled.len(), "finding"),
            left.len()
        );
        (left, words)
    } else {
        // What is said about the program as a whole changes with every release.
        let failing = compared
            .report
            .failures(&compared.options)
            .filter(|finding| !finding.resource.is_empty());
        let (known, refused): (Vec<_>, Vec<_>) =
            failing.partition(|finding| finding.rule.can_be_waived());
        for finding in refused {
            terminal::fail(&format!(
                "`{}` cannot be let through: {}",
                finding.rule.id(),
                finding.message
            ));
        }
        let known: BTreeSet<String> = known
            .into_iter()
            .map(|finding| finding.fingerprint.clone())
            .collect();
        let words = format!(
            "{} known from now on",
            terminal::plural(known.len(), "finding")
        );
        (known, words)
    };
    write(&path, known)?;
    let print = || {
        let mut out = std::io::stdout().lock();
        writeln!(out, "{words}")?;
        writeln!(out, "wrote {}", path.display())
    };
    Ok(terminal::printed(print()))
}

fn write(path: &Path, known: BTreeSet<String>) -> Result<(), Failure> {
    let unwritable = |error: &dyn std::fmt::Display| {
        Failure::unreadable(format!("cannot write {}: {error}", path.display()))
    };
    let mut text = serde_json::to_string_pretty(&Known { format: 1, known })
        .map_err(|error| unwritable(&error))?;
    text.push('\n');
    write_public(path, text.as_bytes()).map_err(|error| unwritable(&error))
}
