//! An enum with data, as it was released and as it is today.

// Everything here runs in the compiler, so that a wrong index does not compile.
#![expect(clippy::indexing_slicing, reason = "const evaluation")]

use super::notation::{LIST, MAP, OBJECT, SET, element, is_list, is_type, union_parts, variant_at};
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
            now = match now {
                Stored::List(element) if starts_with(was, LIST) => element,
                Stored::Set(element) if starts_with(was, SET) => element,
                Stored::Map(element) if starts_with(was, MAP) => element,
                Stored::Union(today) => {
                    let Some((tagging, variants)) = union_parts(was) else {
                        return None;
                    };
                    return Some(Self {
                        today,
                        tagging,
                        variants,
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
                | Stored::Object(_) => return None,
            };
            was = element(was);
        }
    }

    /// The name, between quotation marks, and the content of the variant that begins at `at`, and
    /// where the next one does.
    const fn variant(&self, at: usize) -> Option<(&'l [u8], &'l [u8], usize)> {
        variant_at(self.variants, at)
    }

    /// The variant of today of the name of the one that begins at `at` in what was released, the
    /// content that that had, and where the next one begins.
    pub(super) const fn kept(
        &self,
        at: usize,
    ) -> Option<(Option<&'static VariantRow>, &'l [u8], usize)> {
        let Some((name, content, next)) = self.variant(at) else {
            return None;
        };
        let today = match self.position(name) {
            Some(index) => Some(&self.today.variants[index]),
            None => None,
        };
        Some((today, content, next))
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
            let stored = &self.today.variants[index].info.stored;
            if !is_type(content, stored) {
                let now = Message::new().of_type(stored);
                let holds = field.text(" holds ");
                let holds = put_json(holds.text("`"), now.bytes(), b"");
                let holds = holds.text("` in the variant ").raw(name);
                let held = holds.text(" now, and held `");
                return Some(put_json(held, content, b"").text("`"));
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
    /// otherwise, or one that is still there holds something else that is or was no object.
    pub(super) const fn is_beyond_operators(&self) -> bool {
        let mut at = 0;
        while let Some((name, content, next)) = self.variant(at) {
            at = next;
            let Some(index) = self.position(name) else {
                continue;
            };
            let now = &self.today.variants[index].info.stored;
            let are_objects = matches!(now, Stored::Object(_)) && starts_with(content, OBJECT);
            if !are_objects && !is_type(content, now) {
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
            let is_same = is_type(content, &variant.info.stored);
            if !taken[index] && is_same && !self.was_released(variant) {
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
    while is_list(stored) || starts_with(stored, MAP) {
        stored = element(stored);
    }
    if let Some((tagging, variants)) = union_parts(stored) {
        !equal(tagging, b"\"untagged\"") && has_variant(variants, name)
    } else {
        false
    }
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
