//! Models whose stored state says more than their schema does.

// Everything here runs in the compiler, which reports a wrong index itself.
#![expect(clippy::indexing_slicing, reason = "const evaluation")]

use super::{Attribute, Members, NestedBlock, Shape};

/// Whether a model reads stored forms that its schema does not tell of, so that a value of its schema comes out of the model alone.
pub(crate) const fn reads_leniently(members: Members<'static>) -> bool {
    let mut index = 0;
    while index < members.attributes.len() {
        let attribute: &Attribute = &members.attributes[index];
        if attribute.aside.holds.lenient {
            return true;
        }
        if let Shape::Nested(nested) = attribute.shape()
            && let Some(attributes) = nested.shared_attributes().constant()
            && reads_leniently(Members { attributes, blocks: &[] })
        {
            return true;
        }
        index += 1;
    }
    let mut index = 0;
    while index < members.blocks.len() {
        let block: &NestedBlock = &members.blocks[index];
        if let (Some(attributes), Some(blocks)) = (block.shared_attributes().constant(), block.shared_blocks().constant())
            && (block.aside.holds.lenient || reads_leniently(Members { attributes, blocks }))
        {
            return true;
        }
        index += 1;
    }
    false
}
