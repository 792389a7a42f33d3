//! Adopting a provider that was written without upstate.

use super::{Change, Entry, Lock, LockError, Standing};
use crate::provider_schemas;
use crate::{AttributeSnapshot, BlockSnapshot, Release, ResourceSnapshot};

impl Lock {
    /// Adds what the output of `terraform providers schema -json` has as what `release` served: resources with their identities, data
    /// sources, functions, the provider's configuration and the rest. Of several providers only the one called `provider`, by its whole address
    /// or the last part of it.
    ///
    /// That output says what is stored, but not whether stored null can be read, and nothing of defaults, replacement or
    /// constraints: so much less can be judged until the next release is frozen from models.
    ///
    /// # Errors
    /// The text is not such an output, has no or more than one such provider, or has another shape of something that is in the lock.
    pub fn import(&mut self, json: &[u8], provider: Option<&str>, release: Release) -> Result<Vec<Change>, LockError> {
        let refuse = |problem: String| LockError::new(0, problem);
        let schemas = provider_schemas::provider(json, provider).map_err(refuse)?;
        let served = schemas.served().map_err(refuse)?;
        let mut next = self.clone();
        let mut changes = Vec::new();
        for (type_name, schema) in schemas.resources() {
            let schema = schema.map_err(|why| refuse(format!("{type_name}: {why}")))?;
            let mut resource = ResourceSnapshot::from(&schema);
            resource.identity = schemas.identity(type_name).map(Box::new);
            resource.imported = true;
            resource.attributes.values_mut().for_each(forget_null);
            resource.blocks.values_mut().for_each(forget_null_in_block);
            let version = resource.version;
            let entry = Entry::new(Standing::Released(Some(release.clone())), resource);
            match next.entries.get(&(type_name.to_owned(), version)) {
                Some(there) if there.is_released() => {
                    let problems = super::stored::differences(&there.resource, &entry.resource, false);
                    if !problems.is_empty() {
                        return Err(refuse(format!("{type_name} version {version} is in the lock: {}", problems.join("; "))));
                    }
                }
                _ => {
                    next.entries.insert((type_name.to_owned(), version), entry);
                    changes.push(Change { type_name: type_name.to_owned(), version: Some(version), what: "new" });
                }
            }
        }
        for (address, mut resource) in served {
            if resource.signature.is_none() {
                resource.attributes.values_mut().for_each(forget_null);
                resource.blocks.values_mut().for_each(forget_null_in_block);
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
