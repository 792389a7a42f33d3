//! Values that are made at random: documents read what serde wrote, and serde reads what documents
//! wrote, the same value each time.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

use proptest::collection::{btree_map, btree_set, vec};
use proptest::option::of;
use proptest::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use upstate::{Document, Resource, Union};

/// All that serde says about fields, in one struct.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[serde(rename_all = "camelCase")]
#[document(type_name = "all")]
struct All {
    plain_name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    maybe: Option<i64>,
    nothing: Option<bool>,
    numbers: (u8, i8, u64, i64, f32, f64),
    letter: char,
    #[serde(rename = "UPPER")]
    renamed: BTreeSet<u16>,
    by_number: BTreeMap<i32, Vec<External>>,
    external: External,
    internal: Vec<Internal>,
    adjacent: BTreeMap<String, Adjacent>,
    untagged: Vec<Untagged>,
    newtype: Id,
    pair: [Point; 2],
    boxed: Option<Box<Tree>>,
    any: serde_json::Value,
    #[serde(flatten)]
    part: Part,
    #[serde(flatten)]
    rest: BTreeMap<String, serde_json::Value>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
struct Part {
    part_text: String,
}

/// Without a map for the rest, which with serde also gets the members of a flattened enum.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[document(type_name = "flat")]
struct Flat {
    name: String,
    #[serde(flatten)]
    kind: Internal,
    #[serde(flatten)]
    other: Option<Point3>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
struct Point3 {
    x: i32,
    y: i32,
    #[serde(default)]
    z: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
struct Id(u64);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
struct Point(i32, f64);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
struct Tree {
    name: String,
    leaves: Vec<Tree>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Union)]
#[serde(rename_all = "kebab-case")]
enum External {
    FirstOne,
    Newtype(Id),
    Tuple(u8, String),
    Struct { a_field: bool, other: Option<u8> },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Union)]
#[serde(tag = "kind", rename_all_fields = "SCREAMING_SNAKE_CASE")]
enum Internal {
    Unit,
    Struct { a_field: u32 },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Union)]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    Unit,
    Newtype(Vec<i64>),
    Tuple(u8, u8),
    Struct { x: f64 },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Union)]
#[serde(untagged)]
enum Untagged {
    Number(u64),
    Text(String),
    Struct { list: Vec<u8> },
}

fn text() -> impl Strategy<Value = String> {
    // Quotation marks, escapes and letters beyond the first plane are written in several ways.
    "[ -~]{0,8}|[\u{0}-\u{1f}äß\u{2028}😀\"\\\\]{0,4}"
}

fn float() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<i32>().prop_map(f64::from),
        any::<f64>().prop_filter("JSON has no such number", |float| float.is_finite())
    ]
}

fn json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(serde_json::Value::from),
        any::<u64>().prop_map(serde_json::Value::from),
        any::<i64>().prop_map(serde_json::Value::from),
        float().prop_map(serde_json::Value::from),
        text().prop_map(serde_json::Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(serde_json::Value::from),
            btree_map(text(), inner, 0..4)
                .prop_map(|map| serde_json::Value::Object(map.into_iter().collect())),
        ]
    })
}

fn external() -> impl Strategy<Value = External> {
    prop_oneof![
        Just(External::FirstOne),
        any::<u64>().prop_map(|id| External::Newtype(Id(id))),
        (any::<u8>(), text()).prop_map(|(number, text)| External::Tuple(number, text)),
        (any::<bool>(), of(any::<u8>()))
            .prop_map(|(a_field, other)| External::Struct { a_field, other }),
    ]
}

fn internal() -> impl Strategy<Value = Internal> {
    prop_oneof![
        Just(Internal::Unit),
        any::<u32>().prop_map(|a_field| Internal::Struct { a_field })
    ]
}

fn adjacent() -> impl Strategy<Value = Adjacent> {
    prop_oneof![
        Just(Adjacent::Unit),
        vec(any::<i64>(), 0..3).prop_map(Adjacent::Newtype),
        any::<(u8, u8)>().prop_map(|(one, other)| Adjacent::Tuple(one, other)),
        float().prop_map(|x| Adjacent::Struct { x }),
    ]
}

fn untagged() -> impl Strategy<Value = Untagged> {
    prop_oneof![
        any::<u64>().prop_map(Untagged::Number),
        text().prop_map(Untagged::Text),
        vec(any::<u8>(), 0..3).prop_map(|list| Untagged::Struct { list }),
    ]
}

fn tree() -> impl Strategy<Value = Tree> {
    let leaf = text().prop_map(|name| Tree {
        name,
        leaves: Vec::new(),
    });
    leaf.prop_recursive(3, 8, 3, |inner| {
        (text(), vec(inner, 0..3)).prop_map(|(name, leaves)| Tree { name, leaves })
    })
}

fn point() -> impl Strategy<Value = Point> {
    (any::<i32>(), float()).prop_map(|(x, y)| Point(x, y))
}

/// Names that no field has.
fn others() -> impl Strategy<Value = BTreeMap<String, serde_json::Value>> {
    btree_map("x-[a-z]{1,4}", json(), 0..3)
}

fn all() -> impl Strategy<Value = All> {
    let small = any::<f32>().prop_filter("JSON has no such number", |float| float.is_finite());
    let numbers = (
        any::<u8>(),
        any::<i8>(),
        any::<u64>(),
        any::<i64>(),
        small,
        float(),
    );
    let scalars = (
        text(),
        of(any::<i64>()),
        of(any::<bool>()),
        numbers,
        any::<char>(),
        btree_set(any::<u16>(), 0..3),
    );
    let enums = (
        btree_map(any::<i32>(), vec(external(), 0..3), 0..3),
        external(),
        vec(internal(), 0..3),
        btree_map(text(), adjacent(), 0..3),
        vec(untagged(), 0..3),
    );
    let objects = (
        any::<u64>(),
        [point(), point()],
        of(tree()),
        json(),
        text(),
        others(),
    );
    (scalars, enums, objects).prop_map(|(scalars, enums, objects)| {
        let (plain_name, maybe, nothing, numbers, letter, renamed) = scalars;
        let (by_number, external, internal, adjacent, untagged) = enums;
        let (id, pair, boxed, any, part_text, rest) = objects;
        let (newtype, boxed, part) = (Id(id), boxed.map(Box::new), Part { part_text });
        All {
            plain_name,
            maybe,
            nothing,
            numbers,
            letter,
            renamed,
            by_number,
            external,
            internal,
            adjacent,
            untagged,
            newtype,
            pair,
            boxed,
            any,
            part,
            rest,
        }
    })
}

fn both_ways<T: Resource + Serialize + DeserializeOwned + PartialEq + Debug>(
    value: &T,
) -> Result<(), TestCaseError> {
    let by_serde =
        serde_json::to_string(value).map_err(|error| TestCaseError::fail(error.to_string()))?;
    let ours = upstate::to_json(value).map_err(|error| TestCaseError::fail(error.to_string()))?;
    // Serde's own reading is what counts: it may read a float otherwise than it was.
    let expected: T =
        serde_json::from_str(&by_serde).map_err(|error| TestCaseError::fail(error.to_string()))?;
    let read = upstate::from_json::<T>(&by_serde)
        .map_err(|error| TestCaseError::fail(format!("{error}: {by_serde}")))?;
    prop_assert_eq!(&read, &expected, "{}", by_serde);
    let back: T =
        serde_json::from_slice(&ours).map_err(|error| TestCaseError::fail(error.to_string()))?;
    prop_assert_eq!(&back, &expected, "{}", String::from_utf8_lossy(&ours));
    let (upgraded, notes) = upstate::upgrade_json_with_notes::<T>(T::VERSION, &ours)
        .map_err(|error| TestCaseError::fail(error.to_string()))?;
    prop_assert_eq!(&upgraded, &expected);
    prop_assert!(notes.undefined().is_empty());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn what_serde_writes_is_read_and_what_documents_write_is_read_by_serde(value in all()) {
        both_ways(&value)?;
    }

    #[test]
    fn flattened_enums_and_options_are_where_serde_has_them(
        name in text(), kind in internal(), other in of(any::<(i32, i32, i32)>())
    ) {
        both_ways(&Flat { name, kind, other: other.map(|(x, y, z)| Point3 { x, y, z }) })?;
    }

    #[test]
    fn no_text_makes_a_document_panic(text in "\\PC{0,64}", value in json()) {
        let _ = upstate::from_json::<All>(&text);
        let _ = upstate::upgrade_json::<All>(0, value.to_string());
    }
}
