//! Writing down what a release serves.

use std::collections::BTreeMap;

use super::shapes::StoredBy;
use super::stored::differences;
use super::{Entry, EntryStatus, Lock, Refusals, identities, since};
use crate::fingerprint::fingerprint_of;
use crate::{AttributeSnapshot, BlockSnapshot, Kind, Release, ResourceSnapshot, Snapshot};

/// A change of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Change {
    /// The type.
    pub type_name: String,
    /// Its schema version; `None` for what has none, such as a data source.
    pub version: Option<u64>,
    /// The kind of change: `new`, `released`, `grown`, `reshaped` (an imported release stored
    /// another shape under the same version), `changed`, `relocked`, `removed`.
    pub what: &'static str,
    /// The differences of the shapes, if they were changed.
    pub differences: Vec<String>,
}

impl Lock {
    /// Records the shapes of `current` as the release `release`.
    ///
    /// Released shapes stay as they were, except that a current schema may gain attributes that
    /// state without them reads as null. Facts that are not stored (defaults, descriptions,
    /// deprecations) are rewritten, and so is what has no versions: data sources, functions, the
    /// provider's configuration.
    ///
    /// # Errors
    /// A released shape changed. The lock is unchanged then.
    pub fn freeze(
        &mut self,
        current: &Snapshot,
        release: Release,
    ) -> Result<Vec<Change>, Refusals> {
        self.write(current, Some(release))
    }

    /// Writes down what `current` serves without a release, in place of what was not released
    /// before.
    ///
    /// # Errors
    /// A released shape is another now. Nothing is changed then.
    pub fn relock(&mut self, current: &Snapshot) -> Result<Vec<Change>, Refusals> {
        self.write(current, None)
    }

    fn write(
        &mut self,
        current: &Snapshot,
        release: Option<Release>,
    ) -> Result<Vec<Change>, Refusals> {
        let mut next = self.clone();
        let mut refusals = Vec::new();
        let mut changes = Vec::new();
        if let (Some(release), Some(last)) = (&release, self.releases.last())
            && release < last
        {
            refusals.push(format!(
                "release {release} is older than {last}, which is in the lock"
            ));
        }
        for type_name in current
            .resources
            .keys()
            .filter(|name| name.chars().any(char::is_control))
        {
            refusals.push(format!("the type name {type_name:?} has a control character, which no line of the lock can have"));
        }
        for (type_name, priors) in &current.priors {
            for (version, prior) in priors {
                next.write_prior((type_name, *version), prior, &mut changes, &mut refusals);
            }
        }
        let (identities, problems) = identities::of(current);
        refusals.extend(problems);
        for (type_name, resource) in current.resources.iter().chain(&identities) {
            if Kind::of(resource).is_stored() {
                next.write_current(
                    type_name,
                    resource,
                    release.as_ref(),
                    &mut changes,
                    &mut refusals,
                );
            } else {
                next.write_served(type_name, resource, release.as_ref(), &mut changes);
            }
        }
        if let Some(release) = release {
            if let Some(date) = current.date {
                // A release that is written again is still of its first day.
                next.dates.entry(release.clone()).or_insert(date);
            }
            let is_served = |type_name: &str| {
                current.resources.contains_key(type_name) || identities.contains_key(type_name)
            };
            next.retire(is_served, &release, &mut changes);
            next.releases.push(release);
            next.releases.sort_unstable();
            next.releases.dedup();
        }
        if refusals.is_empty() {
            *self = next;
            Ok(changes)
        } else {
            Err(Refusals(refusals))
        }
    }

    fn write_prior(
        &mut self,
        (type_name, version): (&str, u64),
        prior: &ResourceSnapshot,
        changes: &mut Vec<Change>,
        refusals: &mut Vec<String>,
    ) {
        match self.entries.get_mut(&(type_name.to_owned(), version)) {
            None => {
                let entry = Entry::new(EntryStatus::Released(None), prior.clone());
                self.entries.insert((type_name.to_owned(), version), entry);
                changes.push(Change {
                    type_name: type_name.to_owned(),
                    version: Some(version),
                    what: "new",
                    differences: Vec::new(),
                });
            }
            Some(entry) if entry.is_released() => {
                // With conditions, models may have the shapes in any order.
                let is_locked =
                    |shape: &ResourceSnapshot| differences(&entry.resource, shape, true).is_empty();
                if entry.resource.alternatives.contains(&fingerprint_of(prior))
                    || prior.other_shapes.iter().any(is_locked)
                {
                    return;
                }
                let problems = differences(&entry.resource, prior, true);
                refusals.extend(
                    problems
                        .into_iter()
                        .map(|problem| format!("{type_name} version {version}: {problem}")),
                );
            }
            // The model of a version that was never released: state of it may be on the author's
            // machine.
            Some(entry) => *entry = Entry::new(entry.status.clone(), prior.clone()),
        }
    }

    fn write_current(
        &mut self,
        type_name: &str,
        resource: &ResourceSnapshot,
        release: Option<&Release>,
        changes: &mut Vec<Change>,
        refusals: &mut Vec<String>,
    ) {
        let version = resource.version;
        let mut note = |what| {
            changes.push(Change {
                type_name: type_name.to_owned(),
                version: Some(version),
                what,
                differences: Vec::new(),
            });
        };
        let higher = self
            .released_before(type_name, u64::MAX)
            .filter(|(highest, _)| *highest > version);
        if let Some((highest, _)) = higher {
            refusals.push(format!(
                "{type_name}: version {version} is lower than {highest}, which was released"
            ));
            return;
        }
        let mut resource = resource.clone();
        strip(&mut resource);
        let key = (type_name.to_owned(), version);
        let Some(mut resource) = self.write_new(&key, resource, release, &mut note) else {
            return;
        };
        let Some(entry) = self.entries.get_mut(&key) else {
            return;
        };
        let problems = differences(&entry.resource, &resource, false);
        if !problems.is_empty() {
            refusals.extend(
                problems
                    .into_iter()
                    .map(|problem| format!("{type_name} version {version}: {problem}")),
            );
            return;
        }
        // Without a release, what the last one served stays what the next one is judged by.
        let Some(release) = release else { return };
        let before = entry.fingerprint();
        mark_new(&entry.resource, &mut resource, release);
        for shape in &entry.resource.alternatives {
            if !resource.alternatives.contains(shape) {
                resource.alternatives.push(shape.clone());
            }
        }
        if !resource.alternatives.is_empty() {
            entry.stored_by.record(&self.releases, release, None);
        }
        entry.resource = resource;
        entry.removed = None;
        if entry.fingerprint() != before {
            let since = entry.released().unwrap_or(release).clone();
            entry.former.insert(since, before);
            note("grown");
        }
    }

    /// Writes down what has no versions: the last release replaces the one before.
    pub(super) fn write_served(
        &mut self,
        address: &str,
        resource: &ResourceSnapshot,
        release: Option<&Release>,
        changes: &mut Vec<Change>,
    ) {
        let mut note = |what| {
            changes.push(Change {
                type_name: address.to_owned(),
                version: None,
                what,
                differences: Vec::new(),
            });
        };
        // Nothing stores it, so that no later release has to read its forms.
        let resource = ResourceSnapshot {
            knows_forms: false,
            ..resource.clone()
        };
        let key = (address.to_owned(), 0);
        let Some(mut resource) = self.write_new(&key, resource, release, &mut note) else {
            return;
        };
        let Some(entry) = self.entries.get_mut(&key) else {
            return;
        };
        // Without a release, what the last one served stays what the next one is judged by.
        let Some(release) = release else { return };
        mark_new(&entry.resource, &mut resource, release);
        if entry.resource != resource || entry.removed.is_some() {
            note("changed");
        }
        entry.resource = resource;
        entry.removed = None;
    }

    /// Writes down what no release served at this version before. What one did is handed back, with
    /// the releases that deprecated its parts.
    fn write_new(
        &mut self,
        key: &(String, u64),
        mut resource: ResourceSnapshot,
        release: Option<&Release>,
        note: &mut impl FnMut(&'static str),
    ) -> Option<ResourceSnapshot> {
        let (type_name, version) = key;
        if let Some(release) = release {
            let before = self
                .released_before(type_name, *version)
                .map(|(_, entry)| entry.resource.clone());
            since::mark(before.as_ref(), &mut resource, release);
        }
        let entry = self.entries.get(key);
        if entry.is_some_and(Entry::is_released) {
            return Some(resource);
        }
        note(match (entry, release) {
            (None, _) => "new",
            (Some(_), Some(_)) => "released",
            (Some(_), None) => "relocked",
        });
        let status = release.map_or(EntryStatus::Unreleased, |release| {
            EntryStatus::Released(Some(release.clone()))
        });
        self.entries
            .insert(key.clone(), Entry::new(status, resource));
        None
    }

    /// Notes which types are no longer served.
    fn retire(
        &mut self,
        is_served: impl Fn(&str) -> bool,
        release: &Release,
        changes: &mut Vec<Change>,
    ) {
        let mut last = BTreeMap::new();
        for ((type_name, version), entry) in &self.entries {
            if entry.is_released() && !is_served(type_name) {
                last.insert(type_name.clone(), *version);
            }
        }
        for (type_name, version) in last {
            let entry = self
                .entries
                .get_mut(&(type_name.clone(), version))
                .filter(|entry| entry.removed.is_none());
            if let Some(entry) = entry {
                entry.removed = Some(release.clone());
                let version = entry.has_version().then_some(version);
                changes.push(Change {
                    type_name,
                    version,
                    what: "removed",
                    differences: Vec::new(),
                });
            }
        }
    }
}

impl Entry {
    pub(super) fn new(status: EntryStatus, mut resource: ResourceSnapshot) -> Self {
        strip(&mut resource);
        Self {
            status,
            resource,
            former: BTreeMap::new(),
            stored_by: StoredBy::default(),
            removed: None,
        }
    }
}

/// Leaves out what other entries say.
fn strip(resource: &mut ResourceSnapshot) {
    resource.history.clear();
    resource.edited.clear();
    resource.renames.clear();
    resource.dropped.clear();
    resource.other_shapes.clear();
    resource.reformatted.clear();
    if resource
        .identity
        .as_ref()
        .is_some_and(|identity| !identity.type_name.is_empty())
    {
        resource.identity = None;
    }
}

/// Notes which release added what was not in `before`.
pub(super) fn mark_new(before: &ResourceSnapshot, now: &mut ResourceSnapshot, release: &Release) {
    mark_attributes(&before.attributes, &mut now.attributes, release);
    mark_blocks(&before.blocks, &mut now.blocks, release);
}

type Named<T> = BTreeMap<String, T>;

fn mark_attributes(
    before: &Named<AttributeSnapshot>,
    now: &mut Named<AttributeSnapshot>,
    release: &Release,
) {
    for (name, attribute) in now {
        match before.get(name) {
            None => attribute.since = Some(release.to_string()),
            Some(before) => {
                attribute.since.clone_from(&before.since);
                if let (Some(before), Some(now)) = (&before.nested, &mut attribute.nested) {
                    mark_attributes(&before.attributes, &mut now.attributes, release);
                }
            }
        }
    }
}

fn mark_blocks(before: &Named<BlockSnapshot>, now: &mut Named<BlockSnapshot>, release: &Release) {
    for (name, block) in now {
        match before.get(name) {
            None => block.since = Some(release.to_string()),
            Some(before) => {
                block.since.clone_from(&before.since);
                mark_attributes(&before.attributes, &mut block.attributes, release);
                mark_blocks(&before.blocks, &mut block.blocks, release);
            }
        }
    }
}
