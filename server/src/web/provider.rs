//! Signing in with a provider: to it, and back.

use axum::extract::State;
use axum::http::{Extensions, HeaderMap, StatusCode, header};
use axum::response::{AppendHeaders, IntoResponse as _};
use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use super::cookies::{cookies, with_id_token};
use super::home::is_page;
use super::session::Session;
use super::visitor::Requested;
use super::{Answer, Refused, Shared, Web, on_to};
use crate::service::ProviderAnswer;
use crate::traffic::Client;

/// The name of the cookie. With `__Host-`, no other host and no page without TLS can set it.
const fn name(secure: bool) -> &'static str {
    if secure {
        "__Host-upstate_sign_in"
    } else {
        "upstate_sign_in"
    }
}

fn cookie(secure: bool, value: &str, seconds: u32) -> String {
    let value = utf8_percent_encode(value, NON_ALPHANUMERIC);
    let tls = if secure { "; Secure" } else { "" };
    format!(
        "{}={value}; Path=/; HttpOnly; SameSite=Lax; Max-Age={seconds}{tls}",
        name(secure)
    )
}

fn kept(web: &Web, headers: &HeaderMap) -> Option<String> {
    let (_, value) = cookies(headers).find(|(one, _)| *one == name(web.secure))?;
    Some(percent_decode_str(value).decode_utf8().ok()?.into_owned())
}

pub(super) async fn begin(State(web): Shared, requested: Requested) -> Answer {
    let next = requested
        .get("next")
        .filter(|path| is_page(path) && path.len() < 1000)
        .unwrap_or("/");
    match web.service.begin_sign_in(&web.back(), next).await {
        Ok(begun) => {
            let to = [
                (header::LOCATION, begun.to),
                (header::SET_COOKIE, cookie(web.secure, &begun.cookie, 600)),
            ];
            Ok((StatusCode::SEE_OTHER, to).into_response())
        }
        Err(failure) => Err(Refused {
            from: None,
            failure,
            next: Some(next.into()),
            provider: web.has_provider(),
        }),
    }
}

pub(super) async fn finish(
    State(web): Shared,
    requested: Requested,
    headers: HeaderMap,
    extensions: Extensions,
) -> Answer {
    let names = ["state", "code", "error"];
    if names.iter().all(|name| requested.get(name).is_none()) {
        return Ok(on_to("/"));
    }
    let cookie_of_browser = kept(&web, &headers);
    let from = Client::of(&extensions);
    let text = |name: &str| requested.get(name).map(str::to_owned);
    let answer = ProviderAnswer {
        state: text("state"),
        code: text("code"),
        error: text("error"),
        issuer: text("iss"),
    };
    let finished = web
        .service
        .finish_sign_in(cookie_of_browser.as_deref(), &web.back(), &answer, from)
        .await;
    // Once, because a code is redeemed once.
    let gone = (header::SET_COOKIE, cookie(web.secure, "", 0));
    match finished {
        Ok((new, next, id_token)) => {
            let to = if is_page(&next) { next } else { "/".to_owned() };
            let session = (
                header::SET_COOKIE,
                Session::new(&new.secret).cookie(web.secure),
            );
            let hint = (header::SET_COOKIE, with_id_token(web.secure, &id_token));
            Ok((
                StatusCode::SEE_OTHER,
                AppendHeaders([(header::LOCATION, to), session, gone, hint]),
            )
                .into_response())
        }
        Err(failure) => {
            let refused = Refused {
                from: None,
                failure,
                next: None,
                provider: web.has_provider(),
            };
            Ok((AppendHeaders([gone]), refused).into_response())
        }
    }
}
