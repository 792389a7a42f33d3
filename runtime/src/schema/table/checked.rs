//! Proofs that an attribute's type is one that its checks are for.

use super::{Stored, TypeInfo};

/// Refuses, at compile time, a check of the length of what has none.
#[doc(hidden)]
#[track_caller]
pub const fn check_length(info: &TypeInfo) {
    assert!(
        matches!(
            info.stored,
            Stored::String | Stored::List(_) | Stored::Set(_) | Stored::Map(_)
        ),
        "`length` is for strings, lists, sets and maps: remove it, or write `range` for a number"
    );
}

/// Refuses, at compile time, a range of what is not a number.
#[doc(hidden)]
#[track_caller]
pub const fn check_range(info: &TypeInfo) {
    assert!(
        matches!(info.stored, Stored::Number),
        "`range` is for numbers: remove it, or write `length` for a string, list, set or map"
    );
}

/// Refuses, at compile time, a pattern of what is not a string.
#[doc(hidden)]
#[track_caller]
pub const fn check_pattern(info: &TypeInfo) {
    assert!(
        matches!(info.stored, Stored::String),
        "`pattern` is for strings: remove it, or write `validate = path`"
    );
}

/// Refuses, at compile time, strings that what is not a string could be.
#[doc(hidden)]
#[track_caller]
pub const fn check_strings(info: &TypeInfo) {
    assert!(
        !matches!(info.stored, Stored::Number),
        "these values are strings, and the attribute is a number: write them without quotation marks"
    );
    check_one_of(info);
}

/// Refuses, at compile time, numbers that what is not a number could be.
#[doc(hidden)]
#[track_caller]
pub const fn check_numbers(info: &TypeInfo) {
    assert!(
        !matches!(info.stored, Stored::String),
        "these values are numbers, and the attribute is a string: write them in quotation marks"
    );
    check_one_of(info);
}

#[track_caller]
const fn check_one_of(info: &TypeInfo) {
    assert!(
        matches!(info.stored, Stored::String | Stored::Number),
        "`one_of` and `none_of` are for strings and numbers: remove it, write it in `each(…)` for elements, or write `validate = path`"
    );
}
