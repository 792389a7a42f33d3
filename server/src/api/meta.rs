//! Routes about the server itself: ping, discovery, health, metrics.

use std::sync::OnceLock;

use axum::extract::State;
use axum::http::{HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse as _, Response};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use serde_json::json;

use super::Shared;
use super::auth::Caller;
use super::error::{ApiResult, document};
use crate::service::{CLIENT, Login};

/// Clients read the version of the API here; below 2.5 `cloud` blocks refuse to work. No rate limit
/// header: go-tfe takes it seriously.
pub(super) async fn ping() -> Response {
    let mut response = StatusCode::NO_CONTENT.into_response();
    response
        .headers_mut()
        .insert("tfp-api-version", HeaderValue::from_static("2.6"));
    response.headers_mut().insert(
        "x-upstate-version",
        HeaderValue::from_static(env!("CARGO_PKG_VERSION")),
    );
    response
}

/// The paths by which Terraform finds the API of a host that it knows by name.
pub(super) async fn discovery() -> Response {
    let services = json!({
        "tfe.v2": "/api/v2/",
        "tfe.v2.1": "/api/v2/",
        "tfe.v2.2": "/api/v2/",
        "state.v2": "/api/v2/",
        "login.v1": {
            "client": CLIENT,
            "grant_types": ["authz_code"],
            "authz": "/oauth/authorization",
            "token": "/oauth/token",
            "ports": [Login::PORTS.start(), Login::PORTS.end()],
        },
        // terrasnek does not begin without it. There are no modules: what it asks for there is not
        // found.
        "modules.v1": "/api/registry/v1/modules/",
    });
    (
        [(header::CONTENT_TYPE, "application/json")],
        services.to_string(),
    )
        .into_response()
}

/// The process runs.
pub(super) async fn healthy() -> &'static str {
    "ok\n"
}

/// The store can be written.
pub(super) async fn ready(State(app): Shared) -> Response {
    match app.service.store().ready().await {
        Ok(()) => "ready\n".into_response(),
        Err(error) => {
            tracing::error!(%error, "the store is not ready");
            (
                StatusCode::SERVICE_UNAVAILABLE,
                "the store cannot be written; the log says why\n",
            )
                .into_response()
        }
    }
}

/// The bounds of the histograms of times, in seconds: from a read out of memory to the time after
/// which Terraform gives a request up.
const SECONDS: [f64; 14] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 15.0, 60.0,
];

/// Counters without labels, which are served from the start.
const COUNTERS: [&str; 11] = [
    "upstate_audit_webhook_failures_total",
    "upstate_audit_webhook_lines_total",
    "upstate_connections_refused_total",
    "upstate_downgrades_total",
    "upstate_refusals_total",
    "upstate_rollbacks_total",
    "upstate_sign_in_failures_total",
    "upstate_state_versions_created_total",
    "upstate_state_versions_uploaded_total",
    "upstate_store_failures_total",
    "upstate_upgrades_total",
];

/// Gauges, which are 0 until they are measured.
const GAUGES: [&str; 8] = [
    "upstate_audit_webhook_lag_seconds",
    "upstate_backup_age_seconds",
    "upstate_locks",
    "upstate_oldest_lock_seconds",
    "upstate_pool_connections",
    "upstate_pool_connections_used",
    "upstate_pool_waiting",
    "upstate_store_bytes",
];

/// The recorder of this process, made when it is first asked for.
pub(super) fn recorder() -> Option<&'static PrometheusHandle> {
    static RECORDER: OnceLock<Option<PrometheusHandle>> = OnceLock::new();
    RECORDER
        .get_or_init(|| {
            let seconds = Matcher::Suffix("_seconds".to_owned());
            let builder = PrometheusBuilder::new().set_buckets_for_metric(seconds, &SECONDS);
            // It refuses no bounds but none at all.
            let recorder = builder
                .unwrap_or_else(|_| PrometheusBuilder::new())
                .build_recorder();
            let handle = recorder.handle();
            metrics::set_global_recorder(recorder).ok()?;
            // From the start, because Prometheus sees no increase in a count that was not there.
            for name in COUNTERS {
                metrics::counter!(name).increment(0);
            }
            for name in GAUGES {
                metrics::gauge!(name).set(0.0);
            }
            Some(handle)
        })
        .as_ref()
}

/// For the bearer of any token.
pub(super) async fn metrics(_: Caller) -> Response {
    numbers().await
}

/// In the format of Prometheus.
pub(super) async fn numbers() -> Response {
    match recorder() {
        Some(handle) => {
            handle.run_upkeep();
            (
                [(header::CONTENT_TYPE, "text/plain; version=0.0.4")],
                handle.render(),
            )
                .into_response()
        }
        None => (
            StatusCode::NOT_FOUND,
            "this program records its metrics elsewhere\n",
        )
            .into_response(),
    }
}

pub(super) async fn not_found(uri: Uri) -> ApiResult {
    let detail = format!("There is nothing at {}", uri.path());
    Ok(document(StatusCode::NOT_FOUND, "not found", &detail, None))
}

pub(super) async fn not_allowed(method: Method, uri: Uri) -> ApiResult {
    let detail = format!("{} does not take {method}", uri.path());
    Ok(document(
        StatusCode::METHOD_NOT_ALLOWED,
        "Method Not Allowed",
        &detail,
        None,
    ))
}
