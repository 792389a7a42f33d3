//! One number for the shape of what is stored: equal for equal shapes, in const evaluation and at run time.
//!
//! It covers what decides whether stored state reads, and as what: names, types, nesting, whether null is read, whether a value is
//! stored at all. It does not cover who sets an attribute, defaults, descriptions, the order of fields or any Rust name; which values of its type a
//! field takes has a number of its own, since that may widen under one version.

// The functions over a `Schema` run in the compiler, which reports a wrong index itself.
#![expect(clippy::indexing_slicing, reason = "const evaluation")]

use crate::compat::{AttributeSnapshot, BlockSnapshot, Mode, ResourceSnapshot, StoredType};
use crate::schema::{Attribute, NestedBlock, Nesting, Schema, Shape, Shared, Type, constant, key};

/// A hash that is cheap in const evaluation: eight bytes a step, and names by their keys.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hash(u64);

const SINGLE: u64 = 11;
const LIST_OF_TEXTS: u64 = 12;
const SET_OF_TEXTS: u64 = 13;
const MAP_OF_TEXTS: u64 = 14;
const NULL: u64 = 1;
const WRITE_ONLY: u64 = 2;
const UNKNOWN_NULL: u64 = 4;
const NESTED: u64 = 8;
const BLOCK: u64 = 16;
/// Before the facts of a member, and after the last one of an object.
const MEMBER: u64 = 0x100;
const END: u64 = 0x200;

impl Hash {
    pub(crate) const fn new() -> Self {
        Self(0x5851_f42d_4c95_7f2d)
    }

    #[expect(clippy::cast_possible_truncation, reason = "the lower half is what is wanted")]
    pub(crate) const fn word(self, word: u64) -> Self {
        // A wide product cannot overflow, and needs no call.
        let mixed = ((self.0 ^ word) as u128 * 0x9e37_79b9_7f4a_7c15) as u64;
        Self(mixed ^ (mixed >> 29))
    }

    pub(crate) const fn text(self, text: &str) -> Self {
        let mut rest = text.as_bytes();
        let mut hash = self.word(rest.len() as u64);
        while let Some((chunk, more)) = rest.split_first_chunk::<8>() {
            hash = hash.word(u64::from_le_bytes(*chunk));
            rest = more;
        }
        if !rest.is_empty() {
            let mut last = 0;
            let mut index = rest.len();
            while index > 0 {
                index -= 1;
                last = last << 8 | rest[index] as u64;
            }
            hash = hash.word(last);
        }
        hash
    }

    /// An attribute or block: its name's number, what is known of it, and its type or arrangement.
    #[expect(clippy::cast_possible_truncation, reason = "the lower half is what is wanted")]
    const fn member(self, key: u64, facts: u64, code: u64) -> Self {
        // That is `word`, without the call.
        let mixed = ((self.0 ^ key ^ facts ^ (code << 16)) as u128 * 0x9e37_79b9_7f4a_7c15) as u64;
        Self(mixed ^ (mixed >> 29))
    }

    pub(crate) const fn finish(self) -> u64 {
        self.word(self.0 >> 32).0
    }

    pub(crate) const fn ty(self, ty: &Type) -> Self {
        match ty {
            Type::Bool => self.word(1),
            Type::String => self.word(2),
            Type::Number => self.word(3),
            Type::Dynamic => self.word(6),
            Type::List(element) => self.word(7).ty(constant(element)),
            Type::Set(element) => self.word(8).ty(constant(element)),
            Type::Map(element) => self.word(9).ty(constant(element)),
            Type::Tuple(elements) => {
                let elements = constant(elements);
                let mut hash = self.word(10).word(elements.len() as u64);
                let mut index = 0;
                while index < elements.len() {
                    hash = hash.ty(constant(&elements[index]));
                    index += 1;
                }
                hash
            }
            Type::Object(fields) => {
                let fields = constant(fields);
                let mut hash = self.word(SINGLE).word(fields.len() as u64);
                let mut index = 0;
                while index < fields.len() {
                    let Some((name, ty)) = fields[index].constant_parts() else { return self };
                    hash = hash.word(key(name)).ty(ty);
                    index += 1;
                }
                hash
            }
        }
    }

    fn snapshot_type(self, ty: &StoredType) -> Self {
        match ty {
            StoredType::Bool => self.word(1),
            StoredType::String => self.word(2),
            StoredType::Number => self.word(3),
            StoredType::Int64 => self.word(4),
            StoredType::Float64 => self.word(5),
            StoredType::Dynamic => self.word(6),
            StoredType::List(element) => self.word(7).snapshot_type(element),
            StoredType::Set(element) => self.word(8).snapshot_type(element),
            StoredType::Map(element) => self.word(9).snapshot_type(element),
            StoredType::Tuple(elements) => elements.iter().fold(self.word(10).word(elements.len() as u64), Self::snapshot_type),
            StoredType::Object(members, _) => {
                let start = self.word(SINGLE).word(members.len() as u64);
                members.iter().fold(start, |hash, (name, ty)| hash.word(key(name)).snapshot_type(ty))
            }
        }
    }

    fn snapshot_members<'s>(
        self,
        attributes: impl IntoIterator<Item = (&'s String, &'s AttributeSnapshot)>,
        blocks: impl IntoIterator<Item = (&'s String, &'s BlockSnapshot)>,
    ) -> Self {
        let mut hash = self;
        for (name, attribute) in attributes {
            let null = match attribute.nullable {
                Some(true) => NULL,
                Some(false) => 0,
                None => UNKNOWN_NULL,
            };
            let facts = MEMBER | null | if attribute.write_only { WRITE_ONLY } else { 0 };
            hash = match (&attribute.nested, &attribute.ty) {
                (Some(nested), _) => {
                    let hash = hash.member(key(name), facts | NESTED, mode_code(nested.mode));
                    hash.snapshot_members(&nested.attributes, [])
                }
                (None, ty) => {
                    let ty = ty.as_ref().unwrap_or(&StoredType::Dynamic);
                    let code = code_of(ty);
                    let hash = hash.member(key(name), facts, code);
                    if code == 0 { hash.snapshot_type(ty) } else { hash }
                }
            };
        }
        for (name, block) in blocks {
            let start = hash.member(key(name), MEMBER | BLOCK, mode_code(block.mode));
            hash = start.snapshot_members(&block.attributes, &block.blocks);
        }
        hash.word(END)
    }
}

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
            let mut facts = MEMBER;
            if aside.holds.nullable {
                facts |= NULL;
            }
            if write_only {
                facts |= WRITE_ONLY;
            }
            if aside.holds.limit != 0 {
                self.values = self.values.word(aside.holds.limit ^ self.line);
            }
            self.line += 1;
            match shape {
                Shape::Plain(Shared::Static(ty)) => {
                    let code = match ty {
                        Type::Bool => 1,
                        Type::String => 2,
                        Type::Number => 3,
                        Type::Dynamic => 6,
                        // The most frequent of the others.
                        Type::List(Shared::Static(Type::String)) => LIST_OF_TEXTS,
                        Type::Set(Shared::Static(Type::String)) => SET_OF_TEXTS,
                        Type::Map(Shared::Static(Type::String)) => MAP_OF_TEXTS,
                        _ => 0,
                    };
                    self.shape = self.shape.member(aside.key, facts, code);
                    if code == 0 {
                        self.shape = self.shape.ty(ty);
                    }
                }
                // In const evaluation nothing was made at run time.
                Shape::Plain(Shared::Owned(_)) => {}
                Shape::Nested(nested) => {
                    let (nesting, attributes) = nested.stored();
                    self.shape = self.shape.member(aside.key, facts | NESTED, nesting_code(nesting));
                    self = self.members(attributes, &[]);
                }
            }
            index += 1;
        }
        index = 0;
        while index < blocks.len() {
            let (_, nesting, attributes, inner) = blocks[index].stored();
            self.shape = self.shape.member(blocks[index].aside().key, MEMBER | BLOCK, nesting_code(nesting));
            self.line += 1;
            self = self.members(attributes, inner);
            index += 1;
        }
        self.shape = self.shape.word(END);
        self
    }
}

/// The code of a type, if it has one for itself; otherwise 0, and the type follows.
fn code_of(ty: &StoredType) -> u64 {
    match ty {
        StoredType::Bool => 1,
        StoredType::String => 2,
        StoredType::Number => 3,
        StoredType::Int64 => 4,
        StoredType::Float64 => 5,
        StoredType::Dynamic => 6,
        StoredType::List(element) if **element == StoredType::String => LIST_OF_TEXTS,
        StoredType::Set(element) if **element == StoredType::String => SET_OF_TEXTS,
        StoredType::Map(element) if **element == StoredType::String => MAP_OF_TEXTS,
        _ => 0,
    }
}

const fn nesting_code(nesting: Nesting) -> u64 {
    match nesting {
        Nesting::Single => SINGLE,
        Nesting::List => 7,
        Nesting::Set => 8,
        Nesting::Map => 9,
    }
}

fn mode_code(mode: Mode) -> u64 {
    match mode {
        Mode::Single => SINGLE,
        Mode::List => 7,
        Mode::Set => 8,
        Mode::Map => 9,
    }
}

/// The fingerprint of a constant schema, and the number for the values that its fields take.
pub(super) const fn of_schema(schema: &Schema) -> (u64, u64) {
    let (attributes, blocks) = schema.stored();
    let walk = Walk { shape: Hash::new(), values: Hash(0), line: 0 }.members(attributes, blocks);
    (walk.shape.finish(), walk.values.0)
}

/// The fingerprint of a resource's stored shape, as sixteen hexadecimal digits.
pub(crate) fn fingerprint_of(resource: &ResourceSnapshot) -> String {
    format!("{:016x}", Hash::new().snapshot_members(&resource.attributes, &resource.blocks).finish())
}
