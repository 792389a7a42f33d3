//! `set`.

use super::word::{Argument, Effect, Keeps, Kind, Replaces, Row, Word};

/// A value, whatever was there.
pub const WORD: Word = Word {
    name: "set",
    form: "set(field = value)",
    acts: false,
    moves: false,
    rows: &[Row {
        forms: &["set(x = true)"],
        description: "always this value",
    }],
};

/// The effect.
pub const SET: Effect = Effect {
    arguments: &[Argument::blamed(Kind::Constant)],
    replaces: Replaces::Always,
    anew: true,
    keeps: Keeps::Objects,
    ..Effect::of("set", "Set")
};
