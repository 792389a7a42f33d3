//! The State Versions service, as a process that tests start and kill.

use std::process::ExitCode;

fn main() -> ExitCode {
    upstate_server::main(upstate::Registry::new())
}
