//! The program of the README, as it is written there: `tests/tests/guide.rs` compares the two.
#![allow(missing_docs)]

use upstate::Resource;

/// A server, as version 1 stores it.
#[derive(Debug, PartialEq, Resource)]
#[resource(type_name = "example_server", version = 1)]
#[upgrade_from(0, model = ServerV0, rename(title => name), default(retries = 3), convert(port, empty = null))]
pub struct Server {
    /// Assigned by the API.
    #[attribute(computed)]
    pub id: String,
    pub name: String,
    pub retries: i64,
    pub port: Option<u16>,
}

/// A server, as release 1.0 stored it.
#[derive(Debug, PartialEq, Resource)]
#[resource(type_name = "example_server", version = 0)]
pub struct ServerV0 {
    pub id: String,
    pub title: String,
    pub retries: Option<i64>,
    pub port: Option<String>,
}

fn main() -> std::process::ExitCode {
    upstate_cli::main(upstate::Registry::new().with::<Server>())
}
