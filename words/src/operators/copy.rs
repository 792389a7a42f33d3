//! `copy`.

use super::word::{Argument, Effect, Keeps, Kind, ReadAs, Replaces, Row, Word};

/// A value that also stays under its own name.
pub const WORD: Word = Word {
    name: "copy",
    form: "copy(prior => current)",
    acts: false,
    moves: true,
    rows: &[Row {
        forms: &["copy(old => new)"],
        description: "the value of the prior field `old`, which also stays in use under its own name",
    }],
};

/// The effect.
pub const COPY: Effect = Effect {
    arguments: &[Argument::new(Kind::Prior)],
    replaces: Replaces::Always,
    read_as: ReadAs::Copied,
    keeps: Keeps::Form,
    ..Effect::of("copy", "Copy")
};
