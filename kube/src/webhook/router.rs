//! The paths of the webhook.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, Bytes, HttpBody as _};
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::{HeaderValue, Response, StatusCode, header};
use axum::middleware::{self, Next};
use axum::routing::{get, post};
use serde_json::json;

use super::metrics::Metrics;
use crate::review::{Answer, Converter, LARGEST_REVIEW, NotAReview};

/// The size from which a review is converted beside the threads that answer requests: it takes
/// milliseconds.
const LARGE: usize = 64 * 1024;

/// The time for a request with its body. Kubernetes gives up after 30 s, too.
const ANSWER: Duration = Duration::from_secs(30);

/// The converter and its counters.
#[derive(Clone)]
struct Webhook {
    converter: Arc<Converter>,
    metrics: Arc<Metrics>,
}

/// A router for axum that answers the reviews of Kubernetes at `/convert`, and `/healthz`,
/// `/readyz` and `/metrics`.
///
/// Kubernetes calls it by HTTPS alone; [`serve`](super::serve) is a server with it.
pub fn router(converter: Converter) -> Router {
    let webhook = Webhook {
        converter: Arc::new(converter),
        metrics: Arc::default(),
    };
    let ok = || async { "ok" };
    Router::new()
        .route("/convert", post(convert))
        .route("/healthz", get(ok))
        .route("/readyz", get(ok))
        .route("/metrics", get(metrics))
        .layer(middleware::from_fn(in_bounds))
        .layer(DefaultBodyLimit::max(LARGEST_REVIEW))
        .with_state(webhook)
}

/// Refuses a body that says that it is too large, before it is read, and ends what takes too long,
/// such as a body that does not come.
async fn in_bounds(request: Request, next: Next) -> Response<Body> {
    if request.body().size_hint().lower() > LARGEST_REVIEW as u64 {
        return status(
            StatusCode::PAYLOAD_TOO_LARGE,
            &format!(
                "the request has more than {LARGEST_REVIEW} bytes; ask for fewer objects at a time"
            ),
        );
    }
    match tokio::time::timeout(ANSWER, next.run(request)).await {
        Ok(response) => response,
        Err(_) => status(
            StatusCode::REQUEST_TIMEOUT,
            &format!(
                "the request was not read and answered within {} s",
                ANSWER.as_secs()
            ),
        ),
    }
}

async fn metrics(State(webhook): State<Webhook>) -> Response<Body> {
    response(
        StatusCode::OK,
        "text/plain; version=0.0.4",
        webhook.metrics.text().into(),
    )
}

async fn convert(State(webhook): State<Webhook>, body: Bytes) -> Response<Body> {
    let begun = Instant::now();
    let reviewed = if body.len() < LARGE {
        webhook.converter.review(&body)
    } else {
        let converter = Arc::clone(&webhook.converter);
        match tokio::task::spawn_blocking(move || converter.review(&body)).await {
            Ok(reviewed) => reviewed,
            Err(error) => {
                tracing::error!(%error, "a conversion ended early");
                return status(
                    StatusCode::INTERNAL_SERVER_ERROR,
                    "the conversion ended early; the log of the webhook has the reason",
                );
            }
        }
    };
    match reviewed {
        Ok(answer) => {
            webhook.metrics.answered(&answer, begun.elapsed());
            report(&answer);
            response(
                StatusCode::OK,
                "application/json",
                answer.into_body().into(),
            )
        }
        Err(not_a_review) => refuse(&webhook, &not_a_review),
    }
}

/// Logs what an operator wants to know. Messages hold no secrets, and no stored value is logged.
fn report(answer: &Answer) {
    if let Some(problem) = answer.failure() {
        tracing::error!(problem, "objects were not converted");
    }
    if answer.ignored() > 0 || answer.lost() > 0 {
        tracing::warn!(
            ignored = answer.ignored(),
            lost = answer.lost(),
            "values in annotations fit nowhere, or had no room"
        );
    }
    tracing::debug!(
        converted = answer.converted(),
        restored = answer.restored(),
        superseded = answer.superseded(),
        "reviewed"
    );
}

fn refuse(webhook: &Webhook, problem: &NotAReview) -> Response<Body> {
    webhook.metrics.refused();
    tracing::warn!(%problem, "a request was refused");
    status(StatusCode::BAD_REQUEST, &problem.to_string())
}

/// A `Status` as the body, whose message Kubernetes shows.
fn status(code: StatusCode, message: &str) -> Response<Body> {
    let body = json!({"apiVersion": "v1", "kind": "Status", "status": "Failure", "message": message, "code": code.as_u16()});
    response(code, "application/json", body.to_string().into())
}

fn response(code: StatusCode, content: &'static str, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = code;
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, HeaderValue::from_static(content));
    response
}
