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
        Self {
            registry,
            definition,
        }
    }

    /// The current version.
    pub(crate) fn current(&self) -> u64 {
        self.definition.version()
    }

    /// The versions on the way to an older one, from the latest on.
    pub(crate) fn between(&self, older: u64) -> impl Iterator<Item = u64> {
        let current = self.current();
        self.definition
            .route(older)
            .into_iter()
            .rev()
            .filter(move |version| *version != older && *version != current)
    }

    /// Upgrades a value of that version to the current one.
    pub(crate) fn up(&self, version: u64, value: &Value) -> Result<Value, Diagnostics> {
        self.upgraded(version, value.to_string().as_bytes())
            .map(|state| parsed(&state))
    }

    /// Upgrades JSON of that version.
    pub(crate) fn upgraded(&self, version: u64, json: &[u8]) -> Result<Vec<u8>, Diagnostics> {
        self.registry
            .upgrade(&UpgradeRequest::json(
                self.definition.type_name(),
                version,
                json,
            ))
            .into_result()
    }

    /// Downgrades a value of the current version, as far as that version can hold it.
    pub(crate) fn down(&self, version: u64, value: &Value) -> Result<Value, Diagnostics> {
        let json = value.to_string();
        let request = DowngradeRequest::json(
            self.definition.type_name(),
            self.current(),
            version,
            json.as_bytes(),
        );
        self.registry
            .downgrade(&request.allow_loss(true))
            .into_result()
            .map(|state| parsed(&state))
    }

    /// Downgrades JSON of the current version for a caller that upgrades the result and compares,
    /// as nothing here does. JSON that [`upgraded`](Self::upgraded) wrote `is_canonical`.
    pub(crate) fn taken_back(
        &self,
        version: u64,
        json: &[u8],
        is_canonical: bool,
    ) -> Result<Vec<u8>, Diagnostics> {
        let request =
            DowngradeRequest::json(self.definition.type_name(), self.current(), version, json);
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::{Value, json};
    use upstate::{Document, Resource as _, StringEnum};

    use super::{Engine, parsed};
    use crate::value::is_same;

    #[derive(Debug, Document)]
    #[document(type_name = "ferry.quay", version = 3, rename_all = "camelCase")]
    #[upgrade_from(2 => 3, rename(title => name), values(size: OldSize, "L" => "large", "S" => "small"))]
    #[upgrade_from(1 => 2, rename(crane.tons => crane.load), drop(note: Option<String>, "nobody read it"))]
    #[upgrade_from(0 => 1, nest(colour => paint), set(paint.gloss = null), default(depth = 7))]
    struct Quay {
        paint: Paint,
        #[attribute(default = 7)]
        depth: i32,
        name: Option<String>,
        size: Size,
        crane: Option<Crane>,
        berths: Vec<Berth>,
        ports: BTreeMap<String, Option<f64>>,
        is_open: Option<bool>,
        #[attribute(rest)]
        others: BTreeMap<String, Value>,
    }

    #[derive(Debug, Document)]
    struct Paint {
        colour: String,
        gloss: Option<u32>,
    }

    #[derive(Debug, StringEnum)]
    enum Size {
        Small,
        Large,
    }

    #[derive(Debug, StringEnum)]
    enum OldSize {
        #[value(name = "S")]
        S,
        #[value(name = "L")]
        L,
    }

    #[derive(Debug, Document)]
    struct Crane {
        load: u32,
    }

    #[derive(Debug, Document)]
    struct Berth {
        length: u16,
        lamps: Option<Vec<f64>>,
    }

    #[test]
    fn what_no_upgrader_looks_at_goes_back_as_a_checked_downgrade_takes_it() {
        let engine = Engine::new(Quay::DEFINITION);
        let members = json!({
            "paint": {"colour": "red", "gloss": 3}, "depth": 9, "name": "a \"b\"\n", "size": "large", "crane": {"load": 4},
            "berths": [{"length": 3, "lamps": [1.5, 2.0]}, {"length": 4, "lamps": null}], "ports": {"rome": null, "b\\": 1e3},
            "isOpen": false, "title": "x", "odd": {"b": [null, {}], "a": -0.0},
        });
        let members = members.as_object().expect("it is one");
        let mut compared = 0;
        for left_out in std::iter::once("").chain(members.keys().map(String::as_str)) {
            let quay: Value = members
                .iter()
                .filter(|(name, _)| *name != left_out)
                .map(|(n, v)| (n.clone(), v.clone()))
                .collect::<serde_json::Map<_, _>>()
                .into();
            for version in 0..3 {
                let Ok(checked) = engine.down(version, &quay) else {
                    continue;
                };
                let canonical = engine.up(3, &quay).expect("it is one").to_string();
                for (json, is_canonical) in [(quay.to_string(), false), (canonical, true)] {
                    let made = engine
                        .taken_back(version, json.as_bytes(), is_canonical)
                        .expect("it goes back");
                    // By the engine, too, because it refuses members that are there twice.
                    let again = engine.upgraded(version, &made).expect("it is read");
                    let expected = engine.up(version, &checked).expect("it is read");
                    assert!(
                        is_same(&parsed(&again), &expected),
                        "version {version}: {json}"
                    );
                    let made = parsed(&made);
                    assert!(is_same(&made, &checked), "version {version}: {json}");
                    compared += 1;
                }
            }
        }
        assert!(compared > 30, "{compared}");
    }
}
