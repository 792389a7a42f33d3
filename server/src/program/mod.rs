//! The program: its command line, its settings, and the server's life.

mod commands;
mod connections;
mod copying;
mod encryption;
mod first;
mod keys;
mod memory;
mod open;
mod provider;
mod rescue;
mod serve;
mod settings;
mod tls;
mod transfer;
mod trusts;
mod users;
mod webhook;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser as _;
use upstate::Registry;

use settings::{Args, Command};

/// Runs the command line of this process.
pub(crate) fn run<A: Into<OsString> + Clone>(
    registry: Registry,
    arguments: impl IntoIterator<Item = A>,
) -> ExitCode {
    let args = match Args::try_parse_from(arguments) {
        Ok(args) => args,
        Err(error) => {
            // Help and version are no mistakes; a closed pipe is nobody to tell.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    let runtime = match tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => {
            return failed(&format!(
                "the threads of the server cannot be started: {error}"
            ));
        }
    };
    let done = runtime.block_on(async {
        match args.command {
            Command::Serve(serve) => serve::serve(registry, *serve).await,
            Command::Token(token) => commands::token(token).await,
            Command::User(user) => users::user(user).await,
            Command::Trust(trust) => trusts::trust(*trust).await,
            Command::Workspace(workspace) => rescue::workspace(workspace).await,
            Command::Quarantine(quarantine) => rescue::quarantine(quarantine).await,
            Command::Audit(audit) => commands::audit(audit).await,
            Command::Retention(retention) => commands::retention(retention).await,
            Command::Gc(gc) => commands::gc(gc).await,
            Command::Migrate(migrate) => copying::migrate(migrate).await,
            Command::Backup(backup) => copying::backup(backup).await,
            Command::Restore(restore) => copying::restore(restore).await,
            Command::Export(export) => transfer::export(export).await,
            Command::Import(import) => transfer::import(*import).await,
            Command::Encrypt(encrypt) => encryption::encrypt(encrypt).await,
        }
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => failed(&why),
    }
}

fn failed(why: &str) -> ExitCode {
    eprintln!("upstate-server: {why}");
    ExitCode::FAILURE
}
