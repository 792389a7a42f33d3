//! `merge`.

use super::word::{Argument, Before, Effect, Keeps, Kind, ReadAs, Replaces, Row, Word};

/// Several collections put together.
pub const WORD: Word = Word {
    name: "merge",
    form: "merge(a, b => field)",
    acts: false,
    moves: true,
    rows: &[Row {
        forms: &["merge(a, b => x)", "merge(x)"],
        description: "the elements or entries of several prior fields in this order, null if all of them are; `merge(x)` takes all entries of a list of maps. Two entries with one key must be equal",
    }],
};

/// The effect on several fields.
pub const MERGE: Effect = Effect {
    arguments: &[Argument::new(Kind::Priors)],
    replaces: Replaces::Always,
    read_as: ReadAs::Parts,
    anew: true,
    rule: "`merge` puts lists together into a list, and maps or lists of maps into a map",
    keeps: Keeps::Objects,
    carries: true,
    ..Effect::of("merge", "Merge")
};

/// The effect on one field.
pub const ENTRIES: Effect = Effect {
    before: Before::ListOfTarget,
    rule: "`merge` of one field makes a map of a list of maps",
    carries: true,
    ..Effect::of("merge", "Entries")
};
