//! `carry`.

use super::word::{Row, Word};

/// The values of fields whose types changed.
pub const WORD: Word = Word {
    name: "carry",
    form: "carry",
    acts: false,
    moves: true,
    rows: &[
        Row {
            forms: &["carry"],
            description: "no operator: every field has the same name and a type that fits",
        },
        Row {
            forms: &["carry"],
            description: "without a `model`: the earlier version had the shape of today, `#[upgrade_from(1..=9 => 10, carry)]`",
        },
        Row {
            forms: &["carry(x: BTreeSet<String>)"],
            description: "without a `model`: the earlier version stored `x` in this type, whose values the field takes unchanged",
        },
    ],
};
