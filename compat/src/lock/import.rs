//! Adopting a provider that was written without upstate.

use upstate::schema::Schema;

use super::stored::differences;
use super::{Change, Entry, EntryStatus, Lock, LockError};
use crate::provider_schemas;
use crate::{AttributeSnapshot, BlockSnapshot, Release, ResourceSnapshot};

impl Lock {
    /// Adds what the output of `terraform providers schema -json` has as what `release` served:
    /// resources with their identities, data sources, functions, the provider's configuration and
    /// the rest. Of several providers only the one called `provider`, by its whole address or the
    /// last part of it.
    ///
    /// That output says what is stored, but not whether stored null can be read, and nothing of
    /// defaults, replacement or constraints: so much less can be judged until the next release is
    /// frozen from models.
    ///
    /// # Errors
    /// The text is not such an output, has no or more than one such provider, or has another shape
    /// of something that models have frozen.
    pub fn import(
        &mut self,
        json: &[u8],
        provider: Option<&str>,
        release: Release,
    ) -> Result<Vec<Change>, LockError> {
        let refuse = |problem: String| LockError::new(0, problem);
        let schemas = provider_schemas::provider(json, provider).map_err(refuse)?;
        let served = schemas.served().map_err(refuse)?;
        let mut next = self.clone();
        let mut changes = Vec::new();
        for (type_name, schema) in schemas.resources() {
            let schema = schema.map_err(|why| refuse(format!("{type_name}: {why}")))?;
            let mut resource = imported(&schema);
            resource.identity = schemas.identity(type_name).map(Box::new);
            next.import_version(type_name, resource, &release, &mut changes)
                .map_err(refuse)?;
        }
        for (address, mut resource) in served {
            if resource.signature.is_none() {
                forget_null(&mut resource);
            }
            resource.imported = true;
            next.write_served(&address, &resource, Some(&release), &mut changes);
        }
        next.releases.push(release);
        next.releases.sort_unstable();
        next.releases.dedup();
        *self = next;
        Ok(changes)
    }

    /// Adds shapes that `release` stored, as [`released`](crate::import::released) reads them from
    /// the definitions of custom resources.
    ///
    /// # Errors
    /// The lock has another shape of a version that models have frozen, or that this release is on
    /// record with.
    pub fn import_shapes(
        &mut self,
        shapes: Vec<(String, ResourceSnapshot)>,
        release: Release,
    ) -> Result<Vec<Change>, LockError> {
        let refuse = |problem: String| LockError::new(0, problem);
        let mut next = self.clone();
        let mut changes = Vec::new();
        let is_latest = self.releases.last().is_none_or(|last| *last <= release);
        for (type_name, mut resource) in shapes {
            let version = resource.version;
            if is_latest {
                let before = self
                    .released_before(&type_name, version)
                    .map(|(_, entry)| entry.resource.clone());
                super::since::mark(before.as_ref(), &mut resource, &release);
            }
            next.deprecated_by(&type_name, &resource, &release);
            if let Some(entry) = self
                .get(&type_name, version)
                .filter(|entry| is_latest && entry.released() == Some(&release))
            {
                let problems = differences(&entry.resource, &resource, true);
                if !problems.is_empty() {
                    return Err(refuse(format!(
                        "release {release} is in the lock with another shape of {type_name} version {version}: {}; put the lock back to \
                         import the release again",
                        problems.join("; ")
                    )));
                }
            }
            next.import_version(&type_name, resource, &release, &mut changes)
                .map_err(refuse)?;
        }
        next.releases.push(release);
        next.releases.sort_unstable();
        next.releases.dedup();
        // Names of members may be such as no line of a lock can have.
        Self::parse(&next.to_string())
            .map_err(|error| refuse(format!("it cannot be written to the lock: {error}")))?;
        *self = next;
        Ok(changes)
    }

    /// Notes an earlier release as the one that deprecated a version of a custom resource.
    fn deprecated_by(&mut self, type_name: &str, earlier: &ResourceSnapshot, release: &Release) {
        let deprecated = earlier
            .custom_resource
            .iter()
            .flat_map(|facts| &facts.versions);
        let deprecated: Vec<&String> = deprecated
            .filter(|(_, version)| version.deprecated.is_some())
            .map(|(name, _)| name)
            .collect();
        let of_type = self
            .entries
            .range_mut((type_name.to_owned(), 0)..=(type_name.to_owned(), u64::MAX));
        for version in of_type
            .filter_map(|(_, entry)| entry.resource.custom_resource.as_mut())
            .flat_map(|it| &mut it.versions)
        {
            let since = version
                .1
                .since
                .as_mut()
                .filter(|_| deprecated.contains(&version.0));
            if let Some(since) =
                since.filter(|since| since.parse::<Release>().is_ok_and(|since| *release < since))
            {
                *since = release.to_string();
            }
        }
    }

    /// Adds a version of a type. Go's SDK and framework skip stored attributes that a schema lacks,
    /// so releases of providers in Go have stored several shapes under one version: the latest is
    /// the entry, and the others are kept as its earlier or alternative shapes.
    fn import_version(
        &mut self,
        type_name: &str,
        mut resource: ResourceSnapshot,
        release: &Release,
        changes: &mut Vec<Change>,
    ) -> Result<(), String> {
        let version = resource.version;
        let mut note = |what, differences| {
            changes.push(Change {
                type_name: type_name.to_owned(),
                version: Some(version),
                what,
                differences,
            });
        };
        let is_latest = self.releases.last().is_none_or(|last| last <= release);
        let entry = match self.entries.get_mut(&(type_name.to_owned(), version)) {
            Some(entry) if entry.is_released() => entry,
            _ => {
                let entry = Entry::new(EntryStatus::Released(Some(release.clone())), resource);
                self.entries.insert((type_name.to_owned(), version), entry);
                note("new", Vec::new());
                return Ok(());
            }
        };
        let now = Entry::new(entry.status.clone(), resource.clone());
        // A version that a model froze must not change, because the next release is compiled
        // against it.
        if !entry.resource.imported {
            return match differences(&entry.resource, &now.resource, false).as_slice() {
                [] => Ok(()),
                problems => Err(format!(
                    "{type_name} version {version} is in the lock: {}",
                    problems.join("; ")
                )),
            };
        }
        let (there, here) = (entry.fingerprint(), now.fingerprint());
        let (earlier, later) = if is_latest {
            (&entry.resource, &now.resource)
        } else {
            (&now.resource, &entry.resource)
        };
        let problems = differences(earlier, later, false);
        let (of_earlier, since) = if is_latest {
            (there.clone(), entry.released().unwrap_or(release).clone())
        } else {
            (here.clone(), release.clone())
        };
        let is_own = there == here || problems.is_empty();
        entry.record_import(&self.releases, release, (&there, &here), is_own, is_latest);
        if there != here {
            if is_own {
                entry.former.entry(since).or_insert(of_earlier);
                note("grown", Vec::new());
            } else if !entry.resource.alternatives.contains(&of_earlier) {
                entry.resource.alternatives.push(of_earlier);
                entry.resource.alternatives.sort_unstable();
                note("reshaped", problems);
            }
        }
        if is_latest {
            super::freeze::mark_new(&entry.resource, &mut resource, release);
            resource.alternatives = std::mem::take(&mut entry.resource.alternatives);
            resource.alternatives.retain(|shape| *shape != here);
            entry.resource = Entry::new(entry.status.clone(), resource).resource;
        } else if entry.released().is_some_and(|first| release < first) {
            entry.status = EntryStatus::Released(Some(release.clone()));
        }
        Ok(())
    }
}

/// A resource in a schema document.
fn imported(schema: &Schema) -> ResourceSnapshot {
    let mut resource = ResourceSnapshot {
        imported: true,
        knows_forms: false,
        ..ResourceSnapshot::from(schema)
    };
    forget_null(&mut resource);
    resource
}

/// The members that an earlier shape of a version has and a later one lacks.
pub(crate) fn reshaped(earlier: &Schema, later: &Schema) -> Vec<String> {
    differences(&imported(earlier), &imported(later), false)
}

/// Removes what a schema document does not say: whether stored null can be read.
pub(super) fn forget_null(resource: &mut ResourceSnapshot) {
    resource
        .attributes
        .values_mut()
        .for_each(forget_null_in_attribute);
    resource.blocks.values_mut().for_each(forget_null_in_block);
}

fn forget_null_in_attribute(attribute: &mut AttributeSnapshot) {
    attribute.nullable = None;
    if let Some(nested) = &mut attribute.nested {
        nested
            .attributes
            .values_mut()
            .for_each(forget_null_in_attribute);
    }
}

fn forget_null_in_block(block: &mut BlockSnapshot) {
    block
        .attributes
        .values_mut()
        .for_each(forget_null_in_attribute);
    block.blocks.values_mut().for_each(forget_null_in_block);
}
