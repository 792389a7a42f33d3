//! `within`.

use super::word::{Row, Word};

/// Operators inside of a field: grammar.
pub const WORD: Word = Word {
    name: "within",
    form: "within(object, rename(old => new))",
    acts: false,
    moves: false,
    rows: &[Row {
        forms: &["within(object, op, …)"],
        description: "the operators act inside of the field, and leave its name out",
    }],
};
