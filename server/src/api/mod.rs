//! The HTTP side: routes, JSON:API documents, tokens, and `backend "http"`.

mod accounts;
mod admin;
mod auth;
mod body;
mod document;
mod error;
mod http_backend;
mod meta;
mod middleware;
mod objects;
mod outputs;
mod query;
mod state_versions;
mod workspaces;

use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::{any, get, patch, post, put};

use crate::service::Service;
use body::Budget;

/// What the routes need.
#[derive(Debug, Clone)]
pub struct Options {
    /// Under which URL clients reach the server, without a slash at its end. Never taken from a request: `Host` is the client's.
    pub base_url: String,
    /// How many seconds Terraform waits between the snapshots that it writes during an apply; `None`: it writes none.
    pub snapshot_interval: Option<u32>,
    /// How many bytes of bodies are held in memory at the same time.
    pub body_budget: usize,
}

impl Options {
    /// The usual options under a URL.
    pub fn new(base_url: impl Into<String>) -> Self {
        let base_url: String = base_url.into();
        Self { base_url: base_url.trim_end_matches('/').to_owned(), snapshot_interval: Some(20), body_budget: 512 << 20 }
    }
}

/// What every handler has.
#[derive(Debug)]
struct App {
    service: Service,
    options: Options,
    budget: Budget,
}

type Shared = axum::extract::State<Arc<App>>;

/// Every route of the server.
pub fn router(service: Service, options: Options) -> Router {
    let budget = Budget::new(options.body_budget);
    let app = Arc::new(App { service, options, budget });
    let api = Router::new()
        .route("/ping", get(meta::ping))
        .route("/account/details", get(accounts::account))
        .route("/users/{id}", get(accounts::user))
        .route("/runs/{id}", get(accounts::run))
        .route("/runs/{id}/created-by", get(accounts::run_creator))
        .route("/organizations", get(accounts::organizations))
        .route("/organizations/{org}", get(accounts::organization))
        .route("/organizations/{org}/entitlement-set", get(accounts::entitlements))
        .route("/organizations/{org}/projects", get(accounts::projects))
        .route("/organizations/{org}/workspaces", get(workspaces::list).post(workspaces::create))
        .route(
            "/organizations/{org}/workspaces/{name}",
            get(workspaces::by_name).patch(workspaces::update_by_name).delete(workspaces::delete_by_name),
        )
        .route("/organizations/{org}/workspaces/{name}/actions/safe-delete", post(workspaces::safe_delete_by_name))
        .route("/workspaces/{id}", get(workspaces::by_id).patch(workspaces::update).delete(workspaces::delete))
        .route("/workspaces/{id}/actions/{action}", post(workspaces::action))
        .route("/workspaces/{id}/tag-bindings", get(workspaces::tag_bindings).patch(workspaces::add_tag_bindings))
        .route("/workspaces/{id}/effective-tag-bindings", get(workspaces::tag_bindings))
        .route(
            "/workspaces/{id}/relationships/tags",
            get(workspaces::tags).post(workspaces::add_tags).delete(workspaces::remove_tags),
        )
        .route(
            "/workspaces/{id}/relationships/data-retention-policy",
            get(workspaces::retention)
                .post(workspaces::set_retention)
                .patch(workspaces::set_retention)
                .delete(workspaces::remove_retention),
        )
        .route("/workspaces/{id}/current-state-version", get(state_versions::current))
        .route("/workspaces/{id}/current-state-version-outputs", get(outputs::current))
        .route("/workspaces/{id}/state-versions", post(state_versions::create).patch(state_versions::rollback))
        .route("/workspaces/{id}/quarantine", get(admin::quarantine))
        .route("/quarantine/{id}/download", get(admin::quarantined))
        .route("/state-versions", get(state_versions::list))
        .route("/state-versions/{id}", get(state_versions::show))
        .route("/state-versions/{id}/outputs", get(outputs::of_version))
        .route("/state-versions/{id}/actions/{action}", post(state_versions::action))
        .route("/state-version-outputs/{id}", get(outputs::show))
        .route("/organizations/{org}/audit", get(admin::audit))
        .route("/organizations/{org}/teams", get(admin::teams).post(admin::create_team))
        .route("/teams/{id}", patch(admin::update_team))
        .route("/teams/{id}/relationships/users", post(admin::add_members).delete(admin::remove_members))
        .route("/organizations/{org}/tokens", get(admin::tokens).post(admin::create_token))
        .route("/tokens/{id}", axum::routing::delete(admin::remove_token))
        .layer(from_fn_with_state(Arc::clone(&app), middleware::api_headers));
    Router::new()
        .nest("/api/v2", api)
        .route("/objects/state-versions/{id}/{kind}", put(objects::upload).get(objects::download))
        .route("/http/{org}/{workspace}", any(http_backend::state))
        .route("/http/{org}/{workspace}/lock", any(http_backend::lock))
        .route("/.well-known/terraform.json", get(meta::discovery))
        .route("/healthz", get(meta::healthy))
        .route("/readyz", get(meta::ready))
        .route("/metrics", get(meta::metrics))
        .fallback(meta::not_found)
        .method_not_allowed_fallback(meta::not_allowed)
        .layer(from_fn_with_state(Arc::clone(&app), middleware::observe))
        .with_state(app)
}

/// Records the metrics of this process, to be read at `/metrics`.
pub fn record_metrics() {
    let _ = meta::recorder();
}
