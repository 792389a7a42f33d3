//! `wrap`.

use super::word::{Argument, Before, Effect, Keeps, Kind, Word};

/// A list of just the value, or an object around it.
pub const WORD: Word = Word {
    name: "wrap",
    form: "wrap(field)",
    acts: true,
    moves: true,
    rows: &[],
};

/// The effect that makes a list.
pub const WRAP: Effect = Effect {
    arguments: &[Argument::new(Kind::Flag)],
    before: Before::ElementOfTarget,
    rule: "`wrap` makes a list or set that holds just the value",
    keeps: Keeps::Objects,
    ..Effect::of("wrap", "Wrap")
};

/// The effect that makes an object.
pub const ENCLOSE: Effect = Effect {
    arguments: &[Argument::new(Kind::Text)],
    before: Before::MemberOfTarget,
    rule: "`wrap(…, as = member)` makes an object that holds the value as this member",
    keeps: Keeps::Objects,
    ..Effect::of("wrap", "Enclose")
};
