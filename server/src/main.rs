//! The State Versions service without resource types of its own.

use std::process::ExitCode;

fn main() -> ExitCode {
    upstate_server::main(upstate::Registry::new())
}
