//! The operator from what was released to what a field is today, where the types differ. Each fits
//! the two types; where only the author can decide, it has `…`.

use super::notation::{MAP, STRING, element, is_element, is_list, is_scalar, is_type};
use super::text::{equal, starts_with};
use crate::schema::table::{Row, Stored};
use crate::schema::{Nesting, Takes};

/// The operator that makes nested objects of one arrangement of what was there, and how it ends.
pub(super) const fn rearranged(was: &[u8], now: Nesting) -> (&'static str, &'static str) {
    let many = starts_with(was, b"nested list")
        || starts_with(was, b"nested set")
        || starts_with(was, b"block list")
        || starts_with(was, b"block set");
    let one = starts_with(was, b"nested single") || starts_with(was, b"block single");
    let map = starts_with(was, b"nested map") || starts_with(was, b"block map");
    match now {
        Nesting::Single if many => ("unwrap", ")"),
        Nesting::List | Nesting::Set if one => ("wrap", ")"),
        Nesting::Single if one => ("convert", ")"),
        Nesting::List | Nesting::Set if many => ("convert", ")"),
        Nesting::Map if map => ("convert", ")"),
        Nesting::Single | Nesting::List | Nesting::Set | Nesting::Map => ("convert", ", with = …)"),
    }
}

/// The operator that makes a plain value of what was there, how it ends, and whether null is left
/// that the field does not take.
pub(super) const fn retyped(
    was: &[u8],
    row: &Row,
    loses_null: bool,
) -> (&'static str, &'static str, bool) {
    let function = ("convert", ", with = …)", false);
    let one_of_few = matches!(row.info.holds.takes, Takes::Texts(_));
    match row.info.stored {
        Stored::Bool | Stored::String | Stored::Number | Stored::Dynamic => {
            if is_scalar(was) {
                let (keyword, end) = converted(was, &row.info.stored, one_of_few);
                (keyword, end, loses_null)
            } else if is_element(was, &row.info.stored) && !one_of_few {
                // `unwrap` makes null of an empty list, so the field needs a default if it does not
                // take null.
                ("unwrap", ")", !row.info.holds.nullable)
            } else {
                function
            }
        }
        Stored::List(now) | Stored::Set(now) => {
            if is_list(was) && is_element(was, now) {
                ("convert", ")", loses_null)
            } else if is_list(was) && is_scalar(element(was)) && is_plain_scalar(now) {
                each(element(was), now, loses_null)
            } else if is_type(was, now) {
                // `wrap` makes an empty list of null, so no null is left for which the field needs
                // a default.
                ("wrap", ")", false)
            } else {
                function
            }
        }
        Stored::Map(now) => {
            if starts_with(was, MAP) && is_element(was, now) {
                ("convert", ")", loses_null)
            } else if starts_with(was, MAP) && is_scalar(element(was)) && is_plain_scalar(now) {
                each(element(was), now, loses_null)
            } else {
                function
            }
        }
        Stored::Tuple(_) | Stored::Object(_) | Stored::Json | Stored::Union(_) => function,
    }
}

/// The operator from one scalar to another, and how it ends.
const fn converted(was: &[u8], now: &Stored, one_of_few: bool) -> (&'static str, &'static str) {
    let is_text = equal(was, STRING);
    if is_text && matches!(now, Stored::Number | Stored::Bool) {
        ("convert", ", empty = …)")
    } else if one_of_few && !is_text && matches!(now, Stored::String) {
        // The text of another scalar is seldom one of a few strings, so `values` names the string
        // for each value.
        ("values", ", … => …)")
    } else {
        ("convert", ")")
    }
}

/// The operator that converts each element.
const fn each(was: &[u8], now: &Stored, loses_null: bool) -> (&'static str, &'static str, bool) {
    let needs_empty = equal(was, STRING) && matches!(now, Stored::Number | Stored::Bool);
    (
        "each(convert",
        if needs_empty { ", empty = …))" } else { "))" },
        loses_null,
    )
}

const fn is_plain_scalar(ty: &Stored) -> bool {
    matches!(
        ty,
        Stored::Bool | Stored::String | Stored::Number | Stored::Dynamic
    )
}
