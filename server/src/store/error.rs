//! The error of a store.

use std::error::Error;
use std::fmt;

/// A store failed. Its text is for the log of the server, never for a client.
#[derive(Debug)]
pub struct StoreError {
    what: String,
    is_passing: bool,
    breaks_reference: bool,
    /// The data key without which it fails.
    needs_key: Option<String>,
    source: Option<Box<dyn Error + Send + Sync>>,
}

impl StoreError {
    /// It failed, and will again.
    pub fn new(what: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            is_passing: false,
            breaks_reference: false,
            needs_key: None,
            source: None,
        }
    }

    /// It cannot be reached or has no room just now: asked again in a moment, it may work.
    pub fn passing(what: impl Into<String>) -> Self {
        Self {
            is_passing: true,
            ..Self::new(what)
        }
    }

    /// A row would refer to one that is not there: another request removed it meanwhile.
    pub(super) fn broken_reference(what: impl Into<String>) -> Self {
        Self {
            breaks_reference: true,
            ..Self::new(what)
        }
    }

    /// A data key has to be unwrapped first.
    pub(super) fn missing_key(id: &str) -> Self {
        Self {
            needs_key: Some(id.to_owned()),
            ..Self::new(format!("data key {id} is not unwrapped"))
        }
    }

    /// The data key that has to be unwrapped first.
    pub(super) fn needs_key(&self) -> Option<&str> {
        self.needs_key.as_deref()
    }

    /// Because of this.
    #[must_use]
    pub fn because(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// True if the work that failed may succeed in a moment.
    pub const fn is_passing(&self) -> bool {
        self.is_passing
    }

    /// True if nothing was written because a row would refer to one that is not there: it was
    /// removed after it was looked up.
    pub const fn breaks_reference(&self) -> bool {
        self.breaks_reference
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        self.source
            .as_ref()
            .map_or(Ok(()), |source| write!(f, ": {source}"))
    }
}

impl Error for StoreError {}
