//! Failures of uses.

use std::fmt;

use crate::rules::Refusal;
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

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
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
