//! `terraform-provider-random`: started by Terraform, or by hand with `--debug` or a command.

use std::process::ExitCode;

use upstate_cli::StateCommands;

fn main() -> ExitCode {
    let lock = include_str!("../upstate.lock");
    random::provider()
        .with_commands(|registry| StateCommands::new(registry).lock(lock).main())
        .serve()
}
