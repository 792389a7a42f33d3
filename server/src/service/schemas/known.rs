//! The types in versions, remembered. Versions never change, so each is read from the store once,
//! as long as there is room for it.

use std::collections::{BTreeSet, HashMap};
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use upstate::Registry;
use upstate_state::{InstanceStatus, Mode, StoredType};

/// The least number of versions that are remembered, if so many are requested; at most twice as
/// many. Each takes about a kilobyte.
const REMEMBERED: usize = 50_000;

/// The types of a version.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Known {
    /// The types of its resources and data sources.
    pub types: Vec<StoredType>,
    /// The status of its resources, each once; nothing if it has none.
    pub statuses: BTreeSet<InstanceStatus>,
    /// The reason why the state cannot be read, if so.
    pub unreadable: Option<String>,
}

impl Known {
    pub(super) fn new(
        types: Vec<StoredType>,
        unreadable: Option<String>,
        registry: &Registry,
    ) -> Self {
        let managed = types.iter().filter(|stored| stored.mode == Mode::Managed);
        let statuses = managed.map(|stored| stored.status(registry)).collect();
        Self {
            types,
            statuses,
            unreadable,
        }
    }
}

/// The facts that a server remembers of versions.
#[derive(Debug, Default)]
pub(super) struct Remembered(Mutex<Generations>);

/// Versions requested lately, and before that.
#[derive(Debug, Default)]
struct Generations {
    young: HashMap<String, Arc<Known>>,
    old: HashMap<String, Arc<Known>>,
}

impl Remembered {
    fn generations(&self) -> MutexGuard<'_, Generations> {
        // Whatever was inserted before a panic is whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The remembered facts of these versions.
    pub(super) fn get<'v>(
        &self,
        versions: impl Iterator<Item = &'v str>,
    ) -> Vec<Option<Arc<Known>>> {
        let mut generations = self.generations();
        versions
            .map(|version| generations.get(version, REMEMBERED))
            .collect()
    }

    pub(super) fn keep(&self, version: &str, known: &Arc<Known>) {
        self.generations()
            .keep(version.to_owned(), Arc::clone(known), REMEMBERED);
    }
}

impl Generations {
    fn get(&mut self, version: &str, room: usize) -> Option<Arc<Known>> {
        if let Some(known) = self.young.get(version) {
            return Some(Arc::clone(known));
        }
        let (version, known) = self.old.remove_entry(version)?;
        self.keep(version, Arc::clone(&known), room);
        Some(known)
    }

    fn keep(&mut self, version: String, known: Arc<Known>, room: usize) {
        if self.young.len() >= room {
            self.old = mem::take(&mut self.young);
        }
        self.young.insert(version, known);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unused_values_are_forgotten() {
        let mut generations = Generations::default();
        generations.keep("asked".to_owned(), Arc::default(), 10);
        for number in 0..100 {
            generations.keep(number.to_string(), Arc::default(), 10);
            assert!(generations.get("asked", 10).is_some(), "{number}");
            assert!(generations.young.len() + generations.old.len() <= 20);
        }
        assert!(generations.get("0", 10).is_none());
        assert!(generations.get("99", 10).is_some());
    }
}
