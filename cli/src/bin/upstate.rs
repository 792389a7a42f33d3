//! The commands of a program that knows no resource types: `upstate import` begins one that does.

use std::process::ExitCode;

fn main() -> ExitCode {
    // Not `main!`: the version of this package is not the release of a provider whose schemas
    // `lock --import` takes.
    upstate_cli::main(upstate_runtime::Registry::new())
}
