//! `variants`.

use super::word::{Argument, Before, Effect, Keeps, Kind, Row, Word};

/// Changed variants of an enum with data.
pub const WORD: Word = Word {
    name: "variants",
    form: r#"variants(field, "old" => "new")"#,
    acts: false,
    moves: false,
    rows: &[
        Row {
            forms: &[r#"variants(x, "Old" => "New")"#],
            description: "the variant of an enum with data (`Union`) has another stored name; its content stays",
        },
        Row {
            forms: &[
                r#"variants(x, drop("Gone", "why", as = "Plain"))"#,
                r#"variants(x, drop("Gone": Content, "why", as = "Plain"))"#,
            ],
            description: "the variant was dropped: stored values become one that holds nothing, and the report names a content as dropped",
        },
        Row {
            forms: &[r#"variants(x, add("New"))"#],
            description: "the prior version did not have the variant",
        },
    ],
};

/// The effect.
pub const VARIANTS: Effect = Effect {
    arguments: &[Argument::blamed(Kind::Variants)],
    drops: true,
    before: Before::Variants,
    keeps: Keeps::Form,
    ..Effect::of("variants", "Variants")
};
