//! The places that a table has: members, flattened enums, variants.

// Indexed, because everything here runs in the compiler, which reports a wrong index itself.
#![expect(clippy::indexing_slicing, reason = "const evaluation")]

use super::text::{equal, starts_with};
use crate::message::{Message, iterate};
use crate::schema::table::{Stored, Table};

/// True if the table, whose own path is `prefix`, has something at `path`, such as a flattened
/// enum.
pub(super) const fn exists(prefix: &Message, table: &'static Table, path: &[u8]) -> bool {
    let mut index = 0;
    while index < table.stored_len() {
        let row = table.stored_row(index);
        let at = prefix.copied().step(row.name);
        if equal(at.bytes(), path) {
            return true;
        }
        if starts(path, at.bytes()) {
            return is_inside(&row.info.stored, &at, path);
        }
        index += 1;
    }
    iterate!(field in table.flattened => {
        let is_there = match (field.table(), field.values()) {
            (Some(inner), _) => exists(prefix, inner, path),
            (None, Some(values)) => {
                let at = prefix.copied().step_into_flattened();
                equal(at.bytes(), path) && matches!(values.stored, Stored::Union(_))
                    || is_inside(&values.stored, &at, path)
            }
            (None, None) => false,
        };
        if is_there {
            return true;
        }
    });
    false
}

/// True if values, whose own path is `prefix`, hold a member or a variant at `path`.
const fn is_inside(stored: &'static Stored, prefix: &Message, path: &[u8]) -> bool {
    match stored {
        Stored::List(element) | Stored::Set(element) | Stored::Map(element) => {
            is_inside(element, prefix, path)
        }
        Stored::Object(table) => exists(prefix, table, path),
        Stored::Tuple(elements) => {
            iterate!(element in elements => {
                if is_inside(element, prefix, path) {
                    return true;
                }
            });
            false
        }
        Stored::Union(union) => {
            iterate!(variant in union.variants => {
                let at = prefix.copied().step(variant.name);
                if equal(at.bytes(), path)
                    || starts(path, at.bytes()) && is_inside(&variant.info.stored, &at, path)
                {
                    return true;
                }
            });
            false
        }
        Stored::Bool | Stored::String | Stored::Number | Stored::Dynamic | Stored::Json => false,
    }
}

/// True if `path` is inside of `above`.
pub(super) const fn starts(path: &[u8], above: &[u8]) -> bool {
    path.len() > above.len() && path[above.len()] == b'.' && starts_with(path, above)
}
