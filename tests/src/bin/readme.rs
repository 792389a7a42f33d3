//! The program of the README, as it is written there: `upstate-house` compares the two.
#![allow(missing_docs)]

use upstate::Resource;

/// A server, as version 1 stores it.
#[derive(Debug, PartialEq, Resource)]
#[resource(type_name = "example_server", version = 1)]
#[upgrade_from(0 => 1, rename(title => name), default(retries = 3), convert(port: Option<String>, empty = null))]
pub struct Server {
    /// Assigned by the API.
    #[attribute(computed)]
    pub id: String,
    pub name: String,
    pub retries: i64,
    pub port: Option<u16>,
}

fn main() -> std::process::ExitCode {
    upstate_cli::main!(upstate::Registry::new().with::<Server>())
}
