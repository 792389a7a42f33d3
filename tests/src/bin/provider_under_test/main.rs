//! The providers that the tests with the real Terraform start: `terraform-provider-harbor`, one
//! that behaves badly on demand, one that leaves nothing of schemas out, the examples of the guide,
//! one with another one beside it, and one of which there are two releases. With a command, and
//! under its own name, it is the program of the last one for stored state.

mod attic;
mod crane;
mod faults;
mod gauge;
mod guide;
mod jetty;
mod pier;
mod probe;
mod quay;
mod skiff;

use std::process::ExitCode;

fn main() -> ExitCode {
    // Terraform finds a provider by the name of its binary, and gives it no command.
    let name = std::env::args().next().unwrap_or_default();
    if name.contains("jetty") {
        if name.contains("old") || std::env::var_os("JETTY_OLD").is_some() {
            jetty::old().serve()
        } else {
            jetty::new().serve()
        }
    } else if name.contains("quay") {
        quay::provider().serve()
    } else if name.contains("skiff") {
        skiff::provider()
            .with_commands(|registry| upstate_cli::StateCommands::new(registry).main())
            .serve()
    } else if name.contains("guide-api") {
        guide::asking().serve()
    } else if name.contains("guide") {
        guide::provider().serve()
    } else if name.contains("attic") {
        attic::provider().serve()
    } else if !name.contains("harbor")
        && std::env::args()
            .nth(1)
            .is_some_and(|argument| !argument.starts_with('-'))
    {
        upstate_cli::main(skiff::registry())
    } else {
        harbor::provider().serve()
    }
}
