//! `check` and `changelog`.

use super::files::compared;
use super::{Check, Failure, formats};
use crate::program::Program;
use crate::{Outcome, terminal};

pub(super) fn check(program: &Program, args: &Check, everything: bool) -> Result<Outcome, Failure> {
    let compared = compared(program, &args.place, args.against.as_deref())?;
    let printed = terminal::printed(formats::print(&compared, args, everything));
    let outcome = match (&compared.report, everything) {
        (_, true) => Outcome::Done,
        (report, _) if report.findings.iter().any(|finding| finding.rule.id() == "baseline-missing") => Outcome::Unreadable,
        _ if compared.fixtures_failed => Outcome::FixtureFailed,
        (report, _) if report.ok => Outcome::Done,
        _ => Outcome::Refused,
    };
    Ok(printed.and(outcome))
}
