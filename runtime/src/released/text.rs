//! Paths and stored forms as the lock writes them, put together while the program is compiled.

// Everything here runs in the compiler, which reports a wrong index itself.
#![expect(clippy::indexing_slicing, reason = "const evaluation")]

use crate::message::Message;
use crate::schema::{Nesting, Shape, Type, constant};

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

    const fn ty(self, ty: &Type) -> Self {
        match ty {
            Type::Bool => self.text("\"bool\""),
            Type::String => self.text("\"string\""),
            Type::Number => self.text("\"number\""),
            Type::Dynamic => self.text("\"dynamic\""),
            Type::List(element) => self.text("[\"list\",").ty(constant(element)).text("]"),
            Type::Set(element) => self.text("[\"set\",").ty(constant(element)).text("]"),
            Type::Map(element) => self.text("[\"map\",").ty(constant(element)).text("]"),
            Type::Tuple(elements) => {
                let elements = constant(elements);
                let mut text = self.text("[\"tuple\",[");
                let mut index = 0;
                while index < elements.len() {
                    if index > 0 {
                        text = text.text(",");
                    }
                    text = text.ty(constant(&elements[index]));
                    index += 1;
                }
                text.text("]]")
            }
            Type::Object(fields) => {
                let fields = constant(fields);
                let mut text = self.text("[\"object\",{");
                let mut index = 0;
                while index < fields.len() {
                    if index > 0 {
                        text = text.text(",");
                    }
                    let Some((name, ty)) = fields[index].constant_parts() else { return text };
                    text = text.json(name).text(":").ty(ty);
                    index += 1;
                }
                text.text("}]")
            }
        }
    }

    /// How an attribute is stored, as the lock writes it; `null` is what it says about null.
    pub(super) const fn attribute(self, shape: &Shape, null: &str, write_only: bool) -> Self {
        let text = match shape {
            Shape::Plain(ty) => self.ty(constant(ty)),
            Shape::Nested(nested) => self.text("nested ").text(nesting_name(nested.stored().0)),
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

/// Whether a name stands in a path without quotation marks.
pub const fn is_plain(name: &[u8]) -> bool {
    let mut index = 0;
    while index < name.len() {
        if !(name[index].is_ascii_alphanumeric() || matches!(name[index], b'_' | b'-')) {
            return false;
        }
        index += 1;
    }
    index > 0
}
