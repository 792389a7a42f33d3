//! `lock`.

use std::io::Write as _;

use upstate_compat::{Date, Snapshot};
use upstate_state::atomic_file::write_public;

use super::files::{Files, release};
use super::{Failure, Lock as Args};
use crate::program::Program;
use crate::{Outcome, terminal};

pub(super) fn lock(program: &Program, args: &Args) -> Result<Outcome, Failure> {
    let files = Files::of(&args.place);
    let (before, mut lock) = files.read_lock()?.unwrap_or_default();
    let current = Snapshot::of(program.registry()).on(args.date.unwrap_or_else(Date::today));
    let release = if args.unreleased {
        None
    } else {
        let known = release(program, &args.place)?;
        Some(known.ok_or_else(|| Failure::usage("say which release this is: --release 1.4.0"))?)
    };
    let result = match (&args.import, &release) {
        (Some(path), Some(release)) => {
            let json =
                std::fs::read(path).map_err(|error| Failure::unreadable(format!("cannot read {}: {error}", path.display())))?;
            let imported = lock.import(&json, args.provider.as_deref(), release.clone());
            Ok(imported.map_err(|error| Failure::unreadable(format!("{}: {error}", path.display())))?)
        }
        (None, Some(release)) => lock.freeze(&current, release.clone()),
        (_, None) => lock.relock(&current),
    };
    let changes = match result {
        Ok(changes) => changes,
        Err(refusals) => {
            for refusal in refusals.iter() {
                terminal::fail(refusal);
            }
            terminal::fail(&format!("{} was not changed: what was released stays as it was", files.lock.display()));
            return Ok(Outcome::Refused);
        }
    };
    // A day that is given corrects the one that the lock has; today's does not.
    if let (Some(date), Some(release)) = (args.date, &release) {
        lock.set_date(release, date);
    }
    let text = lock.to_string();
    if text != before {
        write_public(&files.lock, text.as_bytes())
            .map_err(|error| Failure::unreadable(format!("cannot write {}: {error}", files.lock.display())))?;
    }
    let print = || {
        let mut out = std::io::stdout().lock();
        for change in &changes {
            let version = change.version.map_or(String::new(), |version| format!(" version {version}"));
            writeln!(out, "{:<9} {}{version}", change.what, change.type_name)?;
        }
        let verb = if text == before { "nothing to write in" } else { "wrote" };
        writeln!(out, "{verb} {}", files.lock.display())?;
        out.flush()
    };
    Ok(terminal::printed(print()))
}
