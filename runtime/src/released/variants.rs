//! An enum with data, as it was released and as it is today.

// Everything here runs in the compiler, so that a wrong index does not compile.
#![expect(clippy::indexing_slicing, reason = "const evaluation")]

use super::released_type::put_json;
use super::text::{equal, starts_with};
use crate::message::Message;
use crate::schema::table::{Stored, UnionTable, VariantRow};

/// The most variants of one enum that are compared.
const MOST: usize = 64;

/// A released enum with data beside today's.
pub(super) struct Enum<'l> {
    today: &'static UnionTable,
    /// The tagging and the variants of the lock, in its notation.
    tagging: &'l [u8],
    variants: &'l [u8],
}

impl<'l> Enum<'l> {
    /// The enum of a field, itself or as elements, if it was one before.
    pub(super) const fn of(now: &Stored, was: &'l [u8]) -> Option<Self> {
        let (mut now, mut was) = (now, was);
        loop {
            let (element, length) = match now {
                Stored::List(element) if starts_with(was, b"[\"list\",") => (element, 8),
                Stored::Set(element) if starts_with(was, b"[\"set\",") => (element, 7),
                Stored::Map(element) if starts_with(was, b"[\"map\",") => (element, 7),
                Stored::Union(today) if starts_with(was, b"[\"union\",") => {
                    let rest = was.split_at(9).1;
                    let (tagging, rest) = rest.split_at(end(rest, 0));
                    if !starts_with(rest, b",[") {
                        return None;
                    }
                    return Some(Self {
                        today,
                        tagging,
                        variants: rest.split_at(2).1,
                    });
                }
                Stored::Bool
                | Stored::String
                | Stored::Number
                | Stored::Dynamic
                | Stored::Json
                | Stored::List(_)
                | Stored::Set(_)
                | Stored::Map(_)
                | Stored::Tuple(_)
                | Stored::Object(_)
                | Stored::Union(_) => return None,
            };
            now = element;
            was = was.split_at(was.len() - 1).0.split_at(length).1;
        }
    }

    /// The name, between quotation marks, and the content of the variant that begins at `at`, and
    /// where the next one does.
    const fn variant(&self, at: usize) -> Option<(&'l [u8], &'l [u8], usize)> {
        variant_at(self.variants, at)
    }

    /// The position of the variant with a name between quotation marks.
    const fn position(&self, name: &[u8]) -> Option<usize> {
        let mut index = 0;
        while index < self.today.variants.len() {
            if equal(
                Message::new().json(self.today.variants[index].name).bytes(),
                name,
            ) {
                return Some(index);
            }
            index += 1;
        }
        None
    }

    const fn was_released(&self, variant: &VariantRow) -> bool {
        has_variant(self.variants, variant.name)
    }

    /// The stored values that no longer read, in a sentence that begins with the `field`. It may
    /// have more variants, unless it `is_prior`.
    pub(super) const fn difference(&self, field: Message, is_prior: bool) -> Option<Message> {
        let tagging = Message::new().json(self.today.tagging);
        if !equal(self.tagging, tagging.bytes()) {
            return Some(
                field
                    .text(" is tagged ")
                    .raw(tagging.bytes())
                    .text(" now, and was ")
                    .raw(self.tagging),
            );
        }
        let is_ordered = equal(self.tagging, b"\"untagged\"");
        let (mut at, mut count) = (0, 0);
        while let Some((name, content, next)) = self.variant(at) {
            let Some(index) = self.position(name) else {
                return Some(field.text(" no longer has the variant ").raw(name));
            };
            if is_ordered && index != count {
                return Some(
                    field
                        .text(" has the variant ")
                        .raw(name)
                        .text(" elsewhere, and of those that fit equally well the first is read"),
                );
            }
            let now = Message::new().of_type(&self.today.variants[index].info.stored);
            if !equal(now.bytes(), content) {
                let holds = field.text(" holds ");
                let holds = put_json(holds.text("`"), now.bytes(), 0, b"", true)
                    .0
                    .text("` in the variant ")
                    .raw(name);
                return Some(
                    put_json(holds.text(" now, and held `"), content, 0, b"", true)
                        .0
                        .text("`"),
                );
            }
            (at, count) = (next, count + 1);
        }
        let mut index = 0;
        while is_prior && index < self.today.variants.len() {
            let variant = &self.today.variants[index];
            if !self.was_released(variant) {
                return Some(
                    field
                        .text(" has the variant ")
                        .json(variant.name)
                        .text(", which is new"),
                );
            }
            index += 1;
        }
        None
    }

    /// The fate of the variants, as `variants` takes it after the field; nothing if that says no
    /// more than is so today.
    pub(super) const fn put_changes(&self, out: Message) -> Message {
        let mut out = out;
        let mut taken = [false; MOST];
        let mut at = 0;
        while let Some((name, content, next)) = self.variant(at) {
            at = next;
            if self.position(name).is_some() {
                continue;
            }
            if let Some(index) = self.successor(content, &taken) {
                taken[index] = true;
                out = out
                    .text(", ")
                    .raw(name)
                    .text(" => ")
                    .json(self.today.variants[index].name);
                continue;
            }
            let content = if equal(content, NOTHING) { "" } else { ": …" };
            out = out
                .text(", drop(")
                .raw(name)
                .text(content)
                .text(", \"…\", as = \"…\")");
        }
        let mut index = 0;
        while index < self.today.variants.len() && index < MOST {
            let variant = &self.today.variants[index];
            if !taken[index] && !self.was_released(variant) {
                out = out.text(", add(").json(variant.name).text(")");
            }
            index += 1;
        }
        out
    }

    /// True if no operator makes today's form of what was stored: the variants are tagged
    /// otherwise, or one that is still there holds something else.
    pub(super) const fn is_beyond_operators(&self) -> bool {
        let mut at = 0;
        while let Some((name, content, next)) = self.variant(at) {
            at = next;
            if let Some(index) = self.position(name)
                && !equal(
                    content,
                    Message::new()
                        .of_type(&self.today.variants[index].info.stored)
                        .bytes(),
                )
            {
                return true;
            }
        }
        !equal(
            self.tagging,
            Message::new().json(self.today.tagging).bytes(),
        )
    }

    /// The first new variant that holds what one that is gone held.
    const fn successor(&self, content: &[u8], taken: &[bool; MOST]) -> Option<usize> {
        let mut index = 0;
        while index < self.today.variants.len() && index < MOST {
            let variant = &self.today.variants[index];
            let now = Message::new().of_type(&variant.info.stored);
            if !taken[index] && equal(now.bytes(), content) && !self.was_released(variant) {
                return Some(index);
            }
            index += 1;
        }
        None
    }
}

/// The content of a variant without one.
const NOTHING: &[u8] = b"[\"tuple\",[]]";

/// True if a stored form is an enum that has its variants' names, itself or as elements, and one of
/// them is this.
pub(super) const fn had_variant(stored: &[u8], name: &str) -> bool {
    let mut stored = stored;
    loop {
        if starts_with(stored, b"[\"list\",") {
            stored = stored.split_at(8).1;
        } else if starts_with(stored, b"[\"set\",") || starts_with(stored, b"[\"map\",") {
            stored = stored.split_at(7).1;
        } else {
            break;
        }
    }
    if !starts_with(stored, b"[\"union\",") {
        return false;
    }
    let stored = stored.split_at(9).1;
    let (tagging, variants) = stored.split_at(end(stored, 0));
    !equal(tagging, b"\"untagged\"")
        && starts_with(variants, b",[")
        && has_variant(variants.split_at(2).1, name)
}

/// True if one of the variants has this name.
const fn has_variant(all: &[u8], name: &str) -> bool {
    let name = Message::new().json(name);
    let mut at = 0;
    while let Some((other, _, next)) = variant_at(all, at) {
        if equal(other, name.bytes()) {
            return true;
        }
        at = next;
    }
    false
}

const fn variant_at(all: &[u8], at: usize) -> Option<(&[u8], &[u8], usize)> {
    if at >= all.len() || all[at] != b'[' {
        return None;
    }
    let name_end = end(all, at + 1);
    let content_end = end(all, name_end + 1);
    let name = all.split_at(name_end).0.split_at(at + 1).1;
    let content = all.split_at(content_end).0.split_at(name_end + 1).1;
    Some((name, content, content_end + 2))
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
