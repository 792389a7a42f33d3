//! The fingerprint of a schema as data: the number that the compiler computes of the same schema as a constant.

use upstate_words::Hash;
use upstate_words::hash::code;

use crate::snapshot::{AttributeSnapshot, BlockSnapshot, ResourceSnapshot};

/// The fingerprint of a resource's stored shape, as sixteen hexadecimal digits.
pub(crate) fn fingerprint_of(resource: &ResourceSnapshot) -> String {
    format!("{:016x}", members(Hash::new(), &resource.attributes, &resource.blocks).finish())
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
        hash = members(snapshot.stored().hashed(hash, name), &snapshot.attributes, &snapshot.blocks);
    }
    hash.word(code::END)
}
