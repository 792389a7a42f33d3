//! Serving a Terraform that did not start this process: for debuggers, and for tests in the same
//! process.

use std::collections::BTreeMap;
use std::fmt;
use std::io;

use serde_json::json;
use tokio::runtime::Handle;
use tokio::sync::watch;

use super::Server;
use super::listen::Listener;
use crate::log::print_line;
use crate::provider::Provider;
use crate::service::{Service, Serving};

/// A provider that serves inside this process, until this is dropped.
pub struct Reattached {
    /// Ends with it.
    _serving: Serving,
    reattach: String,
}

impl Reattached {
    /// The value of the environment variable `TF_REATTACH_PROVIDERS` that makes Terraform use it.
    pub fn reattach(&self) -> &str {
        &self.reattach
    }
}

impl fmt::Debug for Reattached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reattached")
            .field("reattach", &self.reattach)
            .finish_non_exhaustive()
    }
}

impl<C: Clone + Send + Sync + 'static> Provider<C> {
    /// Serves the provider from this process, for a Terraform that did not start it; for tests. The
    /// provider's functions run in the current tokio runtime.
    ///
    /// `protocol` is the one that Terraform must speak, 6 or 5.
    ///
    /// ```
    /// # use upstate::Object;
    /// # use upstate_provider::Provider;
    /// #[derive(Object)]
    /// struct Config {}
    ///
    /// # #[tokio::main]
    /// # async fn main() -> std::io::Result<()> {
    /// let server = Provider::new("example.com/me/example", async |_: Config| Ok(())).reattached(6)?;
    /// let mut terraform = std::process::Command::new("terraform");
    /// terraform.arg("plan").env("TF_REATTACH_PROVIDERS", server.reattach());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// There is no place to listen.
    pub fn reattached(self, protocol: u32) -> io::Result<Reattached> {
        start(Service::new(self.parts), protocol)
    }
}

fn start(service: Service, protocol: u32) -> io::Result<Reattached> {
    let serving = Serving::start()?;
    service.make_calls_in(Handle::current(), serving.calls());
    // Where it serves, it listens.
    let _inside = serving.runtime().enter();
    #[cfg(unix)]
    let listener = Listener::unix(None, None)?;
    #[cfg(not(unix))]
    let listener = Listener::tcp((0, 0))?;
    let address = listener.address();
    let description = json!({
        "Protocol": "grpc",
        "ProtocolVersion": protocol,
        "Pid": std::process::id(),
        // Without this, Terraform would end the process.
        "Test": true,
        "Addr": {"Network": address.network, "String": address.address},
    });
    let reattach = BTreeMap::from([(service.address(), description)]);
    let reattach = serde_json::to_string(&reattach).map_err(io::Error::other)?;
    let server = Server {
        service,
        acceptor: None,
        connections: watch::Sender::new(0),
    };
    serving
        .runtime()
        .spawn(async move { server.accept(&listener).await });
    Ok(Reattached {
        _serving: serving,
        reattach,
    })
}

/// Serves until the user interrupts, and tells them what to set.
pub(super) async fn serve_until_interrupted(service: Service) -> Result<(), String> {
    let reattached =
        start(service, 6).map_err(|error| format!("the provider can't listen: {error}"))?;
    print_line(&format!(
        "Provider started. For a Terraform that is to use it, set\n\n\tTF_REATTACH_PROVIDERS='{}'\n\nand interrupt this process when done.",
        reattached.reattach()
    ));
    tokio::signal::ctrl_c()
        .await
        .map_err(|error| format!("the provider can't wait for an interrupt: {error}"))
}
