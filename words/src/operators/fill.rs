//! `fill`.

use super::word::{Row, Word};

/// A function of a value that stays: `copy`, and then `convert(…, with = …)`.
pub const WORD: Word = Word {
    name: "fill",
    form: "fill(prior => field, with = path)",
    acts: false,
    moves: true,
    rows: &[Row {
        forms: &["fill(prior => x, with = path, async)"],
        description: "what the `async fn(A, &UpgradeContext<'_>) -> Result<B, E>` answers about the value of `prior`, which stays; a function that does not await leaves out `async`, or says `context`; `fill(a, b => x, …)` asks about several fields",
    }],
};
