//! `rekey`.

use super::word::{Argument, Before, Effect, Keeps, Kind, Row, Word};

/// A list of objects as a map by a member, or back.
pub const WORD: Word = Word {
    name: "rekey",
    form: "rekey(field, by = member)",
    acts: false,
    moves: true,
    rows: &[Row {
        forms: &["rekey(x, by = m)"],
        description: r#"a list of objects as a map by a member, or back. An upgrader of the objects leaves that member out: it is the key, and not lost. With `key = "k", value = "v"`, the objects have just these two members"#,
    }],
};

/// The effect on objects that keep their other members.
pub const REKEY: Effect = Effect {
    arguments: &[
        Argument::blamed(Kind::Member),
        Argument::blamed(Kind::OptionalMember),
    ],
    before: Before::Rekeyed,
    rule: "`rekey(…, by = member)` makes a map of objects of a list of objects, or such a list of a map of objects",
    keeps: Keeps::Objects,
    ..Effect::of("rekey", "Rekey")
};

/// The effect on objects of two members.
pub const REKEY_VALUE: Effect = Effect {
    rule: "`rekey(…, key = …, value = …)` makes a map of a list of objects with just these two members, or such a list of a map",
    ..REKEY
};
