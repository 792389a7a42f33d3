//! `each`.

use super::word::{Row, Word};

/// An operator for each element: grammar.
pub const WORD: Word = Word {
    name: "each",
    form: "each(convert(field))",
    acts: false,
    moves: false,
    rows: &[Row {
        forms: &["each(convert(x))"],
        description: "an operator for each element of a collection: ACTING",
    }],
};
