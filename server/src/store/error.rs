//! What goes wrong in a store.

use std::error::Error;
use std::fmt;

/// A store failed. Its text is for the log of the server, never for a client.
#[derive(Debug)]
pub struct StoreError {
    what: String,
    is_passing: bool,
    source: Option<Box<dyn Error + Send + Sync>>,
}

impl StoreError {
    /// It failed, and will again.
    pub fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), is_passing: false, source: None }
    }

    /// It cannot be reached or has no room just now: asked again in a moment, it may work.
    pub fn passing(what: impl Into<String>) -> Self {
        Self { what: what.into(), is_passing: true, source: None }
    }

    /// Because of this.
    #[must_use]
    pub fn because(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Whether it may work in a moment.
    pub const fn is_passing(&self) -> bool {
        self.is_passing
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        self.source.as_ref().map_or(Ok(()), |source| write!(f, ": {source}"))
    }
}

impl Error for StoreError {}
