//! Upgrades and downgrades of one document, over JSON values.

use serde_json::Value;
use upstate::path::PathStep;
use upstate::upgrade::{DowngradeRequest, take_back};
use upstate::{Diagnostics, Registry, ResourceDefinition, UpgradeRequest};

/// A document with its versions.
#[derive(Debug)]
pub(crate) struct Engine {
    registry: Registry,
    definition: &'static ResourceDefinition,
}

impl Engine {
    pub(crate) fn new(definition: &'static ResourceDefinition) -> Self {
        let mut registry = Registry::new();
        registry.insert(definition.clone());
        Self { registry, definition }
    }

    /// The current version.
    pub(crate) fn current(&self) -> u64 {
        self.definition.version()
    }

    /// The versions on the way to an older one, from the latest on.
    pub(crate) fn between(&self, older: u64) -> impl Iterator<Item = u64> {
        let current = self.current();
        self.definition.route(older).into_iter().rev().filter(move |version| *version != older && *version != current)
    }

    /// Upgrades a value of that version to the current one.
    pub(crate) fn up(&self, version: u64, value: &Value) -> Result<Value, Diagnostics> {
        self.upgraded(version, value.to_string().as_bytes()).map(|state| parsed(&state))
    }

    /// Upgrades JSON of that version.
    pub(crate) fn upgraded(&self, version: u64, json: &[u8]) -> Result<Vec<u8>, Diagnostics> {
        self.registry.upgrade(&UpgradeRequest::json(self.definition.type_name(), version, json)).into_result()
    }

    /// Downgrades a value of the current version, as far as that version can hold it.
    pub(crate) fn down(&self, version: u64, value: &Value) -> Result<Value, Diagnostics> {
        let json = value.to_string();
        let request = DowngradeRequest::json(self.definition.type_name(), self.current(), version, json.as_bytes());
        self.registry.downgrade(&request.allow_loss(true)).into_result().map(|state| parsed(&state))
    }

    /// Downgrades JSON of the current version for a caller that upgrades the result and compares, as nothing here does. JSON that
    /// [`upgraded`](Self::upgraded) wrote `is_canonical`.
    pub(crate) fn taken_back(&self, version: u64, json: &[u8], is_canonical: bool) -> Result<Vec<u8>, Diagnostics> {
        let request = DowngradeRequest::json(self.definition.type_name(), self.current(), version, json);
        take_back(self.definition, &request, is_canonical)
    }
}

/// The engine writes JSON; if it ever did not, null would be refused as a document.
fn parsed(state: &[u8]) -> Value {
    serde_json::from_slice(state).unwrap_or_default()
}

/// The names in a path, with dots between them: where elements of lists and maps all have one.
pub(crate) fn names_of(steps: &[PathStep]) -> String {
    let names = steps.iter().filter_map(|step| match step {
        PathStep::Attribute(name) => Some(&**name),
        PathStep::Key(_) | PathStep::Index(_) | PathStep::Element(_) => None,
    });
    names.collect::<Vec<_>>().join(".")
}
