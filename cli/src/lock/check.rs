//! `check` and `changelog`.

use upstate::upgrade::SeenLock;

use super::files::{Files, compared};
use super::{Check, Failure, formats};
use crate::outcome::Outcome;
use crate::program::Program;
use crate::terminal;

pub(super) fn check(program: &Program, args: &Check, everything: bool) -> Result<Outcome, Failure> {
    let compared = compared(program, &args.place, args.against.as_deref())?;
    let printed = terminal::printed(formats::print(&compared, args, everything));
    if args.against.is_none() {
        compiled_against(program, &compared.files, args.verbose);
    }
    let outcome = match (&compared.report, everything) {
        (_, true) => Outcome::Done,
        (report, _)
            if report
                .findings
                .iter()
                .any(|finding| finding.rule.id() == "baseline-missing") =>
        {
            Outcome::Unreadable
        }
        _ if compared.fixtures_failed => Outcome::FixtureFailed,
        (report, _) if report.ok => Outcome::Done,
        _ => Outcome::Refused,
    };
    Ok(printed.and(outcome))
}

/// Says where models were not compiled against the lock that they are compared with now; and with
/// `verbose` where they were.
fn compiled_against(program: &Program, files: &Files, verbose: bool) {
    let digest = std::fs::read_to_string(&files.lock)
        .map(|text| upstate_words::key(&text))
        .unwrap_or_default();
    let (mut same, mut other, mut none) = (None::<SeenLock>, Vec::new(), Vec::new());
    for definition in program.registry().definitions() {
        match definition.history().map(upstate::upgrade::History::lock) {
            Some(Some(seen)) if seen.digest == digest => same = Some(seen),
            Some(Some(seen)) => other.push((definition.type_name(), seen.path)),
            Some(None) => none.push(definition.type_name()),
            // A definition made at run time has no history, so no compiler compared it with a lock.
            None => {}
        }
    }
    let shown = files.lock.display();
    if let Some((first, path)) = other.first() {
        let more = others(other.len());
        terminal::warn(&format!(
            "the compiler saw {path} for {first}{more}, and {shown} is another now: build the program again"
        ));
    }
    if let Some(first) = none.first() {
        let unseen = format!(
            "the compiler saw no upstate.lock for {first}{}, so nothing pins its stored shape",
            others(none.len())
        );
        // Where it saw none at all, the program may be older than the lock.
        match same.is_some() || !other.is_empty() {
            true => terminal::warn(&format!(
                "{unseen}: put one into the package or its workspace's root"
            )),
            false if verbose => terminal::note(&unseen),
            false => {}
        }
    }
    if let (Some(seen), true) = (same, verbose) {
        terminal::note(&format!(
            "the compiler saw this lock, as {} of the package",
            seen.path
        ));
    }
}

fn others(count: usize) -> String {
    if count > 1 {
        format!(" and {} more", terminal::plural(count - 1, "type"))
    } else {
        String::new()
    }
}
