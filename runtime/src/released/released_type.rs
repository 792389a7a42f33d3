//! The Rust type of what was released, of the line that the lock has for it.

// Indexing is allowed, because everything here runs in the compiler, which reports a wrong index
// itself.
#![expect(clippy::indexing_slicing, reason = "const evaluation")]

use upstate_words::lock::{integers, is_atomic, leaves_out_zero};

use super::locked::{Locked, entries};
use super::notation::{
    BOOL, DYNAMIC, JSON, LIST, MAP, NUMBER, OBJECT, SET, STRING, TUPLE, is_nullable, without_null,
};
use super::proposal::{attributes, child, identifier};
use super::text::{ends_with, equal, line, starts_with};
use super::values;
use crate::message::Message;

/// The place in a line's values whose type is being written.
#[derive(Clone, Copy)]
struct Place<'l> {
    path: &'l [u8],
    /// The facts of the lock about what is inside of values; none where nothing is known of it.
    facts: &'l [u8],
}

impl Place<'_> {
    /// The text before and behind the type of what is there: it was an `Option` if null was stored.
    const fn option(self) -> (&'static str, &'static str) {
        if was_null(self.path, self.facts) {
            ("Option<", ">")
        } else {
            ("", "")
        }
    }

    const fn elements(self) -> Message {
        Message::new().raw(self.path).text("[*]")
    }
}

/// True if null was stored at a path inside of other values, of which the lock has these facts.
pub(super) const fn was_null(path: &[u8], inside: &[u8]) -> bool {
    entries!(at, _ in inside => {
        if let [place @ .., b'?'] = at
            && equal(place, path)
        {
            return true;
        }
    });
    false
}

/// The scalars that were taken at a path inside of other values, if not all of their type.
pub(super) const fn taken_inside<'l>(path: &[u8], inside: &'l [u8]) -> Option<&'l [u8]> {
    entries!(at, took in inside => {
        if equal(at, path) {
            return Some(took);
        }
    });
    None
}

/// Writes the type of what was stored at a path inside of other values, in the JSON notation.
pub(super) const fn put_inside(out: Message, path: &[u8], form: &[u8], inside: &[u8]) -> Message {
    let took = match taken_inside(path, inside) {
        Some(took) => took,
        None => b"",
    };
    let facts = inside;
    optional(out, form, 0, took, Place { path, facts }).0
}

/// Writes the type of the field at `path`, whose line says `stored`.
pub(super) const fn put_type(out: Message, path: &[u8], stored: &[u8], locked: &Locked) -> Message {
    let (stored, took) = values::split(stored);
    if starts_with(stored, b"block single") {
        return put_object(out.text("Option<"), path, locked).text(">");
    }
    let nullable = is_nullable(stored);
    let out = if nullable { out.text("Option<") } else { out };
    let form = without_null(stored);
    let (before, behind) = around_elements(path, locked.inside);
    let out = if starts_with(form, b"nested single") {
        put_object(out, path, locked)
    } else if ends_with(form, b" list") || ends_with(form, b" set") {
        put_object(out.text("Vec<").text(before), path, locked)
            .text(behind)
            .text(">")
    } else if ends_with(form, b" map") {
        put_object(
            out.text("std::collections::BTreeMap<String, ").text(before),
            path,
            locked,
        )
        .text(behind)
        .text(">")
    } else {
        put_form(out, path, form, took, locked.inside)
    };
    if nullable { out.text(">") } else { out }
}

/// The text before and behind the type of the elements at `path`; `inside` is what the lock has of
/// values inside of others.
pub(super) const fn around_elements(path: &[u8], inside: &[u8]) -> (&'static str, &'static str) {
    let elements = Place {
        path,
        facts: inside,
    }
    .elements();
    Place {
        path: elements.bytes(),
        facts: inside,
    }
    .option()
}

/// Writes the type of the field at `path`, whose form the lock has in the JSON notation.
pub(super) const fn put_form(
    out: Message,
    path: &[u8],
    form: &[u8],
    took: &[u8],
    inside: &[u8],
) -> Message {
    put(
        out,
        form,
        0,
        (took, true),
        Place {
            path,
            facts: inside,
        },
    )
    .0
}

/// An object whose members have lines of their own.
const fn put_object(out: Message, path: &[u8], locked: &Locked) -> Message {
    let mut out = out.text("{");
    let lines = locked.lines;
    let mut first = true;
    let mut at = 0;
    while at < lines.len() {
        let (inner, stored, next) = line(lines, at);
        if let Some(name) = child(inner, path) {
            out = attributes(
                out.text(if first { " " } else { ", " }),
                (inner, stored),
                None,
                locked,
            );
            out = put_type(identifier(out, name).text(": "), inner, stored, locked);
            first = false;
        }
        at = next;
    }
    out.text(if first { "}" } else { " }" })
}

/// The type of integers, by the name that a lock has for them.
pub(super) const fn put_integer(out: Message, name: &[u8]) -> Message {
    let out = if leaves_out_zero(name) {
        out.text("std::num::")
    } else if is_atomic(name) {
        out.text("std::sync::atomic::")
    } else {
        out
    };
    out.raw(name)
}

/// A type in the JSON notation. A set at the top is a `Vec` that is marked as one.
pub(super) const fn put_json(out: Message, form: &[u8], took: &[u8]) -> Message {
    let nowhere = Place {
        path: b"",
        facts: b"",
    };
    put(out, form, 0, (took, true), nowhere).0
}

const fn put(
    out: Message,
    form: &[u8],
    at: usize,
    (took, top): (&[u8], bool),
    place: Place<'_>,
) -> (Message, usize) {
    let rest = form.split_at(at).1;
    if starts_with(rest, STRING) {
        (out.text("String"), at + STRING.len())
    } else if starts_with(rest, NUMBER) {
        // Integers are known by name; of all others a `Number` keeps every digit.
        let out = if integers(took).is_some() {
            put_integer(out, took)
        } else {
            out.text("upstate::Number")
        };
        (out, at + NUMBER.len())
    } else if starts_with(rest, BOOL) {
        (out.text("bool"), at + BOOL.len())
    } else if starts_with(rest, DYNAMIC) {
        (out.text("upstate::Dynamic"), at + DYNAMIC.len())
    } else if starts_with(rest, JSON) {
        (out.text("serde_json::Value"), at + JSON.len())
    } else if starts_with(rest, LIST) {
        collection(out.text("Vec<"), form, at + LIST.len(), took, place)
    } else if starts_with(rest, SET) {
        collection(
            out.text(if top {
                "Vec<"
            } else {
                "std::collections::BTreeSet<"
            }),
            form,
            at + SET.len(),
            took,
            place,
        )
    } else if starts_with(rest, MAP) {
        collection(
            out.text("std::collections::BTreeMap<String, "),
            form,
            at + MAP.len(),
            took,
            place,
        )
    } else if starts_with(rest, TUPLE) {
        let (mut out, mut at) = (out.text("("), at + TUPLE.len());
        let mut index = 0;
        while at < form.len() && form[at] != b']' {
            let path = Message::new()
                .raw(place.path)
                .text("[")
                .number(index)
                .text("]");
            (out, at) = optional(
                out,
                form,
                at,
                b"",
                Place {
                    path: path.bytes(),
                    facts: place.facts,
                },
            );
            out = out.text(",");
            index += 1;
            at += if at < form.len() && form[at] == b',' {
                1
            } else {
                0
            };
        }
        (out.text(")"), at + 2)
    } else if starts_with(rest, OBJECT) {
        let (mut out, mut at) = (out.text("{"), at + OBJECT.len());
        let mut first = true;
        while at < form.len() && form[at] != b'}' {
            let start = at + 1;
            at = start;
            while at < form.len() && form[at] != b'"' {
                at += 1;
            }
            let name = form.split_at(at).0.split_at(start).1;
            out = out
                .text(if first { " " } else { ", " })
                .raw(name)
                .text(": ");
            first = false;
            let path = match std::str::from_utf8(name) {
                Ok(name) => Message::new().raw(place.path).step(name),
                Err(_) => Message::new(),
            };
            (out, at) = optional(
                out,
                form,
                at + 2,
                b"",
                Place {
                    path: path.bytes(),
                    facts: place.facts,
                },
            );
            at += if at < form.len() && form[at] == b',' {
                1
            } else {
                0
            };
        }
        (out.text(" }"), at + 2)
    } else {
        (out.text("…"), form.len())
    }
}

const fn collection(
    out: Message,
    form: &[u8],
    at: usize,
    took: &[u8],
    place: Place<'_>,
) -> (Message, usize) {
    let elements = place.elements();
    let (out, at) = optional(
        out,
        form,
        at,
        took,
        Place {
            path: elements.bytes(),
            facts: place.facts,
        },
    );
    (out.text(">"), at + 1)
}

/// A type inside of another.
const fn optional(
    out: Message,
    form: &[u8],
    at: usize,
    took: &[u8],
    place: Place<'_>,
) -> (Message, usize) {
    let (before, behind) = place.option();
    let (out, at) = put(out.text(before), form, at, (took, false), place);
    (out.text(behind), at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn null_that_was_stored_inside_of_a_type_is_written() {
        let inside = "berths[*]?\tnull\tberths.code[*]?\tnull\tmarks[*]?\tnull\tsizes[*][1]?\tnull\tsizes[*][1].x?\tnull\t";
        let lines = "berths = nested list\nberths.code = [\"set\",\"string\"]\n";
        let text = format!("boat\t0\tprior\t0\t0\tforms\t\n\n\n\nunknown\n\n\n{inside}\n{lines}");
        let locked = Locked::read(Box::leak(text.into_boxed_str()));
        let typed = |path: &str, stored: &str| {
            put_type(Message::new(), path.as_bytes(), stored.as_bytes(), &locked)
                .as_str()
                .to_owned()
        };
        assert_eq!(
            typed("marks", "[\"list\",\"number\"] null\tu8"),
            "Option<Vec<Option<u8>>>"
        );
        assert_eq!(typed("mark", "[\"list\",\"number\"]\tu8"), "Vec<u8>");
        assert_eq!(typed("depth", "\"number\" null\tusize"), "Option<usize>");
        assert_eq!(
            typed("count", "\"number\"\tNonZeroU8"),
            "std::num::NonZeroU8"
        );
        assert_eq!(
            typed("seen", "\"number\"\tAtomicU32"),
            "std::sync::atomic::AtomicU32"
        );
        assert_eq!(
            typed(
                "sizes",
                r#"["map",["tuple",["bool",["object",{"x":"bool","y":"bool"}]]]]"#
            ),
            "std::collections::BTreeMap<String, (bool,Option<{ x: Option<bool>, y: bool }>,)>"
        );
        assert_eq!(
            typed("berths", "nested list"),
            "Vec<Option<{ #[attribute(set)] code: Vec<Option<String>> }>>"
        );
    }
}
