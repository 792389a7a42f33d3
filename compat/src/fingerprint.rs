//! The fingerprint of a schema as data: the number that the compiler computes of the same schema as
//! a constant.

use std::collections::BTreeMap;

use upstate_words::Hash;
use upstate_words::hash::code;
use upstate_words::lock::fingerprint;

use crate::snapshot::{AttributeSnapshot, BlockSnapshot, ResourceSnapshot};

/// The fingerprint of a resource's stored shape, as sixteen hexadecimal digits.
pub(crate) fn fingerprint_of(resource: &ResourceSnapshot) -> String {
    format!(
        "{:016x}",
        members(Hash::new(), &resource.attributes, &resource.blocks).finish()
    )
}

/// The fingerprint of a document's flattened enums and maps.
pub(crate) fn fingerprint_of_flattened(all: &BTreeMap<String, Vec<AttributeSnapshot>>) -> String {
    let stored = all.iter().flat_map(|(path, parts)| {
        parts
            .iter()
            .map(move |part| (path.as_str(), part.stored().to_string()))
    });
    let stored: Vec<(&str, String)> = stored.collect();
    let found =
        fingerprint::of_flattened(stored.iter().map(|(path, stored)| (*path, stored.as_str())));
    // A type that is written reads again, so that this is never empty.
    found.unwrap_or_default()
}

fn members<'s>(
    mut hash: Hash,
    attributes: impl IntoIterator<Item = (&'s String, &'s AttributeSnapshot)>,
    blocks: impl IntoIterator<Item = (&'s String, &'s BlockSnapshot)>,
) -> Hash {
    for (name, snapshot) in attributes {
        hash = snapshot.stored().hashed(hash, name);
        if let Some(nested) = &snapshot.nested {
            hash = members(hash, &nested.attributes, []);
        }
    }
    for (name, snapshot) in blocks {
        hash = members(
            snapshot.stored().hashed(hash, name),
            &snapshot.attributes,
            &snapshot.blocks,
        );
    }
    hash.word(code::END)
}
