//! `values`.

use super::word::{Argument, Before, Effect, Kind, Row, Word};

/// A table of old and new values.
pub const WORD: Word = Word {
    name: "values",
    form: r#"values(field, "old" => "new")"#,
    acts: true,
    moves: true,
    rows: &[Row {
        forms: &[r#"values(x, "a" => "b", _ => keep)"#],
        description: "a table of old and new values; others are kept, become a value (`_ => null`) or are refused (`_ => refuse`, the default)",
    }],
};

/// The effect.
pub const VALUES: Effect = Effect {
    arguments: &[
        Argument::blamed(Kind::Table),
        Argument::blamed(Kind::Otherwise),
    ],
    before: Before::Table,
    ..Effect::of("values", "Values")
};
