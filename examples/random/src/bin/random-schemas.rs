//! The releases of the provider: `lock` writes them down, `check` judges the next one.

use std::process::ExitCode;

fn main() -> ExitCode {
    upstate_cli::main!(random::provider().registry().clone())
}
