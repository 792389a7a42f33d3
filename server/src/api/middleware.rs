//! What happens to every request: an id, a line in the log, numbers, headers.

use std::sync::Arc;
use std::time::Instant;

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;
use tracing::Instrument as _;

use super::App;
use super::document::MEDIA_TYPE;

const REQUEST_ID: &str = "x-request-id";

/// Gives a request an id, logs it, and counts it. The query is not logged: signatures are secrets.
pub(super) async fn observe(State(_): State<Arc<App>>, request: Request, next: Next) -> Response {
    let given = request.headers().get(REQUEST_ID).and_then(|value| value.to_str().ok()).filter(|id| is_id(id)).map(str::to_owned);
    let id = given.unwrap_or_else(new_id);
    let method = request.method().clone();
    let path = request.uri().path().to_owned();
    let route = request.extensions().get::<MatchedPath>().map_or_else(|| "other".to_owned(), |path| path.as_str().to_owned());
    let span = tracing::info_span!("request", id = %id, %method, %path);
    let started = Instant::now();
    let mut response = next.run(request).instrument(span.clone()).await;
    let elapsed = started.elapsed();
    let status = response.status().as_u16();
    span.in_scope(|| {
        tracing::info!(status, ms = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX), "answered");
    });
    let labels = [("method", method.to_string()), ("route", route), ("status", status.to_string())];
    metrics::counter!("upstate_http_requests_total", &labels).increment(1);
    metrics::histogram!("upstate_http_request_seconds", &labels).record(elapsed.as_secs_f64());
    if let Ok(value) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(REQUEST_ID, value);
    }
    response
}

fn is_id(id: &str) -> bool {
    (1..=64).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
}

fn new_id() -> String {
    let mut bytes = [0; 12];
    crate::random::fill(&mut bytes);
    crate::content::hex(&bytes)
}

/// What every answer of the API has. The snapshot interval must be on each: the last one that Terraform saw counts.
pub(super) async fn api_headers(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.entry(header::CONTENT_TYPE).or_insert(HeaderValue::from_static(MEDIA_TYPE));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Some(seconds) = app.options.snapshot_interval {
        headers.insert("x-terraform-snapshot-interval", HeaderValue::from(seconds));
    }
    response
}
