//! `upgrade --ndjson`: a filter over stored states, one a line.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Write};
use std::path::Path;

use upstate::Registry;
use upstate_state::{LineTotals, NewFile, upgrade_lines};

use super::upgrade::unwritable;
use crate::source::{self, is_dash};
use crate::{Outcome, terminal};

pub(super) fn run(registry: &Registry, input: Option<&Path>, output: Option<&Path>) -> Outcome {
    let from = input.filter(|path| !is_dash(path));
    let totals = match from.map(File::open) {
        None => filter(registry, BufReader::with_capacity(1 << 20, io::stdin().lock()), output),
        Some(Ok(file)) => filter(registry, BufReader::with_capacity(1 << 20, file), output),
        Some(Err(error)) => {
            terminal::fail(&format!("cannot read {}: {error}", from.map_or(String::new(), source::name)));
            return Outcome::Unreadable;
        }
    };
    match totals {
        Ok(totals) => {
            say(&totals);
            if totals.failed > 0 { Outcome::Refused } else { Outcome::Done }
        }
        Err(outcome) => outcome,
    }
}

fn filter(registry: &Registry, input: impl io::BufRead, output: Option<&Path>) -> Result<LineTotals, Outcome> {
    match output.filter(|path| !is_dash(path)) {
        None => {
            let out = BufWriter::with_capacity(1 << 18, io::stdout().lock());
            upgrade_lines(registry, input, out).map_err(|error| interrupted("standard output", &error))
        }
        Some(path) => {
            let mut file = NewFile::create(path).map_err(|error| unwritable(path, &error))?;
            let totals = upgrade_lines(registry, input, &mut file);
            let totals = totals.map_err(|error| interrupted(&path.display().to_string(), &error))?;
            file.put_in_place().map_err(|error| unwritable(path, &error))?;
            Ok(totals)
        }
    }
}

/// Reading and writing take turns, so which of them failed is not known.
fn interrupted(output: &str, error: &io::Error) -> Outcome {
    // Nobody reads on: whoever closed the pipe has what they wanted.
    if error.kind() == io::ErrorKind::BrokenPipe {
        return Outcome::Done;
    }
    terminal::fail(&format!("the lines cannot be read on, or not be written to {output}: {error}"));
    Outcome::Unreadable
}

/// On standard error, for standard output has the lines.
fn say(totals: &LineTotals) {
    let LineTotals { upgraded, current, unknown, failed } = totals;
    let mut parts = vec![format!("{upgraded} upgraded"), format!("{current} already current")];
    if *unknown > 0 {
        parts.push(format!("{unknown} of unknown types, left as they are"));
    }
    if *failed > 0 {
        parts.push(format!("{failed} not upgraded, each with its error"));
    }
    let _ = writeln!(anstream::stderr(), "{}", parts.join(", "));
}
