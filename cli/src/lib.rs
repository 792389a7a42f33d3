//! The command line that a program gains for its own resource types.
//!
//! ```no_run
//! use upstate::Registry;
//!
//! fn main() -> std::process::ExitCode {
//!     upstate_cli::main!(Registry::new()) // .with::<Thing>()
//! }
//! ```
//!
//! gives the program `plan`, `upgrade`, `downgrade`, `inspect`, `explain` and `schema` for stored
//! state, `lock`, `check`, `changelog`, `guide`, `rules`, `accept` and `known` for releases,
//! `import`, `adopt`, `next`, `lint` and `fix` for source, and `completions` and `man` for people
//! who install it.
//!
//! It exits with 0 when done, 1 when an upgrade was refused or `check` failed, 2 when it was called
//! wrongly, 3 when its input could not be read or its output not be written;
//! `plan --detailed-exitcode` exits with 2 when there is something to upgrade and with 4 when
//! values would also be lost, `check` with 4 when a recorded state could not be upgraded.
#![cfg_attr(docsrs, feature(doc_cfg))]

// By the name that it has for programs, since these depend on `upstate`, which has the derives. So do
// the tests.
#[cfg(not(test))]
extern crate upstate_runtime as upstate;

mod adopt;
mod commands;
mod definitions;
mod format;
mod lint;
mod lock;
mod next;
mod outcome;
mod problem;
mod program;
mod progress;
mod releases;
mod report;
mod rust_file;
mod select;
mod source;
mod terminal;

use std::ffi::OsString;
use std::fmt::{self, Display};
use std::process::ExitCode;

use clap::FromArgMatches as _;
use upstate::Registry;

use commands::{Args, Command, Commands, Stored};
use outcome::Outcome;
use program::Program;

/// Runs the command line of this process.
///
/// An upgrade that panics is reported as a diagnostic; the usual panic message, which might show a
/// secret, is kept back.
///
/// Upgraders that await are run on a runtime of tokio, which is started when there is one to run.
/// Those that ask a service find the clients of the registry; [`main_with`] makes them when they
/// are needed.
pub fn main(registry: Registry) -> ExitCode {
    main_of::<Command>(&Program::new(registry))
}

/// Runs the command line of a program whose upgraders ask services: `connect` gives the registry
/// its clients.
///
/// `connect` is called at most once, and only when an upgrade may await: looking at a state needs
/// no credentials. If it fails, such upgrades are refused with its error. It and the upgraders run
/// on a tokio runtime, so do not call this inside of another runtime.
///
/// ```no_run
/// # struct Client;
/// # impl Client { async fn from_env() -> Result<Self, std::env::VarError> { Ok(Client) } }
/// use upstate::Registry;
///
/// fn main() -> std::process::ExitCode {
///     let registry = Registry::new(); // .with::<Thing>()
///     upstate_cli::main_with(registry, async |registry| {
///         Ok::<_, std::env::VarError>(registry.with_client(Client::from_env().await?))
///     })
/// }
/// ```
pub fn main_with<E: Display>(
    registry: Registry,
    connect: impl AsyncFnOnce(Registry) -> Result<Registry, E> + Send + 'static,
) -> ExitCode {
    main_of::<Command>(&Program::with(registry, connect))
}

/// [`main`](main()) and [`main_with`] of a package that has a name and version of its own, which
/// `--version` prints beside upstate's.
///
/// ```no_run
/// use upstate::Registry;
///
/// fn main() -> std::process::ExitCode {
///     upstate_cli::main!(Registry::new()) // .with::<Thing>()
/// }
/// ```
#[macro_export]
macro_rules! main {
    ($registry:expr $(,)?) => {
        $crate::main_of_package(
            $registry,
            ::core::env!("CARGO_PKG_NAME"),
            ::core::env!("CARGO_PKG_VERSION"),
        )
    };
    ($registry:expr, $connect:expr $(,)?) => {
        $crate::main_with_of_package(
            $registry,
            $connect,
            ::core::env!("CARGO_PKG_NAME"),
            ::core::env!("CARGO_PKG_VERSION"),
        )
    };
}

/// Runs the commands for `main!` of a registry alone.
#[doc(hidden)]
pub fn main_of_package(registry: Registry, name: &'static str, version: &'static str) -> ExitCode {
    main_of::<Command>(&Program::new(registry).of_package(name, version))
}

/// Runs the commands for `main!` with a function that connects.
#[doc(hidden)]
pub fn main_with_of_package<E: Display>(
    registry: Registry,
    connect: impl AsyncFnOnce(Registry) -> Result<Registry, E> + Send + 'static,
    name: &'static str,
    version: &'static str,
) -> ExitCode {
    main_of::<Command>(&Program::with(registry, connect).of_package(name, version))
}

/// The commands about stored state alone, for a program that has another job, such as a provider.
///
/// Its users can look at a state, upgrade it, and take it back to an earlier release with the
/// program that they have: `plan`, which `check` is as well, `upgrade`, `downgrade`, `inspect`,
/// `explain` and `schema`. The program does not become as large as one with all commands.
///
/// ```no_run
/// use upstate::Registry;
/// use upstate_cli::StateCommands;
///
/// fn main() -> std::process::ExitCode {
///     let registry = Registry::new(); // .with::<Thing>()
///     StateCommands::new(registry).main() // .lock(include_str!("../upstate.lock"))
/// }
/// ```
pub struct StateCommands {
    program: Program,
}

impl StateCommands {
    /// The commands for the types of a registry.
    #[must_use]
    pub fn new(registry: Registry) -> Self {
        Self {
            program: Program::new(registry),
        }
    }

    /// The commands of a program whose upgraders ask services; see [`main_with`].
    #[must_use]
    pub fn connecting<E: Display>(
        registry: Registry,
        connect: impl AsyncFnOnce(Registry) -> Result<Registry, E> + Send + 'static,
    ) -> Self {
        Self {
            program: Program::with(registry, connect),
        }
    }

    /// Compiles the lock in, so that `downgrade --to-release` works where the file is not:
    /// `include_str!("../upstate.lock")`.
    #[must_use]
    pub fn lock(self, text: &'static str) -> Self {
        Self {
            program: self.program.locked(text),
        }
    }

    /// Runs the command line of this process.
    #[must_use]
    pub fn main(self) -> ExitCode {
        main_of::<Stored>(&self.program)
    }
}

impl fmt::Debug for StateCommands {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StateCommands").finish_non_exhaustive()
    }
}

fn main_of<C: Commands>(program: &Program) -> ExitCode {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if !upstate::upgrade::upgrade_in_progress() {
            usual(info);
        }
    }));
    run_of::<C>(program, &std::env::args_os().collect::<Vec<_>>())
}

/// Runs a command line, its first argument being the program's name.
pub fn run<A: Into<OsString> + Clone>(
    registry: Registry,
    arguments: impl IntoIterator<Item = A>,
) -> ExitCode {
    run_of::<Command>(
        &Program::new(registry),
        &arguments.into_iter().map(Into::into).collect::<Vec<_>>(),
    )
}

fn run_of<C: Commands>(program: &Program, arguments: &[OsString]) -> ExitCode {
    let (name, version) = program.version();
    let command = commands::called::<C>(&program::program_name())
        .name(name)
        .version(&*version.leak());
    match commands::answered(&command, program, arguments) {
        Ok(false) => {}
        Ok(true) => return ExitCode::from(Outcome::Done.code()),
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(Outcome::Usage.code());
        }
    }
    let parsed = command.try_get_matches_from(arguments);
    let outcome = match parsed.and_then(|matches| Args::<C>::from_arg_matches(&matches)) {
        Ok(args) => {
            args.color.apply();
            args.command.run(program)
        }
        Err(error) => {
            // Help and version are no mistakes; a closed pipe is nobody to tell.
            let _ = error.print();
            if error.use_stderr() {
                Outcome::Usage
            } else {
                Outcome::Done
            }
        }
    };
    // A mistake must not look like changes, which code 2 means here, so that it has the code of a
    // refusal.
    let is_detailed = arguments
        .iter()
        .any(|argument| argument == "--detailed-exitcode");
    let outcome = if is_detailed && outcome == Outcome::Usage {
        Outcome::Refused
    } else {
        outcome
    };
    ExitCode::from(outcome.code())
}
