//! The command line that a program gains for its own resource types.
//!
//! ```no_run
//! use upstate::Registry;
//!
//! fn main() -> std::process::ExitCode {
//!     upstate_cli::main(Registry::new()) // .with::<Thing>()
//! }
//! ```
//!
//! gives the program `plan`, `upgrade` and `schema`. It exits with 0 when done, 1 when an upgrade was refused (nothing is
//! written then), 2 when it was called wrongly, 3 when its input could not be read or its output not be written.

mod args;
mod report;
mod schema;
mod state;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser as _;
use upstate::Registry;

use args::{Args, Command};

/// What a command came to, as its exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Done = 0,
    Refused = 1,
    Usage = 2,
    Unreadable = 3,
}

impl Outcome {
    /// This outcome, or the next step's if this is fine.
    fn and(self, next: Self) -> Self {
        if self == Self::Done { next } else { self }
    }
}

/// Runs the command line of this process.
///
/// An upgrade that panics is reported as a diagnostic; the usual panic message, which might show a secret, is kept back.
pub fn main(registry: Registry) -> ExitCode {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if !upstate::upgrade_in_progress() {
            usual(info);
        }
    }));
    run(registry, std::env::args_os())
}

/// Runs a command line, its first argument being the program's name.
pub fn run<A: Into<OsString> + Clone>(registry: Registry, arguments: impl IntoIterator<Item = A>) -> ExitCode {
    let outcome = match Args::try_parse_from(arguments) {
        Ok(args) => match args.command {
            Command::Plan(plan) => state::plan(&registry, &plan),
            Command::Upgrade(upgrade) => state::upgrade(&registry, &upgrade),
            Command::Schema(schema) => schema::show(&registry, &schema),
        },
        Err(error) => {
            // Help and version are no mistakes; a closed pipe is nobody to tell.
            let _ = error.print();
            if error.use_stderr() { Outcome::Usage } else { Outcome::Done }
        }
    };
    drop(registry);
    ExitCode::from(outcome as u8)
}
