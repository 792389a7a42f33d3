//! One number for the shape of what is stored: equal for equal shapes, in const evaluation and at run time.
//!
//! It covers what decides whether stored state reads, and as what: names, types, nesting, whether null is read, whether a value is
//! stored at all. It does not cover who sets an attribute, defaults, descriptions, the order of fields or any Rust name; which values of its type a
//! field takes has a number of its own, since that may widen under one version.
//!
//! The lock computes the same number from a schema as data; both use the codes of [`code`].

// The functions over a `Schema` run in the compiler, which reports a wrong index itself.
#![expect(clippy::indexing_slicing, reason = "const evaluation")]

use crate::hash::{Hash, code};
use crate::schema::{Attribute, NestedBlock, Nesting, Schema, Shape, Shared, Type};

/// A walk through a constant schema. It makes as few calls as it can: each costs the compiler microseconds.
#[derive(Clone, Copy)]
struct Walk {
    shape: Hash,
    values: Hash,
    /// Which line of the lock's entry the member has, if the entry has just these members.
    line: u64,
}

impl Walk {
    const fn members(mut self, attributes: &[Attribute], blocks: &[NestedBlock]) -> Self {
        let mut index = 0;
        while index < attributes.len() {
            let (aside, shape, write_only) = attributes[index].locked();
            let mut facts = code::MEMBER;
            if aside.holds.nullable {
                facts |= code::NULL;
            }
            if write_only {
                facts |= code::WRITE_ONLY;
            }
            if aside.holds.limit != 0 {
                self.values = self.values.word(aside.holds.limit ^ self.line);
            }
            self.line += 1;
            match shape {
                Shape::Plain(Shared::Static(ty)) => {
                    let own = match ty {
                        Type::Bool => code::BOOL,
                        Type::String => code::STRING,
                        Type::Number => code::NUMBER,
                        Type::Dynamic => code::DYNAMIC,
                        // The most frequent of the others.
                        Type::List(Shared::Static(Type::String)) => code::LIST_OF_STRINGS,
                        Type::Set(Shared::Static(Type::String)) => code::SET_OF_STRINGS,
                        Type::Map(Shared::Static(Type::String)) => code::MAP_OF_STRINGS,
                        _ => 0,
                    };
                    self.shape = self.shape.member(aside.key, facts, own);
                    if own == 0 {
                        self.shape = self.shape.ty(ty);
                    }
                }
                // In const evaluation nothing was made at run time.
                Shape::Plain(Shared::Owned(_)) => {}
                Shape::Nested(nested) => {
                    let (nesting, attributes) = nested.stored();
                    self.shape = self.shape.member(aside.key, facts | code::NESTED, nesting_code(nesting));
                    self = self.members(attributes, &[]);
                }
            }
            index += 1;
        }
        index = 0;
        while index < blocks.len() {
            let (_, nesting, attributes, inner) = blocks[index].stored();
            self.shape = self.shape.member(blocks[index].aside().key, code::MEMBER | code::BLOCK, nesting_code(nesting));
            self.line += 1;
            self = self.members(attributes, inner);
            index += 1;
        }
        self.shape = self.shape.word(code::END);
        self
    }
}

const fn nesting_code(nesting: Nesting) -> u64 {
    match nesting {
        Nesting::Single => code::OBJECT,
        Nesting::List => code::LIST,
        Nesting::Set => code::SET,
        Nesting::Map => code::MAP,
    }
}

/// The fingerprint of a constant schema, and the number for the values that its fields take.
pub(super) const fn of_schema(schema: &Schema) -> (u64, u64) {
    let (attributes, blocks) = schema.stored();
    let walk = Walk { shape: Hash::new(), values: Hash::zero(), line: 0 }.members(attributes, blocks);
    (walk.shape.finish(), walk.values.bits())
}
