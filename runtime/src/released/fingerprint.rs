//! One number for the shape of what is stored: equal for equal shapes, in const evaluation and at
//! run time.
//!
//! It covers what decides whether stored state reads, and as what: names, types, nesting, whether
//! null is read, whether a value is stored at all. It does not cover who sets an attribute,
//! defaults, descriptions, the order of fields or any Rust name; which values of its type a field
//! takes has a number of its own, since that may widen under one version.
//!
//! The lock computes the same number from a schema as data; both use the codes of [`code`].

// The functions over a `Schema` run in the compiler, which reports a wrong index itself.

use crate::message::iterate;
use crate::schema::flags;
use crate::schema::table::{Stored, StoredRows, Table};
use upstate_words::hash::{Hash, code, key};

/// A walk through a table. It makes as few calls as it can: each costs the compiler microseconds.
#[derive(Clone, Copy)]
struct Walk {
    shape: Hash,
    values: Hash,
    /// The index of the member's line in the lock's entry, if the entry has just these members.
    line: u64,
}

impl Walk {
    const fn members(mut self, table: &'static Table) -> Self {
        // Attributes come first, then blocks, because the fingerprint must be that of the lock's
        // lines, which are in this order.
        let mut rows = StoredRows::of(table);
        let mut blocks = false;
        while let Some(row) = rows.next() {
            if row.flags & flags::BLOCK != 0 {
                blocks = true;
                continue;
            }
            let (info, mut facts) = (row.info, code::MEMBER);
            if info.holds.nullable {
                facts |= code::NULL;
            }
            if row.flags & flags::WRITE_ONLY != 0 {
                facts |= code::WRITE_ONLY;
            }
            if info.holds.limit != 0 {
                self.values = self.values.word(info.holds.limit ^ self.line);
            }
            self.line += 1;
            if let Some((inner, nesting)) = info.objects() {
                self.shape = self
                    .shape
                    .member(row.key, facts | code::NESTED, nesting.code());
                self = self.members(inner);
                continue;
            }
            let own = match info.stored {
                Stored::Bool => code::BOOL,
                Stored::String => code::STRING,
                Stored::Number => code::NUMBER,
                Stored::Dynamic => code::DYNAMIC,
                Stored::Json => code::JSON,
                // The most frequent of the other types have a code of their own, so that no call of
                // `stored` is necessary for them.
                Stored::List(Stored::String) => code::LIST_OF_STRINGS,
                Stored::Set(Stored::String) => code::SET_OF_STRINGS,
                Stored::Map(Stored::String) => code::MAP_OF_STRINGS,
                Stored::List(_)
                | Stored::Set(_)
                | Stored::Map(_)
                | Stored::Tuple(_)
                | Stored::Object(_)
                | Stored::Union(_) => 0,
            };
            self.shape = self.shape.member(row.key, facts, own);
            if own == 0 {
                self.shape = stored(self.shape, &info.stored);
            }
        }
        let mut rest = table.rows;
        while blocks && let [row, after @ ..] = rest {
            rest = after;
            if let (true, Some((inner, nesting))) = (row.is_block(), row.info.objects()) {
                self.shape = self
                    .shape
                    .member(row.key, code::MEMBER | code::BLOCK, nesting.code());
                self.line += 1;
                self = self.members(inner);
            }
        }
        self.shape = self.shape.word(code::END);
        self
    }
}

/// A type, with all that is in it.
const fn stored(hash: Hash, ty: &Stored) -> Hash {
    match ty {
        Stored::Bool => hash.word(code::BOOL),
        Stored::String => hash.word(code::STRING),
        Stored::Number => hash.word(code::NUMBER),
        Stored::Dynamic => hash.word(code::DYNAMIC),
        Stored::Json => hash.word(code::JSON),
        Stored::List(element) => stored(hash.word(code::LIST), element),
        Stored::Set(element) => stored(hash.word(code::SET), element),
        Stored::Map(element) => stored(hash.word(code::MAP), element),
        Stored::Tuple(elements) => {
            let mut hash = hash.word(code::TUPLE).word(elements.len() as u64);
            iterate!(first in elements => {
                hash = stored(hash, first);
            });
            hash
        }
        Stored::Object(table) => {
            let mut hash = hash.word(code::OBJECT).word(table.stored_len() as u64);
            let mut rows = StoredRows::of(table);
            while let Some(row) = rows.next() {
                hash = stored(hash.word(row.key), &row.info.stored);
            }
            hash
        }
        Stored::Union(union) => {
            let mut hash = hash
                .word(code::UNION)
                .word(key(union.tagging))
                .word(union.variants.len() as u64);
            iterate!(variant in union.variants => {
                hash = stored(hash.word(variant.key), &variant.info.stored);
            });
            hash
        }
    }
}

/// A number for a type, with all that is in it.
pub(crate) const fn shape_of(ty: &Stored) -> u64 {
    stored(Hash::new(), ty).finish()
}

/// The fingerprint of a table, and the number for the values that its fields take.
pub(super) const fn of_table(table: &'static Table) -> (u64, u64) {
    let walk = Walk {
        shape: Hash::new(),
        values: Hash::zero(),
        line: 0,
    }
    .members(table);
    (walk.shape.finish(), walk.values.bits())
}
