//! The `upstate` command for the provider resources in this package:
//! `cargo run -p upstate-examples --bin realworld -- --help`.

use std::process::ExitCode;

use upstate_examples::realworld::google::ProviderConfig;

fn main() -> ExitCode {
    upstate_cli::main!(upstate_examples::registry().with_client(ProviderConfig::from_env()))
}
