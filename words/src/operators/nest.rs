//! `nest`.

use super::word::{Row, Word};

/// Fields as members of an object: grammar, each is a `rename`.
pub const WORD: Word = Word {
    name: "nest",
    form: "nest(a, b => object)",
    acts: false,
    moves: true,
    rows: &[Row {
        forms: &["nest(a, b => x)", "unnest(x => a, b)"],
        description: "the prior fields `a` and `b` as members of the object `x`, and back. If all are null, so is `x`, or it is an object of nulls if it is required",
    }],
};
