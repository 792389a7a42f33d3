//! A process between this provider and the one beside it, which ends that one when this one is
//! gone, even if it was killed.
//!
//! No system tells a child that its parent was killed in a way that all systems have. A pipe does:
//! the guard reads its standard input, whose other end this provider holds until it is gone.

use std::convert::Infallible;
use std::ffi::OsString;
use std::io;
use std::process::{ExitCode, ExitStatus, Stdio};
use std::thread;

use tokio::process::Command;
use tokio::runtime::Builder;
use tokio::sync::oneshot;

use crate::log::print_line;
use crate::signals::ignore_interrupts;

/// The first argument of this program where it is the guard; the program and its arguments follow.
pub(crate) const ARGUMENT: &str = "--beside";

/// Runs a program until it ends or standard input does.
pub(crate) fn run(mut command: impl Iterator<Item = OsString>) -> ExitCode {
    let Some(program) = command.next() else {
        print_line("no program is named");
        return ExitCode::FAILURE;
    };
    let runtime = match Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return failed(&error),
    };
    match runtime.block_on(guarded(program, command)) {
        Ok(status) => code(status),
        Err(error) => failed(&error),
    }
}

async fn guarded(
    program: OsString,
    arguments: impl Iterator<Item = OsString>,
) -> io::Result<ExitStatus> {
    ignore_interrupts()?;
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .spawn()?;
    let (held, gone) = oneshot::channel::<Infallible>();
    thread::spawn(move || {
        let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
        drop(held);
    });
    tokio::select! {
        ended = child.wait() => return ended,
        _ = gone => {}
    }
    child.kill().await?;
    child.wait().await
}

fn failed(error: &io::Error) -> ExitCode {
    print_line(&format!("it can't be started: {error}"));
    ExitCode::FAILURE
}

/// The status of a program that the guard tells by its own.
#[cfg(unix)]
pub(super) fn status_of(guard: ExitStatus) -> ExitStatus {
    match guard.code() {
        Some(code) if code > BY_SIGNAL => {
            std::os::unix::process::ExitStatusExt::from_raw(code - BY_SIGNAL)
        }
        Some(_) | None => guard,
    }
}

#[cfg(not(unix))]
pub(super) fn status_of(guard: ExitStatus) -> ExitStatus {
    guard
}

/// The number that shells add to that of the signal which ended a program.
#[cfg(unix)]
const BY_SIGNAL: i32 = 128;

fn code(status: ExitStatus) -> ExitCode {
    #[cfg(unix)]
    let signal =
        std::os::unix::process::ExitStatusExt::signal(&status).map(|signal| signal + BY_SIGNAL);
    #[cfg(not(unix))]
    let signal = None;
    let code = status
        .code()
        .or(signal)
        .and_then(|code| u8::try_from(code).ok());
    code.map_or(ExitCode::FAILURE, ExitCode::from)
}
