//! `upgrade --ndjson`: a filter over stored states, one a line.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Write};
use std::path::Path;

use upstate::UpgradeRequest;
use upstate_state::atomic_file::NewFile;
use upstate_state::{LineOptions, LineTotals, upgrade_lines_with};

use super::upgrade::unwritable;
use crate::outcome::Outcome;
use crate::program::Program;
use crate::source::{self, is_dash};
use crate::terminal;

pub(super) fn run(
    program: &Program,
    input: Option<&Path>,
    output: Option<&Path>,
    options: LineOptions<'_>,
) -> Outcome {
    let from = input.filter(|path| !is_dash(path));
    let totals = match from.map(File::open) {
        None => filter(
            program,
            BufReader::with_capacity(1 << 20, io::stdin().lock()),
            output,
            options,
        ),
        Some(Ok(file)) => filter(
            program,
            BufReader::with_capacity(1 << 20, file),
            output,
            options,
        ),
        Some(Err(error)) => {
            terminal::fail(&format!(
                "cannot read {}: {error}",
                from.map_or(String::new(), source::name)
            ));
            return Outcome::Unreadable;
        }
    };
    match totals {
        Ok(totals) => {
            say(&totals);
            if totals.failed > 0 {
                Outcome::Refused
            } else {
                Outcome::Done
            }
        }
        Err(outcome) => outcome,
    }
}

fn filter(
    program: &Program,
    input: impl io::BufRead,
    output: Option<&Path>,
    options: LineOptions<'_>,
) -> Result<LineTotals, Outcome> {
    let upgrade = |request: &UpgradeRequest<'_>| program.upgrade(request);
    let options = options.upgraded_by(&upgrade);
    let (output, mut file) = match output.filter(|path| !is_dash(path)) {
        None => (Path::new("-"), None),
        Some(path) => (
            path,
            Some(NewFile::create(path).map_err(|error| unwritable(path, &error))?),
        ),
    };
    let mut stdout = BufWriter::with_capacity(1 << 18, io::stdout().lock());
    let out: &mut dyn Write = match &mut file {
        Some(file) => file,
        None => &mut stdout,
    };
    let mut out = Noting { out, failed: false };
    let totals = upgrade_lines_with(program.registry(), &options, input, &mut out);
    let totals = totals.map_err(|error| {
        if out.failed {
            return unwritable(output, &error);
        }
        terminal::fail(&format!("the lines cannot be read on: {error}"));
        Outcome::Unreadable
    })?;
    if let Some(file) = file {
        file.put_in_place()
            .map_err(|error| unwritable(output, &error))?;
    }
    program.say_what_it_lacks();
    Ok(totals)
}

/// Reading and writing take turns; this notes which of them failed.
struct Noting<'a> {
    out: &'a mut dyn Write,
    failed: bool,
}

impl Write for Noting<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes).inspect_err(|_| self.failed = true)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush().inspect_err(|_| self.failed = true)
    }
}

/// On standard error, for standard output has the lines.
fn say(totals: &LineTotals) {
    let LineTotals {
        upgraded,
        leaving_out,
        current,
        unknown,
        failed,
    } = totals;
    let mut parts = vec![
        format!("{upgraded} upgraded"),
        format!("{current} already current"),
    ];
    if *leaving_out > 0 {
        parts.push(format!(
            "{leaving_out} of them without values that no schema defines, named in `not_kept`"
        ));
    }
    if *unknown > 0 {
        parts.push(format!("{unknown} of unknown types, unchanged"));
    }
    if *failed > 0 {
        parts.push(format!("{failed} not upgraded, each with its error"));
    }
    let _ = writeln!(anstream::stderr(), "{}", parts.join(", "));
}
