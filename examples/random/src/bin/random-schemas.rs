//! What releases of the provider serve: `lock` writes it down, `check` judges the next one.

use std::process::ExitCode;

fn main() -> ExitCode {
    upstate_cli::main!(random::provider().registry().clone())
}
