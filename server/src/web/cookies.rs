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
