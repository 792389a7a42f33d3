//! The bytes of versions, by signed URLs.

use axum::Extension;
use axum::extract::{Path, Request, State};
use axum::http::{Extensions, HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Response};

use super::auth::{self, note_caller};
use super::error::{ApiError, ApiResult};
use super::query::Query;
use super::{App, Shared};
use crate::model::{ContentKind, TokenId, VersionId};
use crate::rules::{Refusal, RefusalKind};
use crate::service::{Bearer, Readable, Signed, Use};
use crate::traffic::{self, Accounted, Budget, Client};

fn signed(query: &Query) -> Option<Signed> {
    let expires = query.get("expires")?.parse().ok()?;
    // One without it is signed wrongly, and not unsigned.
    let token = TokenId::from_text(query.get("token").unwrap_or_default());
    Some(Signed {
        token,
        expires,
        signature: query.get("signature")?.to_owned(),
    })
}

fn kind(name: &str) -> Result<ContentKind, Refusal> {
    ContentKind::named(name)
        .ok_or_else(|| Refusal::not_found(format!("{name:?} of a state version")))
}

/// No token is asked for: go-tfe sends none, pytfe does.
pub(super) async fn upload(
    State(app): Shared,
    Path((id, name)): Path<(String, String)>,
    query: Query,
    request: Request,
) -> ApiResult {
    let (id, kind) = (VersionId::from_text(id), kind(&name)?);
    let refused = || {
        Refusal::new(
            RefusalKind::Forbidden,
            "The URL is not signed; take it from the state version",
        )
    };
    let client = Client::of(request.extensions());
    let (by, _, version) = app
        .service
        .verify(
            &id,
            kind,
            Use::Put,
            &signed(&query).ok_or_else(refused)?,
            client,
        )
        .await?;
    note_caller(&by);
    traffic::Caller::note(request.extensions(), &by);
    let (parts, body) = request.into_parts();
    let max = app.service.conduct().max_state;
    match kind {
        ContentKind::State => {
            let held = app.read(&parts, body, max).await?;
            app.service
                .upload_state(&by, version, held.bytes.clone())
                .await?;
            metrics::counter!("upstate_state_versions_uploaded_total").increment(1);
        }
        ContentKind::JsonState => {
            let held = app.read(&parts, body, max.saturating_mul(2)).await?;
            app.service
                .upload_json_state(&by, &id, held.bytes.clone())
                .await?;
        }
    }
    Ok(StatusCode::OK.into_response())
}

pub(super) async fn download(
    State(app): Shared,
    Path((id, name)): Path<(String, String)>,
    query: Query,
    headers: HeaderMap,
    extensions: Extensions,
) -> Result<Response, ApiError> {
    let (id, kind) = (VersionId::from_text(id), kind(&name)?);
    let (signed, client) = (signed(&query), Client::of(&extensions));
    // A good URL needs no token, so a token that comes with it is not looked at.
    let principal = match (&signed, auth::token(&headers)) {
        (None, Some(token)) => Some(app.service.sign_in(&token, client).await?),
        (Some(_), _) | (None, None) => None,
    };
    let bearer = match (&signed, &principal) {
        (Some(signed), _) => Bearer::Url(signed, client),
        (None, Some(principal)) => Bearer::Token(principal),
        (None, None) => Bearer::NoOne,
    };
    let readable = app.service.readable_by(bearer, &id, kind).await?;
    send(&app, &readable, "application/octet-stream").await
}

/// The bytes of a state, for which there is room before they are read.
pub(super) async fn send(app: &App, readable: &Readable, media_type: &'static str) -> ApiResult {
    note_caller(readable.principal());
    let mut room = app.going.room(readable.size())?;
    let bytes = app.service.read(readable).await?;
    app.going.enlarge(&mut room, bytes.len())?;
    let headers = [
        (header::CONTENT_TYPE, media_type),
        (header::CACHE_CONTROL, "no-store"),
    ];
    Ok((
        StatusCode::OK,
        headers,
        Extension(Accounted),
        Budget::pieces(room, bytes),
    )
        .into_response())
}
