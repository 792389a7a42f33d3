//! The values of their type that fields take: under a released version, none of them may go.
//!
//! An integer of fewer bits, or an enum without one of its strings, has the released shape, and
//! refuses stored state. A field that takes more values is not a change.

// The functions over a `Holds` run in the compiler, which reports a wrong index itself.
#![expect(clippy::indexing_slicing, reason = "const evaluation")]

use upstate_words::lock::{OWN, is_exact_in_f32, is_within};

use super::text::{equal, starts_with};
use crate::message::{Message, iterate};
use crate::schema::{Holds, IntegerRange, Takes};

/// Integers up to here, and down to their negative, are floats of 64 bits too.
const EXACT: u128 = 1 << 53;

/// A line's stored form, and after the tabulator the values that were taken: `u16`, `["a","b"]`,
/// `ipv4`, or nothing if that was not limited.
pub(super) const fn split(line: &[u8]) -> (&[u8], &[u8]) {
    let mut at = 0;
    while at < line.len() {
        if line[at] == b'\t' {
            return (line.split_at(at).0, line.split_at(at + 1).1);
        }
        at += 1;
    }
    (line, &[])
}

/// The sentence about values that a field took and no longer takes, which goes on from `path`;
/// nothing if it takes all of them. Without a form any were taken where the lock `knows_forms`.
pub(super) const fn narrowed(
    path: Message,
    holds: &Holds,
    took: &[u8],
    knows_forms: bool,
) -> Option<Message> {
    let mut holds = holds;
    loop {
        if !holds.format.is_empty() {
            let format = holds.format.as_bytes();
            let is_number = matches!(holds.takes, Takes::Floats);
            let is_exact = is_number && is_exact_in_f32(took);
            if took.is_empty() && (!knows_forms || equal(format, OWN.as_bytes()))
                || is_within(took, format)
                || is_exact
            {
                return None;
            }
            let now = path
                .text(" takes only values of the form `")
                .raw(format)
                .text("` now, and ");
            return Some(match (took, is_number) {
                ([], true) => now.text("any number was stored"),
                ([], false) => now.text("any string was stored"),
                ([b'[', ..], _) => now.text("other strings were stored: ").raw(took),
                _ => now.text("`").raw(took).text("` was stored"),
            });
        }
        if let Some(range) = holds.range() {
            let fits = match IntegerRange::of_type(took) {
                Some(integers) => integers.is_within(range),
                // No lock says that just these numbers were stored.
                None => took.is_empty() && holds.integer != 0,
            };
            return if fits {
                None
            } else {
                let now = path.format(" is read as {} now, and ", &[range.words()]);
                Some(before(now, took, "any number was stored"))
            };
        }
        match (holds.takes, holds.elements) {
            (Takes::Floats, _) => {
                let changed = match IntegerRange::of_type(took) {
                    Some(integers) => !integers.is_up_to(EXACT),
                    None => false,
                };
                return if changed {
                    Some(before(
                        path.text(
                            " is read as f64 now, which does not hold every whole number, and ",
                        ),
                        took,
                        "",
                    ))
                } else {
                    None
                };
            }
            (Takes::Texts(texts), _) => {
                if !matches!(took, [b'[', ..]) {
                    let now = path
                        .text(" takes only ")
                        .texts(texts, 12)
                        .text(" now, and ");
                    return Some(if took.is_empty() || equal(took, OWN.as_bytes()) {
                        now.text("any string was stored")
                    } else {
                        now.text("`").raw(took).text("` was stored")
                    });
                }
                return match missing(texts, took, 0) {
                    Some((text, _)) => Some(path.text(" no longer takes ").raw(text)),
                    None => None,
                };
            }
            (_, Some(elements)) => holds = elements,
            // Only the author knows the values that a type of his own takes.
            (_, None) => return None,
        }
    }
}

const fn before(now: Message, took: &[u8], any: &str) -> Message {
    if took.is_empty() {
        now.text(any)
    } else {
        now.text("was stored as ").raw(took)
    }
}

/// Lines of a table that begin with the strings which an enum no longer takes; nothing if it is
/// none, or takes them all.
pub(super) const fn put_successors(out: Message, holds: &Holds, took: &[u8]) -> Message {
    let Takes::Texts(texts) = holds.takes else {
        return out;
    };
    let (mut out, mut at) = (out, 0);
    while let Some((text, next)) = missing(texts, took, at) {
        out = out.text(", ").raw(text).text(" => \"…\"");
        at = next;
    }
    out
}

/// The first text of a JSON array from `at` on, with its quotation marks, that is not among these,
/// and where it ends.
const fn missing<'t>(texts: &[&str], array: &'t [u8], at: usize) -> Option<(&'t [u8], usize)> {
    let mut at = at;
    while at < array.len() {
        if array[at] != b'"' {
            at += 1;
            continue;
        }
        let mut end = at + 1;
        let mut escaped = false;
        while end < array.len() && array[end] != b'"' {
            if array[end] == b'\\' {
                escaped = true;
                end += 1;
            }
            end += 1;
        }
        if end >= array.len() {
            return None;
        }
        let quoted = array.split_at(end + 1).0.split_at(at).1;
        // With an escape it is not compared: no such text is worth a false alarm.
        if !escaped && !has(texts, array.split_at(end).0.split_at(at + 1).1) {
            return Some((quoted, end + 1));
        }
        at = end + 1;
    }
    None
}

/// True if all scalars that a field takes are among those that were taken, where there is a fact of
/// these.
pub(super) const fn is_all_of(holds: &Holds, took: &[u8]) -> bool {
    if let Some(range) = holds.range() {
        return match IntegerRange::of_type(took) {
            Some(taken) => range.is_within(taken),
            None => false,
        };
    }
    if !holds.format.is_empty() {
        return is_within(holds.format.as_bytes(), took);
    }
    let Takes::Texts(texts) = holds.takes else {
        return false;
    };
    iterate!(text in texts => {
        if !has_text(took, text) {
            return false;
        }
    });
    true
}

/// True if a JSON array has a string.
pub(super) const fn has_text(array: &[u8], text: &str) -> bool {
    let text = Message::new().json(text);
    let mut rest = array;
    // Within a string there is a backslash before each quotation mark.
    while let [before, others @ ..] = rest {
        if matches!(*before, b'[' | b',') && starts_with(others, text.bytes()) {
            return true;
        }
        rest = others;
    }
    false
}

/// True if one of the strings is the wanted one.
pub(super) const fn has(texts: &[&str], wanted: &[u8]) -> bool {
    iterate!(text in texts => {
        if equal(text.as_bytes(), wanted) {
            return true;
        }
    });
    false
}
