//! Refusals.

use std::fmt;

/// The kind of a refusal: it decides the status of the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RefusalKind {
    /// A parameter cannot be read (400).
    BadRequest,
    /// No token, or one that is unknown or expired (401).
    Unauthorized,
    /// The token does not allow it (403).
    Forbidden,
    /// There is no such thing, or the token may not know that there is (404).
    NotFound,
    /// It collides with what is there (409).
    Conflict,
    /// It was here, and is at another place now, or deleted (410).
    Gone,
    /// The condition of `If-Match` does not hold (412).
    PreconditionFailed,
    /// The body is too large (413).
    TooLarge,
    /// The body is readable, and its values are wrong (422).
    Unprocessable,
    /// `backend "http"`: the state is locked (423).
    Locked,
    /// Too many requests failed (429).
    TooMany,
    /// Later it may work (503).
    Unavailable,
}

/// A refusal: its kind, and what to tell the client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Its kind.
    pub kind: RefusalKind,
    /// The mistake and the remedy, in sentences. Never holds a value of a state.
    pub detail: String,
    /// The place in the body, as a JSON pointer.
    pub pointer: Option<&'static str>,
}

impl Refusal {
    /// A refusal of a kind.
    pub fn new(kind: RefusalKind, detail: impl Into<String>) -> Self {
        Self {
            kind,
            detail: detail.into(),
            pointer: None,
        }
    }

    /// There is no such thing.
    pub fn not_found(what: impl fmt::Display) -> Self {
        Self::new(
            RefusalKind::NotFound,
            format!("{what} not found, or the token may not see it"),
        )
    }

    /// It collides with what is there.
    pub fn conflict(detail: impl Into<String>) -> Self {
        Self::new(RefusalKind::Conflict, detail)
    }

    /// A member of the body is wrong.
    pub fn unprocessable(pointer: &'static str, detail: impl Into<String>) -> Self {
        Self {
            kind: RefusalKind::Unprocessable,
            detail: detail.into(),
            pointer: Some(pointer),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.detail)
    }
}

impl std::error::Error for Refusal {}
