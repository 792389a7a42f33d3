//! `drop`.

use super::word::{Row, Word};

/// Values that end, with the reason.
pub const WORD: Word = Word {
    name: "drop",
    form: r#"drop(field, "why")"#,
    acts: false,
    moves: false,
    rows: &[Row {
        forms: &[r#"drop(a, b, "why")"#],
        description: "the values of these fields are dropped; plans and the upgrade guide give the reason. `back = \"\"` is the value that a downgrade writes",
    }],
};
