//! `lock`.

use std::fs::{File, TryLockError};
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use upstate_compat::lock::{FILE_NAME, Lock, sides};
use upstate_compat::{Date, Release, Snapshot};
use upstate_state::atomic_file::write_public;

use super::files::{Files, from_git, release};
use super::import::import;
use super::sources::Sources;
use super::{Failure, Lock as Args};
use crate::outcome::Outcome;
use crate::program::Program;
use crate::releases::regular;
use crate::terminal;

pub(super) fn lock(program: &Program, args: &Args) -> Result<Outcome, Failure> {
    let files = Files::of(&args.place);
    let _turn = turn(files.folder())?;
    if let Some(other) = &args.resolve {
        return resolve(&files, other.as_deref());
    }
    let (before, mut lock) = files.read_lock()?.unwrap_or_default();
    let current = Snapshot::of(program.registry()).on(args.date.unwrap_or_else(Date::today));
    let release = if args.unreleased {
        None
    } else {
        let known = release(program, &args.place)?;
        Some(known.ok_or_else(|| Failure::usage("say which release this is: --release 1.4.0"))?)
    };
    let result = match (&args.import, &release) {
        (Some(path), Some(release)) => Ok(import(program, args, path, (&mut lock, release))?),
        (None, Some(release)) => lock.freeze(&current, release.clone()),
        (_, None) => lock.relock(&current),
    };
    let changes = match result {
        Ok(changes) => changes,
        Err(refusals) => {
            for refusal in refusals.iter() {
                terminal::fail(refusal);
            }
            terminal::fail(&format!(
                "{} was not changed: released shapes never change",
                files.lock.display()
            ));
            return Ok(Outcome::Refused);
        }
    };
    // A day that is given corrects the one that the lock has; today's does not.
    if let (Some(date), Some(release)) = (args.date, &release) {
        lock.set_date(release, date);
    }
    if let Some(release) = &release {
        backwards(&lock, release);
    }
    let text = lock.to_string();
    if text != before {
        write(&files, &text)?;
        if before.is_empty() {
            Sources::new(program.registry(), files.folder()).touch(files.folder());
        }
    }
    let print = || {
        let mut out = std::io::stdout().lock();
        for change in &changes {
            let version = change
                .version
                .map_or(String::new(), |version| format!(" version {version}"));
            writeln!(out, "{:<9} {}{version}", change.what, change.type_name)?;
            for difference in &change.differences {
                writeln!(out, "          {difference}")?;
            }
        }
        let verb = if text == before {
            "nothing to write in"
        } else {
            "wrote"
        };
        writeln!(out, "{verb} {}", files.lock.display())?;
        out.flush()
    };
    Ok(terminal::printed(print()))
}

fn write(files: &Files, text: &str) -> Result<(), Failure> {
    let written = write_public(&files.lock, text.as_bytes());
    written.map_err(|error| {
        Failure::unreadable(format!("cannot write {}: {error}", files.lock.display()))
    })
}

/// The time to wait for a turn. Writing takes a moment; a program that takes longer has been
/// stopped.
const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(10);

/// The turn to read the lock or its settings and to write them; the next one's when the file is
/// closed. The folder is what is locked: the lock may not be there yet, and is replaced as a whole.
pub(super) fn turn(folder: &Path) -> Result<Option<File>, Failure> {
    // Not every system opens folders.
    let Ok(folder) = File::open(folder) else {
        return Ok(None);
    };
    let begun = Instant::now();
    loop {
        match folder.try_lock() {
            Ok(()) => return Ok(Some(folder)),
            Err(TryLockError::WouldBlock) if begun.elapsed() < PATIENCE => {
                std::thread::sleep(PAUSE);
            }
            Err(TryLockError::WouldBlock) => {
                return Err(Failure::unreadable(
                    "another program has been writing the lock or its settings for ten seconds; try again".to_owned(),
                ));
            }
            // A file system without locks.
            Err(TryLockError::Error(_)) => return Ok(None),
        }
    }
}

/// Warns of days that go back while the releases go on: the days between two releases are then not
/// what they were.
fn backwards(lock: &Lock, release: &Release) {
    let Some(date) = lock.date(release) else {
        return;
    };
    for other in lock.releases() {
        let Some(day) = lock.date(other) else {
            continue;
        };
        let (earlier, later) = if other < release {
            ((other, day), (release, date))
        } else {
            ((release, date), (other, day))
        };
        if earlier.1 > later.1 {
            terminal::warn(&format!(
                "release {} is of {}, and {} before it of {}: a later release has an earlier day; `--date` corrects one",
                later.0, later.1, earlier.0, earlier.1
            ));
        }
    }
}

/// Puts the lock and another one together, or the two sides of a merge that git could not finish.
fn resolve(files: &Files, other: Option<&Path>) -> Result<Outcome, Failure> {
    let shown = files.lock.display();
    let read = |path: &Path| {
        regular(path).map_err(|error| {
            Failure::unreadable(format!("cannot read {}: {error}", path.display()))
        })
    };
    let parsed = |what: &str, text: &str| {
        Lock::parse(text).map_err(|error| Failure::unreadable(format!("{what}: {error}")))
    };
    let before = read(&files.lock)?;
    let (ours, theirs) = if let Some(other) = other {
        (
            parsed(&shown.to_string(), &before)?,
            parsed(&other.display().to_string(), &read(other)?)?,
        )
    } else {
        let name = files
            .lock
            .file_name()
            .map_or(FILE_NAME.into(), |name| name.to_string_lossy());
        // Git keeps both sides whole until the merge is finished. In the file, lines of one side
        // may be among those of both.
        let staged = |stage: u8| {
            from_git(files, &format!(":{stage}:./{name}"))
                .ok()
                .map(|(_, _, text)| text)
        };
        let Some((ours, theirs)) = staged(2).zip(staged(3)).or_else(|| sides(&before)) else {
            parsed(&shown.to_string(), &before)?;
            let print = || writeln!(std::io::stdout().lock(), "nothing to resolve in {shown}");
            return Ok(terminal::printed(print()));
        };
        (
            parsed(&format!("our side of {shown}"), &ours)?,
            parsed(&format!("their side of {shown}"), &theirs)?,
        )
    };
    let merged = match ours.merged(&theirs) {
        Ok(merged) => merged,
        Err(refusals) => {
            for refusal in refusals.iter() {
                terminal::fail(refusal);
            }
            terminal::fail(&format!("{shown} was not changed: a version has one shape"));
            return Ok(Outcome::Refused);
        }
    };
    write(files, &merged.to_string())?;
    let print = || {
        let releases = merged
            .releases()
            .last()
            .map_or(String::new(), |last| format!(", up to release {last}"));
        let entries = terminal::plural(merged.entries().count(), "version");
        writeln!(
            std::io::stdout().lock(),
            "wrote {shown}: {entries} of both sides{releases}"
        )
    };
    Ok(terminal::printed(print()))
}
