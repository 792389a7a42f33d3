//! The words that the derive takes and the rows that the runtime runs name the same operators.

use std::collections::BTreeSet;
use std::fs;

use super::root;

/// Words that are no operation of their own, and what the derive makes of them.
const WITHOUT_A_ROW: [(&str, &str); 10] = [
    ("carry", "nothing is done"),
    ("drop", "a reason beside the operations"),
    ("each", "an operation for each element"),
    ("fill", "`copy`, and then `convert` with a function"),
    ("nest", "a `rename` for each member"),
    ("only_if", "a condition on operations"),
    ("refuse", "a notice"),
    ("unnest", "a `rename` for each member"),
    ("warn", "a notice"),
    ("within", "longer paths in operations"),
];

/// The quoted names after `before` in a source file.
fn names(file: &str, before: &str) -> BTreeSet<String> {
    let text = fs::read_to_string(root().join(file)).unwrap();
    text.split(before).skip(1).filter_map(|rest| rest.split('"').next()).map(str::to_owned).collect()
}

#[test]
fn the_derive_and_the_runtime_have_the_same_operators() {
    let words = names("macros/src/attr/operators/words.rs", " name: \"");
    let rows = names("runtime/src/upgrade/operators/row.rs", " keyword: \"");
    let without_a_row = WITHOUT_A_ROW.iter().map(|(word, _)| (*word).to_owned()).collect();
    assert!(rows.len() > 10, "the rows are no longer where this test looks: {rows:?}");
    assert_eq!(words.difference(&rows).cloned().collect::<BTreeSet<_>>(), without_a_row, "words without a row in the runtime");
    assert_eq!(
        rows.difference(&words).cloned().collect::<BTreeSet<_>>(),
        BTreeSet::new(),
        "rows that no word of the derive leads to"
    );
}
