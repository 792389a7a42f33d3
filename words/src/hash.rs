//! Names and shapes as numbers, which the checks that run in the compiler compare in place of
//! letters.

// No index here is checked twice, because the compiler runs all of it and reports a wrong one
// itself.
#![expect(clippy::indexing_slicing, reason = "const evaluation")]

/// The number of a name, 64-bit FNV-1a. The derive writes it beside each name, so that const
/// evaluation, which is slow, need not go through letters.
#[must_use]
pub const fn key(name: &str) -> u64 {
    const PRIME: u128 = 0x0100_0000_01b3;
    let mut rest = name.as_bytes();
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    while let [first, after @ ..] = rest {
        // A wide product cannot overflow, and needs no call.
        #[expect(
            clippy::cast_possible_truncation,
            reason = "the lower half is what is wanted"
        )]
        {
            hash = ((hash ^ *first as u64) as u128 * PRIME) as u64;
        }
        rest = after;
    }
    hash
}

/// The number of a set of names, in whatever order.
pub fn key_of_set<'t>(names: impl IntoIterator<Item = &'t str>) -> u64 {
    names
        .into_iter()
        .fold(0, |sum, name| sum.wrapping_add(key(name)))
}

/// A hash that is cheap in const evaluation: eight bytes a step, and names by their keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hash(u64);

impl Hash {
    /// A hash that was given nothing yet.
    #[must_use]
    #[expect(
        clippy::new_without_default,
        reason = "what it begins with is part of what was saved"
    )]
    pub const fn new() -> Self {
        Self(0x5851_f42d_4c95_7f2d)
    }

    /// Takes in a number.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the lower half is what is wanted"
    )]
    pub const fn word(self, word: u64) -> Self {
        // A wide product cannot overflow, and needs no call.
        let mixed = ((self.0 ^ word) as u128 * 0x9e37_79b9_7f4a_7c15) as u64;
        Self(mixed ^ (mixed >> 29))
    }

    /// Takes in a string, with its length.
    #[must_use]
    pub const fn text(self, text: &str) -> Self {
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

    /// An empty hash whose value is 0.
    #[must_use]
    pub const fn zero() -> Self {
        Self(0)
    }

    /// The value so far, without the last mixing.
    #[must_use]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// An attribute or block: its name's number, what is known of it, and its type or arrangement.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the lower half is what is wanted"
    )]
    pub const fn member(self, key: u64, facts: u64, code: u64) -> Self {
        // That is `word`, without the call.
        let mixed = ((self.0 ^ key ^ facts ^ (code << 16)) as u128 * 0x9e37_79b9_7f4a_7c15) as u64;
        Self(mixed ^ (mixed >> 29))
    }

    /// The number it comes to.
    #[must_use]
    pub const fn finish(self) -> u64 {
        self.word(self.0 >> 32).0
    }
}

/// The numbers that stand for types, arrangements and facts in the hash of a shape. What was
/// released was hashed with them.
#[expect(missing_docs, reason = "a name says it")]
pub mod code {
    pub const BOOL: u64 = 1;
    pub const STRING: u64 = 2;
    pub const NUMBER: u64 = 3;
    /// Only in schemas as data: a number that was written down as an integer.
    pub const INT64: u64 = 4;
    /// Only in schemas as data: a number that was written down as a float.
    pub const FLOAT64: u64 = 5;
    pub const DYNAMIC: u64 = 6;
    pub const LIST: u64 = 7;
    pub const SET: u64 = 8;
    pub const MAP: u64 = 9;
    pub const TUPLE: u64 = 10;
    pub const OBJECT: u64 = 11;
    pub const LIST_OF_STRINGS: u64 = 12;
    pub const SET_OF_STRINGS: u64 = 13;
    pub const MAP_OF_STRINGS: u64 = 14;
    pub const JSON: u64 = 15;
    pub const UNION: u64 = 16;

    pub const NULL: u64 = 1;
    pub const WRITE_ONLY: u64 = 2;
    /// Only in schemas as data: whether null was stored is not known.
    pub const UNKNOWN_NULL: u64 = 4;
    pub const NESTED: u64 = 8;
    pub const BLOCK: u64 = 16;
    /// Before the facts of a member.
    pub const MEMBER: u64 = 0x100;
    /// After the last member of an object.
    pub const END: u64 = 0x200;
}

#[cfg(test)]
mod tests {
    use super::{key, key_of_set};

    #[test]
    fn keys_are_those_of_released_locks() {
        assert_eq!(key(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(key("a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(key("foobar"), 0x8594_4171_f739_67e8);
        assert_eq!(key_of_set(["a", "b"]), key_of_set(["b", "a"]));
    }
}
