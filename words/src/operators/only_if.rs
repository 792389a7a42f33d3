//! `only_if`.

use super::word::{Row, Word};

/// Operators for some prior states only: grammar.
pub const WORD: Word = Word {
    name: "only_if",
    form: "only_if(has(field), set(other = value))",
    acts: false,
    moves: false,
    rows: &[Row {
        forms: &["only_if(condition, …)"],
        description: "operators for some prior states only; `only_if(not(condition), …)` next to it has those for the others",
    }],
};
