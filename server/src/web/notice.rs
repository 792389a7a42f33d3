//! The outcome of the form before a page: kept in a cookie of the page that comes next, and shown there once. A link cannot say it.

use axum::http::{HeaderMap, header};
use maud::{Markup, html};

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
    const ALL: [Self; 6] = [Self::Upgraded, Self::Downgraded, Self::RolledBack, Self::Locked, Self::Unlocked, Self::Nothing];

    /// The notice that a request carries.
    pub(super) fn of(headers: &HeaderMap) -> Option<Self> {
        let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut pairs = cookies.flat_map(|cookies| cookies.split(';')).filter_map(|pair| pair.trim().split_once('='));
        let (_, name) = pairs.find(|(name, _)| *name == COOKIE)?;
        Self::ALL.into_iter().find(|notice| notice.name() == name)
    }

    /// The cookie for the page at a path. It ends by itself, since that page may never be loaded.
    pub(super) fn cookie(self, path: &str) -> String {
        format!("{COOKIE}={}; Path={path}; HttpOnly; SameSite=Lax; Max-Age=60", self.name())
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
            Self::Locked => "Locked. Nobody else can change the state until you unlock the workspace.",
            Self::Unlocked => "Unlocked.",
            Self::Nothing => "There was nothing to change.",
        }
    }
}

/// The outcome of the form before a page: what was done, or why it was refused.
pub(super) fn outcome(notice: Option<Notice>, problem: Option<&str>) -> Markup {
    html! {
        @if let Some(notice) = notice { p .good role="status" { (notice.text()) } }
        @if let Some(problem) = problem { p .bad role="alert" { (super::frame::described(problem)) } }
    }
}
