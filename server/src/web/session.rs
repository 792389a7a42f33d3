//! Sessions: a visitor's token, in a cookie.

use axum::http::HeaderMap;
use hmac::{Hmac, KeyInit as _, Mac as _};
use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use sha2::Sha256;

use super::cookies::cookie;
use crate::content::hex;

/// The name of the cookie. With `__Host-`, no other host and no page without TLS can set it.
const fn name(secure: bool) -> &'static str {
    if secure {
        "__Host-upstate_token"
    } else {
        "upstate_token"
    }
}

/// A token that a browser has.
#[derive(Clone)]
pub(super) struct Session(String);

/// Without the token.
impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Session")
    }
}

impl Session {
    /// Makes the session of a typed token.
    pub(super) fn new(token: &str) -> Self {
        Self(token.to_owned())
    }

    /// The session of a request.
    pub(super) fn of(headers: &HeaderMap, secure: bool) -> Option<Self> {
        let value = cookie(headers, name(secure))?;
        Some(Self(
            percent_decode_str(value).decode_utf8().ok()?.into_owned(),
        ))
    }

    /// The token.
    pub(super) fn token(&self) -> &str {
        &self.0
    }

    /// The cookie that keeps it in the browser until that ends: no script reads it. Links of other
    /// sites carry it, so that they lead to the page that they name, and forms of other sites do
    /// not.
    pub(super) fn cookie(&self, secure: bool) -> String {
        let value = utf8_percent_encode(&self.0, NON_ALPHANUMERIC);
        format!(
            "{}={value}; Path=/; HttpOnly; SameSite=Lax{}",
            name(secure),
            if secure { "; Secure" } else { "" }
        )
    }

    /// The cookie that removes it.
    pub(super) fn no_cookie(secure: bool) -> String {
        format!(
            "{}=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0{}",
            name(secure),
            if secure { "; Secure" } else { "" }
        )
    }

    fn mac(&self) -> Option<Hmac<Sha256>> {
        let mut mac = Hmac::<Sha256>::new_from_slice(self.0.as_bytes()).ok()?;
        mac.update(b"a form of upstate");
        Some(mac)
    }

    /// The secret of forms in a session, which needs the token.
    pub(super) fn proof(&self) -> String {
        self.mac()
            .map(|mac| hex(&mac.finalize().into_bytes()))
            .unwrap_or_default()
    }

    /// True if a form carries it.
    pub(super) fn made(&self, proof: &str) -> bool {
        let digits = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
        let bytes: Option<Vec<u8>> = proof.as_bytes().chunks(2).map(digits).collect();
        self.mac()
            .zip(bytes)
            .is_some_and(|(mac, bytes)| mac.verify_slice(&bytes).is_ok())
    }
}
