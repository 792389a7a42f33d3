//! `default`.

use super::word::{Argument, Before, Effect, Keeps, Kind, Row, Word};

/// A value in place of null.
pub const WORD: Word = Word {
    name: "default",
    form: "default(field = value)",
    acts: true,
    moves: true,
    rows: &[Row {
        forms: &["default(x = 3)"],
        description: r#"this value in place of null; `when = (null, "", 0, empty)` lists the values that it replaces"#,
    }],
};

/// The effect.
pub const DEFAULT: Effect = Effect {
    arguments: &[
        Argument::blamed(Kind::Constant),
        Argument::blamed(Kind::Matches),
    ],
    before: Before::NullableIfMatched,
    keeps: Keeps::Form,
    ..Effect::of("default", "Default")
};
