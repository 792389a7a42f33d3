//! A server with TLS: connections, their limits, and the end of both.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use axum::http::HeaderValue;
use axum::http::header::CONNECTION;
use axum::middleware::map_response;
use axum::response::Response;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::{Instant, sleep_until, timeout};
use tokio_rustls::TlsAcceptor;

use super::router::router;
use super::tls::Files;
use crate::review::Converter;

/// The time for TLS, and for the head of a request.
const HEAD: Duration = Duration::from_secs(10);
/// The longest life of a connection without a request: Kubernetes waits 30 s for an answer, and
/// opens another connection.
const IDLE: Duration = Duration::from_mins(2);
/// The time for requests that are answered when the server ends.
const ENDING: Duration = Duration::from_secs(20);
/// The time that a connection without a request stays open when the server ends. A request that is
/// on its way to a connection that is closed at once has no answer, and Kubernetes refuses the
/// write.
const LINGER: Duration = Duration::from_secs(1);
/// The number of connections at one time. API servers have a few.
const CONNECTIONS: usize = 512;
/// The time between two looks at the files of the certificate.
const LOOKS: Duration = Duration::from_secs(5);

/// A reason for which the webhook does not begin.
#[derive(Debug)]
pub struct ServeError {
    problem: String,
}

/// The webhook as a server, before it begins.
#[derive(Debug)]
pub struct Server {
    converter: Converter,
    certificates: PathBuf,
    key: PathBuf,
    looks: Duration,
}

/// Serves the webhook at an address such as `0.0.0.0:8443`, with the certificates of a PEM file,
/// its own first, and the key of another, until the program is asked to end (`SIGTERM`, or Ctrl-C).
///
/// The files are read again where they change, as a `Secret` of Kubernetes does that is mounted;
/// connections with the old certificate are then closed when their next request is answered, so
/// that none is lost and a mistake shows soon.
///
/// # Errors
/// The address is taken, or the certificate or its key cannot be used.
pub async fn serve(
    converter: Converter,
    address: impl AsRef<str>,
    certificates: impl AsRef<Path>,
    key: impl AsRef<Path>,
) -> Result<(), ServeError> {
    let listener = TcpListener::bind(address.as_ref())
        .await
        .map_err(|error| ServeError::new(format!("{}: {error}", address.as_ref())))?;
    Server::new(converter, certificates, key)
        .run(listener, interrupted())
        .await
}

impl Server {
    /// A server with the certificates of a PEM file, its own first, and the key of another.
    pub fn new(
        converter: Converter,
        certificates: impl AsRef<Path>,
        key: impl AsRef<Path>,
    ) -> Self {
        let [certificates, key] = [certificates.as_ref(), key.as_ref()].map(Path::to_owned);
        Self {
            converter,
            certificates,
            key,
            looks: LOOKS,
        }
    }

    /// Looks at the files of the certificate after each such time; the default is five seconds.
    #[must_use]
    pub fn look_every(mut self, looks: Duration) -> Self {
        self.looks = looks;
        self
    }

    /// Takes connections until `ending` is ready, and then finishes those that are answered.
    ///
    /// # Errors
    /// The certificate or its key cannot be used.
    pub async fn run(
        self,
        listener: TcpListener,
        ending: impl Future<Output = ()>,
    ) -> Result<(), ServeError> {
        let files = Files::new(&self.certificates, &self.key);
        let contents = files.read().map_err(ServeError::new)?;
        let (send, acceptors) = watch::channel(files.acceptor(&contents).map_err(ServeError::new)?);
        let watching = tokio::spawn(files.watch(contents, self.looks, send));
        let (end, ended) = watch::channel(());
        let places = Arc::new(Semaphore::new(CONNECTIONS));
        let router = router(self.converter);
        let mut ending = std::pin::pin!(ending);
        loop {
            // Clients that find no place wait in the queue of the operating system.
            let next = async {
                let place = Arc::clone(&places).acquire_owned().await;
                (place, listener.accept().await)
            };
            let (place, accepted) = tokio::select! {
                () = &mut ending => break,
                next = next => next,
            };
            let Ok(place) = place else { break };
            match accepted {
                Ok((stream, peer)) => {
                    // Otherwise each answer waits 40 ms for the client, and a list is an answer for
                    // each object.
                    let _ = stream.set_nodelay(true);
                    let connection = Connection {
                        peer,
                        router: router.clone(),
                        acceptors: acceptors.clone(),
                        ended: ended.clone(),
                        _place: place,
                    };
                    tokio::spawn(connection.answer(stream));
                }
                Err(error) => {
                    tracing::warn!(%error, "a connection was not accepted");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            }
        }
        drop((listener, ended));
        end.send_replace(());
        if timeout(ENDING, end.closed()).await.is_err() {
            tracing::warn!("some requests took too long and were cut off");
        }
        watching.abort();
        Ok(())
    }
}

/// One connection.
struct Connection {
    peer: SocketAddr,
    router: Router,
    acceptors: watch::Receiver<TlsAcceptor>,
    ended: watch::Receiver<()>,
    _place: OwnedSemaphorePermit,
}

impl Connection {
    async fn answer(mut self, stream: TcpStream) {
        let acceptor = self.acceptors.borrow_and_update().clone();
        let stream = match timeout(HEAD, acceptor.accept(stream)).await {
            Ok(Ok(stream)) => stream,
            Ok(Err(error)) => {
                return tracing::debug!(%error, peer = %self.peer, "a TLS connection was not made");
            }
            Err(_) => {
                return tracing::debug!(peer = %self.peer, "a TLS connection took too long to be made");
            }
        };
        let is_closing = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&is_closing);
        let router = self
            .router
            .clone()
            .layer(map_response(move |mut response: Response| {
                if flag.load(Ordering::Relaxed) {
                    response
                        .headers_mut()
                        .insert(CONNECTION, HeaderValue::from_static("close"));
                }
                std::future::ready(response)
            }));
        let mut builder = http1::Builder::new();
        builder.timer(TokioTimer::new()).header_read_timeout(IDLE);
        let mut connection = std::pin::pin!(
            builder.serve_connection(TokioIo::new(stream), TowerToHyperService::new(router))
        );
        let mut end = Ending::Not;
        loop {
            let lingers = async {
                match end {
                    Ending::At(instant) => sleep_until(instant).await,
                    Ending::Not | Ending::AfterAnswer => std::future::pending().await,
                }
            };
            tokio::select! {
                result = &mut connection => {
                    if let Err(error) = result {
                        tracing::debug!(%error, peer = %self.peer, "a connection ended early");
                    }
                    return;
                }
                // Closed by the next answer and not now, because a request may be on its way.
                _ = self.acceptors.changed(), if !is_closing.load(Ordering::Relaxed) => is_closing.store(true, Ordering::Relaxed),
                _ = self.ended.changed(), if matches!(end, Ending::Not) => {
                    is_closing.store(true, Ordering::Relaxed);
                    end = Ending::At(Instant::now() + LINGER);
                }
                () = lingers => {
                    end = Ending::AfterAnswer;
                    connection.as_mut().graceful_shutdown();
                }
            }
        }
    }
}

/// The end of a connection whose server ends.
#[derive(Clone, Copy)]
enum Ending {
    Not,
    /// Without a request until then, it is closed.
    At(Instant),
    /// It is closed as soon as its request is answered.
    AfterAnswer,
}

/// Ready once the program is asked to end.
async fn interrupted() {
    let ctrl_c = tokio::signal::ctrl_c();
    #[cfg(unix)]
    {
        if let Ok(mut terminated) =
            tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())
        {
            tokio::select! {
                _ = ctrl_c => {}
                _ = terminated.recv() => {}
            }
            return;
        }
    }
    let _ = ctrl_c.await;
}

impl ServeError {
    fn new(problem: String) -> Self {
        Self { problem }
    }
}

impl From<ServeError> for io::Error {
    fn from(error: ServeError) -> Self {
        Self::other(error)
    }
}

upstate::__error!(
    ServeError | self | "The webhook cannot begin: {}",
    self.problem
);
