//! Which types a state file holds, and at which schema versions.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use upstate::Registry;
use upstate::upgrade::{History, Step};

use super::parse::{Mode, StateFile};

/// The instances of one type that are stored at the same schema version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredType {
    /// Whether they are resources or data sources.
    pub mode: Mode,
    /// The type name.
    #[serde(rename = "type")]
    pub type_name: String,
    /// The schema version.
    pub version: u64,
    /// How many there are.
    pub instances: usize,
    /// How many of them are in the flat form of Terraform 0.11.
    pub flat: usize,
    /// The provider's configurations that they belong to, in the order of the file.
    pub providers: Vec<String>,
}

/// Whether stored instances are as a registry's types are today.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// They are stored at the current schema version.
    Current,
    /// An upgrade brings them there.
    NeedsUpgrade,
    /// Nothing upgrades them: they are newer than what is registered, no route begins at their version, or it is no longer supported.
    #[serde(rename = "no_way")]
    CannotUpgrade,
    /// The type is not registered.
    UnknownType,
    /// They are data sources, which Terraform reads again.
    Data,
}

impl StoredType {
    /// Whether a registry can upgrade them.
    pub fn standing(&self, registry: &Registry) -> Standing {
        match (self.mode, registry.get(&self.type_name)) {
            (Mode::Data, _) => Standing::Data,
            (Mode::Managed, None) => Standing::UnknownType,
            (Mode::Managed, Some(definition)) if definition.version() == self.version => {
                if self.flat > 0 {
                    Standing::NeedsUpgrade
                } else {
                    Standing::Current
                }
            }
            (Mode::Managed, Some(definition)) => {
                let refused = definition.history().is_some_and(|history| is_refused(history, self.version));
                if definition.reaches(self.version) && !refused { Standing::NeedsUpgrade } else { Standing::CannotUpgrade }
            }
        }
    }
}

/// Whether the route from a stored version ends before the current one, because its author said that it does.
fn is_refused(history: &History, version: u64) -> bool {
    let mut own = history.steps().iter().filter(|step| (step.from()..=step.last()).contains(&version)).peekable();
    if own.peek().is_some() {
        // Of several, each is for some of what is stored.
        return own.all(Step::is_refused);
    }
    let step = history.route(version).and_then(|index| history.steps().get(index));
    step.and_then(Step::via).is_some_and(|prior| is_refused(prior, version))
}

impl StateFile<'_> {
    /// Which types there are at which schema versions: resources by name and version, then data sources.
    pub fn stored_types(&self) -> Vec<StoredType> {
        let mut rows: BTreeMap<(bool, &str, u64), StoredType> = BTreeMap::new();
        for instance in self.instances() {
            let key = (instance.mode() == Mode::Data, instance.type_name(), instance.schema_version());
            let row = rows.entry(key).or_insert_with(|| StoredType {
                mode: instance.mode(),
                type_name: instance.type_name().to_owned(),
                version: instance.schema_version(),
                instances: 0,
                flat: 0,
                providers: Vec::new(),
            });
            row.instances += 1;
            row.flat += usize::from(instance.attributes().is_none());
            if !row.providers.iter().any(|provider| provider == instance.provider()) {
                row.providers.push(instance.provider().to_owned());
            }
        }
        rows.into_values().collect()
    }
}
