//! `terraform-provider-random`: started by Terraform, or by hand with `--debug`.

use std::process::ExitCode;

fn main() -> ExitCode {
    random::provider().serve()
}
