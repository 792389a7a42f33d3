//! `terraform-provider-harbor`: started by Terraform, or by hand with `--debug`.

use std::process::ExitCode;

fn main() -> ExitCode {
    harbor::provider().serve()
}
