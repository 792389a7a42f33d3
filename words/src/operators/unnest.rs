//! `unnest`.

use super::word::Word;

/// Members of an object as fields: grammar, each is a `rename`.
pub const WORD: Word = Word {
    name: "unnest",
    form: "unnest(object => a, b)",
    acts: false,
    moves: true,
    rows: &[],
};
