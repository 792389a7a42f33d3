//! The Rust types of a field, as it was released and as it is today, for one sentence about both.

// Everything here runs in the compiler, so that a wrong index does not compile.
#![expect(clippy::indexing_slicing, reason = "const evaluation")]

use super::notation::{is_nullable, is_set, without_null};
use super::released_type::{around_elements, put_form, put_integer};
use super::text::{ends_with, equal, last_segment, starts_with};
use super::values;
use crate::message::Message;
use crate::schema::table::{Stored, TypeInfo};
use crate::schema::{Holds, IntegerRange, Nesting, Takes};

/// The most strings of an enum that a message names.
const NAMED: usize = 3;

/// The type of what the line of the lock for `path` says, with what marks its field; `inside` has
/// facts about values in others.
pub(super) const fn was(path: &[u8], line: &[u8], inside: &[u8]) -> Message {
    let (stored, took) = values::split(line);
    let out = marked(
        starts_with(stored, b"block "),
        is_set(stored),
        ends_with(stored, b" write_only"),
    );
    let form = without_null(stored);
    let nullable = is_nullable(stored) || starts_with(stored, b"block single");
    let out = if nullable { out.text("Option<") } else { out };
    let (before, behind) = around_elements(path, inside);
    let out = if ends_with(form, b" single") {
        out.text(ANY_OBJECT)
    } else if ends_with(form, b" list") || ends_with(form, b" set") {
        out.text("Vec<")
            .text(before)
            .text(ANY_OBJECT)
            .text(behind)
            .text(">")
    } else if ends_with(form, b" map") {
        out.text("std::collections::BTreeMap<String, ")
            .text(before)
            .text(ANY_OBJECT)
            .text(behind)
            .text(">")
    } else {
        put_form(out, path, form, took, inside)
    };
    closed(out, nullable)
}

/// The Rust type of values, as an operator writes it.
pub(crate) const fn type_of(info: &TypeInfo) -> Message {
    now((info, false, false), &info.holds)
}

/// The Rust type of values that are not null, if they are scalars, or lists or maps of them, and
/// each is of a type that has one name.
pub(crate) const fn type_of_values(stored: &Stored, holds: &Holds) -> Option<Message> {
    if has_one_name(stored, holds) {
        Some(put_stored(Message::new(), stored, (holds, holds), true))
    } else {
        None
    }
}

const fn has_one_name(stored: &Stored, holds: &Holds) -> bool {
    let has_form = holds.lenient
        || holds.integer != 0
        || !holds.format.is_empty()
        || holds.keys.is_some()
        || holds.given.is_some()
        || holds.decodes.is_some();
    if has_form {
        return false;
    }
    match stored {
        Stored::Bool | Stored::String => matches!(holds.takes, Takes::Anything),
        Stored::Number => matches!(
            holds.takes,
            Takes::Anything | Takes::Integers { .. } | Takes::Floats
        ),
        Stored::List(element) | Stored::Map(element) => has_one_name(element, elements_of(holds)),
        Stored::Set(_)
        | Stored::Dynamic
        | Stored::Json
        | Stored::Tuple(_)
        | Stored::Object(_)
        | Stored::Union(_) => false,
    }
}

/// The type of a field today, with what marks it. Inside of it, null is where it is in `nulls`.
const fn now((info, is_block, write_only): (&TypeInfo, bool, bool), nulls: &Holds) -> Message {
    let nullable = info.holds.nullable;
    let (objects, is_set) = match info.objects() {
        Some((table, nesting)) => (Some((table, nesting)), matches!(nesting, Nesting::Set)),
        None => (None, matches!(info.stored, Stored::Set(_))),
    };
    let out = marked(is_block, is_set, write_only);
    let single = is_block && matches!(objects, Some((_, Nesting::Single)));
    let out = if nullable || single {
        out.text("Option<")
    } else {
        out
    };
    let out = match objects {
        Some((table, nesting)) => {
            let name = last_segment(table.rust_name);
            let name = if name.is_empty() {
                ANY_OBJECT.as_bytes()
            } else {
                name
            };
            let (before, behind) = if elements_of(given(nulls)).nullable {
                ("Option<", ">")
            } else {
                ("", "")
            };
            match nesting {
                Nesting::Single => out.raw(name),
                Nesting::List | Nesting::Set => out
                    .text("Vec<")
                    .text(before)
                    .raw(name)
                    .text(behind)
                    .text(">"),
                Nesting::Map => out
                    .text("std::collections::BTreeMap<String, ")
                    .text(before)
                    .raw(name)
                    .text(behind)
                    .text(">"),
            }
        }
        None => put_stored(out, &info.stored, (&info.holds, nulls), true),
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

/// The values that are taken, and those of which null is known: of an author's own type, those that
/// its function is given.
type Held<'h> = (&'h Holds, &'h Holds);

const fn put_stored(out: Message, stored: &Stored, (holds, nulls): Held<'_>, top: bool) -> Message {
    match stored {
        Stored::Bool => out.text("bool"),
        Stored::String => match holds.takes {
            Takes::Texts(texts) => put_texts(out, texts),
            Takes::Anything
            | Takes::Integers { .. }
            | Takes::Floats
            | Takes::OwnType
            | Takes::Objects(_)
            | Takes::Tuples(_) => out.text("String"),
        },
        Stored::Number => match holds.takes {
            Takes::Integers { min, max } => out.text(IntegerRange::new(min, max).name()),
            Takes::Floats => out.text("f64"),
            Takes::Anything
            | Takes::Texts(_)
            | Takes::OwnType
            | Takes::Objects(_)
            | Takes::Tuples(_) => match holds.integer_of_documents() {
                Some(name) => put_integer(out, name.as_bytes()),
                None => out.text("upstate::Number"),
            },
        },
        Stored::Dynamic => out.text("upstate::Dynamic"),
        Stored::Json => out.text("serde_json::Value"),
        Stored::List(element) => put_elements(out.text("Vec<"), element, (holds, nulls)),
        Stored::Set(element) => put_elements(
            out.text(if top {
                "Vec<"
            } else {
                "std::collections::BTreeSet<"
            }),
            element,
            (holds, nulls),
        ),
        Stored::Map(element) => put_elements(
            out.text("std::collections::BTreeMap<String, "),
            element,
            (holds, nulls),
        ),
        Stored::Tuple(elements) => {
            let mut out = out.text("(");
            let mut index = 0;
            while index < elements.len() {
                let nulls = match given(nulls).takes {
                    Takes::Tuples(all) if index < all.len() => all[index],
                    Takes::Tuples(_)
                    | Takes::Anything
                    | Takes::Integers { .. }
                    | Takes::Floats
                    | Takes::Texts(_)
                    | Takes::OwnType
                    | Takes::Objects(_) => &Holds::ANYTHING,
                };
                out = put_inside(out, elements[index], (&Holds::ANYTHING, nulls)).text(",");
                index += 1;
            }
            out.text(")")
        }
        Stored::Object(table) => out.raw(last_segment(table.rust_name)),
        Stored::Union(union) => out.raw(last_segment(union.rust_name)),
    }
}

const fn put_elements(out: Message, element: &Stored, (holds, nulls): Held<'_>) -> Message {
    put_inside(
        out,
        element,
        (elements_of(holds), elements_of(given(nulls))),
    )
    .text(">")
}

/// A type inside of another: an `Option` if null is among its values and would not be otherwise.
const fn put_inside(out: Message, stored: &Stored, (holds, nulls): Held<'_>) -> Message {
    let is_any = matches!(stored, Stored::Json | Stored::Dynamic | Stored::Tuple([]));
    let is_nullable = nulls.nullable && !is_any;
    let out = if is_nullable {
        out.text("Option<")
    } else {
        out
    };
    closed(put_stored(out, stored, (holds, nulls), false), is_nullable)
}

const fn elements_of(holds: &Holds) -> &'static Holds {
    match holds.elements {
        Some(elements) => elements,
        None => &Holds::ANYTHING,
    }
}

/// The values that the function of an author's own type is given; of other types the same ones.
const fn given(holds: &Holds) -> &Holds {
    let mut holds = holds;
    while let Some(given) = holds.given {
        holds = given;
    }
    holds
}

const fn put_texts(out: Message, texts: &[&str]) -> Message {
    out.text("enum { ").texts(texts, NAMED).text(" }")
}

/// Goes on from the name of a field: it is another type than what the line of the lock for `path`
/// says.
pub(super) const fn changed(
    name: Message,
    (path, line, inside): (&[u8], &[u8], &[u8]),
    today: (&TypeInfo, bool, bool),
) -> Option<Message> {
    // Null inside of a type is left out here, because a lock may not know of it, and it is compared
    // elsewhere.
    if equal(
        now(today, &Holds::ANYTHING).bytes(),
        was(path, line, b"").bytes(),
    ) {
        return None;
    }
    let (now, was) = (now(today, &today.0.holds), was(path, line, inside));
    Some(
        name.text(" is `")
            .raw(now.bytes())
            .text("` now, and was `")
            .raw(was.bytes())
            .text("`"),
    )
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::Document;
    use crate::codec::Object as _;

    #[derive(Document, Debug)]
    struct Shelf {
        count: std::num::NonZeroU8,
        marks: Vec<Option<u8>>,
        pairs: BTreeMap<String, (bool, Option<String>)>,
    }

    #[test]
    fn null_inside_of_a_type_is_in_both_types_and_is_no_difference_of_them() {
        let found = |index: usize, path: &str, line: &str, inside: &str| {
            let info = Shelf::TABLE.stored_row(index).info;
            let line = (path.as_bytes(), line.as_bytes(), inside.as_bytes());
            changed(Message::new(), line, (info, false, false))
                .map(|message| message.as_str().to_owned())
        };
        assert_eq!(
            found(0, "count", "\"number\" null\tusize", "").as_deref(),
            Some(" is `std::num::NonZeroU8` now, and was `Option<usize>`")
        );
        assert_eq!(found(1, "marks", "[\"list\",\"number\"]\tu8", ""), None);
        assert_eq!(
            found(1, "marks", "[\"set\",\"number\"]\tu8", "marks[*]?\tnull\t").as_deref(),
            Some(" is `Vec<Option<u8>>` now, and was `#[attribute(set)] Vec<Option<u8>>`")
        );
        assert_eq!(
            found(2, "pairs", "nested list", "pairs[*]?\tnull\t").as_deref(),
            Some(
                " is `std::collections::BTreeMap<String, (bool,Option<String>,)>` now, and was `Vec<Option<{ … }>>`"
            )
        );
    }
}
