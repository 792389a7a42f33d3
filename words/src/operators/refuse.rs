//! `refuse`.

use super::word::Word;

/// A refusal under a condition: a notice, not a value.
pub const WORD: Word = Word {
    name: "refuse",
    form: r#"only_if(has(field), refuse("what to do"))"#,
    acts: false,
    moves: false,
    rows: &[],
};
