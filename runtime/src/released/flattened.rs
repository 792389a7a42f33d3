//! Flattened enums and maps, as they were released and as they are today.
//!
//! They have no name, so that they are compared with those in the object at the same path. In an
//! earlier version they are as in the later one, because no operator reaches into them: there a
//! value that did not exist yet does not count.

use super::locked::{Locked, up_to};
use super::notation::{MAP, UNION, is_nullable, is_type, without_null};
use super::released_type::put_json;
use super::text::{equal, starts_with};
use super::values;
use super::variants::{self, Enum};
use crate::message::Message;
use crate::schema::table::{Stored, Table, TypeInfo, Unlisted};

/// One of today's.
#[derive(Clone, Copy)]
struct Part {
    values: &'static TypeInfo,
    is_optional: bool,
}

/// One that was released.
#[derive(Clone, Copy)]
struct Was {
    path: &'static [u8],
    stored: &'static [u8],
    took: &'static [u8],
    knows_forms: bool,
}

/// The first difference that stored values would not survive, as a sentence.
pub(super) const fn difference(table: &'static Table, locked: &Locked) -> Option<Message> {
    let Some(all) = locked.flattened else {
        return None;
    };
    let mut rest = all;
    while !rest.is_empty() {
        let (was, others) = first(rest, locked);
        rest = others;
        let mut problem = None;
        let (mut index, mut fits) = (0, false);
        while let (Some(one), false) = (table.unlisted(index), fits) {
            index += 1;
            let Unlisted::Flattened {
                path,
                values,
                is_optional,
                ..
            } = one
            else {
                continue;
            };
            let part = Part {
                values,
                is_optional,
            };
            if !equal(path.bytes(), was.path) || is_map(part.values) != is_map_of(was) {
                continue;
            }
            let found = part.difference_from(was);
            fits = found.is_none();
            // One that was released as it is cannot be what became of another.
            if (problem.is_none() || part.is_tagged_as(was)) && !is_there(locked, &path, part) {
                problem = found;
            }
        }
        if !fits {
            return match problem {
                Some(_) => problem,
                None => Some(
                    name(is_map_of(was), was.path).text(" is gone, and its values would be lost"),
                ),
            };
        }
    }
    let mut index = 0;
    while let Some(one) = table.unlisted(index) {
        index += 1;
        let Unlisted::Flattened {
            path,
            values,
            is_optional,
            ..
        } = one
        else {
            continue;
        };
        let part = Part {
            values,
            is_optional,
        };
        if !part.is_optional && !is_map(part.values) && !is_there(locked, &path, part) {
            return Some(
                name(false, path.bytes())
                    .text(" is new and not an `Option`, so documents without it cannot be read"),
            );
        }
    }
    None
}

impl Part {
    const fn is_tagged_as(self, was: Was) -> bool {
        let Stored::Union(union) = self.values.stored else {
            return true;
        };
        let tagged = Message::new().raw(UNION).json(union.tagging);
        starts_with(was.stored, tagged.bytes())
    }

    /// The values of `was` that it does not take.
    const fn difference_from(self, was: Was) -> Option<Message> {
        let subject = name(is_map_of(was), was.path);
        let form = without_null(was.stored);
        if !is_type(form, &self.values.stored) {
            let Some(variants) = Enum::of(&self.values.stored, form) else {
                let now = Message::new().of_type(&self.values.stored);
                let holds = put_json(subject.text(" is `"), now.bytes(), b"");
                let holds = holds.text("` now, and was `");
                return Some(put_json(holds, form, was.took).text("`"));
            };
            if let Some(lost) = variants.difference(subject.copied(), false) {
                return Some(lost);
            }
        }
        if is_nullable(was.stored) && !self.is_optional {
            return Some(subject.text(" has to be there now: it is not an `Option` any more"));
        }
        values::narrowed(subject, &self.values.holds, was.took, was.knows_forms)
    }
}

/// The beginning of a sentence about one.
const fn name(is_map: bool, path: &[u8]) -> Message {
    let name = Message::new().text(if is_map {
        "the flattened map"
    } else {
        "the flattened enum"
    });
    if path.is_empty() {
        name
    } else {
        name.text(" in `").raw(path).text("`")
    }
}

/// True if an enum that was flattened into the object whose values are at the path had this
/// variant, with a tag beside it.
pub(super) const fn had_variant(locked: &Locked, values_path: &[u8], variant: &str) -> bool {
    let Some(mut rest) = locked.flattened else {
        return false;
    };
    while !rest.is_empty() {
        let (was, others) = first(rest, locked);
        rest = others;
        let at = Message::new().raw(was.path).step_into_flattened();
        if equal(at.bytes(), values_path)
            && variants::had_variant(without_null(was.stored), variant)
        {
            return true;
        }
    }
    false
}

/// True if what was released has values that `part` takes.
const fn is_there(locked: &Locked, path: &Message, part: Part) -> bool {
    let Some(mut rest) = locked.flattened else {
        return false;
    };
    while !rest.is_empty() {
        let (was, others) = first(rest, locked);
        rest = others;
        if equal(path.bytes(), was.path) && part.difference_from(was).is_none() {
            return true;
        }
    }
    false
}

const fn first(rest: &'static [u8], locked: &Locked) -> (Was, &'static [u8]) {
    let (path, rest) = up_to(rest, b'\t');
    let (stored, rest) = up_to(rest, b'\t');
    let (took, rest) = up_to(rest, b'\t');
    (
        Was {
            path,
            stored,
            took,
            knows_forms: locked.knows_forms,
        },
        rest,
    )
}

const fn is_map(values: &TypeInfo) -> bool {
    matches!(values.stored, Stored::Map(_))
}

const fn is_map_of(was: Was) -> bool {
    starts_with(was.stored, MAP)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::codec::Object as _;
    use crate::{Document, Union};

    #[derive(Union, Debug)]
    #[union(tag = "kind")]
    enum Kind {
        Letter,
        Card { picture: String },
    }

    #[derive(Document, Debug)]
    struct Page {
        #[attribute(flatten)]
        kind: Kind,
        #[attribute(flatten)]
        counts: BTreeMap<String, u16>,
    }

    const KIND: &str = "\t[\"union\",\"internal kind\",[[\"Card\",[\"object\",{\"picture\":\"string\"}]],[\"Letter\",[\"tuple\",[]]]]]\t\t";

    fn found(flattened: &str) -> Option<String> {
        let text = format!("page\t0\tdocument\t0\t0\tforms\t\n\n\n\n{flattened}\n\n\n\n");
        let found = difference(Page::TABLE, &Locked::read(Box::leak(text.into_boxed_str())));
        found.map(|message| message.as_str().to_owned())
    }

    #[test]
    fn a_lock_that_does_not_know_them_is_held_to_nothing() {
        assert_eq!(found("unknown"), None);
        let is_new =
            "the flattened enum is new and not an `Option`, so documents without it cannot be read";
        assert_eq!(found("").as_deref(), Some(is_new));
    }

    #[test]
    fn each_change_that_values_would_not_survive_is_a_sentence() {
        let map = |stored: &str, took: &str| found(&format!("{KIND}\t{stored}\t{took}\t"));
        assert_eq!(map("[\"map\",\"number\"]", "u8"), None);
        let problem = map("[\"map\",\"number\"]", "i32");
        assert_eq!(
            problem.as_deref(),
            Some("the flattened map is read as u16 now, and was stored as i32")
        );
        let problem = map("[\"map\",\"json\"]", "");
        assert_eq!(
            problem.as_deref(),
            Some(
                "the flattened map is `std::collections::BTreeMap<String, upstate::Number>` now, and was `std::collections::BTreeMap<String, serde_json::Value>`"
            )
        );
        let problem = found(&format!("{KIND}inner\t[\"map\",\"json\"]\t\t"));
        assert_eq!(
            problem.as_deref(),
            Some("the flattened map in `inner` is gone, and its values would be lost")
        );
        let problem = found(&KIND.replace("Letter", "Note"));
        assert_eq!(
            problem.as_deref(),
            Some("the flattened enum no longer has the variant \"Note\"")
        );
        let has_to_be_there =
            Some("the flattened enum has to be there now: it is not an `Option` any more");
        let optional = KIND.replace("]\t\t", "] null\t\t");
        assert_eq!(found(&optional).as_deref(), has_to_be_there);
        // A new variant does not hide that.
        assert_eq!(
            found(&optional.replace(",[\"Letter\",[\"tuple\",[]]]", "")).as_deref(),
            has_to_be_there
        );
    }
}
