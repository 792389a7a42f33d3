//! Layers around every request: an id, a line in the log, numbers, headers.

use std::sync::Arc;
use std::time::Instant;

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use tracing::Instrument as _;

use super::App;
use super::document::MEDIA_TYPE;
use super::error::ApiError;
use crate::traffic::{Caller, Client, Peer};

const REQUEST_ID: &str = "x-request-id";

/// The methods that are counted by name. A request may have any word as its method, and each one
/// would be kept for ever.
const METHODS: [&str; 9] = [
    "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "LOCK", "UNLOCK",
];

/// A method as the log and the numbers have it.
fn label(method: &Method) -> &'static str {
    METHODS
        .into_iter()
        .find(|known| *known == method.as_str())
        .unwrap_or("other")
}

/// Gives a request an id, says where it came from, logs it, and counts it. The query is not logged:
/// signatures are secrets.
pub(super) async fn observe(
    State(app): State<Arc<App>>,
    mut request: Request,
    next: Next,
) -> Response {
    let given = request
        .headers()
        .get(REQUEST_ID)
        .and_then(|value| value.to_str().ok())
        .filter(|id| is_id(id))
        .map(str::to_owned);
    let id = given.unwrap_or_else(new_id);
    let method = label(request.method());
    let path = request.uri().path().to_owned();
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map_or_else(|| "other".to_owned(), |path| path.as_str().to_owned());
    let client = app.options.trusted_proxies.client(
        request.extensions().get::<Peer>().copied(),
        request.headers(),
    );
    request.extensions_mut().insert(client);
    let caller = Caller::default();
    request.extensions_mut().insert(caller.clone());
    let span = tracing::info_span!("request", %id, method, %path, client = tracing::field::Empty, principal = tracing::field::Empty);
    if let Client(Some(address)) = client {
        span.record("client", tracing::field::display(address));
    }
    let started = Instant::now();
    let mut response = next.run(request).instrument(span.clone()).await;
    if response.status() == StatusCode::FORBIDDEN {
        app.service
            .note_refused(caller.get(), client.0, &format!("{method} {path}"))
            .await;
    }
    let elapsed = started.elapsed();
    let status = response.status().as_u16();
    span.in_scope(|| {
        tracing::info!(
            status,
            ms = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX),
            "answered"
        );
    });
    let labels = [
        ("method", method.to_owned()),
        ("route", route),
        ("status", status.to_string()),
    ];
    metrics::counter!("upstate_http_requests_total", &labels).increment(1);
    metrics::histogram!("upstate_http_request_seconds", &labels).record(elapsed.as_secs_f64());
    let headers = response.headers_mut();
    if let Ok(value) = HeaderValue::from_str(&id) {
        headers.insert(REQUEST_ID, value);
    }
    if app.options.base_url.starts_with("https://") {
        headers.insert(
            header::STRICT_TRANSPORT_SECURITY,
            HeaderValue::from_static("max-age=31536000"),
        );
    }
    response
}

/// Sends large answers in pieces, within the memory there is for them.
pub(super) async fn in_pieces(
    State(app): State<Arc<App>>,
    request: Request,
    next: Next,
) -> Response {
    let response = next.run(request).await;
    app.going
        .answer(response)
        .await
        .unwrap_or_else(|refusal| ApiError::from(refusal).into_response())
}

fn is_id(id: &str) -> bool {
    (1..=64).contains(&id.len())
        && id
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
}

fn new_id() -> String {
    let mut bytes = [0; 12];
    crate::random::fill(&mut bytes);
    crate::content::hex(&bytes)
}

/// The headers of every response of the API. The snapshot interval must be on each: the last one
/// that Terraform saw counts.
pub(super) async fn api_headers(
    State(app): State<Arc<App>>,
    request: Request,
    next: Next,
) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers
        .entry(header::CONTENT_TYPE)
        .or_insert(HeaderValue::from_static(MEDIA_TYPE));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Some(seconds) = app.options.snapshot_interval {
        headers.insert("x-terraform-snapshot-interval", HeaderValue::from(seconds));
    }
    response
}
