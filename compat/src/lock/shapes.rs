//! The releases that stored each of several shapes of a version.

use std::collections::BTreeMap;

use upstate::Registry;
use upstate::schema::Block;

use super::import::forget_null;
use super::stored::{differences, folded};
use super::{Entry, Lock};
use crate::fingerprint::fingerprint_of;
use crate::{Release, ResourceSnapshot};

/// The shape that each release stored, by the first of a row of releases: the fingerprint of an
/// alternative, or nothing for the entry's own shape. It has nothing where each release stored the
/// same.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct StoredBy(pub(super) BTreeMap<Release, Option<String>>);

impl StoredBy {
    /// The shape that a release stored; nothing if that is not known.
    fn at(&self, release: &Release) -> Option<&Option<String>> {
        self.0.range(..=release).next_back().map(|(_, shape)| shape)
    }

    /// Records the shape that one release stored. What is on record for the other `releases` stays.
    pub(super) fn record(
        &mut self,
        releases: &[Release],
        release: &Release,
        shape: Option<String>,
    ) {
        if let Some(next) = releases.iter().find(|other| *other > release)
            && let Some(of_next) = self.at(next).cloned()
        {
            self.0.entry(next.clone()).or_insert(of_next);
        }
        self.0.insert(release.clone(), shape);
        let mut last = None;
        self.0.retain(|_, shape| {
            last.as_ref() != Some(shape) && {
                last = Some(shape.clone());
                true
            }
        });
    }

    /// Records everything of another lock, for the releases that only that one has.
    pub(super) fn record_all(
        &mut self,
        releases: &[Release],
        other: &Self,
        releases_of_other: &[Release],
    ) {
        for release in releases_of_other
            .iter()
            .filter(|release| !releases.contains(release))
        {
            if let Some(shape) = other.at(release) {
                self.record(releases, release, shape.clone());
            }
        }
    }

    /// Replaces a shape.
    pub(super) fn replace(&mut self, old: Option<&str>, new: Option<&str>) {
        for shape in self.0.values_mut().filter(|shape| shape.as_deref() == old) {
            *shape = new.map(str::to_owned);
        }
    }
}

impl Lock {
    /// The shape of each type's state in a release, where models of the registry have several for
    /// the version that it had then: its place among
    /// [`prior_schemas_of`](upstate::ResourceDefinition::prior_schemas_of) that version. A type is
    /// left out if the lock does not know which shape the release stored, or the models have none
    /// or more than one like it.
    pub fn shapes_at(&self, registry: &Registry, release: &Release) -> BTreeMap<String, usize> {
        let place = |(type_name, (version, entry)): (&str, (u64, &Entry))| {
            let blocks = registry.get(type_name)?.prior_schemas_of(version);
            Some((type_name.to_owned(), entry.place_at(release, &blocks)?))
        };
        self.entries_at(release, Entry::is_of_a_resource)
            .into_iter()
            .filter_map(place)
            .collect()
    }
}

impl Entry {
    /// Records the shape that an imported release stored, before the entry takes it in: `here`
    /// where the entry has `there`. It `is_own` if it is the entry's shape, or one that only lacks
    /// attributes.
    pub(super) fn record_import(
        &mut self,
        releases: &[Release],
        release: &Release,
        (there, here): (&str, &str),
        is_own: bool,
        is_latest: bool,
    ) {
        if !is_own && self.resource.alternatives.is_empty() {
            let first = self
                .released()
                .or(releases.first())
                .unwrap_or(release)
                .clone();
            self.stored_by.0.insert(first, None);
        }
        let shape = if is_own || is_latest {
            None
        } else {
            Some(here.to_owned())
        };
        if is_latest && !is_own {
            self.stored_by.replace(None, Some(there));
            self.stored_by.replace(Some(here), None);
        }
        let is_known = !self.stored_by.0.is_empty();
        // Locks of earlier releases of this library have alternatives whose releases nobody
        // recorded: then only the latest release is certain.
        if is_known || is_latest && !self.resource.alternatives.is_empty() {
            self.stored_by.record(releases, release, shape);
        }
    }

    fn place_at(&self, release: &Release, blocks: &[&Block]) -> Option<usize> {
        if blocks.len() < 2 {
            return None;
        }
        let shape = match self.stored_by.at(release) {
            Some(shape) => shape.as_ref(),
            None if self.resource.alternatives.is_empty() => None,
            None => return None,
        };
        let is_it = |block: &Block| {
            let model = ResourceSnapshot::from(block);
            match shape {
                None => differences(&self.resource, &model, true).is_empty(),
                Some(shape) => {
                    // An imported shape says nothing of null, and may have object types where
                    // models have nested attributes.
                    let mut imported = model.clone();
                    forget_null(&mut imported);
                    [&model, &imported, &folded(&imported)]
                        .map(fingerprint_of)
                        .contains(shape)
                }
            }
        };
        let mut places = (0..)
            .zip(blocks)
            .filter(|(_, block)| is_it(block))
            .map(|(place, _)| place);
        places.next().filter(|_| places.next().is_none())
    }
}
