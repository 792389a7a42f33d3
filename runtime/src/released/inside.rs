//! Null, keys and scalars inside of other values: under a released version, none that was stored may go.
//!
//! The lock has a fact for each, by its path. Where it has none, nothing is known.

// Indexing is allowed, because everything here runs in the compiler, which reports a wrong index itself.
#![expect(clippy::indexing_slicing, reason = "const evaluation")]

use super::locked::Locked;
use super::values;
use crate::message::Message;
use crate::schema::table::{Stored, StoredRows, Table, Unlisted};
use crate::schema::{Holds, Takes};

/// The first of them that is no longer read, as a sentence.
pub(super) const fn difference(table: &'static Table, locked: &Locked) -> Option<Message> {
    // First, because most locks have none, and the rest is a walk over all types.
    if locked.inside.is_empty() {
        return None;
    }
    let found = members(table, &Message::new(), locked);
    if found.is_some() {
        return found;
    }
    let mut index = 0;
    while let Some(one) = table.unlisted(index) {
        index += 1;
        let Unlisted::Flattened { path, values, .. } = one else { continue };
        let found = part(&values.stored, &values.holds, path.step_into_flattened(), locked);
        if found.is_some() {
            return found;
        }
    }
    None
}

/// Those of the members of objects, whose own path is `prefix`.
const fn members(table: &'static Table, prefix: &Message, locked: &Locked) -> Option<Message> {
    let mut rows = StoredRows::of(table);
    while let Some(row) = rows.next() {
        let path = prefix.copied().step(row.name);
        if let Some((inner, _)) = row.info.objects() {
            let found = members(inner, &path, locked);
            if found.is_some() {
                return found;
            }
        }
        let found = part(&row.info.stored, &row.info.holds, path, locked);
        if found.is_some() {
            return found;
        }
    }
    None
}

/// Those of values at a path. Null of a field itself is in its line, so that no fact is about it.
const fn part(stored: &'static Stored, holds: &'static Holds, path: Message, locked: &Locked) -> Option<Message> {
    if !holds.nullable && locked.took_inside(path.copied().text("?").bytes()).is_some() {
        return Some(quoted(&path).text(" no longer takes null"));
    }
    if let Some(keys) = holds.keys {
        let path = path.copied().text("[key]");
        if let Some(took) = locked.took_inside(path.bytes()) {
            let found = values::narrowed(quoted(&path), keys, took, false);
            if found.is_some() {
                return found;
            }
        }
    }
    match stored {
        Stored::List(element) | Stored::Set(element) | Stored::Map(element) => match holds.elements {
            Some(elements) => part(element, elements, path.text("[*]"), locked),
            // An author's own type reads them, so that nothing is known.
            None => None,
        },
        Stored::Tuple(elements) => {
            let Takes::Tuples(all) = holds.takes else { return None };
            let mut index = 0;
            while index < elements.len() && index < all.len() {
                let at = path.copied().text("[").number(index as u64).text("]");
                let found = part(elements[index], all[index], at, locked);
                if found.is_some() {
                    return found;
                }
                index += 1;
            }
            None
        }
        Stored::Object(table) => {
            let mut rows = StoredRows::of(table);
            while let Some(row) = rows.next() {
                let found = part(&row.info.stored, &row.info.holds, path.copied().step(row.name), locked);
                if found.is_some() {
                    return found;
                }
            }
            None
        }
        Stored::Union(union) => {
            let mut rest = union.variants;
            while let [variant, after @ ..] = rest {
                rest = after;
                let found = part(&variant.info.stored, &variant.info.holds, path.copied().step(variant.name), locked);
                if found.is_some() {
                    return found;
                }
            }
            None
        }
        Stored::Bool | Stored::String | Stored::Number | Stored::Dynamic | Stored::Json => {
            match locked.took_inside(path.bytes()) {
                Some(took) => values::narrowed(quoted(&path), holds, took, false),
                None => None,
            }
        }
    }
}

const fn quoted(path: &Message) -> Message {
    Message::new().text("`").raw(path.bytes()).text("`")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::codec::Object as _;
    use crate::{Document, Union};

    #[derive(Union, Debug)]
    enum Look {
        Plain,
        Dim { level: u8 },
    }

    #[derive(Document, Debug)]
    struct Shelf {
        boxes: BTreeMap<u16, Vec<String>>,
        looks: Vec<Look>,
        pair: (u8, Option<String>),
        #[attribute(flatten)]
        sizes: BTreeMap<String, (i16, i16)>,
    }

    fn found(inside: &str) -> Option<String> {
        let text = format!("shelf\t0\tdocument\t0\t0\tforms\t\n\n\n\n\n\n{inside}\n");
        let found = difference(Shelf::TABLE, &Locked::read(Box::leak(text.into_boxed_str())));
        found.map(|message| message.as_str().to_owned())
    }

    #[test]
    fn each_value_inside_of_others_that_is_gone_is_a_sentence() {
        for (inside, expected) in [
            ("", None),
            ("boxes[key]\tu8\tlooks[*].Dim.level\tu8\tpair[0]\tu8\tpair[1]?\tnull\t*[*][1]\ti8\tgone[*]?\tnull\t", None),
            ("boxes[key]\tu32\t", Some("`boxes[key]` is read as u16 now, and was stored as u32")),
            ("boxes[*][*]?\tnull\t", Some("`boxes[*][*]` no longer takes null")),
            ("looks[*].Dim.level\ti8\t", Some("`looks[*].Dim.level` is read as u8 now, and was stored as i8")),
            ("pair[0]?\tnull\t", Some("`pair[0]` no longer takes null")),
            ("*[*][1]\tu16\t", Some("`*[*][1]` is read as i16 now, and was stored as u16")),
        ] {
            assert_eq!(found(inside).as_deref(), expected, "{inside}");
        }
    }
}
