//! `split`.

use super::word::{Argument, Before, Effect, Kind, ReadAs, Replaces, Row, Word};

/// A string taken apart, into fields or into a list.
pub const WORD: Word = Word {
    name: "split",
    form: r#"split(field, ",")"#,
    acts: true,
    moves: true,
    rows: &[
        Row {
            forms: &[r#"split(old, "{a}_{b}")"#],
            description: "the fields `a` and `b`, from the string in the prior field `old`",
        },
        Row {
            forms: &["split(old, url(scheme, host, port | 443, path))"],
            description: "the fields `scheme`, `host`, `port` and `path`, from the URL in `old`, by the rules of browsers; also `username`, `password`, `query` and `fragment`. `host => server` is a part whose field has another name, `path => _` one that is not kept. It takes the feature `url`",
        },
        Row {
            forms: &[r#"split(x, ",")"#, r#"join(x, ",")"#],
            description: "a list from a string, a string from a list. An element that holds the separator is refused",
        },
    ],
};

/// The effect of a separator.
pub const SPLIT: Effect = Effect {
    arguments: &[Argument::new(Kind::Text)],
    before: Before::String,
    rule: "`split` makes a list of strings of one string",
    ..Effect::of("split", "Split")
};

/// The effect of a pattern or of `url(…)`, once for each part.
pub const EXTRACT: Effect = Effect {
    arguments: &[
        Argument::new(Kind::Prior),
        Argument::new(Kind::Apart),
        Argument::new(Kind::Text),
    ],
    replaces: Replaces::Always,
    read_as: ReadAs::Parts,
    before: Before::String,
    ..Effect::of("split", "Extract")
};
