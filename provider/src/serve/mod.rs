//! The process: handshake, connections, signals, end.

mod handshake;
mod listen;
mod panic;
mod reattach;

pub use reattach::Reattached;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;

use self::handshake::Handshake;
use self::listen::Listener;
use crate::beside::guard;
use crate::log::{self, print_line};
use crate::provider::{Parts, Provider};
use crate::service::{MAX_MESSAGE, Service, Serving};
use crate::signals::ignore_interrupts;
use crate::tls;

/// The time that the process outlives the last connection of the host that started it: a host that
/// was killed says no goodbye.
const ORPHANED: Duration = Duration::from_secs(5);

/// The time that the process waits for the first connection: as long as the host waits for its
/// line.
const UNWANTED: Duration = Duration::from_mins(1);

/// The time for the answer to a request to end to reach the host.
const GOODBYE: Duration = Duration::from_millis(2);

impl<C: Clone + Send + Sync + 'static> Provider<C> {
    /// Serves the provider to the Terraform that started this process, until Terraform ends it.
    ///
    /// This is all that a provider's `main` does. Started by hand, the process explains itself and
    /// fails; with the argument `--debug` it serves without Terraform having started it, and prints
    /// what to set for a Terraform that is to use it; with the argument `docs` it writes the
    /// [pages](crate::Docs) that a registry shows; with `package` it packs a release, as the
    /// guide's chapter "Shipping a provider" says. Other commands are those that
    /// [`with_commands`](Self::with_commands) gives it.
    ///
    /// ```no_run
    /// use std::process::ExitCode;
    /// use upstate::Object;
    /// use upstate_provider::Provider;
    ///
    /// #[derive(Object)]
    /// struct Config { endpoint: Option<String> }
    ///
    /// fn main() -> ExitCode {
    ///     Provider::new("registry.terraform.io/acme/harbor", async |config: Config| Ok(config.endpoint)).serve()
    /// }
    /// ```
    #[must_use]
    pub fn serve(mut self) -> ExitCode {
        let mut command = std::env::args_os().skip(1);
        if command.next().is_some_and(|first| first == guard::ARGUMENT) {
            return guard::run(command);
        }
        if let Some(beside) = &mut self.parts.beside {
            beside.guard();
        }
        let arguments: Vec<String> = std::env::args_os()
            .skip(1)
            .map(|argument| argument.to_string_lossy().into_owned())
            .collect();
        if arguments
            .first()
            .is_some_and(|first| is_command_of_another(first))
            && let Some(commands) = self.parts.commands.take()
        {
            return commands(self.parts.registry);
        }
        let done = match arguments.split_first() {
            Some((command, rest))
                if is_help(command)
                    || matches!(command.as_str(), "compare" | "docs" | "package")
                        && rest.iter().any(|it| is_help(it)) =>
            {
                Some(Ok(self.parts.usage()))
            }
            Some((command, rest)) if command == "docs" => Some(self.parts.run_docs(rest)),
            Some((command, rest)) if command == "package" => Some(self.parts.package(rest)),
            Some((command, rest)) if command == "compare" => {
                let (report, status) = self.parts.compare(rest);
                print_line(&report);
                return status;
            }
            Some((command, _)) if command == "--version" || command == "-version" => {
                Some(Ok(format!(
                    "{}, built with upstate-provider {}",
                    self.parts.address,
                    env!("CARGO_PKG_VERSION")
                )))
            }
            _ => None,
        };
        match done {
            Some(Ok(done)) => {
                print_line(&done);
                return ExitCode::SUCCESS;
            }
            Some(Err(problem)) => return fail(&problem),
            None => {}
        }
        panic::install_hook(self.parts.has_secrets());
        log::install(&self.parts.address, print_line);
        let runtime = match tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
        {
            Ok(runtime) => runtime,
            Err(error) => return fail(&format!("the provider can't start its threads: {error}")),
        };
        let service = Service::new(self.parts);
        let debug = arguments
            .first()
            .is_some_and(|argument| argument == "--debug" || argument == "-debug");
        let result = runtime.block_on(async {
            if debug {
                reattach::serve_until_interrupted(service).await
            } else {
                on_lead(service).await
            }
        });
        // Work that still runs was asked to end by a host that waits no longer.
        runtime.shutdown_background();
        match result {
            Ok(()) => ExitCode::SUCCESS,
            Err(problem) => fail(&problem),
        }
    }
}

/// True if an argument is a word that this crate gives no meaning.
fn is_command_of_another(argument: &str) -> bool {
    !argument.starts_with('-') && !matches!(argument, "compare" | "docs" | "package")
}

fn is_help(argument: &str) -> bool {
    matches!(argument, "--help" | "-help" | "-h")
}

impl Parts {
    /// The answers to a person who starts the program by hand.
    fn usage(&self) -> String {
        let compare = if self.beside.is_some() {
            format!("\n  compare    {}", crate::compare::USAGE)
        } else {
            String::new()
        };
        let others = if self.commands.is_some() {
            "\n  help       lists its other commands"
        } else {
            ""
        };
        format!(
            "The provider {}. Terraform starts it; by hand, it does this:\n\n  --debug    waits for a debugger and for Terraform, and says how they meet\n  \
             --version  says with which release of upstate-provider it was built\n  docs       {}\n  package    {}{compare}{others}",
            self.address,
            crate::docs::USAGE,
            crate::package::USAGE
        )
    }
}

fn fail(problem: &str) -> ExitCode {
    print_line(problem);
    ExitCode::FAILURE
}

/// Serves the host where calls that are quick are made by the thread that serves.
async fn on_lead(service: Service) -> Result<(), String> {
    let unable =
        |error: &dyn std::fmt::Display| format!("the provider can't start its threads: {error}");
    let serving = Serving::start().map_err(|error| unable(&error))?;
    service.make_calls_in(Handle::current(), serving.calls());
    serving
        .runtime()
        .spawn(serve_host(service))
        .await
        .map_err(|error| unable(&error))?
}

async fn serve_host(service: Service) -> Result<(), String> {
    let handshake = Handshake::from_environment()?;
    ignore_interrupts()
        .map_err(|error| format!("the provider can't ignore interrupts: {error}"))?;
    let (acceptor, certificate) = match &handshake.client_certificate {
        Some(pem) => {
            let (config, certificate) = tls::mutual(pem)?;
            (Some(TlsAcceptor::from(Arc::new(config))), certificate)
        }
        None => (None, String::new()),
    };
    let listener = Listener::open(&handshake)
        .map_err(|error| format!("the provider can't listen: {error}"))?;
    handshake::announce(&handshake.line(&listener.address(), &certificate))
        .map_err(|error| format!("the host went away: {error}"))?;
    let mut shutdown = service.shutdown();
    let server = Server {
        service: service.clone(),
        acceptor,
        connections: watch::Sender::new(0),
    };
    let orphaned = server.orphaned();
    tokio::select! {
        () = server.accept(&listener) => {}
        () = orphaned => {}
        () = async { drop(shutdown.wait_for(|down| *down).await) } => tokio::time::sleep(GOODBYE).await,
    }
    service.end_companion().await;
    Ok(())
}

/// Connections, and the service they are for.
#[derive(Clone)]
struct Server {
    service: Service,
    acceptor: Option<TlsAcceptor>,
    /// The number of open ones.
    connections: watch::Sender<usize>,
}

impl Server {
    /// Takes connections until listening fails.
    async fn accept(&self, listener: &Listener) {
        loop {
            match listener.accept().await {
                Ok(connection) => {
                    let server = self.clone();
                    server.connections.send_modify(|open| *open += 1);
                    tokio::spawn(async move {
                        server.connection(connection).await;
                        server
                            .connections
                            .send_modify(|open| *open = open.saturating_sub(1));
                    });
                }
                // One connection that failed says nothing about the next; but none of it may keep
                // the processor busy.
                Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
            }
        }
    }

    async fn connection(&self, connection: listen::Connection) {
        match &self.acceptor {
            Some(acceptor) => {
                // Who can't prove to be the host is not served.
                if let Ok(stream) = acceptor.accept(connection).await {
                    self.speak(stream).await;
                }
            }
            None => self.speak(connection).await,
        }
    }

    async fn speak<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(&self, stream: S) {
        let service = self.service.clone();
        let answer = hyper::service::service_fn(move |request| {
            // What it awaits is large, and is moved several times before it is polled.
            Box::pin(service.clone().answer(request))
        });
        let window = u32::try_from(MAX_MESSAGE / 4).unwrap_or(u32::MAX);
        let connection = http2::Builder::new(TokioExecutor::new())
            .timer(TokioTimer::new())
            .initial_stream_window_size(window)
            .initial_connection_window_size(window)
            .max_frame_size(1 << 20)
            // Because no host reads it: it would be written and sent with each answer.
            .auto_date_header(false)
            .serve_connection(TokioIo::new(stream), answer);
        // The error is dropped because the host notices by itself that its connection broke.
        let _ = connection.await;
    }

    /// Ends some time after the last connection did, or if there is never one.
    async fn orphaned(&self) {
        let mut connections = self.connections.subscribe();
        let mut patience = UNWANTED;
        while tokio::time::timeout(patience, connections.wait_for(|open| *open > 0))
            .await
            .is_ok()
        {
            if connections.wait_for(|open| *open == 0).await.is_err() {
                return;
            }
            // Calls may still run, so they get the request to stop now, and have `ORPHANED` to end.
            self.service.request_stop();
            patience = ORPHANED;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(upstate::Object)]
    struct Config {}

    #[tokio::test(start_paused = true)]
    async fn an_unused_provider_ends_and_one_in_use_stays() {
        let provider = Provider::new("example.com/test/test", async |_: Config| Ok(()));
        let server = Server {
            service: Service::new(provider.parts),
            acceptor: None,
            connections: watch::Sender::new(0),
        };
        let began = tokio::time::Instant::now();
        server.orphaned().await;
        assert_eq!(began.elapsed(), UNWANTED);

        server.connections.send_replace(1);
        let used = tokio::time::timeout(UNWANTED * 10, server.orphaned()).await;
        assert!(used.is_err(), "a connection is open");

        let began = tokio::time::Instant::now();
        let left = async {
            tokio::time::sleep(Duration::from_secs(1)).await;
            server.connections.send_replace(0);
        };
        tokio::join!(server.orphaned(), left);
        assert_eq!(began.elapsed(), Duration::from_secs(1) + ORPHANED);
    }
}
