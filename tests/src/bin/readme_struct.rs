//! The program of the README with a struct for the prior version, as it is written there: `upstate-house` compares the two.
#![allow(missing_docs)]

use upstate::Resource;

/// A server, as version 1 stores it.
#[derive(Debug, PartialEq, Resource)]
#[resource(type_name = "example_server", version = 1)]
#[upgrade_from(0, model = ServerV0)]
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

impl TryFrom<ServerV0> for Server {
    type Error = upstate::Diagnostic;

    fn try_from(prior: ServerV0) -> Result<Self, Self::Error> {
        let unreadable = |_| upstate::Diagnostic::error("Unreadable Port", "A port is a number from 0 to 65535.");
        let port = prior.port.filter(|port| !port.is_empty());
        let port = port.map(|port| port.parse().map_err(unreadable)).transpose()?;
        Ok(Self { id: prior.id, name: prior.title, retries: prior.retries.unwrap_or(3), port })
    }
}

fn main() -> std::process::ExitCode {
    upstate_cli::main!(upstate::Registry::new().with::<Server>())
}
