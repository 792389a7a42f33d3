//! The HTTP side: routes, JSON:API documents, tokens, and `backend "http"`.

mod accounts;
mod admin;
mod answers;
mod auth;
mod body;
mod document;
mod error;
mod http_backend;
mod jobs;
mod meta;
mod middleware;
mod oauth;
mod objects;
pub mod openapi;
mod outputs;
mod places;
mod query;
mod routes;
mod schemas;
mod state_versions;
mod trusts;
mod workspaces;

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::request::Parts;
use axum::middleware::from_fn_with_state;
use axum::routing::get;

use crate::service::{Failure, Service};
use crate::traffic::{Budget, Caller, Held, TrustedProxies};
use body::SMALL;
pub use routes::{Needs, ROUTES, Route};

/// The parts that all routes need.
#[derive(Debug, Clone)]
pub struct Options {
    /// Under which URL clients reach the server, without a slash at its end. Never taken from a
    /// request: `Host` is the client's.
    pub base_url: String,
    /// The seconds between the snapshots that Terraform writes during an apply; `None`: it writes
    /// none.
    pub snapshot_interval: Option<u32>,
    /// The bytes of request bodies in memory at the same time, and those of responses.
    pub body_budget: usize,
    /// The proxies whose word is taken for where requests come from.
    pub trusted_proxies: TrustedProxies,
}

impl Options {
    /// The usual options under a URL.
    pub fn new(base_url: impl Into<String>) -> Self {
        let base_url: String = base_url.into();
        Self {
            base_url: base_url.trim_end_matches('/').to_owned(),
            snapshot_interval: Some(20),
            body_budget: 512 << 20,
            trusted_proxies: TrustedProxies::default(),
        }
    }
}

/// The state of every handler.
#[derive(Debug)]
struct App {
    service: Service,
    options: Options,
    /// Memory for bodies that come, and for those that go: clients that do not read what they asked
    /// for keep nobody from storing a state.
    coming: Budget,
    going: Budget,
}

impl App {
    /// Reads the body of a request that is small.
    async fn small(&self, request: Request) -> Result<Held, Failure> {
        let (parts, body) = request.into_parts();
        self.read(&parts, body, SMALL).await
    }

    /// Reads the body of a request, of at most so many bytes. Who is about to lose a permission
    /// could begin requests and end them after that, so a principal whose body takes long is looked
    /// up again.
    async fn read(&self, parts: &Parts, body: Body, limit: usize) -> Result<Held, Failure> {
        let held = self.coming.read(&parts.headers, body, limit).await?;
        if held.took_long
            && let Some(principal) = Caller::of(&parts.extensions)
        {
            self.service.still_may(principal).await?;
        }
        Ok(held)
    }
}

type Shared = axum::extract::State<Arc<App>>;

/// Every route of the API.
pub fn router(service: Service, options: Options) -> Router {
    router_with(service, options, Router::new())
}

/// The routes, and pages whose requests are logged and counted like all others.
pub fn router_with(service: Service, options: Options, pages: Router) -> Router {
    let (coming, going) = (
        Budget::coming(options.body_budget),
        Budget::going(options.body_budget),
    );
    let app = Arc::new(App {
        service,
        options,
        coming,
        going,
    });
    let mut api = Router::new();
    let mut others = Router::new();
    for (route, handler) in routes::handlers() {
        if route.path.starts_with("/api/") {
            api = api.route(route.path, handler);
        } else {
            others = others.route(route.path, handler);
        }
    }
    api.layer(from_fn_with_state(
        Arc::clone(&app),
        middleware::api_headers,
    ))
    .merge(others)
    .merge(pages.with_state(()))
    .fallback(meta::not_found)
    .method_not_allowed_fallback(meta::not_allowed)
    .layer(from_fn_with_state(Arc::clone(&app), middleware::in_pieces))
    .layer(from_fn_with_state(Arc::clone(&app), middleware::observe))
    .with_state(app)
}

/// Health and numbers alone, for a listener of their own that asks for no token.
pub fn watching(service: Service) -> Router {
    let options = Options::new("");
    let (coming, going) = (Budget::coming(0), Budget::going(options.body_budget));
    let app = Arc::new(App {
        service,
        options,
        coming,
        going,
    });
    Router::new()
        .route("/healthz", get(meta::healthy))
        .route("/readyz", get(meta::ready))
        .route("/metrics", get(meta::numbers))
        .with_state(app)
}

/// True if a path is answered also while all connections are taken.
pub fn is_health(path: &str) -> bool {
    matches!(path, "/healthz" | "/readyz" | "/metrics")
}

/// Records the metrics of this process, to be read at `/metrics`.
pub fn record_metrics() {
    let _ = meta::recorder();
}
