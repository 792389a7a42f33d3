//! The State Versions service, as a process that tests start and kill. It knows the boats of
//! `terraform-provider-ferry`, release 2.

#[path = "../ferry.rs"]
mod ferry;

use std::process::ExitCode;

fn main() -> ExitCode {
    upstate_server::main(upstate::Registry::new().with::<ferry::Boat>())
}
