//! Failures of uses.

use std::fmt;

use crate::rules::{Refusal, RefusalKind};
use crate::store::StoreError;

/// It was refused, or the store failed.
#[derive(Debug)]
pub enum Failure {
    /// The client learns why.
    Refused(Refusal),
    /// The log says why; the client learns that it is not its fault.
    Store(StoreError),
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

/// The detail of a refusal because of what was removed between the moments at which it was looked
/// up and written.
const GONE: &str = "A team, project, workspace or trust that the request names was removed at the same moment, so nothing was changed";

/// The team of a path, and the like, is not found if it is gone by the time of the write.
impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        if error.breaks_reference() {
            Refusal::new(RefusalKind::NotFound, GONE).into()
        } else {
            Self::Store(error)
        }
    }
}

impl Failure {
    /// The failure of a store to keep what refers to the thing that the body of a request names at
    /// a pointer.
    pub(super) fn of_body(error: StoreError, pointer: &'static str) -> Self {
        if error.breaks_reference() {
            gone(pointer).into()
        } else {
            Self::Store(error)
        }
    }
}

/// The refusal of a body that names, at this pointer, what was removed meanwhile.
pub(super) fn gone(pointer: &'static str) -> Refusal {
    Refusal::unprocessable(pointer, GONE)
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(refusal) => refusal.fmt(f),
            Self::Store(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Failure {}
