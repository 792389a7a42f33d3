//! What an upgrade function is told, and can tell.

use std::any::Any;
use std::fmt;

use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::path::AttributePath;

/// What an upgrade function knows about the upgrade it is part of, and where it leaves warnings.
pub struct UpgradeContext<'a> {
    type_name: &'a str,
    stored_version: u64,
    current_version: u64,
    client: Option<&'a (dyn Any + Send + Sync)>,
    warnings: Diagnostics,
    dropped: Vec<AttributePath>,
    discarded: Vec<(AttributePath, &'static str)>,
}

impl<'a> UpgradeContext<'a> {
    pub(crate) fn new(type_name: &'a str, stored_version: u64, current_version: u64) -> Self {
        Self {
            type_name,
            stored_version,
            current_version,
            client: None,
            warnings: Diagnostics::new(),
            dropped: Vec::new(),
            discarded: Vec::new(),
        }
    }

    pub(crate) fn with_client(mut self, client: Option<&'a (dyn Any + Send + Sync)>) -> Self {
        self.client = client;
        self
    }

    /// The type name of the resource, such as `example_thing`.
    pub fn type_name(&self) -> &str {
        self.type_name
    }

    /// The schema version that the state was stored with.
    pub fn stored_version(&self) -> u64 {
        self.stored_version
    }

    /// The schema version that the upgrade ends at.
    pub fn current_version(&self) -> u64 {
        self.current_version
    }

    /// The client given to the [`Registry`](crate::Registry), if there is one of this type.
    pub fn client<C: Any>(&self) -> Option<&C> {
        self.client?.downcast_ref()
    }

    /// Leaves a warning; it is shown when the upgrade succeeds and when it fails.
    pub fn warn(&mut self, warning: Diagnostic) {
        self.warnings.push(warning);
    }

    /// Notes that something stored there is not part of the schema it was stored with, and is therefore dropped.
    pub(crate) fn note_dropped(&mut self, path: AttributePath) {
        self.dropped.push(path);
    }

    /// Notes that the value stored there ends with this upgrade, as its author declared.
    pub(crate) fn note_discarded(&mut self, path: AttributePath, reason: &'static str) {
        self.discarded.push((path, reason));
    }

    pub(crate) fn into_notes(self) -> Notes {
        Notes { warnings: self.warnings, dropped: self.dropped, discarded: self.discarded }
    }
}

/// What an upgrade left besides a state.
pub(crate) struct Notes {
    pub(crate) warnings: Diagnostics,
    pub(crate) dropped: Vec<AttributePath>,
    pub(crate) discarded: Vec<(AttributePath, &'static str)>,
}

impl fmt::Debug for UpgradeContext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UpgradeContext")
            .field("type_name", &self.type_name)
            .field("stored_version", &self.stored_version)
            .field("current_version", &self.current_version)
            .finish_non_exhaustive()
    }
}
