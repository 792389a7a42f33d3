//! Paths and stored forms as the lock writes them, put together while the program is compiled.

// Everything here runs in the compiler, which reports a wrong index itself.
#![expect(clippy::indexing_slicing, reason = "const evaluation")]

use upstate_words::lock::is_plain;

use crate::message::Message;
use crate::schema::Nesting;
use crate::schema::table::{Stored, TypeInfo};

impl Message {
    /// A step of a path: plain if it is a plain name, else between quotation marks.
    pub(super) const fn step(self, name: &str) -> Self {
        let bytes = name.as_bytes();
        let mut text = if self.is_empty() { self } else { self.raw(b".") };
        if is_plain(bytes) {
            return text.raw(bytes);
        }
        text = text.raw(b"\"");
        let mut index = 0;
        while index < bytes.len() {
            if matches!(bytes[index], b'"' | b'\\') {
                text = text.raw(b"\\");
            }
            text = if bytes[index] == b' ' { text.raw(b"\\s") } else { text.raw(&[bytes[index]]) };
            index += 1;
        }
        text.raw(b"\"")
    }

    /// A name in the JSON notation of types.
    const fn json(self, name: &str) -> Self {
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
                    text = text.json(table.stored_row(index).name).text(":").of_type(&table.stored_row(index).info.stored);
                    index += 1;
                }
                text.text("}]")
            }
            Stored::Union(union) => {
                let mut text = self.text("[\"union\",").json(union.tagging).text(",[");
                let mut index = 0;
                while index < union.variants.len() {
                    let variant = &union.variants[index];
                    let text_before = if index > 0 { text.text(",[") } else { text.text("[") };
                    text = text_before.json(variant.name).text(",").of_type(&variant.info.stored).text("]");
                    index += 1;
                }
                text.text("]]")
            }
        }
    }

    /// How an attribute is stored, as the lock writes it; `null` is what it says about null.
    pub(super) const fn attribute(self, info: &TypeInfo, null: &str, write_only: bool) -> Self {
        let text = match info.objects() {
            Some((_, nesting)) => self.text("nested ").text(nesting_name(nesting)),
            None => self.of_type(&info.stored),
        };
        let text = text.text(null);
        if write_only { text.text(" write_only") } else { text }
    }
}

pub(super) const fn nesting_name(nesting: Nesting) -> &'static str {
    match nesting {
        Nesting::Single => "single",
        Nesting::List => "list",
        Nesting::Set => "set",
        Nesting::Map => "map",
    }
}
