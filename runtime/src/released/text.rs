//! Paths and stored forms as the lock writes them, put together while the program is compiled.

// Indexing is allowed, because everything here runs in the compiler, which reports a wrong index
// itself.
#![expect(clippy::indexing_slicing, reason = "const evaluation")]

use crate::message::Message;
use crate::schema::table::{Stored, TypeInfo};

impl Message {
    /// A name in the JSON notation of types.
    pub(super) const fn json(self, name: &str) -> Self {
        let mut text = self.raw(b"\"");
        let bytes = name.as_bytes();
        let mut index = 0;
        while index < bytes.len() {
            if matches!(bytes[index], b'"' | b'\\') {
                text = text.raw(b"\\");
            }
            text = text.raw(&[bytes[index]]);
            index += 1;
        }
        text.raw(b"\"")
    }

    /// A type, as the lock writes it.
    pub(super) const fn of_type(self, ty: &Stored) -> Self {
        match ty {
            Stored::Bool => self.text("\"bool\""),
            Stored::String => self.text("\"string\""),
            Stored::Number => self.text("\"number\""),
            Stored::Dynamic => self.text("\"dynamic\""),
            Stored::Json => self.text("\"json\""),
            Stored::List(element) => self.text("[\"list\",").of_type(element).text("]"),
            Stored::Set(element) => self.text("[\"set\",").of_type(element).text("]"),
            Stored::Map(element) => self.text("[\"map\",").of_type(element).text("]"),
            Stored::Tuple(elements) => {
                let mut text = self.text("[\"tuple\",[");
                let mut index = 0;
                while index < elements.len() {
                    if index > 0 {
                        text = text.text(",");
                    }
                    text = text.of_type(elements[index]);
                    index += 1;
                }
                text.text("]]")
            }
            Stored::Object(table) => {
                let mut text = self.text("[\"object\",{");
                let mut index = 0;
                while index < table.stored_len() {
                    if index > 0 {
                        text = text.text(",");
                    }
                    text = text
                        .json(table.stored_row(index).name)
                        .text(":")
                        .of_type(&table.stored_row(index).info.stored);
                    index += 1;
                }
                text.text("}]")
            }
            Stored::Union(union) => {
                let mut text = self.text("[\"union\",").json(union.tagging).text(",[");
                let mut index = 0;
                while index < union.variants.len() {
                    let variant = &union.variants[index];
                    let text_before = if index > 0 {
                        text.text(",[")
                    } else {
                        text.text("[")
                    };
                    text = text_before
                        .json(variant.name)
                        .text(",")
                        .of_type(&variant.info.stored)
                        .text("]");
                    index += 1;
                }
                text.text("]]")
            }
        }
    }

    /// Appends the form in which an attribute is stored, as the lock writes it; `null` is what it
    /// says about null.
    pub(super) const fn attribute(self, info: &TypeInfo, null: &str, write_only: bool) -> Self {
        let text = match info.objects() {
            Some((_, nesting)) => self.text("nested ").text(nesting.name()),
            None => self.of_type(&info.stored),
        };
        let text = text.text(null);
        if write_only {
            text.text(" write_only")
        } else {
            text
        }
    }
}

/// The name of a struct without its module.
pub(super) const fn last_segment(path: &str) -> &[u8] {
    let path = path.as_bytes();
    let mut start = path.len();
    while start > 0 && path[start - 1] != b':' {
        start -= 1;
    }
    path.split_at(start).1
}

/// The line of `path`: what is stored there, and where the next line begins. It is most often the
/// next one.
pub(super) const fn find<'l>(
    lines: &'l [u8],
    cursor: usize,
    path: &[u8],
) -> Option<(&'l [u8], usize)> {
    let mut at = cursor;
    let mut again = cursor > 0;
    loop {
        if at >= lines.len() {
            if !again {
                return None;
            }
            again = false;
            at = 0;
            continue;
        }
        let (name, stored, next) = line(lines, at);
        if equal(name, path) {
            return Some((stored, next));
        }
        at = next;
    }
}

/// The line that begins at `at`: path, stored form, and where the next one begins.
pub(super) const fn line(lines: &[u8], at: usize) -> (&[u8], &[u8], usize) {
    let mut end = at;
    let mut split = at;
    while end < lines.len() && lines[end] != b'\n' {
        if split == at
            && end + 2 < lines.len()
            && lines[end] == b' '
            && lines[end + 1] == b'='
            && lines[end + 2] == b' '
        {
            split = end;
        }
        end += 1;
    }
    let from_start = lines.split_at(end).0;
    let path = from_start.split_at(split).0.split_at(at).1;
    let after = if split + 3 <= end { split + 3 } else { end };
    (path, from_start.split_at(after).1, end + 1)
}

pub(super) const fn equal(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && same_until(a, b)
}

const fn same_until(a: &[u8], b: &[u8]) -> bool {
    let mut index = 0;
    while index < b.len() {
        if a[index] != b[index] {
            return false;
        }
        index += 1;
    }
    true
}

pub(super) const fn is_set(stored: &[u8]) -> bool {
    starts_with(stored, b"nested set")
        || starts_with(stored, b"block set")
        || starts_with(stored, b"[\"set\",")
}

pub(super) const fn starts_with(text: &[u8], start: &[u8]) -> bool {
    text.len() >= start.len() && equal(text.split_at(start.len()).0, start)
}

pub(super) const fn ends_with(text: &[u8], end: &[u8]) -> bool {
    text.len() >= end.len() && equal(text.split_at(text.len() - end.len()).1, end)
}
