//! `filter`.

use super::word::{Argument, Before, Effect, Keeps, Kind, Row, Word};

/// A collection without some elements or entries.
pub const WORD: Word = Word {
    name: "filter",
    form: r#"filter(field, "")"#,
    acts: false,
    moves: true,
    rows: &[
        Row {
            forms: &[r#"filter(x, "", null)"#],
            description: "elements or entries with these values are left out",
        },
        Row {
            forms: &[r#"filter(x, key = "aws:{_..}")"#],
            description: r#"entries of a map are left out, and reported as dropped, if their key fits the pattern or is this string; `key = ("a", "b")` takes several"#,
        },
    ],
};

/// The effect of values.
pub const FILTER: Effect = Effect {
    arguments: &[Argument::blamed(Kind::Matches)],
    before: Before::ElementsNullableIfMatched,
    keeps: Keeps::Form,
    ..Effect::of("filter", "Filter")
};

/// The effect of keys.
pub const FILTER_KEYS: Effect = Effect {
    arguments: &[Argument::blamed(Kind::Patterns)],
    drops: true,
    keeps: Keeps::Form,
    ..Effect::of("filter", "FilterKeys")
};
