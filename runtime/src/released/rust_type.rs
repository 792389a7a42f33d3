//! The Rust types of a field, as it was released and as it is today, for one sentence about both.

// Everything here runs in the compiler, so that a wrong index does not compile.
#![expect(clippy::indexing_slicing, reason = "const evaluation")]

use super::released_type::{is_nullable, put_json, without_null};
use super::text::{ends_with, equal, is_set, last_segment, starts_with};
use super::values::{self, integer_name};
use crate::message::Message;
use crate::schema::table::{Stored, TypeInfo};
use crate::schema::{Holds, Nesting, Takes};

/// The most strings of an enum that a message names.
const NAMED: usize = 3;

/// The type of what a line of the lock says, with what marks its field.
pub(super) const fn was(line: &[u8]) -> Message {
    let (stored, took) = values::split(line);
    let out = marked(starts_with(stored, b"block "), is_set(stored), ends_with(stored, b" write_only"));
    let form = without_null(stored);
    let nullable = is_nullable(stored) || starts_with(stored, b"block single");
    let out = if nullable { out.text("Option<") } else { out };
    let out = if ends_with(form, b" single") {
        out.text(ANY_OBJECT)
    } else if ends_with(form, b" list") || ends_with(form, b" set") {
        out.text("Vec<").text(ANY_OBJECT).text(">")
    } else if ends_with(form, b" map") {
        out.text("std::collections::BTreeMap<String, ").text(ANY_OBJECT).text(">")
    } else {
        put_json(out, form, 0, took, true).0
    };
    closed(out, nullable)
}

/// The Rust type of values, as an operator writes it.
pub(crate) const fn type_of(info: &TypeInfo) -> Message {
    now(info, false, false)
}

/// The type of a field today, with what marks it.
pub(super) const fn now(info: &TypeInfo, is_block: bool, write_only: bool) -> Message {
    let nullable = info.holds.nullable;
    let (objects, is_set) = match info.objects() {
        Some((table, nesting)) => (Some((table, nesting)), matches!(nesting, Nesting::Set)),
        None => (None, matches!(info.stored, Stored::Set(_))),
    };
    let out = marked(is_block, is_set, write_only);
    let single = is_block && matches!(objects, Some((_, Nesting::Single)));
    let out = if nullable || single { out.text("Option<") } else { out };
    let out = match objects {
        Some((table, nesting)) => {
            let name = last_segment(table.rust_name);
            let name = if name.is_empty() { ANY_OBJECT.as_bytes() } else { name };
            match nesting {
                Nesting::Single => out.raw(name),
                Nesting::List | Nesting::Set => out.text("Vec<").raw(name).text(">"),
                Nesting::Map => out.text("std::collections::BTreeMap<String, ").raw(name).text(">"),
            }
        }
        None => put_stored(out, &info.stored, &info.holds, true),
    };
    closed(out, nullable || single)
}

/// An object whose members a sentence leaves out.
const ANY_OBJECT: &str = "{ … }";

const fn marked(is_block: bool, is_set: bool, write_only: bool) -> Message {
    let out = Message::new().text(if is_block { "#[block] " } else { "" });
    match (is_set, write_only) {
        (true, true) => out.text("#[attribute(set, write_only)] "),
        (true, false) => out.text("#[attribute(set)] "),
        (false, true) => out.text("#[attribute(write_only)] "),
        (false, false) => out,
    }
}

const fn closed(out: Message, nullable: bool) -> Message {
    if nullable { out.text(">") } else { out }
}

const fn put_stored(out: Message, stored: &Stored, holds: &Holds, top: bool) -> Message {
    match stored {
        Stored::Bool => out.text("bool"),
        Stored::String => match holds.takes {
            Takes::Texts(texts) => put_texts(out, texts),
            Takes::Anything | Takes::Integers { .. } | Takes::Floats | Takes::OwnType | Takes::Objects(_) | Takes::Tuples(_) => {
                out.text("String")
            }
        },
        Stored::Number => match holds.takes {
            Takes::Integers { min, max } => out.text(integer_name(min, max)),
            Takes::Floats => out.text("f64"),
            Takes::Anything | Takes::Texts(_) | Takes::OwnType | Takes::Objects(_) | Takes::Tuples(_) => {
                out.text("upstate::Number")
            }
        },
        Stored::Dynamic => out.text("upstate::Dynamic"),
        Stored::Json => out.text("serde_json::Value"),
        Stored::List(element) => put_elements(out.text("Vec<"), element, holds),
        Stored::Set(element) => put_elements(out.text(if top { "Vec<" } else { "std::collections::BTreeSet<" }), element, holds),
        Stored::Map(element) => put_elements(out.text("std::collections::BTreeMap<String, "), element, holds),
        Stored::Tuple(elements) => {
            let mut out = out.text("(");
            let mut index = 0;
            while index < elements.len() {
                out = put_stored(out, elements[index], &Holds::ANYTHING, false).text(",");
                index += 1;
            }
            out.text(")")
        }
        Stored::Object(table) => out.raw(last_segment(table.rust_name)),
        Stored::Union(union) => out.raw(last_segment(union.rust_name)),
    }
}

const fn put_elements(out: Message, element: &Stored, holds: &Holds) -> Message {
    let elements = match holds.elements {
        Some(elements) => elements,
        None => &Holds::ANYTHING,
    };
    put_stored(out, element, elements, false).text(">")
}

const fn put_texts(out: Message, texts: &[&str]) -> Message {
    let mut out = out.text("enum { ");
    let mut index = 0;
    while index < texts.len() && index < NAMED {
        out = out.text(if index > 0 { ", " } else { "" }).text("\"").text(texts[index]).text("\"");
        index += 1;
    }
    out.text(if texts.len() > NAMED { ", … }" } else { " }" })
}

/// Goes on from the name of a field: it is another type than it was.
pub(super) const fn changed(
    path: Message,
    (info, is_block, write_only): (&TypeInfo, bool, bool),
    line: &[u8],
) -> Option<Message> {
    let (now, was) = (now(info, is_block, write_only), was(line));
    if equal(now.bytes(), was.bytes()) {
        return None;
    }
    Some(path.text(" is `").raw(now.bytes()).text("` now, and was `").raw(was.bytes()).text("`"))
}
