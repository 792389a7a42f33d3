//! `null_if`.

use super::word::{Argument, Before, Effect, Keeps, Kind, Row, Word};

/// Null in place of some values.
pub const WORD: Word = Word {
    name: "null_if",
    form: r#"null_if(field, "")"#,
    acts: true,
    moves: true,
    rows: &[Row {
        forms: &[r#"null_if(x, "", 0)"#],
        description: "null in place of these values; `empty` means null, the empty string and empty collections",
    }],
};

/// The effect.
pub const NULL_IF: Effect = Effect {
    arguments: &[Argument::blamed(Kind::Matches)],
    before: Before::Nullable,
    keeps: Keeps::Form,
    ..Effect::of("null_if", "NullIf")
};
