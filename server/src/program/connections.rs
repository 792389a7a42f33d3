//! Connections: accepted until the server has to end, then finished. A slow client loses its own connection and no other.

use std::future::Future;
use std::io::Cursor;
use std::sync::Arc;
use std::time::Duration;

use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;

/// How long a client may take until its connection can be used, and to send the head of a request.
const HEAD: Duration = Duration::from_secs(15);

/// How long a connection of HTTP/2 may be silent until it is asked whether somebody is there, and how long the answer may take.
const SILENCE: Duration = Duration::from_mins(1);

/// How long running requests may take after the server was asked to end.
const ENDING: Duration = Duration::from_secs(30);

/// What a client of HTTP/2 sends first.
const PREFACE: usize = 24;

/// Takes connections until `ending`, then waits for those that are open.
pub(super) async fn accept(
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    router: axum::Router,
    most: usize,
    ending: impl Future<Output = ()>,
) {
    let room = Arc::new(Semaphore::new(most.min(Semaphore::MAX_PERMITS)));
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(HEAD);
    builder.http2().timer(TokioTimer::new()).keep_alive_interval(SILENCE).keep_alive_timeout(HEAD);
    let graceful = GracefulShutdown::new();
    let mut ending = std::pin::pin!(ending);
    loop {
        // A client that finds no room waits in the queue of the operating system. A connection that is not used ends soon and makes room.
        let next = async { (Arc::clone(&room).acquire_owned().await, listener.accept().await) };
        let (place, accepted) = tokio::select! {
            () = &mut ending => break,
            accepted = next => accepted,
        };
        let stream = match accepted {
            Ok((stream, _)) => stream,
            Err(error) => {
                // Too many open files, most likely: others will be closed.
                tracing::warn!(%error, "a connection was not accepted");
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let _ = stream.set_nodelay(true);
        let (builder, router, watcher, tls) = (builder.clone(), router.clone(), graceful.watcher(), tls.clone());
        tokio::spawn(async move {
            let _place = place;
            begin(builder, stream, tls, router, watcher).await;
        });
    }
    drop(listener);
    tracing::info!("ending; running requests are finished first");
    if timeout(ENDING, graceful.shutdown()).await.is_err() {
        tracing::warn!("some requests took too long and were cut off");
    }
}

/// Finds out which protocol a client speaks: without TLS it is HTTP/1, with it what both agreed on. Guessing from the first bytes would
/// wait for them for ever.
async fn begin(
    builder: auto::Builder<TokioExecutor>,
    stream: TcpStream,
    tls: Option<TlsAcceptor>,
    router: axum::Router,
    watcher: Watcher,
) {
    let Some(tls) = tls else { return speak(&builder.http1_only(), stream, router, watcher).await };
    let stream = match timeout(HEAD, tls.accept(stream)).await {
        Ok(Ok(stream)) => stream,
        Ok(Err(error)) => return tracing::debug!(%error, "a TLS connection was not made"),
        Err(_) => return tracing::debug!("a TLS connection took too long to be made"),
    };
    if stream.get_ref().1.alpn_protocol() != Some(b"h2") {
        return speak(&builder.http1_only(), stream, router, watcher).await;
    }
    let (mut read, write) = tokio::io::split(stream);
    let mut preface = [0; PREFACE];
    match timeout(HEAD, read.read_exact(&mut preface)).await {
        Ok(Ok(_)) => {}
        Ok(Err(error)) => return tracing::debug!(%error, "a connection ended early"),
        Err(_) => return tracing::debug!("a connection was silent for too long"),
    }
    let stream = tokio::io::join(Cursor::new(preface).chain(read), write);
    speak(&builder.http2_only(), stream, router, watcher).await;
}

/// Answers the requests of one connection.
async fn speak<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
    builder: &auto::Builder<TokioExecutor>,
    stream: S,
    router: axum::Router,
    watcher: Watcher,
) {
    let service = TowerToHyperService::new(router);
    let connection = builder.serve_connection(TokioIo::new(stream), service).into_owned();
    if let Err(error) = watcher.watch(connection).await {
        tracing::debug!(%error, "a connection ended early");
    }
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use axum::routing::get;
    use tokio::io::AsyncWriteExt as _;
    use tokio::sync::oneshot;
    use tokio::task::JoinHandle;

    use super::*;

    /// A server that answers "here", until it is asked to end. Time is that of the test: it jumps whenever everybody waits.
    async fn start() -> (SocketAddr, oneshot::Sender<()>, JoinHandle<()>) {
        start_with(1024).await
    }

    async fn start_with(most: usize) -> (SocketAddr, oneshot::Sender<()>, JoinHandle<()>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let (end, ending) = oneshot::channel();
        let router = axum::Router::new().route("/", get(|| async { "here" }));
        let server = tokio::spawn(accept(listener, None, router, most, async {
            let _ = ending.await;
        }));
        (address, end, server)
    }

    const REQUEST: &str = "GET / HTTP/1.1\r\nhost: x\r\n\r\n";

    /// What comes back until the server closes the connection, and after which time that is.
    async fn until_closed(address: SocketAddr, sent: &[u8]) -> (String, Duration) {
        let mut stream = TcpStream::connect(address).await.expect("a connection");
        stream.write_all(sent).await.expect("it is sent");
        let began = tokio::time::Instant::now();
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer).await;
        (String::from_utf8_lossy(&answer).into_owned(), began.elapsed())
    }

    #[tokio::test(start_paused = true)]
    async fn who_says_nothing_is_not_waited_for() {
        let (address, _end, _server) = start().await;
        let half = &REQUEST[..20];
        for (sent, answered) in [("", ""), (half, ""), ("PRI * HTTP/2.0\r\n", ""), (REQUEST, "here")] {
            let (answer, took) = until_closed(address, sent.as_bytes()).await;
            assert!(answer.ends_with(answered), "{sent:?}: {answer}");
            assert!(took <= HEAD + Duration::from_secs(1), "{sent:?}: {took:?}");
        }
    }

    /// Several requests that are sent before the first answer came.
    #[tokio::test(start_paused = true)]
    async fn requests_in_a_row_are_answered_in_a_row() {
        let (address, _end, _server) = start().await;
        let (answer, _) = until_closed(address, REQUEST.repeat(20).as_bytes()).await;
        assert_eq!(answer.matches("here").count(), 20, "{answer}");
    }

    /// One more than there is room for waits, and has its turn when another one is given up.
    #[tokio::test(start_paused = true)]
    async fn there_are_no_more_connections_than_allowed() {
        let (address, end, server) = start_with(2).await;
        let mut open = Vec::new();
        for _ in 0..2 {
            let mut stream = TcpStream::connect(address).await.expect("a connection");
            stream.write_all(REQUEST.as_bytes()).await.expect("it is sent");
            let mut answer = [0; 4096];
            assert!(stream.read(&mut answer).await.expect("an answer") > 0);
            open.push(stream);
        }
        let mut third = TcpStream::connect(address).await.expect("the queue of the operating system takes it");
        third.write_all(REQUEST.as_bytes()).await.expect("it is sent");
        let mut answer = [0; 4096];
        assert!(timeout(HEAD / 2, third.read(&mut answer)).await.is_err(), "there was no room");
        drop(open.pop());
        assert!(timeout(HEAD / 2, third.read(&mut answer)).await.expect("its turn").expect("an answer") > 0);
        end.send(()).expect("it listens");
        server.await.expect("it ends");
    }

    #[tokio::test(start_paused = true)]
    async fn it_ends_when_nobody_asks_anything() {
        let (address, end, server) = start().await;
        let mut idle = TcpStream::connect(address).await.expect("a connection");
        idle.write_all(REQUEST.as_bytes()).await.expect("it is sent");
        let mut answer = [0; 4096];
        assert!(idle.read(&mut answer).await.expect("an answer") > 0);
        let began = tokio::time::Instant::now();
        end.send(()).expect("it listens");
        server.await.expect("it ends");
        assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
        assert!(TcpStream::connect(address).await.is_err());
    }
}
