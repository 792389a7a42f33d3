//! `warn`.

use super::word::{Row, Word};

/// A warning: a notice, not a value.
pub const WORD: Word = Word {
    name: "warn",
    form: r#"warn("text")"#,
    acts: false,
    moves: false,
    rows: &[
        Row {
            forms: &[r#"warn("…")"#, r#"warn(x, "…")"#],
            description: "a warning, about a prior field if one is named",
        },
        Row {
            forms: &[r#"only_if(…, refuse("…"))"#],
            description: "the state is refused, with this message",
        },
    ],
};
