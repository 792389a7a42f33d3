//! Adopting a provider that was written without upstate.

use super::{Change, Entry, Lock, LockError, Standing};
use crate::provider_schemas::resources;
use crate::{AttributeSnapshot, BlockSnapshot, Release, ResourceSnapshot};

impl Lock {
    /// Adds the resources in the output of `terraform providers schema -json` as what `release` served. Of several providers only the
    /// one called `provider`, by its whole address or the last part of it.
    ///
    /// That output says what is stored, but not whether stored null can be read, and nothing of defaults, replacement or
    /// constraints: so much less can be judged until the next release is frozen from models.
    ///
    /// # Errors
    /// The text is not such an output, has no or more than one such provider, or has another shape of something that is in the lock.
    pub fn import(&mut self, json: &[u8], provider: Option<&str>, release: Release) -> Result<Vec<Change>, LockError> {
        let refuse = |problem: String| LockError::new(0, problem);
        let resources = resources(json, provider).map_err(refuse)?;
        let mut next = self.clone();
        let mut changes = Vec::new();
        for (type_name, schema) in resources {
            let mut resource = ResourceSnapshot::from(&schema);
            resource.attributes.values_mut().for_each(forget_null);
            resource.blocks.values_mut().for_each(forget_null_in_block);
            let version = resource.version;
            let entry = Entry::new(Standing::Released(Some(release.clone())), resource);
            match next.entries.get(&(type_name.clone(), version)) {
                Some(there) if there.is_released() => {
                    let problems = super::stored::differences(&there.resource, &entry.resource, false);
                    if !problems.is_empty() {
                        return Err(refuse(format!("{type_name} version {version} is in the lock: {}", problems.join("; "))));
                    }
                }
                _ => {
                    next.entries.insert((type_name.clone(), version), entry);
                    changes.push(Change { type_name, version, what: "new" });
                }
            }
        }
        next.releases.push(release);
        next.releases.sort_unstable();
        next.releases.dedup();
        *self = next;
        Ok(changes)
    }
}

fn forget_null(attribute: &mut AttributeSnapshot) {
    attribute.nullable = None;
    if let Some(nested) = &mut attribute.nested {
        nested.attributes.values_mut().for_each(forget_null);
    }
}

fn forget_null_in_block(block: &mut BlockSnapshot) {
    block.attributes.values_mut().for_each(forget_null);
    block.blocks.values_mut().for_each(forget_null_in_block);
}
