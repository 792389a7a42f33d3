//! The principal of a request.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::{HeaderMap, header, request::Parts};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::App;
use super::error::ApiError;
use crate::model::Principal;
use crate::rules::{Refusal, RefusalKind};
use crate::traffic::{self, Client, PRINCIPAL};

/// The state of the handler, and for whom the request's token speaks.
#[derive(Debug)]
pub(super) struct Caller(pub(super) Arc<App>, pub(super) Principal);

impl FromRequestParts<Arc<App>> for Caller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, ApiError> {
        let missing = "The request has no token: send Authorization: Bearer TOKEN";
        let token = token(&parts.headers)
            .ok_or_else(|| Refusal::new(RefusalKind::Unauthorized, missing))?;
        let principal = app
            .service
            .sign_in(&token, Client::of(&parts.extensions))
            .await?;
        note_caller(&principal);
        traffic::Caller::note(&parts.extensions, &principal);
        Ok(Self(Arc::clone(app), principal))
    }
}

/// Names the principal in the log of the request.
pub(super) fn note_caller(principal: &Principal) {
    tracing::Span::current().record(PRINCIPAL, tracing::field::display(principal));
}

/// The token of a request: a bearer's, or, as `backend "http"` sends it, a password.
pub(super) fn token(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, rest) = value.split_once(' ')?;
    let rest = rest.trim();
    if scheme.eq_ignore_ascii_case("bearer") {
        return Some(rest.to_owned());
    }
    if scheme.eq_ignore_ascii_case("basic") {
        let decoded = String::from_utf8(STANDARD.decode(rest).ok()?).ok()?;
        return decoded
            .split_once(':')
            .map(|(_, password)| password.to_owned());
    }
    None
}

/// The client, as its headers describe it, for messages about locks.
pub(super) fn client(headers: &HeaderMap) -> String {
    let named = |name: &str| {
        headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .map(shortened)
    };
    match (named("user-agent"), named("terraform-version")) {
        (_, Some(version)) => format!("Terraform {version}"),
        (Some(agent), None) => agent,
        (None, None) => String::new(),
    }
}

/// The client's name for itself, short enough for a message.
fn shortened(text: &str) -> String {
    text.chars()
        .filter(|letter| !letter.is_control())
        .take(80)
        .collect()
}
