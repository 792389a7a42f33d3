//! `rename`.

use super::word::{Argument, Choice, Effect, Keeps, Kind, ReadAs, Replaces, Row, Word};

/// A value under another name.
pub const WORD: Word = Word {
    name: "rename",
    form: "rename(old => new)",
    acts: false,
    moves: true,
    rows: &[Row {
        forms: &["rename(old => new)"],
        description: "the value of the prior field `old`. If both structs have `new`: `existing = keep` (the value of `new` wins unless it is null), `existing = replace` (the value of `old` wins), `existing = refuse` (they must not differ); a value that loses is reported as dropped",
    }],
};

/// The effect without `existing`.
pub const RENAME: Effect = Effect {
    arguments: &[
        Argument::new(Kind::Prior),
        Argument::new(Kind::Choice(&EXISTING)),
    ],
    replaces: Replaces::Always,
    read_as: ReadAs::Moved,
    keeps: Keeps::Form,
    ..Effect::of("rename", "Take")
};

/// The effect where one of two values counts.
pub const RENAME_OVER: Effect = Effect {
    replaces: Replaces::Sometimes,
    drops: true,
    ..RENAME
};

/// The effect where two values must not differ.
pub const RENAME_SAME: Effect = Effect {
    replaces: Replaces::Sometimes,
    ..RENAME
};

/// The value that counts if the prior schema has the target, too.
pub const EXISTING: Choice = Choice {
    ty: "Existing",
    unsaid: "Unsaid",
    options: &[
        ("keep", "Keep"),
        ("replace", "Replace"),
        ("refuse", "Refuse"),
    ],
};

/// The effect of a variant of [`EXISTING`].
pub fn effect(existing: &str) -> &'static Effect {
    match existing {
        "Keep" | "Replace" => &RENAME_OVER,
        "Refuse" => &RENAME_SAME,
        _ => &RENAME,
    }
}
