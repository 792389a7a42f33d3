//! The page for people: what is behind, what an upgrade or a downgrade would change, and the doing
//! of it; versions, locks, jobs, the audit log, tokens and members. The server writes all of it. A
//! small script keeps the progress of jobs up to date; without it, the page is loaded again by
//! hand. Nothing comes from elsewhere.
//!
//! The browser keeps the token in a cookie that no script reads and no other site sends. Every form
//! carries a number that only the holder of the token can make, so that no other site can send it.

mod assets;
mod audit;
mod beside;
mod contents;
mod cookies;
mod diff;
mod download;
mod drift;
mod fates;
mod fleet;
mod form;
mod frame;
mod growth;
mod home;
mod job;
mod login;
mod members;
mod notice;
mod organization;
mod outcome;
mod own;
mod pace;
mod picture;
mod plan;
mod plans;
mod provider;
mod report;
mod resource_type;
mod search;
mod session;
mod stored_plan;
mod ticks;
mod timeline;
mod times;
mod trusts;
mod version;
mod visitor;
mod workspace;
mod zone;

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{Method, StatusCode, header};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get};
use tower::ServiceExt as _;

use crate::rules::{Refusal, RefusalKind};
use crate::service::{Failure, Service};
use crate::traffic::{Budget, Client};
use frame::Top;
use notice::Notice;
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

impl Web {
    /// True if people sign in with a provider.
    fn has_provider(&self) -> bool {
        self.service.conduct().provider.is_some()
    }

    /// The address to which the provider sends people back, also from signing out.
    fn back(&self) -> String {
        format!("{}/ui/sign-in/callback", self.origin)
    }
}

type Shared = State<Arc<Web>>;

/// The response of a page.
type Answer = Result<Response, Refused>;

/// The routes of the page. `base_url` is where people reach the server.
pub fn router(service: Service, base_url: &str) -> Router {
    let (secure, origin) = (
        base_url.starts_with("https://"),
        base_url.trim_end_matches('/').to_owned(),
    );
    let web = Arc::new(Web {
        service,
        secure,
        origin,
        forms: Budget::coming(FORMS),
    });
    let pages = Router::new()
        .route("/", get(home::show))
        .route("/ui/static/{name}", get(assets::show))
        .route("/ui/sign-in", get(home_of_form).post(home::sign_in))
        .route("/ui/sign-in/provider", get(provider::begin))
        .route("/ui/sign-in/callback", get(provider::finish))
        .route("/oauth/authorization", get(login::ask).post(login::agree))
        .route("/ui/sign-out", get(home_of_form).post(home::sign_out))
        .route("/ui/organizations/{organization}", get(organization::show))
        .route("/ui/organizations/{organization}/changes", get(drift::show))
        .route("/ui/organizations/{organization}/plan", get(plans::show))
        .route(
            "/ui/organizations/{organization}/types",
            get(organization::all_types),
        )
        .route(
            "/ui/organizations/{organization}/types/{type_name}",
            get(resource_type::show),
        )
        .route(
            "/ui/organizations/{organization}/plans",
            get(home_of_form).post(stored_plan::create),
        )
        .route("/ui/organizations/{organization}/search", get(search::show))
        .route(
            "/ui/organizations/{organization}/jobs",
            get(job::list).post(job::create),
        )
        .route("/ui/organizations/{organization}/audit", get(audit::show))
        .route(
            "/ui/organizations/{organization}/members",
            get(members::show),
        )
        .route(
            "/ui/organizations/{organization}/tokens",
            get(home_of_form).post(members::create_token),
        )
        .route(
            "/ui/organizations/{organization}/tokens/{token_id}/revoke",
            get(members::ask_revoke).post(members::revoke),
        )
        .route(
            "/ui/organizations/{organization}/teams",
            get(home_of_form).post(members::create_team),
        )
        .route(
            "/ui/organizations/{organization}/teams/{team_id}",
            get(home_of_form).post(members::change_team),
        )
        .route(
            "/ui/organizations/{organization}/trusts",
            get(trusts::show).post(trusts::create),
        )
        .route(
            "/ui/organizations/{organization}/trusts/{trust_id}/remove",
            get(trusts::ask_remove).post(trusts::remove),
        )
        .route("/ui/times", get(times::show).post(times::choose))
        .route("/ui/tokens", get(own::show))
        .route(
            "/ui/tokens/{token_id}/revoke",
            get(own::ask_revoke).post(own::revoke),
        )
        .route("/ui/jobs/{job_id}", get(job::show))
        .route("/ui/jobs/{job_id}/report.csv", get(download::csv))
        .route("/ui/jobs/{job_id}/report.jsonl", get(download::json_lines))
        .route("/ui/jobs/{job_id}/stop", get(home_of_form).post(job::stop))
        .route(
            "/ui/jobs/{job_id}/resume",
            get(home_of_form).post(job::resume),
        )
        .route("/ui/jobs/{job_id}/undo", get(job::ask_undo).post(job::undo))
        .route("/ui/workspaces/{workspace_id}", get(workspace::show))
        .route(
            "/ui/workspaces/{workspace_id}/comparison",
            get(diff::choose),
        )
        .route(
            "/ui/workspaces/{workspace_id}/upgrade",
            get(home_of_form).post(plan::upgrade),
        )
        .route(
            "/ui/workspaces/{workspace_id}/downgrade",
            get(home_of_form).post(plan::downgrade),
        )
        .route(
            "/ui/workspaces/{workspace_id}/lock",
            get(home_of_form).post(workspace::lock),
        )
        .route(
            "/ui/workspaces/{workspace_id}/unlock",
            get(home_of_form).post(workspace::unlock),
        )
        .route(
            "/ui/workspaces/{workspace_id}/force-unlock",
            get(workspace::ask_force_unlock).post(workspace::force_unlock),
        )
        .route("/ui/state-versions/{state_version_id}", get(version::show))
        .route(
            "/ui/state-versions/{state_version_id}/plan",
            get(plan::show),
        )
        .route(
            "/ui/state-versions/{state_version_id}/comparison",
            get(diff::show),
        )
        .route(
            "/ui/state-versions/{state_version_id}/rollback",
            get(version::ask_rollback).post(version::rollback),
        )
        .route("/ui/{*path}", any(home::missing))
        .with_state(web);
    let whole = pages.clone().layer(from_fn_with_state(pages, within));
    whole
        .layer(from_fn(headers))
        .layer(from_fn(compressed))
        .layer(from_fn(zone::zoned))
}

/// The reason why a form was refused, on its way to the page that has the form.
#[derive(Debug, Clone)]
struct Problem(String);

/// The page that a form belongs to, where that has another address than the form.
fn owner(path: &str) -> Option<String> {
    let parts: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    match parts.as_slice() {
        ["ui", "sign-in" | "sign-out"] => Some("/".to_owned()),
        ["ui", "organizations", name, "tokens" | "teams"]
        | ["ui", "organizations", name, "teams", _] => {
            Some(format!("/ui/organizations/{name}/members"))
        }
        ["ui", "organizations", name, "plans"] => Some(format!("/ui/organizations/{name}/plan")),
        ["ui", kind @ ("workspaces" | "jobs"), id, action]
            if !matches!(*action, "force-unlock" | "undo") =>
        {
            Some(format!("/ui/{kind}/{id}"))
        }
        _ => None,
    }
}

/// Leads from the address of a form, which a browser shows after a refusal, to the page of the
/// form.
async fn home_of_form(request: Request) -> Response {
    on_to(&owner(request.uri().path()).unwrap_or_else(|| "/".to_owned()))
}

/// Shows a form that was refused on its page again, with the reason.
async fn within(State(pages): State<Router>, request: Request, next: Next) -> Response {
    if request.method() != Method::POST {
        return next.run(request).await;
    }
    let path = owner(request.uri().path()).unwrap_or_else(|| request.uri().path().to_owned());
    let mut again = Request::builder().uri(path);
    for cookie in request.headers().get_all(header::COOKIE) {
        again = again.header(header::COOKIE, cookie);
    }
    if let Some(client) = request.extensions().get::<Client>() {
        again = again.extension(*client);
    }
    let response = next.run(request).await;
    let Some(problem) = response.extensions().get::<Problem>() else {
        return response;
    };
    let Ok(again) = again.extension(problem.clone()).body(Body::empty()) else {
        return response;
    };
    match pages.oneshot(again).await {
        Ok(mut page) if page.status() == StatusCode::OK => {
            *page.status_mut() = response.status();
            page
        }
        // Who may not see that page gets the reason alone.
        Ok(_) => response,
        Err(never) => match never {},
    }
}

/// Nothing but this server's own style, script, forms and links; in no frame; kept by nobody, but
/// for what says otherwise.
async fn headers(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; \
                  frame-ancestors 'none'; base-uri 'none'";
    let all = [
        (header::CONTENT_SECURITY_POLICY, policy),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        // Without it, a browser would not say that a form is this page's own.
        (header::REFERRER_POLICY, "same-origin"),
    ];
    for (name, value) in all {
        response
            .headers_mut()
            .insert(name, header::HeaderValue::from_static(value));
    }
    response
        .headers_mut()
        .entry(header::CACHE_CONTROL)
        .or_insert(header::HeaderValue::from_static("no-store"));
    response
}

/// The level of zstd for pages: its default, because a page is made for each request.
const LEVEL: i32 = 3;

/// True if the browser takes zstd, and no other site chose the words of the address.
fn may_be_compressed(request: &Request) -> bool {
    let text = |name| {
        request
            .headers()
            .get(name)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    };
    // The script of a page requests the page again and calls itself of the same origin, because it
    // is, also where another site chose the address.
    let is_own = matches!(text("sec-fetch-site"), "same-origin" | "none")
        && text("sec-fetch-dest") != "empty";
    is_own
        && text("accept-encoding")
            .split(',')
            .any(|one| one.trim() == "zstd")
}

/// Compresses what is text for browsers that take zstd. A page to which another site leads stays as
/// it is, because that site could put words into the address and learn by the length of each answer
/// whether the page has them.
async fn compressed(request: Request, next: Next) -> Response {
    let is_wanted = may_be_compressed(&request);
    let response = next.run(request).await;
    let kind = response
        .headers()
        .get(header::CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok())
        .unwrap_or_default();
    if !["text/html", "text/css", "text/javascript"]
        .iter()
        .any(|one| kind.starts_with(one))
    {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    parts.headers.append(
        header::VARY,
        header::HeaderValue::from_static("accept-encoding, sec-fetch-site, sec-fetch-dest"),
    );
    if !is_wanted {
        return Response::from_parts(parts, body);
    }
    let Ok(bytes) = to_bytes(body, usize::MAX).await else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    let Ok(packed) = zstd::bulk::compress(&bytes, LEVEL) else {
        return Response::from_parts(parts, Body::from(bytes));
    };
    parts.headers.insert(
        header::CONTENT_ENCODING,
        header::HeaderValue::from_static("zstd"),
    );
    parts.headers.remove(header::CONTENT_LENGTH);
    Response::from_parts(parts, Body::from(packed))
}

/// On to another page, after something was done.
fn on_to(path: &str) -> Response {
    (StatusCode::SEE_OTHER, [(header::LOCATION, path.to_owned())]).into_response()
}

/// On to another page, which says what was done.
fn done(path: &str, notice: Notice) -> Response {
    let to = [
        (header::LOCATION, path.to_owned()),
        (header::SET_COOKIE, notice.cookie(path)),
    ];
    (StatusCode::SEE_OTHER, to).into_response()
}

/// A page that is not shown, and why.
#[derive(Debug)]
struct Refused {
    /// The session of whom it is not shown, and the organizations that they see.
    from: Option<Box<(Session, Arc<[String]>)>>,
    failure: Failure,
    /// The page to go on to after signing in.
    next: Option<Box<str>>,
    /// True if people sign in with a provider.
    provider: bool,
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let Self {
            from,
            failure,
            next,
            provider,
        } = self;
        let (status, why) = match failure {
            Failure::Refused(Refusal {
                kind: RefusalKind::Unauthorized,
                detail,
                ..
            }) => {
                let why = if detail.is_empty() {
                    "Sign in to see this page.".to_owned()
                } else {
                    format!("{detail}. Sign in again.")
                };
                return home::sign_in_page(provider, Some(&why), next.as_deref());
            }
            Failure::Refused(refusal) => (status(refusal.kind), refusal.detail),
            Failure::Store(error) => {
                tracing::error!(%error, "the store failed");
                metrics::counter!("upstate_store_failures_total").increment(1);
                let why =
                    "The server failed. It is not your fault; try again, or look into its log.";
                (StatusCode::INTERNAL_SERVER_ERROR, why.to_owned())
            }
        };
        let top = from.as_deref().map(|(session, organizations)| Top {
            session,
            organizations,
            here: None,
            section: None,
        });
        let mut response = home::refused(top, status, &why);
        if from.is_some() {
            response.extensions_mut().insert(Problem(why));
        }
        response
    }
}

const fn status(kind: RefusalKind) -> StatusCode {
    match kind {
        RefusalKind::BadRequest => StatusCode::BAD_REQUEST,
        RefusalKind::Unauthorized => StatusCode::UNAUTHORIZED,
        RefusalKind::Forbidden => StatusCode::FORBIDDEN,
        RefusalKind::NotFound => StatusCode::NOT_FOUND,
        RefusalKind::Conflict | RefusalKind::Locked => StatusCode::CONFLICT,
        RefusalKind::Gone => StatusCode::GONE,
        RefusalKind::PreconditionFailed => StatusCode::PRECONDITION_FAILED,
        RefusalKind::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        RefusalKind::Unprocessable => StatusCode::UNPROCESSABLE_ENTITY,
        RefusalKind::TooMany => StatusCode::TOO_MANY_REQUESTS,
        RefusalKind::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
    }
}
