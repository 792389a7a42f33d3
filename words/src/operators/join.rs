//! `join`.

use super::word::{Argument, Before, Effect, Kind, Word};

/// The strings of a list with separators between them.
pub const WORD: Word = Word {
    name: "join",
    form: r#"join(field, ",")"#,
    acts: true,
    moves: true,
    rows: &[],
};

/// The effect.
pub const JOIN: Effect = Effect {
    arguments: &[Argument::new(Kind::Text)],
    before: Before::ListOfStrings,
    ..Effect::of("join", "Join")
};
