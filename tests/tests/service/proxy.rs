//! A proxy between clients and the service: it remembers what was asked, and breaks what the test
//! asks it to.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;

/// What goes wrong with a request.
#[derive(Debug, Clone)]
pub enum Fault {
    /// The connection is closed, and the service never sees the request.
    LoseRequest,
    /// The service does what it was asked, and the connection is closed without an answer.
    LoseAnswer,
    /// The service does what it was asked, and the connection is closed in the middle of the
    /// answer's body.
    CutAnswer,
    /// This status, these headers and this text instead of the service's answer, which never sees
    /// the request.
    Answer(u16, Vec<(&'static str, &'static str)>, &'static str),
    /// The body of the answer comes in small pieces with pauses.
    SlowAnswer(Duration),
    /// The body of the request goes on in small pieces with pauses.
    SlowRequest(Duration),
}

/// A request and what became of it.
#[derive(Debug, Clone)]
pub struct Exchange {
    pub method: String,
    /// The path with its query.
    pub path: String,
    /// The status that the client saw, 0 if it saw none.
    pub status: u16,
    /// The headers that it was answered.
    pub answered: hyper::HeaderMap,
}

struct Rule {
    method: &'static str,
    path: String,
    left: usize,
    fault: Fault,
}

#[derive(Default)]
struct Shared {
    services: Mutex<Vec<SocketAddr>>,
    rules: Mutex<Vec<Rule>>,
    exchanges: Mutex<Vec<Exchange>>,
}

/// The proxy. It ends when this is dropped.
pub struct Proxy {
    address: SocketAddr,
    shared: Arc<Shared>,
    _runtime: Runtime,
}

/// The connection ends here.
#[derive(Debug)]
struct Closed;

impl std::fmt::Display for Closed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("closed on purpose")
    }
}

impl std::error::Error for Closed {}

type Body = BoxBody<Bytes, Box<dyn std::error::Error + Send + Sync>>;

impl Proxy {
    /// One before nothing yet.
    pub fn start() -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared::default());
        let serves = Arc::clone(&shared);
        runtime.spawn(async move {
            loop {
                let Ok((stream, _)) = listener.accept().await else {
                    continue;
                };
                let shared = Arc::clone(&serves);
                tokio::spawn(async move {
                    let answers = service_fn(move |request| answer(Arc::clone(&shared), request));
                    // A connection that is closed on purpose is an error here.
                    let _ = hyper::server::conn::http1::Builder::new()
                        .serve_connection(TokioIo::new(stream), answers)
                        .await;
                });
            }
        });
        Self {
            address,
            shared,
            _runtime: runtime,
        }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Sends requests to these, in turn; one that can't be reached is left out.
    pub fn before(&self, services: &[SocketAddr]) {
        *held(&self.shared.services) = services.to_vec();
    }

    /// Lets the next `times` requests of this method whose path contains `path` go wrong.
    pub fn breaks(&self, method: &'static str, path: &str, times: usize, fault: Fault) {
        held(&self.shared.rules).push(Rule {
            method,
            path: path.to_owned(),
            left: times,
            fault,
        });
    }

    /// Lets everything pass again, and says how often the faults did not happen that were asked
    /// for.
    pub fn mend(&self) -> usize {
        std::mem::take(&mut *held(&self.shared.rules))
            .iter()
            .map(|rule| rule.left)
            .sum()
    }

    /// What was asked since the last time.
    pub fn exchanges(&self) -> Vec<Exchange> {
        std::mem::take(&mut *held(&self.shared.exchanges))
    }
}

fn held<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    fn fault(&self, method: &str, path: &str) -> Option<Fault> {
        let mut rules = held(&self.rules);
        let rule = rules
            .iter_mut()
            .find(|rule| rule.left > 0 && rule.method == method && path.contains(&rule.path))?;
        rule.left -= 1;
        Some(rule.fault.clone())
    }

    /// A connection to the next service that takes one.
    async fn connect(&self) -> Option<TcpStream> {
        let mut services = {
            let mut services = held(&self.services);
            if !services.is_empty() {
                services.rotate_left(1);
            }
            services.clone()
        };
        while let Some(service) = services.pop() {
            if let Ok(stream) = TcpStream::connect(service).await {
                return Some(stream);
            }
        }
        None
    }
}

async fn answer(shared: Arc<Shared>, request: Request<Incoming>) -> Result<Response<Body>, Closed> {
    let method = request.method().to_string();
    let path = request
        .uri()
        .path_and_query()
        .map_or_else(String::new, ToString::to_string);
    let fault = shared.fault(&method, &path);
    let answer = answered(&shared, request, fault).await;
    let status = answer.as_ref().map_or(0, |answer| answer.status().as_u16());
    let answered = answer.as_ref().map_or_else(
        |_| hyper::HeaderMap::new(),
        |answer| answer.headers().clone(),
    );
    held(&shared.exchanges).push(Exchange {
        method,
        path,
        status,
        answered,
    });
    answer
}

async fn answered(
    shared: &Shared,
    request: Request<Incoming>,
    fault: Option<Fault>,
) -> Result<Response<Body>, Closed> {
    match fault {
        None => pass(shared, request.map(|body| body.map_err(Into::into).boxed())).await,
        Some(Fault::LoseRequest) => Err(Closed),
        Some(Fault::Answer(status, headers, text)) => {
            // A client that still sends would not see the answer.
            let _ = request.into_body().collect().await;
            let mut answer = Response::builder().status(status);
            for (name, value) in headers {
                answer = answer.header(name, value);
            }
            Ok(answer
                .body(whole(Bytes::from_static(text.as_bytes())))
                .unwrap_or_default())
        }
        Some(Fault::LoseAnswer) => {
            let answer = pass(shared, request.map(|body| body.map_err(Into::into).boxed())).await?;
            let _ = answer.into_body().collect().await;
            Err(Closed)
        }
        Some(Fault::CutAnswer) => {
            let answer = pass(shared, request.map(|body| body.map_err(Into::into).boxed())).await?;
            let (head, body) = answer.into_parts();
            let body = body.collect().await.map_err(|_| Closed)?.to_bytes();
            let half = body.slice(..body.len() / 2);
            let frames = [Ok(Frame::data(half)), Err(Closed.into())];
            Ok(Response::from_parts(
                head,
                BodyExt::boxed(StreamBody::new(tokio_stream::iter(frames))),
            ))
        }
        Some(Fault::SlowAnswer(pause)) => {
            let answer = pass(shared, request.map(|body| body.map_err(Into::into).boxed())).await?;
            let (head, body) = answer.into_parts();
            let body = body.collect().await.map_err(|_| Closed)?.to_bytes();
            Ok(Response::from_parts(head, slow(&body, pause)))
        }
        Some(Fault::SlowRequest(pause)) => {
            let (head, body) = request.into_parts();
            let body = body.collect().await.map_err(|_| Closed)?.to_bytes();
            pass(shared, Request::from_parts(head, slow(&body, pause))).await
        }
    }
}

/// Ten pieces with pauses between them.
fn slow(body: &Bytes, pause: Duration) -> Body {
    use tokio_stream::StreamExt;
    let size = (body.len() / 10).max(1);
    let pieces: Vec<Bytes> = (0..body.len())
        .step_by(size)
        .map(|at| body.slice(at..body.len().min(at + size)))
        .collect();
    let frames = tokio_stream::iter(pieces).then(move |piece| async move {
        tokio::time::sleep(pause).await;
        Ok(Frame::data(piece))
    });
    BodyExt::boxed(StreamBody::new(frames))
}

fn whole(body: Bytes) -> Body {
    Full::new(body)
        .map_err(|never: Infallible| match never {})
        .boxed()
}

/// What the service answers; 502 if there is none, or if it ended while it was asked.
async fn pass(shared: &Shared, request: Request<Body>) -> Result<Response<Body>, Closed> {
    let answered = async {
        let stream = shared.connect().await?;
        let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
            .await
            .ok()?;
        tokio::spawn(connection);
        sender.send_request(request).await.ok()
    };
    Ok(match answered.await {
        Some(answer) => answer.map(|body| body.map_err(Into::into).boxed()),
        None => Response::builder()
            .status(502)
            .body(whole(Bytes::from_static(b"no service")))
            .unwrap_or_default(),
    })
}
