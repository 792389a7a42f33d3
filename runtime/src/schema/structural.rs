//! The proof, at compile time, that Kubernetes' structural schemas describe the values of a type.

use super::table::{Row, Stored, TypeInfo, UnionTable};
use super::{Holds, Takes};
use crate::message::iterate;

/// Refuses, at compile time, a type that no structural schema of Kubernetes describes.
#[doc(hidden)]
#[track_caller]
pub const fn check_structural(info: &TypeInfo) {
    structural(&info.stored, &info.holds);
}

/// Refuses, at compile time, `int_or_string` of what its author does not read.
#[doc(hidden)]
#[track_caller]
pub const fn check_int_or_string(info: &TypeInfo) {
    assert!(
        matches!(info.stored, Stored::Json),
        "`int_or_string` is for a type of serde that reads numbers and strings [U0016]\nhelp: write `#[attribute(json)]` too, and `IntOrString` of k8s-openapi as the type"
    );
}

/// Refuses, at compile time, the schema of a type whose fields have one already.
#[doc(hidden)]
#[track_caller]
pub const fn check_own_schema(info: &TypeInfo) {
    assert!(
        matches!(info.stored, Stored::Json),
        "`schema` is for a type of serde, and the schema of this one is known [U0016]\nhelp: remove `schema`; a type of k8s-openapi also has `#[attribute(json)]`"
    );
}

/// Refuses, at compile time, null where no value is null, or where the server drops or refuses it.
#[doc(hidden)]
#[track_caller]
pub const fn check_nullable(info: &TypeInfo) {
    assert!(
        info.holds.nullable,
        "only an `Option` is null [U0016]\nhelp: write `Option<…>` as the type, or remove `nullable`"
    );
    let is_enum = match info.stored {
        Stored::String => matches!(info.holds.takes, Takes::Texts(_)),
        Stored::Union(union) => first_letter(union.tagging) == b'e' && has_units(union),
        Stored::Bool
        | Stored::Number
        | Stored::Dynamic
        | Stored::List(_)
        | Stored::Set(_)
        | Stored::Map(_)
        | Stored::Tuple(_)
        | Stored::Object(_)
        | Stored::Json => false,
    };
    assert!(
        !is_enum,
        "Kubernetes does not take null with the strings of an enum [U0016]\nhelp: remove `nullable`: a field that is absent is `None`, too"
    );
    assert!(
        !matches!(info.stored, Stored::Json),
        "Kubernetes drops null where any JSON may be [U0016]\nhelp: remove `nullable`: a field that is absent is `None`, too"
    );
}

/// True if a value of the enum may be a string.
const fn has_units(union: &UnionTable) -> bool {
    iterate!(variant in union.variants => {
        if matches!(variant.info.stored, Stored::Tuple([])) {
            return true;
        }
    });
    false
}

/// Refuses, at compile time, a map type of what is not an object.
#[doc(hidden)]
#[track_caller]
pub const fn check_map_type(info: &TypeInfo) {
    assert!(
        matches!(info.stored, Stored::Object(_) | Stored::Map(_)),
        "`map_type` is for maps and structs [U0016]\nhelp: remove it; a list has a `list_type`"
    );
}

/// Refuses, at compile time, a list type that the server would refuse; `keys` are those of a list
/// that is a map, by their names and numbers.
#[doc(hidden)]
#[track_caller]
pub const fn check_list_type(info: &TypeInfo, word: &str, keys: &[u64]) {
    let element = if let Stored::List(element) | Stored::Set(element) = info.stored {
        Some(element)
    } else {
        None
    };
    assert!(
        element.is_some(),
        "`list_type` is for lists [U0016]\nhelp: remove it; a map or a struct has a `map_type`"
    );
    let is_nullable = match info.holds.elements {
        Some(elements) => elements.nullable,
        None => false,
    };
    assert!(
        first_letter(word) == b'a' || !is_nullable,
        "elements of a list that is a set or a map are never null [U0016]\nhelp: remove the `Option` around them, or write `list_type = \"atomic\"`"
    );
    match first_letter(word) {
        b'm' => {
            assert!(
                matches!(element, Some(Stored::Object(_))),
                "the elements of a list that is a map are structs [U0016]\nhelp: write `list_type = \"set\"`, or a struct with a field for the key"
            );
            let rows = match element {
                Some(Stored::Object(table)) => table.rows,
                Some(_) | None => &[],
            };
            iterate!(key in keys => {
                check_key(rows, *key);
            });
        }
        b's' => assert!(
            matches!(
                element,
                Some(Stored::Bool | Stored::Number | Stored::String)
            ),
            "the elements of a list that is a set are strings, numbers or booleans [U0016]\nhelp: write `list_type = \"map\", list_map_keys(\"…\")` for structs, or `list_type = \"atomic\"`"
        ),
        _ => {}
    }
}

/// The field of a key is there, has no parts, and always has a value.
#[track_caller]
const fn check_key(rows: &[Row], key: u64) {
    let mut is_found = false;
    iterate!(row in rows => {
        if row.key == key {
            is_found = true;
            assert!(
                matches!(
                    row.info.stored,
                    Stored::Bool | Stored::Number | Stored::String
                ),
                "a key of a list that is a map is a string, a number or a boolean [U0016]\nhelp: name another field in `list_map_keys`"
            );
            assert!(
                !row.info.holds.nullable,
                "a key of a list that is a map always has a value [U0016]\nhelp: remove the `Option` of the field, or name another one in `list_map_keys`"
            );
        }
    });
    assert!(
        is_found,
        "the elements of this list have no field of a name in `list_map_keys` [U0016]\nhelp: write the stored names of their fields"
    );
}

#[track_caller]
const fn structural(stored: &Stored, holds: &Holds) {
    let inside = match holds.elements {
        Some(elements) => elements,
        None => &Holds::ANYTHING,
    };
    match stored {
        Stored::Number => match holds.takes {
            Takes::Integers { max, .. } => assert!(
                max <= i64::MAX as i128,
                "Kubernetes' integers have 64 bits with a sign, so a `u64` cannot be stored [U0016]\nhelp: write `i64` or `u32`, or store it as a string with `#[attribute(as_string)]`"
            ),
            Takes::Anything
            | Takes::Floats
            | Takes::Texts(_)
            | Takes::OwnType
            | Takes::Objects(_)
            | Takes::Tuples(_) => assert!(
                matches!(holds.takes, Takes::Floats | Takes::OwnType),
                "Kubernetes' integers have 64 bits with a sign, so a number of any size cannot be stored [U0016]\nhelp: write `i64` or `f64`, or store it as a string with `#[attribute(as_string)]`"
            ),
        },
        Stored::Bool | Stored::String | Stored::Json | Stored::Dynamic => assert!(
            !matches!(stored, Stored::Dynamic),
            "a `Dynamic` is for Terraform [U0016]\nhelp: write `#[attribute(json)]` and `serde_json::Value`"
        ),
        Stored::List(element) | Stored::Set(element) | Stored::Map(element) => {
            structural(element, inside);
        }
        Stored::Tuple(elements) => tuple(elements, &holds.takes),
        Stored::Object(table) => {
            iterate!(row in table.rows => {
                check_structural(row.info);
            });
        }
        Stored::Union(union) => check_union(union),
    }
}

/// Elements have one schema, so they have one type.
#[track_caller]
#[expect(
    clippy::indexing_slicing,
    reason = "the compiler reports a wrong index"
)]
const fn tuple(elements: &[&'static Stored], takes: &Takes) {
    let mut index = 0;
    while index < elements.len() {
        let holds = match takes {
            Takes::Tuples(all) if index < all.len() => all[index],
            Takes::Anything
            | Takes::Integers { .. }
            | Takes::Floats
            | Takes::Texts(_)
            | Takes::OwnType
            | Takes::Objects(_)
            | Takes::Tuples(_) => &Holds::ANYTHING,
        };
        structural(elements[index], holds);
        assert!(
            elements[index].number() == elements[0].number(),
            "the elements of an array have one type in Kubernetes, and those of this tuple have several [U0016]\nhelp: write a struct with names for the elements"
        );
        index += 1;
    }
    assert!(
        !elements.is_empty(),
        "nothing but null can be stored here, which Kubernetes drops [U0016]\nhelp: remove the field, or write a struct without fields"
    );
}

#[track_caller]
const fn check_union(union: &UnionTable) {
    let word = first_letter(union.tagging);
    assert!(
        word != b'u',
        "an untagged enum has several types at one place, which a structural schema cannot say [U0016]\nhelp: write `tag = \"…\"` on the enum, or `#[attribute(json)]` on the field"
    );
    let (mut units, mut index) = (0, 0);
    while index < union.variants.len() {
        #[expect(
            clippy::indexing_slicing,
            reason = "the compiler reports a wrong index"
        )]
        let variant = &union.variants[index];
        let is_unit = matches!(variant.info.stored, Stored::Tuple([]));
        if is_unit {
            units += 1;
        } else {
            check_structural(variant.info);
        }
        match word {
            b'i' => {
                assert!(
                    is_unit || matches!(variant.info.stored, Stored::Object(_)),
                    "a variant of this enum is not an object, so Kubernetes cannot store it next to its tag [U0016]\nhelp: write the variant with named fields"
                );
                check_members(union, index);
            }
            b'a' => check_content(union, index),
            _ => {}
        }
        index += 1;
    }
    assert!(
        word != b'e' || units == 0 || units == union.variants.len(),
        "a value of this enum is a string for one variant and an object for another, which a structural schema cannot say [U0016]\nhelp: write `Plain {{}}` for the variants without data, or `tag = \"…\"` on the enum, or `#[attribute(json)]` on the field"
    );
}

const fn first_letter(text: &str) -> u8 {
    match text.as_bytes() {
        [first, ..] => *first,
        [] => 0,
    }
}

/// No two variants have a member of one name and two types.
#[track_caller]
#[expect(
    clippy::indexing_slicing,
    reason = "the compiler reports a wrong index"
)]
const fn check_members(union: &UnionTable, index: usize) {
    let Stored::Object(own) = union.variants[index].info.stored else {
        return;
    };
    let mut before = 0;
    while before < index {
        if let Stored::Object(other) = union.variants[before].info.stored {
            same_members(own.rows, other.rows);
        }
        before += 1;
    }
}

#[track_caller]
const fn same_members(own: &[Row], others: &[Row]) {
    iterate!(row in own => {
        iterate!(other in others => {
            assert!(
                row.key != other.key || same(row.info, other.info),
                "two variants of this enum have a member of one name with two types, which a structural schema cannot say [U0016]\nhelp: rename one of the members, or write `#[attribute(json)]` on the field"
            );
        });
    });
}

/// The content has one type, or all contents are objects.
#[track_caller]
#[expect(
    clippy::indexing_slicing,
    reason = "the compiler reports a wrong index"
)]
const fn check_content(union: &UnionTable, index: usize) {
    let own = union.variants[index].info;
    let mut before = 0;
    while before < index {
        let other = union.variants[before].info;
        let is_unit =
            matches!(own.stored, Stored::Tuple([])) || matches!(other.stored, Stored::Tuple([]));
        match (own.stored, other.stored) {
            (Stored::Object(own), Stored::Object(other)) => same_members(own.rows, other.rows),
            _ => assert!(
                is_unit || same(own, other),
                "the content of this enum has several types, which a structural schema cannot say [U0016]\nhelp: write all variants with named fields, or `#[attribute(json)]` on the field"
            ),
        }
        before += 1;
    }
}

const fn same(one: &TypeInfo, other: &TypeInfo) -> bool {
    // The forms of strings may differ, because a structural schema has none.
    one.stored.number() == other.stored.number() && limit(&one.holds) == limit(&other.holds)
}

const fn limit(holds: &Holds) -> u64 {
    match holds.elements {
        Some(elements) => limit(elements),
        None if holds.format.is_empty() => holds.limit,
        None => 0,
    }
}
