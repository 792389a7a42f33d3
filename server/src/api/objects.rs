//! The bytes of versions, by signed URLs.

use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Response};

use super::Shared;
use super::auth;
use super::error::{ApiError, ApiResult};
use super::query::Query;
use crate::model::{ContentKind, VersionId};
use crate::rules::{Refusal, RefusalKind};
use crate::service::{Signed, Use};

fn signed(query: &Query) -> Option<Signed> {
    let expires = query.get("expires")?.parse().ok()?;
    Some(Signed { expires, signature: query.get("signature")?.to_owned() })
}

fn kind(name: &str) -> Result<ContentKind, Refusal> {
    ContentKind::named(name).ok_or_else(|| Refusal::not_found(format!("{name:?} of a state version")))
}

/// No token is asked for: go-tfe sends none, pytfe does.
pub(super) async fn upload(
    State(app): Shared,
    Path((id, name)): Path<(String, String)>,
    query: Query,
    request: Request,
) -> ApiResult {
    let (id, kind) = (VersionId::from_text(id), kind(&name)?);
    let refused = || Refusal::new(RefusalKind::Forbidden, "The URL is not signed; take it from the state version");
    app.service.verify(&id, kind, Use::Put, &signed(&query).ok_or_else(refused)?)?;
    let (parts, body) = request.into_parts();
    let max = app.service.conduct().max_state;
    match kind {
        ContentKind::State => {
            let held = app.budget.read(&parts.headers, body, max).await?;
            app.service.upload_state(&id, held.bytes.clone()).await?;
            metrics::counter!("upstate_state_versions_uploaded_total").increment(1);
        }
        ContentKind::JsonState => {
            let held = app.budget.read(&parts.headers, body, max.saturating_mul(2)).await?;
            app.service.upload_json_state(&id, held.bytes.clone()).await?;
        }
    }
    Ok(StatusCode::OK.into_response())
}

pub(super) async fn download(
    State(app): Shared,
    Path((id, name)): Path<(String, String)>,
    query: Query,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let (id, kind) = (VersionId::from_text(id), kind(&name)?);
    let signed = signed(&query);
    // A good URL needs no token, so a token that comes with it is not looked at.
    let principal = match (&signed, auth::token(&headers)) {
        (None, Some(token)) => Some(app.service.authenticate(&token).await?),
        (Some(_), _) | (None, None) => None,
    };
    let bytes = app.service.download(principal.as_ref(), signed.as_ref(), &id, kind).await?;
    let headers = [(header::CONTENT_TYPE, "application/octet-stream"), (header::CACHE_CONTROL, "no-store")];
    Ok((StatusCode::OK, headers, bytes).into_response())
}
