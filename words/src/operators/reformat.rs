//! `reformat`.

use super::word::{Argument, Before, Effect, Kind, ReadAs, Replaces, Row, Word};

/// A string in another form, or made from prior fields.
pub const WORD: Word = Word {
    name: "reformat",
    form: r#"reformat(field, "{project}/{name}" => "projects/{project}/things/{name}")"#,
    acts: true,
    moves: true,
    rows: &[
        Row {
            forms: &[r#"reformat(x, "{a}/{b}" => "as/{a}/bs/{b}")"#],
            description: "a string that matches the pattern gets the form of the template. Several pairs are tried in the order written; `_ => …` as for `values`; `ignore_case` lets letters match in either case",
        },
        Row {
            forms: &[r#"reformat(x, "/as/{a}", ignore_case)"#],
            description: "a pattern without `=>` only corrects upper and lower case in its fixed parts",
        },
        Row {
            forms: &[r#"reformat(x = "{a}/{b:lower}")"#],
            description: "a string made from prior fields; null if one of them is; the others are reported as dropped",
        },
    ],
};

/// The effect of patterns and templates.
pub const REFORMAT: Effect = Effect {
    arguments: &[Argument::new(Kind::Forms), Argument::new(Kind::Otherwise)],
    read_as: ReadAs::Texts,
    before: Before::String,
    ..Effect::of("reformat", "Reformat")
};

/// The effect of a template alone.
pub const COMPOSE: Effect = Effect {
    arguments: &[Argument::new(Kind::Template)],
    replaces: Replaces::Always,
    read_as: ReadAs::Texts,
    anew: true,
    ..Effect::of("reformat", "Compose")
};
