//! The commands as `cargo upstate lint`: cargo calls a program of this name with `upstate` as the
//! first argument.

use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments: Vec<OsString> = std::env::args_os().collect();
    if arguments
        .get(1)
        .is_some_and(|argument| argument == "upstate")
    {
        arguments.remove(1);
    }
    upstate_cli::run(upstate_runtime::Registry::new(), arguments)
}
