//! The Rust type of what was released, of the line that the lock has for it.

// Indexing is allowed, because everything here runs in the compiler, which reports a wrong index itself.
#![expect(clippy::indexing_slicing, reason = "const evaluation")]

use upstate_words::lock::integers;

use super::locked::Locked;
use super::proposal::{attributes, child, identifier};
use super::text::{ends_with, line, starts_with};
use super::values;
use crate::message::Message;

/// Writes the type of the field at `path`, whose line says `stored`.
pub(super) const fn put_type(out: Message, path: &[u8], stored: &[u8], locked: &Locked) -> Message {
    let (stored, took) = values::split(stored);
    if starts_with(stored, b"block single") {
        return put_object(out.text("Option<"), path, locked).text(">");
    }
    let nullable = is_nullable(stored);
    let out = if nullable { out.text("Option<") } else { out };
    let form = without_null(stored);
    let out = if starts_with(form, b"nested single") {
        put_object(out, path, locked)
    } else if ends_with(form, b" list") || ends_with(form, b" set") {
        put_object(out.text("Vec<"), path, locked).text(">")
    } else if ends_with(form, b" map") {
        put_object(out.text("std::collections::BTreeMap<String, "), path, locked).text(">")
    } else {
        put_json(out, form, 0, took, true).0
    };
    if nullable { out.text(">") } else { out }
}

/// True if null was read, or if that is not known.
pub(super) const fn is_nullable(stored: &[u8]) -> bool {
    let stored = without_mark(stored);
    ends_with(stored, b" null") || ends_with(stored, b" null?")
}

/// The stored form without its marks: the form of what was stored where it was not null.
pub(super) const fn without_null(stored: &[u8]) -> &[u8] {
    let stored = without_mark(stored);
    let end = if ends_with(stored, b" null") {
        stored.len() - 5
    } else if ends_with(stored, b" null?") {
        stored.len() - 6
    } else {
        stored.len()
    };
    stored.split_at(end).0
}

pub(super) const fn without_mark(stored: &[u8]) -> &[u8] {
    const MARK: &[u8] = b" write_only";
    if ends_with(stored, MARK) { stored.split_at(stored.len() - MARK.len()).0 } else { stored }
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
            out = attributes(out.text(if first { " " } else { ", " }), (inner, stored), None, locked);
            out = put_type(identifier(out, name).text(": "), inner, stored, locked);
            first = false;
        }
        at = next;
    }
    out.text(if first { "}" } else { " }" })
}

/// A type in the JSON notation that begins at `at`, and where it ends. A set at the top is a `Vec` that is marked as one.
pub(super) const fn put_json(out: Message, form: &[u8], at: usize, took: &[u8], top: bool) -> (Message, usize) {
    let rest = form.split_at(at).1;
    if starts_with(rest, b"\"string\"") {
        (out.text("String"), at + 8)
    } else if starts_with(rest, b"\"number\"") {
        // Integers are known by name; of all others a `Number` keeps every digit.
        let is_integer = integers(took).is_some();
        (if is_integer { out.raw(took) } else { out.text("upstate::Number") }, at + 8)
    } else if starts_with(rest, b"\"bool\"") {
        (out.text("bool"), at + 6)
    } else if starts_with(rest, b"\"dynamic\"") {
        (out.text("upstate::Dynamic"), at + 9)
    } else if starts_with(rest, b"\"json\"") {
        (out.text("serde_json::Value"), at + 6)
    } else if starts_with(rest, b"[\"list\",") {
        collection(out.text("Vec<"), form, at + 8, took)
    } else if starts_with(rest, b"[\"set\",") {
        collection(out.text(if top { "Vec<" } else { "std::collections::BTreeSet<" }), form, at + 7, took)
    } else if starts_with(rest, b"[\"map\",") {
        collection(out.text("std::collections::BTreeMap<String, "), form, at + 7, took)
    } else if starts_with(rest, b"[\"tuple\",[") {
        let (mut out, mut at) = (out.text("("), at + 10);
        while at < form.len() && form[at] != b']' {
            (out, at) = put_json(out, form, at, b"", false);
            out = out.text(",");
            at += if at < form.len() && form[at] == b',' { 1 } else { 0 };
        }
        (out.text(")"), at + 2)
    } else if starts_with(rest, b"[\"object\",{") {
        let (mut out, mut at) = (out.text("{"), at + 11);
        let mut first = true;
        while at < form.len() && form[at] != b'}' {
            let start = at + 1;
            at = start;
            while at < form.len() && form[at] != b'"' {
                at += 1;
            }
            out = out.text(if first { " " } else { ", " }).raw(form.split_at(at).0.split_at(start).1).text(": ");
            first = false;
            (out, at) = put_json(out, form, at + 2, b"", false);
            at += if at < form.len() && form[at] == b',' { 1 } else { 0 };
        }
        (out.text(" }"), at + 2)
    } else {
        (out.text("…"), form.len())
    }
}

const fn collection(out: Message, form: &[u8], at: usize, took: &[u8]) -> (Message, usize) {
    let (out, at) = put_json(out, form, at, took, false);
    (out.text(">"), at + 1)
}
