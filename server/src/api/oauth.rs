//! The endpoint where something else is exchanged for a token (RFC 6749, section 3.2).

use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};

use super::error::reported;
use super::{App, Shared};
use crate::model::TrustId;
use crate::rules::{Refusal, RefusalKind};
use crate::service::{CLIENT, Exchanged, Failure};
use crate::traffic::Client;

/// The exchange of a token for another one (RFC 8693).
const EXCHANGE: &str = "urn:ietf:params:oauth:grant-type:token-exchange";

/// A code that somebody agreed to on the page (RFC 6749, section 4.1.3), for a client that proves
/// to have asked for it (RFC 7636).
const CODE: &str = "authorization_code";

/// The kinds of tokens that are taken: an ID token is a JSON Web Token.
const TAKEN: [&str; 2] = [
    "urn:ietf:params:oauth:token-type:id_token",
    "urn:ietf:params:oauth:token-type:jwt",
];

/// The parameters of a request, each once.
struct Parameters(Vec<(String, String)>);

impl Parameters {
    async fn read(app: &App, request: Request) -> Result<Self, Failure> {
        let held = app.small(request).await?;
        let all: Vec<(String, String)> = form_urlencoded::parse(&held.bytes).into_owned().collect();
        let mut names: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        // RFC 6749, section 3.2: otherwise two readers of one request may read different ones.
        if names
            .windows(2)
            .any(|pair| matches!(pair, [one, other] if one == other))
        {
            return Err(malformed("a parameter is there twice").into());
        }
        Ok(Self(all))
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|(one, _)| one == name)
            .map(|(_, value)| value.as_str())
            .filter(|value| !value.is_empty())
    }

    fn required(&self, name: &str) -> Result<&str, Refusal> {
        self.get(name)
            .ok_or_else(|| malformed(format!("{name} is missing")))
    }
}

fn malformed(detail: impl Into<String>) -> Refusal {
    Refusal::new(RefusalKind::Unprocessable, detail)
}

pub(super) async fn token(State(app): Shared, request: Request) -> Response {
    let from = Client::of(request.extensions());
    let answered = async {
        let parameters = Parameters::read(&app, request).await?;
        match parameters.required("grant_type")? {
            EXCHANGE => {
                if !TAKEN.contains(&parameters.required("subject_token_type")?) {
                    return Err(malformed(format!(
                        "subject_token_type must be {} or {}",
                        TAKEN[0], TAKEN[1]
                    ))
                    .into());
                }
                let trust = TrustId::from_text(parameters.required("trust")?);
                app.service
                    .exchange(&trust, parameters.required("subject_token")?, from)
                    .await
            }
            CODE => {
                if parameters.required("client_id")? != CLIENT {
                    return Err(malformed(format!("client_id must be {CLIENT}")).into());
                }
                let (code, verifier) = (
                    parameters.required("code")?,
                    parameters.required("code_verifier")?,
                );
                app.service
                    .redeem(code, verifier, parameters.required("redirect_uri")?, from)
                    .await
            }
            other => Err(unsupported(other).into()),
        }
    };
    match answered.await {
        Ok(Exchanged { new, lasts }) => {
            let body = json!({
                "access_token": new.secret,
                "issued_token_type": "urn:ietf:params:oauth:token-type:access_token",
                "token_type": "Bearer",
                "expires_in": lasts.as_secs(),
            });
            answer(StatusCode::OK, &body)
        }
        Err(failure) => refused(failure),
    }
}

fn unsupported(found: &str) -> Refusal {
    let found: String = found.chars().take(80).collect();
    Refusal {
        pointer: Some("grant_type"),
        ..malformed(format!(
            "grant_type must be {EXCHANGE} or {CODE}, found {found:?}"
        ))
    }
}

/// A refusal as RFC 6749, section 5.2, has it.
fn refused(failure: Failure) -> Response {
    let error = match &failure {
        Failure::Refused(Refusal {
            pointer: Some("grant_type"),
            ..
        }) => "unsupported_grant_type",
        Failure::Refused(Refusal {
            kind: RefusalKind::BadRequest | RefusalKind::Unauthorized,
            ..
        }) => "invalid_grant",
        Failure::Refused(Refusal {
            kind: RefusalKind::Unavailable | RefusalKind::TooMany,
            ..
        }) => "temporarily_unavailable",
        Failure::Refused(_) => "invalid_request",
        Failure::Store(_) => "server_error",
    };
    let (status, _, detail, _) = reported(failure);
    let is_wrong = matches!(
        status,
        StatusCode::UNPROCESSABLE_ENTITY | StatusCode::UNAUTHORIZED
    );
    let status = if is_wrong {
        StatusCode::BAD_REQUEST
    } else {
        status
    };
    let mut response = answer(
        status,
        &json!({ "error": error, "error_description": detail }),
    );
    if let Some(seconds) = super::error::wait(status) {
        response
            .headers_mut()
            .insert(header::RETRY_AFTER, HeaderValue::from_static(seconds));
    }
    response
}

fn answer(status: StatusCode, body: &Value) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "application/json"),
        (header::CACHE_CONTROL, "no-store"),
        (header::PRAGMA, "no-cache"),
    ];
    (status, headers, body.to_string()).into_response()
}
