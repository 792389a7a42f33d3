//! Proofs that an attribute's type is one that its checks are for.

use super::{Stored, TypeInfo};
use crate::message::Message;

/// Refuses, at compile time, an option that is for other values than those of the type.
#[track_caller]
const fn misplaced(is_for: &str, info: &TypeInfo, otherwise: &str) -> ! {
    Message::refuse(
        "{}, and this is {}\nhelp: remove it; {}",
        &[is_for, info.stored.noun(), otherwise],
    )
}

/// Refuses, at compile time, a check of the length of what has none.
#[doc(hidden)]
#[track_caller]
pub const fn check_length(info: &TypeInfo) {
    if !matches!(
        info.stored,
        Stored::String | Stored::List(_) | Stored::Set(_) | Stored::Map(_)
    ) {
        misplaced(
            "`length` is for strings, lists, sets and maps",
            info,
            "`range` is for numbers",
        );
    }
}

/// Refuses, at compile time, a number of bytes of what is not a string.
#[doc(hidden)]
#[track_caller]
pub const fn check_bytes(info: &TypeInfo) {
    if !matches!(info.stored, Stored::String) {
        misplaced(
            "`bytes` is for strings",
            info,
            "`length` is for lists, sets and maps",
        );
    }
}

/// Refuses, at compile time, a range of what is not a number.
#[doc(hidden)]
#[track_caller]
pub const fn check_range(info: &TypeInfo) {
    if !matches!(info.stored, Stored::Number) {
        misplaced(
            "`range` is for numbers",
            info,
            "`length` is for strings, lists, sets and maps",
        );
    }
}

/// Refuses, at compile time, a pattern of what is not a string.
#[doc(hidden)]
#[track_caller]
pub const fn check_pattern(info: &TypeInfo) {
    if !matches!(info.stored, Stored::String) {
        misplaced(
            "`pattern` is for strings",
            info,
            "`validate = path` checks any value",
        );
    }
}

/// Refuses, at compile time, strings that what is not a string could be.
#[doc(hidden)]
#[track_caller]
pub const fn check_strings(info: &TypeInfo) {
    assert!(
        !matches!(info.stored, Stored::Number),
        "these values are strings, and this is a number\nhelp: leave out the quotation marks"
    );
    check_one_of(info);
}

/// Refuses, at compile time, numbers that what is not a number could be.
#[doc(hidden)]
#[track_caller]
pub const fn check_numbers(info: &TypeInfo) {
    assert!(
        !matches!(info.stored, Stored::String),
        "these values are numbers, and this is a string\nhelp: put them in quotation marks"
    );
    check_one_of(info);
}

#[track_caller]
const fn check_one_of(info: &TypeInfo) {
    if !matches!(info.stored, Stored::String | Stored::Number) {
        misplaced(
            "`one_of` and `none_of` are for strings and numbers",
            info,
            "`each(…)` checks elements, and `validate = path` any value",
        );
    }
}
