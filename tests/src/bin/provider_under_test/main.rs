//! The providers that the tests with the real Terraform start: `terraform-provider-harbor`, and one that behaves badly on demand.

mod crane;
mod gauge;
mod probe;
mod quay;

use std::process::ExitCode;

fn main() -> ExitCode {
    // Terraform finds a provider by the name of its binary.
    let is_quay = std::env::args().next().is_some_and(|name| name.contains("quay"));
    if is_quay { quay::provider().serve() } else { harbor::provider().serve() }
}
