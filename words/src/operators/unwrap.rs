//! `unwrap`.

use super::word::{Argument, Before, Choice, Effect, Keeps, Kind, Row, Word};

/// The only element of a list, or a member of an object.
pub const WORD: Word = Word {
    name: "unwrap",
    form: "unwrap(field)",
    acts: true,
    moves: true,
    rows: &[
        Row {
            forms: &["unwrap(x)", "wrap(x)"],
            description: "the only element of a list or set, and back. `unwrap` refuses several elements unless `many = first`. It makes null of an empty list, an object of nulls with `empty = object`, and refuses it, and null, with `empty = refuse`; else null stays null. `wrap` makes an empty list of null; with `empty = null` it stays null",
        },
        Row {
            forms: &["unwrap(x, member = m)", "wrap(x, as = m)"],
            description: "this member of an object, whose other members must be null, and back: an object with the value as this member",
        },
    ],
};

/// The effect on a list or set.
pub const UNWRAP: Effect = Effect {
    arguments: &[
        Argument::new(Kind::Choice(&MANY)),
        Argument::new(Kind::Choice(&NO_ELEMENT)),
    ],
    before: Before::ListOfTarget,
    rule: "`unwrap` takes the only element out of a list or set",
    keeps: Keeps::Objects,
    ..Effect::of("unwrap", "Unwrap")
};

/// The effect with `many = first`.
pub const UNWRAP_FIRST: Effect = Effect {
    drops: true,
    ..UNWRAP
};

/// The effect on an object.
pub const MEMBER: Effect = Effect {
    arguments: &[Argument::new(Kind::Text)],
    before: Before::ObjectOfTarget,
    rule: "`unwrap(…, member = member)` takes the member out of an object",
    keeps: Keeps::Objects,
    ..Effect::of("unwrap", "Member")
};

/// The result for more than one element.
pub const MANY: Choice = Choice {
    ty: "Many",
    unsaid: "Refuse",
    options: &[("refuse", "Refuse"), ("first", "First")],
};

/// The result for no element.
pub const NO_ELEMENT: Choice = Choice {
    ty: "NoElement",
    unsaid: "Null",
    options: &[("null", "Null"), ("object", "Object"), ("refuse", "Refuse")],
};

/// The effect of a variant of [`MANY`].
pub fn effect(many: &str) -> &'static Effect {
    if many == "First" {
        &UNWRAP_FIRST
    } else {
        &UNWRAP
    }
}
