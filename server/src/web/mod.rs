//! The page for people: what is behind, what an upgrade or a downgrade would change, and the doing of it; versions, locks, jobs, the audit log, tokens and
//! members. The server writes all of it. A small script keeps the progress of jobs up to date; without it, the page is loaded again by hand. Nothing
//! comes from elsewhere.
//!
//! The browser keeps the token in a cookie that no script reads and no other site sends. Every form carries a number that only
//! the holder of the token can make, so that no other site can send it.

mod audit;
mod contents;
mod diff;
mod form;
mod frame;
mod home;
mod job;
mod members;
mod organization;
mod plan;
mod plans;
mod search;
mod session;
mod version;
mod visitor;
mod workspace;

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};

use crate::rules::{Refusal, RefusalKind};
use crate::service::{Failure, Service};
use crate::traffic::Budget;
use frame::Notice;
use session::Session;

/// The memory for all forms at the same time, in bytes.
const FORMS: usize = 64 << 20;

/// The parts that all pages need.
#[derive(Debug)]
struct Web {
    service: Service,
    /// True if the cookie is for TLS only.
    secure: bool,
    /// The part before the path in the URLs of this server.
    origin: String,
    /// Memory for forms.
    forms: Budget,
}

type Shared = State<Arc<Web>>;

/// The response of a page.
type Answer = Result<Response, Refused>;

/// The routes of the page. `base_url` is where people reach the server.
pub fn router(service: Service, base_url: &str) -> Router {
    let (secure, origin) = (base_url.starts_with("https://"), base_url.trim_end_matches('/').to_owned());
    let web = Arc::new(Web { service, secure, origin, forms: Budget::coming(FORMS) });
    Router::new()
        .route("/", get(home::show))
        .route("/ui/style.css", get(style))
        .route("/ui/live.js", get(script))
        .route("/ui/sign-in", post(home::sign_in))
        .route("/ui/sign-out", post(home::sign_out))
        .route("/ui/organizations/{organization}", get(organization::show))
        .route("/ui/organizations/{organization}/changes", get(organization::changes))
        .route("/ui/organizations/{organization}/plan", get(plans::show))
        .route("/ui/organizations/{organization}/search", get(search::show))
        .route("/ui/organizations/{organization}/jobs", get(job::list).post(job::create))
        .route("/ui/organizations/{organization}/audit", get(audit::show))
        .route("/ui/organizations/{organization}/members", get(members::show))
        .route("/ui/organizations/{organization}/tokens", post(members::create_token))
        .route("/ui/organizations/{organization}/tokens/{token_id}/revoke", get(members::ask_revoke).post(members::revoke))
        .route("/ui/organizations/{organization}/teams", post(members::create_team))
        .route("/ui/organizations/{organization}/teams/{team_id}", post(members::change_team))
        .route("/ui/jobs/{job_id}", get(job::show))
        .route("/ui/jobs/{job_id}/stop", post(job::stop))
        .route("/ui/jobs/{job_id}/resume", post(job::resume))
        .route("/ui/workspaces/{workspace_id}", get(workspace::show))
        .route("/ui/workspaces/{workspace_id}/upgrade", post(plan::upgrade))
        .route("/ui/workspaces/{workspace_id}/downgrade", post(plan::downgrade))
        .route("/ui/workspaces/{workspace_id}/lock", post(workspace::lock))
        .route("/ui/workspaces/{workspace_id}/unlock", post(workspace::unlock))
        .route("/ui/workspaces/{workspace_id}/force-unlock", get(workspace::ask_force_unlock).post(workspace::force_unlock))
        .route("/ui/state-versions/{state_version_id}", get(version::show))
        .route("/ui/state-versions/{state_version_id}/plan", get(plan::show))
        .route("/ui/state-versions/{state_version_id}/comparison", get(diff::show))
        .route("/ui/state-versions/{state_version_id}/rollback", get(version::ask_rollback).post(version::rollback))
        .layer(from_fn(headers))
        .with_state(web)
}

/// Nothing but this server's own style, script, forms and links; in no frame; kept by nobody.
async fn headers(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let policy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; form-action 'self'; \
                  frame-ancestors 'none'; base-uri 'none'";
    let all = [
        (header::CONTENT_SECURITY_POLICY, policy),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        // Without it, a browser would not say that a form is this page's own.
        (header::REFERRER_POLICY, "same-origin"),
        (header::CACHE_CONTROL, "no-store"),
    ];
    for (name, value) in all {
        response.headers_mut().insert(name, header::HeaderValue::from_static(value));
    }
    response
}

async fn style() -> Response {
    ([(header::CONTENT_TYPE, "text/css; charset=utf-8")], include_str!("style.css")).into_response()
}

async fn script() -> Response {
    ([(header::CONTENT_TYPE, "text/javascript; charset=utf-8")], include_str!("live.js")).into_response()
}

/// On to another page, after something was done.
fn on_to(path: &str) -> Response {
    (StatusCode::SEE_OTHER, [(header::LOCATION, path.to_owned())]).into_response()
}

/// On to another page, which says what was done.
fn done(path: &str, notice: Notice) -> Response {
    on_to(&format!("{path}?done={}", notice.name()))
}

/// A page that is not shown, and why.
#[derive(Debug)]
struct Refused(Option<Session>, Failure);

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let Self(session, failure) = self;
        let (status, why) = match failure {
            Failure::Refused(Refusal { kind: RefusalKind::Unauthorized, .. }) => {
                return home::sign_in_page(Some("Sign in again."));
            }
            Failure::Refused(refusal) => (status(refusal.kind), refusal.detail),
            Failure::Store(error) => {
                tracing::error!(%error, "the store failed");
                metrics::counter!("upstate_store_failures_total").increment(1);
                let why = "The server failed. It is not your fault; try again, or look into its log.";
                (StatusCode::INTERNAL_SERVER_ERROR, why.to_owned())
            }
        };
        home::refused(session.as_ref(), status, &why)
    }
}

const fn status(kind: RefusalKind) -> StatusCode {
    match kind {
        RefusalKind::BadRequest => StatusCode::BAD_REQUEST,
        RefusalKind::Unauthorized => StatusCode::UNAUTHORIZED,
        RefusalKind::Forbidden => StatusCode::FORBIDDEN,
        RefusalKind::NotFound => StatusCode::NOT_FOUND,
        RefusalKind::Conflict | RefusalKind::Locked => StatusCode::CONFLICT,
        RefusalKind::PreconditionFailed => StatusCode::PRECONDITION_FAILED,
        RefusalKind::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        RefusalKind::Unprocessable => StatusCode::UNPROCESSABLE_ENTITY,
        RefusalKind::TooMany => StatusCode::TOO_MANY_REQUESTS,
        RefusalKind::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
    }
}
