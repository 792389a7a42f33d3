//! Numbers of what a lock says about values and members: the compiler compares these first, since a
//! number costs it less than a line.
//!
//! The derive computes the same number from the lines of the lock (`lock/number.rs` there). It is
//! saved nowhere: where the two differ, the shape is compared with what was saved.

use super::{Stored, Table, TypeInfo};
use crate::message::iterate;
use crate::schema::{Holds, flags};
use upstate_words::hash::{Hash, code};

/// The bits of a number that flags have for themselves.
const OF_FLAGS: u64 = FLAGS as u64 | NULL | 1;
/// The flags that a lock tells of.
const FLAGS: u32 = flags::BLOCK | flags::WRITE_ONLY | flags::SENSITIVE;
/// Null is among the values: the second bit of a block.
const NULL: u64 = 1 << 7;

impl Table {
    /// The number of what all rows store, in any order.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the lower half is what is wanted"
    )]
    pub(crate) const fn released(&self) -> u64 {
        let mut number = 0;
        iterate!(field in self.flattened => {
            number ^= field.released();
        });
        iterate!(row in self.rows => {
            // Odd, so that no key is lost in the product.
            let word = row.info.released | (row.flags & FLAGS) as u64;
            // A wide product cannot overflow, and needs no call.
            number ^= (row.key as u128 * word as u128) as u64;
        });
        number
    }
}

impl TypeInfo {
    /// The number of values of this type.
    pub(super) const fn number(stored: &Stored, holds: &Holds, hides: bool) -> u64 {
        let hash = match stored.objects() {
            Some((table, nesting)) => Hash::zero().word(table.released()).word(nesting.code()),
            None => Hash::zero().word(types(stored)).word(holds.limit),
        };
        // A line's number does not tell of keys, so that this is the number of no line.
        let hash = if limits_keys(holds) {
            hash.word(1)
        } else {
            hash
        };
        let null = if holds.nullable { NULL } else { 0 };
        let secret = if hides { flags::SENSITIVE as u64 } else { 0 };
        hash.bits() & !OF_FLAGS | null | secret | 1
    }
}

/// True if a map, or one that is an element of others, does not take every string as a key.
const fn limits_keys(mut holds: &Holds) -> bool {
    loop {
        holds = match (holds.keys, holds.elements) {
            (Some(_), _) => return true,
            (None, Some(elements)) => elements,
            (None, None) => return false,
        };
    }
}

/// The codes of a type and of its elements; 0 if there is one that has none.
const fn types(stored: &Stored) -> u64 {
    let (mut codes, mut stored) = (0, stored);
    loop {
        let (code, element) = match stored {
            Stored::Bool => (code::BOOL, None),
            Stored::String => (code::STRING, None),
            Stored::Number => (code::NUMBER, None),
            Stored::Dynamic => (code::DYNAMIC, None),
            Stored::Json => (code::JSON, None),
            Stored::List(element) => (code::LIST, Some(*element)),
            Stored::Set(element) => (code::SET, Some(*element)),
            Stored::Map(element) => (code::MAP, Some(*element)),
            Stored::Tuple(_) | Stored::Object(_) | Stored::Union(_) => return 0,
        };
        // A code has 4 bits, so there is no room for one more once the highest 4 are in use.
        if codes >> 60 != 0 {
            return 0;
        }
        codes = codes << 4 | code;
        match element {
            Some(element) => stored = element,
            None => return codes,
        }
    }
}
