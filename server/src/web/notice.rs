//! The outcome of the form before a page: kept in a cookie of the page that comes next, and shown
//! there once. A link cannot say it.

use axum::http::HeaderMap;
use maud::{Markup, html};
use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use super::cookies::cookie;

const COOKIE: &str = "upstate_notice";

/// The report of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Notice {
    Upgraded,
    Downgraded,
    RolledBack,
    Locked,
    Unlocked,
    Nothing,
}

impl Notice {
    const ALL: [Self; 6] = [
        Self::Upgraded,
        Self::Downgraded,
        Self::RolledBack,
        Self::Locked,
        Self::Unlocked,
        Self::Nothing,
    ];

    /// The notice that a request carries.
    pub(super) fn of(headers: &HeaderMap) -> Option<Self> {
        let name = cookie(headers, COOKIE)?;
        Self::ALL.into_iter().find(|notice| notice.name() == name)
    }

    /// The cookie for the page at a path. It ends by itself, since that page may never be loaded.
    pub(super) fn cookie(self, path: &str) -> String {
        format!(
            "{COOKIE}={}; Path={path}; HttpOnly; SameSite=Lax; Max-Age=60",
            self.name()
        )
    }

    /// The cookie that removes the one for a path.
    pub(super) fn no_cookie(path: &str) -> String {
        format!("{COOKIE}=; Path={path}; HttpOnly; SameSite=Lax; Max-Age=0")
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Upgraded => "upgraded",
            Self::Downgraded => "downgraded",
            Self::RolledBack => "rolled-back",
            Self::Locked => "locked",
            Self::Unlocked => "unlocked",
            Self::Nothing => "nothing",
        }
    }

    const fn text(self) -> &'static str {
        match self {
            Self::Upgraded => "Upgraded. This is the new state version.",
            Self::Downgraded => "Downgraded. This is the new state version.",
            Self::RolledBack => "Rolled back. The new state version is the first of the list.",
            Self::Locked => "Locked. Only you can change the state until you unlock the workspace.",
            Self::Unlocked => "Unlocked.",
            Self::Nothing => "There was nothing to change.",
        }
    }
}

/// The cookie of a new token.
const MADE: &str = "upstate_made";

/// A token that was just made: kept in a cookie of the page that comes next, and shown there once,
/// so that loading that page again makes no second one.
pub(super) struct Made(String);

/// Without the token.
impl std::fmt::Debug for Made {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Made")
    }
}

impl Made {
    pub(super) fn new(secret: String) -> Self {
        Self(secret)
    }

    /// The token that a request carries.
    pub(super) fn of(headers: &HeaderMap) -> Option<Self> {
        let value = cookie(headers, MADE)?;
        Some(Self(
            percent_decode_str(value).decode_utf8().ok()?.into_owned(),
        ))
    }

    pub(super) fn secret(&self) -> &str {
        &self.0
    }

    /// The cookie for the page at a path, which no script reads and no other site sends. It ends by
    /// itself, since that page may never be loaded.
    pub(super) fn cookie(&self, path: &str, secure: bool) -> String {
        let value = utf8_percent_encode(&self.0, NON_ALPHANUMERIC);
        format!(
            "{MADE}={value}; Path={path}; HttpOnly; SameSite=Strict; Max-Age=60{}",
            if secure { "; Secure" } else { "" }
        )
    }

    /// The cookie that removes the one for a path.
    pub(super) fn no_cookie(path: &str, secure: bool) -> String {
        format!(
            "{MADE}=; Path={path}; HttpOnly; SameSite=Strict; Max-Age=0{}",
            if secure { "; Secure" } else { "" }
        )
    }
}

/// The outcome of the form before a page: what was done, with the way back from it if the page has
/// one, or why it was refused.
pub(super) fn outcome(notice: Option<Notice>, undo: &Markup, problem: Option<&str>) -> Markup {
    html! {
        @if let Some(notice) = notice { p .good role="status" { (notice.text()) (undo) } }
        @if let Some(problem) = problem { p .bad role="alert" { (super::frame::described(problem)) } }
    }
}
