//! Stored forms as the lines of a lock have them, written and read while the program is compiled.
//!
//! At run time, [`Notation`](upstate_words::lock::Notation) and
//! [`Stored`](upstate_words::lock::Stored) do it. Both write the same letters, because forms are
//! compared letter by letter.

// Indexing is allowed, because everything here runs in the compiler, which reports a wrong index
// itself.
#![expect(clippy::indexing_slicing, reason = "const evaluation")]

use super::text::{ends_with, equal, starts_with};
use crate::message::Message;
use crate::schema::table::{Stored, TypeInfo};

pub(super) const BOOL: &[u8] = b"\"bool\"";
pub(super) const STRING: &[u8] = b"\"string\"";
pub(super) const NUMBER: &[u8] = b"\"number\"";
pub(super) const DYNAMIC: &[u8] = b"\"dynamic\"";
pub(super) const JSON: &[u8] = b"\"json\"";

/// A list begins so, and the other types with parts likewise.
pub(super) const LIST: &[u8] = b"[\"list\",";
pub(super) const SET: &[u8] = b"[\"set\",";
pub(super) const MAP: &[u8] = b"[\"map\",";
pub(super) const TUPLE: &[u8] = b"[\"tuple\",[";
pub(super) const OBJECT: &[u8] = b"[\"object\",{";
pub(super) const UNION: &[u8] = b"[\"union\",";

impl Message {
    /// A name in the JSON notation of types.
    pub(super) const fn json(self, name: &str) -> Self {
        const DIGITS: &[u8] = b"0123456789abcdef";
        let mut text = self.raw(b"\"");
        let (mut rest, mut plain) = (name.as_bytes(), 0);
        // Most names have nothing to escape, so that they are one piece.
        while plain < rest.len() {
            let byte = rest[plain];
            if byte >= b' ' && !matches!(byte, b'"' | b'\\') {
                plain += 1;
                continue;
            }
            text = text.raw(rest.split_at(plain).0);
            text = match byte {
                b'\n' => text.raw(b"\\n"),
                b'\r' => text.raw(b"\\r"),
                b'\t' => text.raw(b"\\t"),
                0x08 => text.raw(b"\\b"),
                0x0c => text.raw(b"\\f"),
                b'"' | b'\\' => text.raw(&[b'\\', byte]),
                control => {
                    let (high, low) = (control >> 4, control & 15);
                    let text = text.raw(b"\\u00");
                    text.raw(&[DIGITS[high as usize], DIGITS[low as usize]])
                }
            };
            rest = rest.split_at(plain + 1).1;
            plain = 0;
        }
        text.raw(rest).raw(b"\"")
    }

    /// A type, as the lock writes it.
    pub(super) const fn of_type(self, ty: &Stored) -> Self {
        match ty {
            Stored::Bool => self.raw(BOOL),
            Stored::String => self.raw(STRING),
            Stored::Number => self.raw(NUMBER),
            Stored::Dynamic => self.raw(DYNAMIC),
            Stored::Json => self.raw(JSON),
            Stored::List(element) => self.raw(LIST).of_type(element).text("]"),
            Stored::Set(element) => self.raw(SET).of_type(element).text("]"),
            Stored::Map(element) => self.raw(MAP).of_type(element).text("]"),
            Stored::Tuple(elements) => {
                let mut text = self.raw(TUPLE);
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
                let mut text = self.raw(OBJECT);
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
                let mut text = self.raw(UNION).json(union.tagging).text(",[");
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

/// True if a stored form, without its marks, is a type. It is read and compared, because a message
/// has no room for the text of a large type.
pub(super) const fn is_type(stored: &[u8], ty: &Stored) -> bool {
    matches!(behind_type(stored, ty), Some([]))
}

/// The marks behind the form in which an attribute is stored, as ` null`, if `stored` begins with
/// that form.
pub(super) const fn mark_behind<'s>(
    stored: &'s [u8],
    info: &TypeInfo,
    write_only: bool,
) -> Option<&'s [u8]> {
    let form = without_mark(stored);
    if (form.len() < stored.len()) != write_only {
        return None;
    }
    let Some((_, nesting)) = info.objects() else {
        return behind_type(form, &info.stored);
    };
    match behind(form, b"nested ") {
        Some(rest) => behind(rest, nesting.name().as_bytes()),
        None => None,
    }
}

/// True if the marks are there, and are these.
pub(super) const fn is_mark(found: Option<&[u8]>, mark: &str) -> bool {
    match found {
        Some(found) => equal(found, mark.as_bytes()),
        None => false,
    }
}

/// The text behind the type that it begins with, if that is `ty`.
const fn behind_type<'s>(stored: &'s [u8], ty: &Stored) -> Option<&'s [u8]> {
    match ty {
        Stored::Bool => behind(stored, BOOL),
        Stored::String => behind(stored, STRING),
        Stored::Number => behind(stored, NUMBER),
        Stored::Dynamic => behind(stored, DYNAMIC),
        Stored::Json => behind(stored, JSON),
        Stored::List(element) => behind_element(stored, LIST, element),
        Stored::Set(element) => behind_element(stored, SET, element),
        Stored::Map(element) => behind_element(stored, MAP, element),
        Stored::Tuple(elements) => {
            let (mut rest, mut index) = (behind(stored, TUPLE), 0);
            while let (Some(text), true) = (rest, index < elements.len()) {
                let comma: &[u8] = if index > 0 { b"," } else { b"" };
                rest = match behind(text, comma) {
                    Some(text) => behind_type(text, elements[index]),
                    None => None,
                };
                index += 1;
            }
            match rest {
                Some(rest) => behind(rest, b"]]"),
                None => None,
            }
        }
        Stored::Object(table) => {
            let (mut rest, mut index) = (behind(stored, OBJECT), 0);
            while let (Some(text), true) = (rest, index < table.stored_len()) {
                let row = table.stored_row(index);
                let start = Message::new().text(if index > 0 { "," } else { "" });
                rest = match behind(text, start.json(row.name).text(":").bytes()) {
                    Some(text) => behind_type(text, &row.info.stored),
                    None => None,
                };
                index += 1;
            }
            match rest {
                Some(rest) => behind(rest, b"}]"),
                None => None,
            }
        }
        Stored::Union(union) => {
            let start = Message::new().raw(UNION).json(union.tagging).text(",[");
            let (mut rest, mut index) = (behind(stored, start.bytes()), 0);
            while let (Some(text), true) = (rest, index < union.variants.len()) {
                let variant = &union.variants[index];
                let start = Message::new().text(if index > 0 { ",[" } else { "[" });
                rest = match behind(text, start.json(variant.name).text(",").bytes()) {
                    Some(text) => behind_type(text, &variant.info.stored),
                    None => None,
                };
                rest = match rest {
                    Some(text) => behind(text, b"]"),
                    None => None,
                };
                index += 1;
            }
            match rest {
                Some(rest) => behind(rest, b"]]"),
                None => None,
            }
        }
    }
}

/// The text behind the list, set or map that it begins with, if that has such elements.
const fn behind_element<'s>(stored: &'s [u8], start: &[u8], element: &Stored) -> Option<&'s [u8]> {
    let Some(rest) = behind(stored, start) else {
        return None;
    };
    match behind_type(rest, element) {
        Some(rest) => behind(rest, b"]"),
        None => None,
    }
}

/// The text behind its beginning, if it begins so.
const fn behind<'s>(text: &'s [u8], start: &[u8]) -> Option<&'s [u8]> {
    if starts_with(text, start) {
        Some(text.split_at(start.len()).1)
    } else {
        None
    }
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
    if ends_with(stored, MARK) {
        stored.split_at(stored.len() - MARK.len()).0
    } else {
        stored
    }
}

pub(super) const fn is_set(stored: &[u8]) -> bool {
    starts_with(stored, b"nested set")
        || starts_with(stored, b"block set")
        || starts_with(stored, SET)
}

pub(super) const fn is_scalar(stored: &[u8]) -> bool {
    equal(stored, BOOL) || equal(stored, STRING) || equal(stored, NUMBER) || equal(stored, DYNAMIC)
}

/// True if it is a list or set, and not of nested objects.
pub(super) const fn is_list(stored: &[u8]) -> bool {
    starts_with(stored, LIST) || starts_with(stored, SET)
}

/// The type of the elements of a list, set or map, as the lock writes it.
pub(super) const fn element(stored: &[u8]) -> &[u8] {
    let start = if starts_with(stored, LIST) {
        LIST.len()
    } else {
        SET.len()
    };
    stored.split_at(stored.len() - 1).0.split_at(start).1
}

/// True if what was stored is a list, set or map with elements of a type.
pub(super) const fn is_element(stored: &[u8], ty: &Stored) -> bool {
    (is_list(stored) || starts_with(stored, MAP)) && is_type(element(stored), ty)
}

/// The tagging, between quotation marks, and the variants of an enum with data.
pub(super) const fn union_parts(stored: &[u8]) -> Option<(&[u8], &[u8])> {
    if !starts_with(stored, UNION) {
        return None;
    }
    let rest = stored.split_at(UNION.len()).1;
    let (tagging, rest) = rest.split_at(end(rest, 0));
    if !starts_with(rest, b",[") {
        return None;
    }
    Some((tagging, rest.split_at(2).1))
}

/// The name, between quotation marks, and the content of the variant that begins at `at`, and where
/// the next one does.
pub(super) const fn variant_at(all: &[u8], at: usize) -> Option<(&[u8], &[u8], usize)> {
    if at >= all.len() || all[at] != b'[' {
        return None;
    }
    let name_end = end(all, at + 1);
    let content_end = end(all, name_end + 1);
    let name = all.split_at(name_end).0.split_at(at + 1).1;
    let content = all.split_at(content_end).0.split_at(name_end + 1).1;
    Some((name, content, content_end + 2))
}

/// The members of objects that were stored.
pub(super) const fn object_members(stored: &[u8]) -> Option<&[u8]> {
    if starts_with(stored, OBJECT) {
        Some(stored.split_at(OBJECT.len()).1)
    } else {
        None
    }
}

/// The name, between quotation marks, and the type of the member that begins at `at`, and where the
/// next one does.
pub(super) const fn member_at(all: &[u8], at: usize) -> Option<(&[u8], &[u8], usize)> {
    if at >= all.len() || all[at] != b'"' {
        return None;
    }
    let name_end = end(all, at);
    let type_end = end(all, name_end + 1);
    let name = all.split_at(name_end).0.split_at(at).1;
    let ty = all.split_at(type_end).0.split_at(name_end + 1).1;
    Some((name, ty, type_end + 1))
}

/// The end of the JSON value that begins at `at`.
const fn end(json: &[u8], at: usize) -> usize {
    let (mut at, mut depth, mut quoted) = (at, 0, false);
    while at < json.len() {
        match json[at] {
            b'\\' if quoted => at += 1,
            b'"' => quoted = !quoted,
            b'[' | b'{' if !quoted => depth += 1,
            b']' | b'}' if !quoted => depth -= 1,
            _ => {}
        }
        at += 1;
        if depth == 0 && !quoted {
            return at;
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use upstate_words::lock::Notation;

    use super::*;
    use crate::codec::Object as _;
    use crate::schema::Type;
    use crate::{Document, Union};

    #[derive(Union, Debug)]
    #[union(tag = "kind")]
    enum Kind {
        Letter,
        Card { picture: String },
    }

    #[derive(Document, Debug)]
    struct Page {
        kind: Kind,
        marks: Vec<u8>,
    }

    const TYPES: [Stored; 10] = [
        Stored::Bool,
        Stored::String,
        Stored::Number,
        Stored::Dynamic,
        Stored::Json,
        Stored::List(&Stored::Set(&Stored::Map(&Stored::Bool))),
        Stored::Tuple(&[]),
        Stored::Tuple(&[&Stored::Number, &Stored::String]),
        Stored::Object(Page::TABLE),
        Stored::Set(&Stored::Object(Page::TABLE)),
    ];

    #[test]
    fn types_are_written_as_the_lock_and_the_schema_write_them() {
        for ty in &TYPES {
            let written = Message::new().of_type(ty);
            let written = written.as_str();
            assert_eq!(Notation::read(written).unwrap().to_string(), written);
            assert_eq!(Type::parse(written).unwrap().to_string(), written);
            for other in &TYPES {
                let is_same = Message::new().of_type(other).as_str() == written;
                assert_eq!(is_type(written.as_bytes(), other), is_same, "{written}");
            }
        }
    }

    #[test]
    fn the_marks_of_a_form_are_behind_it() {
        let of = |stored: &'static str, write_only: bool| {
            mark_behind(
                stored.as_bytes(),
                Page::TABLE.stored_row(1).info,
                write_only,
            )
        };
        assert!(is_mark(of("[\"list\",\"number\"]", false), ""));
        assert!(is_mark(of("[\"list\",\"number\"] null?", false), " null?"));
        assert!(is_mark(
            of("[\"list\",\"number\"] null write_only", true),
            " null"
        ));
        assert_eq!(of("[\"list\",\"number\"] null write_only", false), None);
        assert_eq!(of("[\"list\",\"number\"]", true), None);
        assert_eq!(of("[\"list\",\"string\"]", false), None);
        assert!(!is_mark(None, ""));
    }

    #[test]
    fn names_are_written_as_json() {
        for name in ["", "a", "ä \"b\\ c", "a\n\r\t\u{8}\u{c}\0\u{1f}\u{7f}"] {
            let json = serde_json::to_string(name).unwrap();
            assert_eq!(Message::new().json(name).as_str(), json);
        }
    }

    #[test]
    fn parts_are_read_as_they_were_written() {
        let types = [&Stored::Bool, &TYPES[5], &TYPES[8]];
        for (index, ty) in types.into_iter().enumerate() {
            let written = Message::new().of_type(ty);
            for collection in [LIST, SET, MAP] {
                let whole = Message::new().raw(collection).of_type(ty).text("]");
                assert_eq!(element(whole.bytes()), written.bytes());
                assert!(is_element(whole.bytes(), ty));
                assert!(!is_element(whole.bytes(), types[(index + 1) % 3]));
            }
        }
        let union = r#"["union","adjacent t \" c",[["a]",["tuple",[]]],["b","string"]]]"#;
        let (tagging, variants) = union_parts(union.as_bytes()).unwrap();
        assert_eq!(tagging, br#""adjacent t \" c""#);
        let (name, content, next) = variant_at(variants, 0).unwrap();
        assert_eq!((name, content), (&br#""a]""#[..], &br#"["tuple",[]]"#[..]));
        let (name, content, next) = variant_at(variants, next).unwrap();
        assert_eq!((name, content), (&br#""b""#[..], STRING));
        assert!(variant_at(variants, next).is_none());
        let object = r#"["object",{"a\"}":["list","bool"],"b":"string"}]"#;
        let members = object_members(object.as_bytes()).unwrap();
        let (name, ty, next) = member_at(members, 0).unwrap();
        assert_eq!((name, ty), (&br#""a\"}""#[..], &br#"["list","bool"]"#[..]));
        let (name, ty, next) = member_at(members, next).unwrap();
        assert_eq!((name, ty), (&br#""b""#[..], STRING));
        assert!(member_at(members, next).is_none());
        assert!(object_members(STRING).is_none());
    }
}
