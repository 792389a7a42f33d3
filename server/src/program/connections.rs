//! Connections: accepted until the server has to end, then finished. A slow client loses its own
//! connection and no other.

mod places;
mod unread;
mod watched;

use std::convert::Infallible;
use std::future::Future;
use std::io::Cursor;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderValue, Request, Response, StatusCode, Version, header};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;
use tower::ServiceExt as _;

use crate::api;
use crate::traffic::Peer;
pub(super) use places::Limits;
use places::{Place, Places};
use watched::Watched;

/// The time for a client to open a connection, and to send the head of a request; and the time that
/// a request waits for a place.
const HEAD: Duration = Duration::from_secs(15);

/// The time until a silent connection of HTTP/2 is pinged, and the time for the answer.
const SILENCE: Duration = Duration::from_mins(1);

/// The time for running requests after the server was asked to end.
const ENDING: Duration = Duration::from_secs(30);

/// The time that a connection without a request stays open after the server was asked to end. A
/// request that is on its way to a connection that is closed at once has no answer, and Terraform
/// does not send it again.
const LINGER: Duration = Duration::from_secs(1);

/// The first bytes of a client of HTTP/2.
const PREFACE: usize = 24;

/// The memory of a connection in each direction: requests that are sent ahead, and answers that are
/// not read yet.
const BUFFER: usize = 64 << 10;

/// The number of requests of one HTTP/2 connection that are answered at the same time.
const STREAMS: u32 = 32;

/// Takes connections until `ending`, then waits for those that are open.
pub(super) async fn accept(
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    router: axum::Router,
    limits: Limits,
    ending: impl Future<Output = ()>,
) {
    let places = Arc::new(Places::new(limits));
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_buf_size(BUFFER);
    builder
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(SILENCE)
        .keep_alive_timeout(HEAD);
    builder
        .http2()
        .max_concurrent_streams(STREAMS)
        .max_send_buf_size(BUFFER);
    let (end, ended) = watch::channel(false);
    let mut ending = std::pin::pin!(ending);
    loop {
        // A client that finds no room waits in the queue of the operating system. A connection that
        // is not used ends soon and makes room.
        let next = async { (places.waiting().await, listener.accept().await) };
        let (waiting, accepted) = tokio::select! {
            () = &mut ending => break,
            accepted = next => accepted,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                // Too many open files, most likely: others will be closed.
                tracing::warn!(%error, "a connection was not accepted");
                sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let Some(place) = places.take(peer.ip(), waiting) else {
            metrics::counter!("upstate_connections_refused_total").increment(1);
            tracing::debug!(%peer, "a connection was refused: its address has as many as it may have");
            continue;
        };
        let _ = stream.set_nodelay(true);
        let connection = Connection {
            router: router.clone(),
            place: Arc::new(place),
            peer,
            ended: ended.clone(),
        };
        let (builder, tls) = (builder.clone(), tls.clone());
        tokio::spawn(async move { begin(builder, Watched::new(stream), tls, connection).await });
    }
    drop((listener, ended));
    end.send_replace(true);
    tracing::info!("ending; running requests are finished first");
    if timeout(ENDING, end.closed()).await.is_err() {
        tracing::warn!("some requests took too long and were cut off");
    }
}

/// The service for the requests of one connection.
#[derive(Clone)]
struct Connection {
    router: axum::Router,
    place: Arc<Place>,
    peer: SocketAddr,
    ended: watch::Receiver<bool>,
}

impl Connection {
    /// Answers, once the connection has its place among those that are served. Health is answered
    /// without one.
    async fn answer(self, mut request: Request<Incoming>) -> Result<Response<Body>, Infallible> {
        if !api::is_health(request.uri().path())
            && timeout(HEAD, self.place.served()).await.is_err()
        {
            return Ok(full());
        }
        request.extensions_mut().insert(Peer(self.peer));
        let (parts, body) = request.into_parts();
        let (body, returned) = unread::lend(&parts.headers, body);
        let persistent = parts.version < Version::HTTP_2;
        let mut response = self
            .router
            .oneshot(Request::from_parts(parts, Body::new(body)))
            .await?;
        let ends = !returned.read() || *self.ended.borrow();
        if ends && persistent {
            response
                .headers_mut()
                .insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        Ok(response)
    }
}

/// Later there may be a place.
fn full() -> Response<Body> {
    let mut response = Response::new(Body::from(
        "The server has as many connections as it may have; try again\n",
    ));
    *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
    response
        .headers_mut()
        .insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
    response
        .headers_mut()
        .insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
}

/// Finds out which protocol a client speaks: without TLS it is HTTP/1, with it what both agreed on.
/// Guessing from the first bytes would wait for them for ever.
async fn begin<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
    builder: auto::Builder<TokioExecutor>,
    stream: S,
    tls: Option<TlsAcceptor>,
    connection: Connection,
) {
    let Some(tls) = tls else {
        return speak(&builder.http1_only(), stream, connection).await;
    };
    let stream = match timeout(HEAD, tls.accept(stream)).await {
        Ok(Ok(stream)) => stream,
        Ok(Err(error)) => return tracing::debug!(%error, "a TLS connection was not made"),
        Err(_) => return tracing::debug!("a TLS connection took too long to be made"),
    };
    if stream.get_ref().1.alpn_protocol() != Some(b"h2") {
        return speak(&builder.http1_only(), stream, connection).await;
    }
    let (mut read, write) = tokio::io::split(stream);
    let mut preface = [0; PREFACE];
    match timeout(HEAD, read.read_exact(&mut preface)).await {
        Ok(Ok(_)) => {}
        Ok(Err(error)) => return tracing::debug!(%error, "a connection ended early"),
        Err(_) => return tracing::debug!("a connection was silent for too long"),
    }
    let stream = tokio::io::join(Cursor::new(preface).chain(read), write);
    speak(&builder.http2_only(), stream, connection).await;
}

/// Answers the requests of one connection.
async fn speak<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
    builder: &auto::Builder<TokioExecutor>,
    stream: S,
    connection: Connection,
) {
    let mut ended = connection.ended.clone();
    let service = service_fn(move |request| connection.clone().answer(request));
    let mut served = std::pin::pin!(builder.serve_connection(TokioIo::new(stream), service));
    let lingered = async {
        let _ = ended.wait_for(|ended| *ended).await;
        sleep(LINGER).await;
    };
    let result = tokio::select! {
        result = &mut served => result,
        () = lingered => {
            served.as_mut().graceful_shutdown();
            served.await
        }
    };
    if let Err(error) = result {
        tracing::debug!(%error, "a connection ended early");
    }
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use axum::routing::get;
    use tokio::io::AsyncWriteExt as _;
    use tokio::net::TcpStream;
    use tokio::sync::oneshot;
    use tokio::task::JoinHandle;

    use super::*;
    use crate::traffic::TrustedProxies;

    /// A server that answers "here", until it is asked to end. Time is that of the test: it jumps
    /// whenever everybody waits.
    async fn start() -> (SocketAddr, oneshot::Sender<()>, JoinHandle<()>) {
        start_with(Limits::new(1024, None, TrustedProxies::default())).await
    }

    async fn start_with(limits: Limits) -> (SocketAddr, oneshot::Sender<()>, JoinHandle<()>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let (end, ending) = oneshot::channel();
        let large = || async { vec![b'x'; 32 << 20] };
        let router = axum::Router::new()
            .route("/", get(|| async { "here" }))
            .route("/large", get(large));
        let router = router.route("/healthz", get(|| async { "ok" }));
        let server = tokio::spawn(accept(listener, None, router, limits, async {
            let _ = ending.await;
        }));
        (address, end, server)
    }

    const REQUEST: &str = "GET / HTTP/1.1\r\nhost: x\r\n\r\n";

    /// The bytes until the server closes the connection, and the time of that.
    async fn until_closed(address: SocketAddr, sent: &[u8]) -> (String, Duration) {
        let mut stream = TcpStream::connect(address).await.expect("a connection");
        stream.write_all(sent).await.expect("it is sent");
        let began = tokio::time::Instant::now();
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer).await;
        (
            String::from_utf8_lossy(&answer).into_owned(),
            began.elapsed(),
        )
    }

    #[tokio::test(start_paused = true)]
    async fn a_silent_client_is_not_waited_for() {
        let (address, _end, _server) = start().await;
        let half = &REQUEST[..20];
        for (sent, answered) in [
            ("", ""),
            (half, ""),
            ("PRI * HTTP/2.0\r\n", ""),
            (REQUEST, "here"),
        ] {
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

    /// Two connections, each with an answer.
    async fn two_open(address: SocketAddr) -> Vec<TcpStream> {
        let mut open = Vec::new();
        for _ in 0..2 {
            let mut stream = TcpStream::connect(address).await.expect("a connection");
            stream
                .write_all(REQUEST.as_bytes())
                .await
                .expect("it is sent");
            let mut answer = [0; 4096];
            assert!(stream.read(&mut answer).await.expect("an answer") > 0);
            open.push(stream);
        }
        open
    }

    /// One more than there is room for waits, and has its turn when another one is given up.
    #[tokio::test(start_paused = true)]
    async fn there_are_no_more_connections_than_allowed() {
        let (address, end, server) =
            start_with(Limits::new(2, None, TrustedProxies::default())).await;
        let mut open = two_open(address).await;
        let mut third = TcpStream::connect(address)
            .await
            .expect("the queue of the operating system takes it");
        third
            .write_all(REQUEST.as_bytes())
            .await
            .expect("it is sent");
        let mut answer = [0; 4096];
        assert!(
            timeout(HEAD / 2, third.read(&mut answer)).await.is_err(),
            "there was no room"
        );
        drop(open.pop());
        assert!(
            timeout(HEAD / 2, third.read(&mut answer))
                .await
                .expect("its turn")
                .expect("an answer")
                > 0
        );
        end.send(()).expect("it listens");
        server.await.expect("it ends");
    }

    #[tokio::test(start_paused = true)]
    async fn it_ends_without_requests() {
        let (address, end, server) = start().await;
        let mut idle = TcpStream::connect(address).await.expect("a connection");
        idle.write_all(REQUEST.as_bytes())
            .await
            .expect("it is sent");
        let mut answer = [0; 4096];
        assert!(idle.read(&mut answer).await.expect("an answer") > 0);
        let began = tokio::time::Instant::now();
        end.send(()).expect("it listens");
        server.await.expect("it ends");
        assert!(
            began.elapsed() <= LINGER + Duration::from_millis(10),
            "{:?}",
            began.elapsed()
        );
        assert!(TcpStream::connect(address).await.is_err());
    }

    /// A request that comes just after the end began is answered, and its client learns that the
    /// connection is over.
    #[tokio::test(start_paused = true)]
    async fn a_request_on_its_way_is_answered_at_the_end() {
        let (address, end, server) = start().await;
        let mut stream = TcpStream::connect(address).await.expect("a connection");
        stream
            .write_all(REQUEST.as_bytes())
            .await
            .expect("it is sent");
        let mut answer = [0; 4096];
        assert!(stream.read(&mut answer).await.expect("an answer") > 0);
        end.send(()).expect("it listens");
        sleep(LINGER / 2).await;
        stream
            .write_all(REQUEST.as_bytes())
            .await
            .expect("it is sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.expect("an answer");
        assert!(
            answer.contains("connection: close\r\n") && answer.ends_with("here"),
            "{answer}"
        );
        let began = tokio::time::Instant::now();
        server.await.expect("it ends");
        assert!(
            began.elapsed() < LINGER,
            "nothing is left to wait for: {:?}",
            began.elapsed()
        );
    }

    /// Clients that do not read responses: a large one, and many small ones that were asked for
    /// ahead.
    #[tokio::test(start_paused = true)]
    async fn who_does_not_read_loses_the_connection() {
        let (address, _end, _server) = start().await;
        for sent in [
            "GET /large HTTP/1.1\r\nhost: x\r\n\r\n".to_owned(),
            REQUEST.repeat(400_000),
        ] {
            let stream = TcpStream::connect(address).await.expect("a connection");
            let (mut read, mut write) = stream.into_split();
            let began = tokio::time::Instant::now();
            // All of it fits into no buffer, so this ends when the connection does, or at once.
            let _ = timeout(Duration::from_mins(5), write.write_all(sent.as_bytes())).await;
            sleep(Duration::from_mins(2)).await;
            let mut answer = Vec::new();
            let end = timeout(Duration::from_mins(5), read.read_to_end(&mut answer))
                .await
                .expect("the server has closed it");
            assert!(
                end.is_err() || answer.len() < 32 << 20,
                "{} bytes",
                answer.len()
            );
            assert!(
                began.elapsed() < Duration::from_mins(7),
                "{:?}",
                began.elapsed()
            );
        }
    }

    /// A handler that reads no body answers before the last of it has come. The next request is
    /// answered, too.
    #[tokio::test]
    async fn an_unread_body_does_not_end_the_connection() {
        let (address, _end, _server) = start().await;
        let (chunked, short) = ("transfer-encoding: chunked", "content-length: 5");
        for (head, rest) in [
            (chunked, "0\r\n\r\n"),
            (chunked, "3\r\nabc\r\n0\r\n\r\n"),
            (short, "{   }"),
        ] {
            let mut stream = TcpStream::connect(address).await.expect("a connection");
            let mut answer = [0; 4096];
            for _ in 0..3 {
                stream
                    .write_all(format!("GET / HTTP/1.1\r\nhost: x\r\n{head}\r\n\r\n").as_bytes())
                    .await
                    .expect("it is sent");
                let count = stream.read(&mut answer).await.expect("an answer");
                assert!(
                    String::from_utf8_lossy(&answer[..count]).ends_with("here"),
                    "{head}, {rest:?}"
                );
                stream.write_all(rest.as_bytes()).await.expect("it is sent");
            }
        }
    }

    /// A client learns that its connection ends before it sends the next request over it.
    #[tokio::test]
    async fn a_long_unread_body_ends_the_connection_with_notice() {
        let (address, _end, _server) = start().await;
        for head in [
            "content-length: 1000000",
            "content-length: 5\r\nexpect: 100-continue",
        ] {
            let request = format!("GET / HTTP/1.1\r\nhost: x\r\n{head}\r\n\r\n");
            let (answer, took) = until_closed(address, request.as_bytes()).await;
            assert!(
                answer.contains("connection: close\r\n") && answer.ends_with("here"),
                "{head}: {answer}"
            );
            assert!(took < Duration::from_secs(1), "{head}: {took:?}");
        }
    }

    /// With every place taken, health is answered still.
    #[tokio::test(start_paused = true)]
    async fn health_is_answered_while_there_is_no_place() {
        let (address, _end, _server) =
            start_with(Limits::new(2, None, TrustedProxies::default())).await;
        let _open = two_open(address).await;
        let health = "GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
        let (answer, took) = until_closed(address, health.as_bytes()).await;
        assert!(
            answer.ends_with("ok") && took < Duration::from_secs(1),
            "{answer}"
        );
    }

    /// One address has a part of the places.
    #[tokio::test(start_paused = true)]
    async fn one_address_does_not_get_all_places() {
        let loopback: TrustedProxies =
            TrustedProxies(vec!["127.0.0.0/8".parse().expect("a network")]);
        for (trusted, answered) in [(TrustedProxies::default(), 3), (loopback, 5)] {
            let (address, _end, _server) = start_with(Limits::new(1024, Some(3), trusted)).await;
            let mut open = Vec::new();
            for _ in 0..5 {
                let mut stream = TcpStream::connect(address).await.expect("a connection");
                let mut answer = [0; 4096];
                let sent = stream.write_all(REQUEST.as_bytes()).await;
                if sent.is_ok() && stream.read(&mut answer).await.is_ok_and(|count| count > 0) {
                    open.push(stream);
                }
            }
            assert_eq!(open.len(), answered);
            // One that has gone makes room for another one of the same address.
            drop(open);
            sleep(Duration::from_secs(1)).await;
            let (answer, _) = until_closed(address, REQUEST.as_bytes()).await;
            assert!(answer.ends_with("here"), "{answer}");
        }
    }
}
