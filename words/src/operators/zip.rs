//! `zip`.

use super::word::{Argument, Before, Effect, Kind, ReadAs, Replaces, Row, Word};

/// Lists put together element by element.
pub const WORD: Word = Word {
    name: "zip",
    form: "zip(a, b => field)",
    acts: false,
    moves: true,
    rows: &[Row {
        forms: &["zip(a, b => x)"],
        description: "the elements of several lists, the first with the first and so on, as a list of objects whose members have the names of the prior fields; of two lists, where the field is a map, as its keys and values. Lists of different lengths are refused, and null with elements; null if all are null",
    }],
};

/// The effect.
pub const ZIP: Effect = Effect {
    arguments: &[Argument::new(Kind::Priors)],
    replaces: Replaces::Always,
    read_as: ReadAs::Parts,
    anew: true,
    members: true,
    before: Before::Zipped,
    rule: "`zip` pairs the elements of lists, in a list of objects or, of two lists, in a map",
    ..Effect::of("zip", "Zip")
};
