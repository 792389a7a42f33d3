//! The page for people: what is behind, what an upgrade would change, and the upgrade. Written by the server, without a script and without
//! anything from elsewhere.
//!
//! The browser keeps the token in a cookie that no script reads and no other site sends. Every form carries a number that only
//! the holder of the token can make, so that no other site can send it.

mod form;
mod pages;
mod session;

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};

use crate::model::{Principal, VersionId, WorkspaceId};
use crate::rules::{Refusal, RefusalKind};
use crate::service::{Failure, PlanFilter, Service, Upgraded};
use crate::store::Page;
use form::Form;
use session::Session;

/// What the pages need.
#[derive(Debug)]
struct Web {
    service: Service,
    /// Whether the cookie is for TLS only.
    secure: bool,
}

type Shared = State<Arc<Web>>;

/// Of a list, so much stands on a page.
const SIZE: u32 = 50;

/// The routes of the page. `base_url` is where people reach the server.
pub fn router(service: Service, base_url: &str) -> Router {
    let web = Arc::new(Web { service, secure: base_url.starts_with("https://") });
    Router::new()
        .route("/", get(home))
        .route("/ui/style.css", get(style))
        .route("/ui/sign-in", post(sign_in))
        .route("/ui/sign-out", post(sign_out))
        .route("/ui/organizations/{organization}", get(organization))
        .route("/ui/workspaces/{workspace_id}", get(workspace))
        .route("/ui/workspaces/{workspace_id}/upgrade", post(upgrade))
        .route("/ui/state-versions/{state_version_id}", get(version))
        .layer(from_fn(headers))
        .with_state(web)
}

/// Nothing but this server's own style, forms and links; in no frame; kept by nobody.
async fn headers(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let policy = "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";
    let all = [
        (header::CONTENT_SECURITY_POLICY, policy),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
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

/// A page that is not shown, and why.
struct Refused(Option<Session>, Failure);

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let Self(session, failure) = self;
        let (status, why) = match failure {
            Failure::Refused(Refusal { kind: RefusalKind::Unauthorized, .. }) => return pages::sign_in(Some("Sign in again.")),
            Failure::Refused(refusal) => (status(refusal.kind), refusal.detail),
            Failure::Store(error) => {
                tracing::error!(%error, "the store failed");
                let why = "The server failed. It is not your fault; try again, or look into its log.";
                (StatusCode::INTERNAL_SERVER_ERROR, why.to_owned())
            }
        };
        pages::refused(session.as_ref(), status, &why)
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
        RefusalKind::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
    }
}

/// Who asks, or the page to sign in.
async fn signed_in(web: &Web, headers: &HeaderMap) -> Result<(Session, Principal), Refused> {
    let refused = |detail: &str| Failure::from(Refusal::new(RefusalKind::Unauthorized, detail));
    let session = Session::of(headers).ok_or_else(|| Refused(None, refused("Nobody is signed in")))?;
    match web.service.authenticate(session.token()).await {
        Ok(principal) => Ok((session, principal)),
        Err(failure) => Err(Refused(None, failure)),
    }
}

/// Who sends a form, and the form: it must come from a page that was made for them.
async fn sent(web: &Web, request: Request) -> Result<(Session, Principal, Form), Refused> {
    let (parts, body) = request.into_parts();
    let (session, principal) = signed_in(web, &parts.headers).await?;
    let form = match Form::read(body).await {
        Ok(form) => form,
        Err(refusal) => return Err(Refused(Some(session), refusal.into())),
    };
    if !session.made(form.get("csrf").unwrap_or_default()) {
        let why =
            "This form was not made for you, or somebody else has signed in here. Go back, load the page again, and try again.";
        return Err(Refused(Some(session), Refusal::new(RefusalKind::Forbidden, why).into()));
    }
    Ok((session, principal, form))
}

/// Which page of a list is asked for: `?page=2`.
fn page(request: &Request) -> Page {
    let query = request.uri().query().unwrap_or_default();
    let number = query.split('&').find_map(|pair| pair.strip_prefix("page=")?.parse().ok()).filter(|number| *number > 0);
    Page { number: number.unwrap_or(1), size: SIZE }
}

async fn home(State(web): Shared, headers: HeaderMap) -> Result<Response, Refused> {
    if Session::of(&headers).is_none() {
        return Ok(pages::sign_in(None));
    }
    let (session, principal) = signed_in(&web, &headers).await?;
    let failed = |failure| Refused(Some(session.clone()), failure);
    let all = web.service.store().organizations().await.map_err(|error| failed(error.into()))?;
    let visible: Vec<_> = all.into_iter().filter(|one| !principal.permissions(&one.id).is_empty()).collect();
    Ok(pages::home(&session, &principal, &visible))
}

/// Whether a browser says that another site sent the request. A browser that says nothing is too old to, and sends no cookie either.
fn is_of_another_site(headers: &HeaderMap) -> bool {
    headers.get("sec-fetch-site").is_some_and(|site| site != "same-origin" && site != "none")
}

async fn sign_in(State(web): Shared, request: Request) -> Result<Response, Refused> {
    // Nobody has a session yet, so no number in the form tells; another site could sign somebody in under its own name.
    if is_of_another_site(request.headers()) {
        let why = "Another site sent this form. Sign in on this page.";
        return Err(Refused(None, Refusal::new(RefusalKind::Forbidden, why).into()));
    }
    let form = Form::read(request.into_body()).await.map_err(|refusal| Refused(None, refusal.into()))?;
    let session = Session::new(form.get("token").unwrap_or_default().trim());
    match web.service.authenticate(session.token()).await {
        Ok(_) => {
            Ok((StatusCode::SEE_OTHER, [(header::LOCATION, "/".to_owned()), (header::SET_COOKIE, session.cookie(web.secure))])
                .into_response())
        }
        Err(Failure::Refused(refusal)) => Ok(pages::sign_in(Some(&refusal.detail))),
        Err(failure) => Err(Refused(None, failure)),
    }
}

async fn sign_out(State(web): Shared, request: Request) -> Result<Response, Refused> {
    sent(&web, request).await?;
    let gone = (header::SET_COOKIE, Session::no_cookie(web.secure));
    Ok((StatusCode::SEE_OTHER, [(header::LOCATION, "/".to_owned()), gone]).into_response())
}

async fn organization(State(web): Shared, Path(name): Path<String>, request: Request) -> Result<Response, Refused> {
    let (session, principal) = signed_in(&web, request.headers()).await?;
    let page = page(&request);
    let shown = async {
        let inventory = web.service.organization_inventory(&principal, &name).await?;
        let workspaces = web.service.workspaces_standing(&principal, &name, None, page).await?;
        Ok((inventory, workspaces))
    };
    match shown.await {
        Ok((inventory, workspaces)) => Ok(pages::organization(&session, &name, &inventory, &workspaces, page)),
        Err(failure) => Err(Refused(Some(session), failure)),
    }
}

async fn workspace(State(web): Shared, Path(id): Path<String>, request: Request) -> Result<Response, Refused> {
    let (session, principal) = signed_in(&web, request.headers()).await?;
    let (id, page) = (WorkspaceId::from_text(id), page(&request));
    let shown = async {
        let (_, snapshot) = web.service.workspace(&principal, &id).await?;
        let organization = web.service.store().organization_by_id(&snapshot.workspace.organization).await?;
        let organization = organization.ok_or_else(|| Refusal::not_found("the organization"))?;
        let named = (organization.name.as_str(), snapshot.workspace.name.as_str());
        let versions = web.service.versions(&principal, named, &[], page).await?;
        Ok((snapshot, organization.name, versions))
    };
    match shown.await {
        Ok((snapshot, organization, versions)) => {
            Ok(pages::workspace(&session, &organization, &snapshot.workspace, &versions, page))
        }
        Err(failure) => Err(Refused(Some(session), failure)),
    }
}

async fn version(State(web): Shared, Path(id): Path<String>, request: Request) -> Result<Response, Refused> {
    let (session, principal) = signed_in(&web, request.headers()).await?;
    let (id, page) = (VersionId::from_text(id), page(&request));
    let shown = async {
        let plan = web.service.plan(&principal, &id, None, PlanFilter::default(), page).await?;
        let (_, snapshot) = web.service.workspace(&principal, &plan.version.workspace).await?;
        Ok((plan, snapshot.workspace))
    };
    match shown.await {
        Ok((plan, workspace)) => Ok(pages::version(&session, &workspace, &plan, page)),
        Err(failure) => Err(Refused(Some(session), failure)),
    }
}

async fn upgrade(State(web): Shared, Path(id): Path<String>, request: Request) -> Result<Response, Refused> {
    let (session, principal, form) = sent(&web, request).await?;
    let id = WorkspaceId::from_text(id);
    // What was shown is what is upgraded, or nothing.
    let expected = VersionId::from_text(form.get("version").unwrap_or_default());
    match web.service.upgrade(&principal, &id, Some(&expected)).await {
        Ok(Upgraded::New(_) | Upgraded::Current(_)) => {
            Ok((StatusCode::SEE_OTHER, [(header::LOCATION, format!("/ui/workspaces/{id}"))]).into_response())
        }
        Err(failure) => Err(Refused(Some(session), failure)),
    }
}
