//! The types that a state file holds, and their schema versions.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use upstate::upgrade::{History, Step};
use upstate::{Registry, ResourceDefinition};

use super::address::Mode;
use super::goals::DowngradeGoals;
use super::parse::StateFile;
use super::scan::{Scanned, Scanner};

/// The instances of one type that are stored at the same schema version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredType {
    /// The mode of the instances: they are resources or data sources.
    pub mode: Mode,
    /// The type name.
    #[serde(rename = "type")]
    pub type_name: String,
    /// The schema version.
    pub version: u64,
    /// The number of instances.
    pub instances: usize,
    /// The number of these instances that are in the flat form of Terraform 0.11.
    pub flat: usize,
    /// The provider's configurations that they belong to, in the order of the file.
    pub providers: Vec<String>,
    /// The number of instances by the schema version of their identity, for versions above 0.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub identities: BTreeMap<u64, usize>,
}

/// The result of a comparison of stored instances with today's types of a registry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum InstanceStatus {
    /// They are stored at the current schema version.
    Current,
    /// An upgrade brings them there.
    NeedsUpgrade,
    /// Nothing upgrades them: they are newer than what is registered, no route begins at their
    /// version, or it is no longer supported.
    #[serde(rename = "no_way")]
    CannotUpgrade,
    /// The type is not registered.
    UnknownType,
    /// They are data sources, which Terraform reads again.
    Data,
}

impl StoredType {
    /// The number of these instances whose identities are downgraded or removed for these goals.
    pub fn identities_back(&self, goals: &DowngradeGoals) -> usize {
        let later = self
            .identities
            .iter()
            .filter(|(version, _)| goals.concerns_identity(&self.type_name, **version));
        later.map(|(_, instances)| instances).sum()
    }

    /// Says whether a registry can upgrade the instances.
    pub fn status(&self, registry: &Registry) -> InstanceStatus {
        match (self.mode, registry.get(&self.type_name)) {
            (Mode::Data, _) => InstanceStatus::Data,
            (Mode::Managed, None) => InstanceStatus::UnknownType,
            (Mode::Managed, Some(definition))
                if definition.version() == self.version && self.flat > 0 =>
            {
                InstanceStatus::NeedsUpgrade
            }
            (Mode::Managed, Some(definition)) if self.flat == 0 || self.flat < self.instances => {
                InstanceStatus::at(definition, self.version)
            }
            (Mode::Managed, Some(definition)) => InstanceStatus::of_routed(
                definition,
                self.version,
                definition.reaches_flat(self.version),
            ),
        }
    }
}

impl InstanceStatus {
    /// The status of resources whose attributes are JSON, stored at a schema version of a
    /// registered type.
    pub fn at(definition: &ResourceDefinition, version: u64) -> Self {
        if definition.version() == version {
            return Self::Current;
        }
        Self::of_routed(definition, version, definition.reaches(version))
    }

    fn of_routed(definition: &ResourceDefinition, version: u64, is_routed: bool) -> Self {
        let is_refused = definition
            .history()
            .is_some_and(|history| is_refused(history, version));
        if is_routed && !is_refused {
            Self::NeedsUpgrade
        } else {
            Self::CannotUpgrade
        }
    }
}

/// True if the route from a stored version ends before the current one, because the author of the
/// type refuses the upgrade.
fn is_refused(history: &History, version: u64) -> bool {
    let mut own = history
        .steps()
        .iter()
        .filter(|step| (step.from()..=step.last()).contains(&version))
        .peekable();
    if own.peek().is_some() {
        // Each of several is for some of the stored states, so that all have to be refused.
        return own.all(Step::is_refused);
    }
    let step = history
        .route(version)
        .and_then(|index| history.steps().get(index));
    step.and_then(Step::prior)
        .is_some_and(|prior| is_refused(prior, version))
}

impl StateFile<'_> {
    /// The types and their schema versions: resources by name and version, then data sources.
    pub fn stored_types(&self) -> Vec<StoredType> {
        let mut rows: BTreeMap<(bool, &str, u64), StoredType> = BTreeMap::new();
        for instance in self.instances() {
            let key = (
                instance.mode() == Mode::Data,
                instance.type_name(),
                instance.schema_version(),
            );
            let row = rows.entry(key).or_insert_with(|| StoredType {
                mode: instance.mode(),
                type_name: instance.type_name().to_owned(),
                version: instance.schema_version(),
                instances: 0,
                flat: 0,
                providers: Vec::new(),
                identities: BTreeMap::new(),
            });
            row.instances += 1;
            if instance.identity_schema_version() > 0 {
                *row.identities
                    .entry(instance.identity_schema_version())
                    .or_default() += 1;
            }
            row.flat += usize::from(instance.attributes().is_none());
            if !row
                .providers
                .iter()
                .any(|provider| provider == instance.provider())
            {
                row.providers.push(instance.provider().to_owned());
            }
        }
        rows.into_values().collect()
    }

    /// The number of resource instances that have a value in each attribute, by type name and
    /// schema version. Null is not a value, nor is an empty string, list or object: there is
    /// nothing to lose.
    pub fn stored_values(&self) -> BTreeMap<(&str, u64), BTreeMap<String, usize>> {
        let mut rows: BTreeMap<(&str, u64), BTreeMap<String, usize>> = BTreeMap::new();
        for instance in self
            .instances()
            .iter()
            .filter(|instance| instance.mode() == Mode::Managed)
        {
            let names = rows
                .entry((instance.type_name(), instance.schema_version()))
                .or_default();
            let mut count = |name: &str| match names.get_mut(name) {
                Some(number) => *number += 1,
                None => drop(names.insert(name.to_owned(), 1)),
            };
            match instance.attributes() {
                // The reader of the file has read them before, so nothing is wrong with them.
                Some(json) => drop(filled(json, &mut count)),
                None => filled_flat(&instance.attributes_flat().unwrap_or_default())
                    .into_iter()
                    .for_each(count),
            }
        }
        rows
    }
}

/// Says the names of the attributes that have a value.
fn filled(json: &str, mut each: impl FnMut(&str)) -> Scanned<()> {
    Scanner::new(json).entries("`attributes`", |scanner, name| {
        let value = scanner.skip()?;
        if has_value(json.get(value).unwrap_or_default()) {
            each(&name);
        }
        Ok(())
    })
}

fn has_value(json: &str) -> bool {
    match json.bytes().next() {
        Some(b'[' | b'{') => json.bytes().any(|byte| {
            !matches!(byte, b'[' | b']' | b'{' | b'}' | b',') && !byte.is_ascii_whitespace()
        }),
        _ => json != "null" && json != "\"\"",
    }
}

/// The attributes that have a value in the flat form, in which `tags.%` and `ports.#` count what is
/// inside.
fn filled_flat(flat: &BTreeMap<String, String>) -> BTreeSet<&str> {
    let is_count = |key: &str| key.ends_with(".%") || key.ends_with(".#");
    let filled = flat
        .iter()
        .filter(|(key, text)| !text.is_empty() && !is_count(key));
    filled
        .filter_map(|(key, _)| key.split('.').next())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_by_attribute() {
        let state = r#"{"version":4,"resources":[
            {"mode":"managed","type":"a","name":"x","provider":"provider.p","instances":[
                {"schema_version":1,"attributes":{"id":"1","owner":"ann","na\u006de":"n","tags":{},"ports":[ ],"rule":[{}],"size":0,"gone":null,"text":"","policy":"{}","list":[ {} ,"\"" ], "none" : [ null ] }},
                {"index_key":1,"schema_version":1,"attributes":{"id":"2","owner":null,"name":"m"}},
                {"index_key":2,"schema_version":0,"attributes_flat":{"id":"3","tags.%":"1","tags.a":"b","ports.#":"0","owner":""}},
                {"index_key":3,"schema_version":0}]},
            {"mode":"data","type":"a","name":"x","provider":"provider.p","instances":[{"schema_version":1,"attributes":{"id":"4"}}]}]}"#;
        let state = StateFile::parse(state.as_bytes()).unwrap();
        let values = state.stored_values();
        let of = |version| {
            values[&("a", version)]
                .iter()
                .map(|(name, number)| format!("{name} {number}"))
                .collect::<Vec<_>>()
        };
        // A list with an empty object in it counts as one without a value: it has none.
        assert_eq!(
            of(1),
            [
                "id 2", "list 1", "name 2", "none 1", "owner 1", "policy 1", "size 1"
            ]
        );
        assert_eq!(of(0), ["id 1", "tags 1"]);
        assert_eq!(values.len(), 2);
    }
}
