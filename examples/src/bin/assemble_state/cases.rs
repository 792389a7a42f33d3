//! The stored states to choose from.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value};
use upstate_examples::{MODELS, complete, find};

/// One stored state and what it becomes.
#[derive(Deserialize)]
struct Case {
    id: String,
    resource: String,
    from_version: u64,
    to_version: u64,
    before: Map<String, Value>,
    after: Map<String, Value>,
}

/// Which side of a case to take.
#[derive(Clone, Copy)]
pub(crate) enum Side {
    Before,
    After,
}

pub(crate) struct Cases(BTreeMap<String, Case>);

impl Cases {
    pub(crate) fn read(path: &Path) -> Result<Self, Box<dyn Error + Send + Sync>> {
        let cases: Vec<Case> = serde_json::from_slice(&fs::read(path)?)?;
        Ok(Self(
            cases
                .into_iter()
                .map(|case| (case.id.clone(), case))
                .collect(),
        ))
    }

    /// The cases of a resource, by name.
    pub(crate) fn of(&self, type_name: &str) -> impl Iterator<Item = &str> {
        self.0
            .values()
            .filter(move |case| case.resource == type_name)
            .map(|case| case.id.as_str())
    }

    /// The schema version and the attributes of one side of a case, with `texts` written into the attributes, and all other
    /// attributes of that version's model as null: Terraform stores those too.
    pub(crate) fn attributes(
        &self,
        type_name: &str,
        id: &str,
        side: Side,
        texts: &[(&str, &str)],
    ) -> Result<(u64, Value), Box<dyn Error + Send + Sync>> {
        let case = self
            .0
            .get(id)
            .filter(|case| case.resource == type_name)
            .ok_or_else(|| format!("{type_name} has no case {id}"))?;
        let (version, attributes) = match side {
            Side::Before => (case.from_version, &case.before),
            Side::After => (case.to_version, &case.after),
        };
        let mut attributes = attributes.clone();
        for (name, text) in texts {
            attributes.insert((*name).to_owned(), Value::from(*text));
        }
        let attributes = serde_json::to_vec(&attributes)?;
        let stored = match find(type_name, version) {
            // Two shapes may be stored under one version; the other is then the newest, which is listed first.
            Some(definition) => complete(definition, &attributes).or_else(|error| {
                let newest = MODELS.iter().find(|model| model.type_name == type_name);
                newest
                    .and_then(|newest| complete(newest.definition.clone(), &attributes).ok())
                    .ok_or(error)
            })?,
            // A version that is read without a model of its own.
            None => attributes,
        };
        Ok((version, serde_json::from_slice(&stored)?))
    }
}
