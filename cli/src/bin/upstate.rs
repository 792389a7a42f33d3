//! The commands of a program that knows no resource types: `upstate import` begins one that does.

use std::process::ExitCode;

fn main() -> ExitCode {
    upstate_cli::main!(upstate::Registry::new())
}
