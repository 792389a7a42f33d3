//! The cookies that a browser sends.

use axum::http::{HeaderMap, header};

/// The value of a cookie.
pub(super) fn cookie<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    cookies(headers)
        .find(|(one, value)| *one == name && !value.is_empty())
        .map(|(_, value)| value)
}

/// The names and values of all cookies.
pub(super) fn cookies(headers: &HeaderMap) -> impl Iterator<Item = (&str, &str)> {
    let cookies = headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok());
    cookies
        .flat_map(|cookies| cookies.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
}

/// The longest ID token that is kept, in bytes: many proxies take 4096 of all headers of an answer,
/// and answer 502 in place of one that has more, so that nobody with a longer one could sign in.
const LONGEST: usize = 2500;

/// The name of the cookie with the ID token of a session. With `__Secure-`, no page without TLS can
/// set it; the page that signs out is the only one that gets it.
const fn id_token_name(secure: bool) -> &'static str {
    if secure {
        "__Secure-upstate_id_token"
    } else {
        "upstate_id_token"
    }
}

fn is_id_token(text: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    (1..=LONGEST).contains(&text.len()) && text.bytes().all(is_letter)
}

/// The cookie that keeps an ID token in the browser, or, without one that fits, removes it.
pub(super) fn with_id_token(secure: bool, id_token: &str) -> String {
    let (value, end) = if is_id_token(id_token) {
        (id_token, "")
    } else {
        ("", "; Max-Age=0")
    };
    let tls = if secure { "; Secure" } else { "" };
    format!(
        "{}={value}; Path=/ui/sign-out; HttpOnly; SameSite=Strict{end}{tls}",
        id_token_name(secure)
    )
}

/// The ID token that the browser keeps.
pub(super) fn id_token(headers: &HeaderMap, secure: bool) -> Option<&str> {
    cookie(headers, id_token_name(secure)).filter(|text| is_id_token(text))
}
