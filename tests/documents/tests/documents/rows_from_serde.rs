//! The rows of `docs/src/from-serde.md`, each with values that are made at random: a document reads
//! what serde wrote, and serde reads what a document wrote, from the same JSON. `both_ways.rs` has
//! many of them in one struct, `cases.rs` the edges of each.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Debug;
use std::marker::PhantomData;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::ops::{Bound, Range};
use std::path::PathBuf;
use std::time::Duration;

use proptest::collection::{btree_map, hash_map, vec};
use proptest::option::of;
use proptest::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use upstate::{AttributeType, Document, Union, document};

/// Few, because each row is tried on its own.
fn few() -> ProptestConfig {
    ProptestConfig::with_cases(64)
}

/// Both write the same JSON, and both read the value from either text, of which a document keeps
/// all.
fn same_as_serde<T>(value: &T) -> Result<(), TestCaseError>
where
    T: AttributeType + Serialize + DeserializeOwned + PartialEq + Debug,
{
    let by_serde = serde_json::to_vec(value)?;
    let ours = document::write(value)?;
    let shown = String::from_utf8_lossy(&ours).into_owned();
    let [our_json, json_of_serde]: [Value; 2] = [
        serde_json::from_slice(&ours)?,
        serde_json::from_slice(&by_serde)?,
    ];
    prop_assert_eq!(our_json, json_of_serde, "{}", shown);
    for json in [&by_serde, &ours] {
        let read = document::read::<T>(json)?;
        prop_assert_eq!(read.value(), value, "{}", shown);
        let again: T = serde_json::from_slice(json)?;
        prop_assert_eq!(&again, value, "{}", shown);
        prop_assert!(read.notes().is_empty(), "{}: {:?}", shown, read.notes());
    }
    Ok(())
}

/// Both read the same value, or neither reads one.
fn read_equally<T>(json: &Value) -> Result<Option<T>, TestCaseError>
where
    T: AttributeType + DeserializeOwned + PartialEq + Debug,
{
    let json = json.to_string();
    let by_serde = serde_json::from_str::<T>(&json).ok();
    let ours = document::read::<T>(json.as_bytes())
        .ok()
        .map(document::Read::into_value);
    prop_assert_eq!(&ours, &by_serde, "{}", json);
    Ok(ours)
}

/// The count of what a document does not keep of this JSON, which is read as the value.
fn reported<T>(value: &T, json: &Value) -> Result<usize, TestCaseError>
where
    T: AttributeType + PartialEq + Debug,
{
    let json = json.to_string();
    let read = document::read::<T>(json.as_bytes())?;
    prop_assert_eq!(read.value(), value, "{}", json);
    Ok(read.notes().len())
}

/// The JSON of a value with a member under another name.
fn renamed(value: &impl Serialize, from: &str, to: &str) -> Result<Value, TestCaseError> {
    let mut json = serde_json::to_value(value)?;
    if let Value::Object(members) = &mut json
        && let Some(member) = members.remove(from)
    {
        members.insert(to.to_owned(), member);
    }
    Ok(json)
}

/// The JSON of a value without the members whose bits are set.
fn without(value: &impl Serialize, bits: u8) -> Result<Value, TestCaseError> {
    let Value::Object(members) = serde_json::to_value(value)? else {
        return Err(TestCaseError::fail("not an object"));
    };
    let kept = (0_u8..).zip(members).filter(|(index, _)| {
        bits.checked_shr(u32::from(*index))
            .is_none_or(|bits| bits & 1 == 0)
    });
    Ok(Value::Object(kept.map(|(_, member)| member).collect()))
}

fn text() -> impl Strategy<Value = String> {
    "[ -~]{0,8}|[äß😀\"\\\\]{0,4}"
}

/// JSON without floats and lists, because a list is also read as a tag and its content.
fn json() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<bool>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        text().prop_map(Value::from),
        others().prop_map(|members| Value::Object(members.into_iter().collect())),
    ]
}

/// Members whose names no field has.
fn others() -> impl Strategy<Value = BTreeMap<String, Value>> {
    btree_map(
        "x-[a-z]{1,4}",
        prop_oneof![Just(Value::Null), any::<u64>().prop_map(Value::from)],
        0..3,
    )
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[serde(
    rename = "Other",
    rename_all = "SCREAMING-KEBAB-CASE",
    deny_unknown_fields
)]
struct Paint {
    first_name: u8,
    #[serde(rename = "a b/ü.\"")]
    odd: String,
    #[serde(alias = "colour", alias = "tint")]
    main_color: u8,
    r#type: Option<u8>,
}

/// A struct that fills in what is absent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[serde(default)]
struct Settings {
    retries: u8,
    name: String,
    limit: Option<u8>,
    #[serde(default = "nine")]
    depth: u8,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            retries: 5,
            name: "x".to_owned(),
            limit: Some(1),
            depth: 4,
        }
    }
}

/// Fields that do so, and fields that are not written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
struct Sparse {
    id: u8,
    plain: Option<u8>,
    #[serde(default = "some_nine")]
    maybe: Option<u8>,
    #[serde(default = "nine", skip_serializing_if = "is_nine")]
    depth: u8,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    list: Vec<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<u8>,
    #[serde(skip)]
    cache: u8,
    #[serde(skip, default = "nine")]
    seed: u8,
}

fn nine() -> u8 {
    9
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "a default has the type of its field"
)]
fn some_nine() -> Option<u8> {
    Some(9)
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "conditions get references"
)]
fn is_nine(value: &u8) -> bool {
    *value == 9
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
struct Outer {
    first: u8,
    #[serde(flatten)]
    middle: Middle,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
struct Middle {
    second: u8,
    #[serde(flatten)]
    inner: Inner,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
struct Inner {
    third: u8,
    note: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
struct Open {
    id: u8,
    #[serde(flatten)]
    place: Option<Place>,
    #[serde(flatten)]
    others: HashMap<String, u16>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
struct Place {
    x: u8,
    y: u8,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
struct OpenToAny {
    id: u8,
    #[serde(flatten)]
    others: Value,
}

/// A struct whose members are next to those of its parameter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
struct Part<K> {
    id: u8,
    #[serde(flatten)]
    kind: K,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Union)]
enum Outside {
    Unit,
    New(u8),
    Tup(u8, u8),
    Str { x: u8 },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Union)]
#[serde(tag = "t", content = "c")]
enum Beside {
    Unit,
    New(u8),
    Str { x: u8 },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Union)]
#[serde(untagged)]
enum Loose {
    Wide { x: u8, z: u8 },
    Tall(Tall),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
struct Tall {
    y: u8,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Union)]
#[serde(rename_all_fields = "camelCase")]
enum External {
    Unit,
    New(u8),
    Tup(u8, String),
    Str {
        first_one: u8,
        other: Option<u8>,
    },
    Empty(),
    Braces {},
    Maybe(Option<u8>),
    Keyed(HashMap<i32, u8>),
    #[serde(rename = "x-y", alias = "XY")]
    Named(u8),
    #[serde(rename_all = "SCREAMING_SNAKE_CASE")]
    Loud {
        some_field: u8,
    },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Union)]
enum Free {
    A(u8),
    #[serde(untagged)]
    Raw(String),
    #[serde(untagged)]
    Obj {
        x: u8,
    },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Union)]
enum Known {
    A,
    #[serde(other)]
    Rest,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Union)]
#[serde(tag = "type", rename_all = "kebab-case")]
enum Internal {
    Unit,
    New(Inner),
    Str {
        x: u8,
    },
    Map(BTreeMap<String, Value>),
    Nothing(()),
    #[serde(alias = "old-name")]
    NewName {
        x: u8,
    },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Union)]
#[serde(tag = "type")]
enum KnownInside {
    A {
        x: u8,
    },
    #[serde(other)]
    Rest,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Union)]
#[serde(tag = "t", content = "c")]
enum KnownBeside {
    A(u8),
    #[serde(other, alias = "OLD")]
    Rest,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Union)]
#[serde(tag = "type")]
enum FreeInside {
    A {
        x: u8,
    },
    #[serde(untagged)]
    Rest(BTreeMap<String, Value>),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Union)]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    Unit,
    New(u8),
    Tup(u8, u8),
    Str {
        x: u8,
    },
    Maybe(Option<u8>),
    #[serde(rename = "b b", alias = "old")]
    Named(u8),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Union)]
#[serde(tag = "t", content = "c")]
enum FreeBeside {
    A(u8),
    #[serde(untagged)]
    Rest(Value),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Union)]
#[serde(untagged)]
enum Untagged {
    Unit,
    Num(u8),
    Txt(String),
    Tup(u8, u8),
    Str { x: u8 },
    Flag(bool),
}

/// Variants that hold a value which is not stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Union)]
enum Hiding {
    Own(#[serde(skip)] u8),
    Nine(#[serde(skip, default = "nine")] u8),
    Number(u8),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Union)]
#[serde(tag = "type")]
enum HidingInside {
    Own(#[serde(skip)] u8),
    Str { x: u8 },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Union)]
#[serde(tag = "t", content = "c")]
enum HidingBeside {
    Own(#[serde(skip)] u8),
    Number(u8),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Union)]
#[serde(untagged)]
enum HidingUntagged {
    Own(#[serde(skip)] u8),
    Number(u8),
}

/// Structs without names, and those that hold nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
struct Structs {
    unit: Unit,
    braces: Braces,
    empty: Empty,
    triple: Triple,
    newtype: Newtype,
    transparent: Transparent,
    marked: Marked,
    tagged: Tagged,
    phantom: PhantomData<u8>,
    nothing: (),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
struct Unit;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
struct Braces {}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
struct Empty();

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
struct Triple(u8, Option<u8>, #[serde(default)] u8);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
struct Newtype(Option<u8>);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[serde(transparent)]
struct Transparent(Option<u8>);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[serde(transparent)]
struct Marked {
    inner: u8,
    #[serde(skip)]
    extra: PhantomData<u8>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[serde(tag = "type")]
struct Tagged {
    x: u8,
}

/// Values that are stored in another form.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
struct Converted {
    #[serde(with = "hex")]
    module: u8,
    #[serde(
        serialize_with = "hex::serialize",
        deserialize_with = "hex::deserialize"
    )]
    functions: u8,
    #[serde(with = "hex", default)]
    filled: u8,
    #[serde(with = "remote")]
    remote: Remote,
    even: Even,
    wrapped: Vec<Wrapped>,
    coded: Coded,
}

mod hex {
    use super::Deserialize;

    #[expect(
        clippy::trivially_copy_pass_by_ref,
        reason = "serde asks for a reference"
    )]
    pub(super) fn serialize<S: serde::Serializer>(
        value: &u8,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&format!("{value:x}"))
    }

    pub(super) fn deserialize<'de, D: serde::Deserializer<'de>>(
        deserializer: D,
    ) -> Result<u8, D::Error> {
        u8::from_str_radix(&String::deserialize(deserializer)?, 16)
            .map_err(serde::de::Error::custom)
    }
}

/// A type as another crate has it, without serde's traits.
#[derive(Debug, Clone, PartialEq)]
struct Remote {
    seconds: u8,
}

mod remote {
    use super::{Deserialize, Remote, Serialize};

    #[derive(Serialize, Deserialize)]
    #[serde(remote = "Remote")]
    struct Form {
        seconds: u8,
    }

    pub(super) fn serialize<S: serde::Serializer>(
        value: &Remote,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        Form::serialize(value, serializer)
    }

    pub(super) fn deserialize<'de, D: serde::Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Remote, D::Error> {
        Form::deserialize(deserializer)
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[serde(try_from = "u8", into = "u8")]
struct Even(u8);

impl TryFrom<u8> for Even {
    type Error = String;

    fn try_from(number: u8) -> Result<Self, String> {
        if number & 1 == 0 {
            Ok(Self(number))
        } else {
            Err(format!("{number} is odd"))
        }
    }
}

impl From<Even> for u8 {
    fn from(even: Even) -> Self {
        even.0
    }
}

/// A member that is converted from an `Option` need not be stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
struct Filling {
    id: u8,
    filled: Filled,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[serde(from = "Option<u8>", into = "Option<u8>")]
struct Filled(u8);

impl From<Option<u8>> for Filled {
    fn from(stored: Option<u8>) -> Self {
        Self(stored.unwrap_or(7))
    }
}

impl From<Filled> for Option<u8> {
    fn from(filled: Filled) -> Self {
        Some(filled.0)
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[serde(from = "Either", into = "Either")]
struct Wrapped(u8);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Union)]
#[serde(untagged)]
enum Either {
    Plain(u8),
    Long { value: u8 },
}

impl From<Either> for Wrapped {
    fn from(either: Either) -> Self {
        match either {
            Either::Plain(value) | Either::Long { value } => Self(value),
        }
    }
}

impl From<Wrapped> for Either {
    fn from(wrapped: Wrapped) -> Self {
        if wrapped.0 < 100 {
            Self::Plain(wrapped.0)
        } else {
            Self::Long { value: wrapped.0 }
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
struct CodedJson {
    #[serde(with = "hex")]
    #[attribute(json)]
    module: u8,
    #[serde(
        serialize_with = "hex::serialize",
        deserialize_with = "hex::deserialize"
    )]
    #[attribute(json)]
    functions: u8,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Union)]
enum Coded {
    A(#[serde(with = "hex")] u8),
    B {
        #[serde(with = "hex", default)]
        value: u8,
    },
}

/// Maps whose keys are integers, variants, addresses and more.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
struct Keys {
    small: HashMap<i32, u8>,
    large: BTreeMap<u64, u8>,
    largest: BTreeMap<i128, u8>,
    letters: BTreeMap<char, u8>,
    flags: BTreeMap<bool, u8>,
    levels: BTreeMap<Level, u8>,
    ports: HashMap<Port, u8>,
    spans: BTreeMap<Span, u8>,
    addresses: BTreeMap<Ipv4Addr, u8>,
    ids: BTreeMap<uuid::Uuid, u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Union)]
#[serde(rename_all = "kebab-case")]
enum Level {
    VeryLow,
    High,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Union)]
enum Grade {
    #[serde(alias = "best")]
    Good,
    Bad,
    #[serde(other)]
    Unknown,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
struct Grades {
    #[serde(flatten)]
    counts: BTreeMap<Grade, u8>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, Document)]
struct Port(u16);

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Document)]
#[serde(try_from = "String", into = "String")]
struct Span(u8, u8);

impl TryFrom<String> for Span {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let (from, to) = text.split_once('-').ok_or("no dash")?;
        Ok(Self(
            from.parse().map_err(|_| "no number")?,
            to.parse().map_err(|_| "no number")?,
        ))
    }
}

impl From<Span> for String {
    fn from(span: Span) -> Self {
        format!("{}-{}", span.0, span.1)
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
struct Generics {
    pair: Pair<u8>,
    choices: Vec<Choice<u8, String>>,
    counted: Counted<3>,
    expression: Expression,
    folder: Folder,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[serde(
    crate = "serde",
    expecting = "a pair",
    bound = "T: Serialize + DeserializeOwned"
)]
struct Pair<T> {
    one: T,
    other: Option<T>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Union)]
enum Choice<A, B> {
    Left(A),
    Right { right: B },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
struct Counted<const N: usize> {
    count: u8,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Union)]
enum Expression {
    Num(i32),
    Neg(Box<Expression>),
    Add(Box<Expression>, Box<Expression>),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
struct Folder(BTreeMap<String, Folder>);

/// A type that derives serde's traits alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Foreign {
    list: Vec<(u8, Option<bool>)>,
    kind: ForeignKind,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum ForeignKind {
    Unit,
    Struct { a_field: u8 },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
struct Holder {
    name: String,
    #[attribute(json)]
    foreign: Foreign,
    #[attribute(json)]
    maybe: Option<Foreign>,
}

/// Fields of the standard library.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
struct Standard {
    duration: Duration,
    address: IpAddr,
    socket: SocketAddr,
    path: PathBuf,
    range: Range<u8>,
    bound: Bound<u8>,
    outcome: Result<u8, String>,
    large: (i128, u128),
}

/// Fields of other crates.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
struct Dates {
    utc: chrono::DateTime<chrono::Utc>,
    offset: chrono::DateTime<chrono::FixedOffset>,
    day: chrono::NaiveDate,
    local: chrono::NaiveDateTime,
    #[serde(with = "chrono::serde::ts_seconds")]
    seconds: chrono::DateTime<chrono::Utc>,
    stamp: jiff::Timestamp,
    #[serde(with = "time::serde::rfc3339")]
    at: time::OffsetDateTime,
    #[serde(with = "time::serde::rfc3339::option", default)]
    until: Option<time::OffsetDateTime>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
struct Names {
    id: uuid::Uuid,
    #[serde(with = "uuid::serde::simple")]
    simple: uuid::Uuid,
    page: url::Url,
    other: Option<url::Url>,
}

/// A model in serde's words.
mod theirs {
    use super::{BTreeMap, Deserialize, Serialize, Value};

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(rename_all = "camelCase")]
    pub(super) struct Model {
        #[serde(rename = "x-1")]
        pub(super) first_one: u8,
        #[serde(alias = "old")]
        pub(super) second_one: String,
        #[serde(default = "three")]
        pub(super) third_one: u8,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub(super) fourth_one: Option<u8>,
        pub(super) kinds: Vec<Kind>,
        pub(super) choice: Choice,
        #[serde(flatten)]
        pub(super) part: Part,
        #[serde(flatten)]
        pub(super) others: BTreeMap<String, Value>,
        #[serde(skip)]
        pub(super) cache: u8,
    }

    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(
        tag = "kind",
        content = "of",
        rename_all = "kebab-case",
        rename_all_fields = "camelCase"
    )]
    pub(super) enum Kind {
        FirstOne,
        Second(u8),
        LastOfAll { a_field: String },
    }

    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(untagged)]
    pub(super) enum Choice {
        Number(u8),
        Text(String),
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    pub(super) struct Part {
        pub(super) part_text: String,
    }

    fn three() -> u8 {
        3
    }
}

/// The same model in upstate's words.
mod ours {
    use super::{BTreeMap, Document, Union, Value};

    #[derive(Debug, PartialEq, Document)]
    #[document(rename_all = "camelCase")]
    pub(super) struct Model {
        #[attribute(name = "x-1")]
        first_one: u8,
        #[attribute(alias = "old")]
        second_one: String,
        #[attribute(default = 3)]
        third_one: u8,
        #[attribute(skip_if = Option::is_none)]
        fourth_one: Option<u8>,
        kinds: Vec<Kind>,
        choice: Choice,
        #[attribute(flatten)]
        part: Part,
        #[attribute(rest)]
        others: BTreeMap<String, Value>,
        #[attribute(skip)]
        cache: u8,
    }

    #[derive(Debug, PartialEq, Union)]
    #[union(
        tag = "kind",
        content = "of",
        rename_all = "kebab-case",
        rename_all_fields = "camelCase"
    )]
    pub(super) enum Kind {
        FirstOne,
        Second(u8),
        LastOfAll { a_field: String },
    }

    #[derive(Debug, PartialEq, Union)]
    #[union(untagged)]
    pub(super) enum Choice {
        Number(u8),
        Text(String),
    }

    #[derive(Debug, PartialEq, Document)]
    pub(super) struct Part {
        part_text: String,
    }
}

fn inner() -> impl Strategy<Value = Inner> {
    (any::<u8>(), of(text())).prop_map(|(third, note)| Inner { third, note })
}

fn outside() -> impl Strategy<Value = Outside> {
    prop_oneof![
        Just(Outside::Unit),
        any::<u8>().prop_map(Outside::New),
        any::<(u8, u8)>().prop_map(|(one, other)| Outside::Tup(one, other)),
        any::<u8>().prop_map(|x| Outside::Str { x }),
    ]
}

fn beside() -> impl Strategy<Value = Beside> {
    prop_oneof![
        Just(Beside::Unit),
        any::<u8>().prop_map(Beside::New),
        any::<u8>().prop_map(|x| Beside::Str { x })
    ]
}

fn loose() -> impl Strategy<Value = Loose> {
    prop_oneof![
        any::<(u8, u8)>().prop_map(|(x, z)| Loose::Wide { x, z }),
        any::<u8>().prop_map(|y| Loose::Tall(Tall { y }))
    ]
}

fn external() -> impl Strategy<Value = External> {
    prop_oneof![
        Just(External::Unit),
        any::<u8>().prop_map(External::New),
        (any::<u8>(), text()).prop_map(|(number, text)| External::Tup(number, text)),
        any::<(u8, Option<u8>)>().prop_map(|(first_one, other)| External::Str { first_one, other }),
        Just(External::Empty()),
        Just(External::Braces {}),
        any::<Option<u8>>().prop_map(External::Maybe),
        hash_map(any::<i32>(), any::<u8>(), 0..3).prop_map(External::Keyed),
        any::<u8>().prop_map(External::Named),
        any::<u8>().prop_map(|some_field| External::Loud { some_field }),
    ]
}

/// Text in small letters only, because the name of a variant is that variant.
fn free() -> impl Strategy<Value = Free> {
    prop_oneof![
        any::<u8>().prop_map(Free::A),
        "[a-z ]{0,6}".prop_map(Free::Raw),
        any::<u8>().prop_map(|x| Free::Obj { x })
    ]
}

fn internal() -> impl Strategy<Value = Internal> {
    prop_oneof![
        Just(Internal::Unit),
        inner().prop_map(Internal::New),
        any::<u8>().prop_map(|x| Internal::Str { x }),
        others().prop_map(Internal::Map),
        Just(Internal::Nothing(())),
        any::<u8>().prop_map(|x| Internal::NewName { x }),
    ]
}

fn free_inside() -> impl Strategy<Value = FreeInside> {
    prop_oneof![
        any::<u8>().prop_map(|x| FreeInside::A { x }),
        others().prop_map(FreeInside::Rest)
    ]
}

fn adjacent() -> impl Strategy<Value = Adjacent> {
    prop_oneof![
        Just(Adjacent::Unit),
        any::<u8>().prop_map(Adjacent::New),
        any::<(u8, u8)>().prop_map(|(one, other)| Adjacent::Tup(one, other)),
        any::<u8>().prop_map(|x| Adjacent::Str { x }),
        any::<Option<u8>>().prop_map(Adjacent::Maybe),
        any::<u8>().prop_map(Adjacent::Named),
    ]
}

fn free_beside() -> impl Strategy<Value = FreeBeside> {
    prop_oneof![
        any::<u8>().prop_map(FreeBeside::A),
        json().prop_map(FreeBeside::Rest)
    ]
}

fn untagged() -> impl Strategy<Value = Untagged> {
    prop_oneof![
        Just(Untagged::Unit),
        any::<u8>().prop_map(Untagged::Num),
        text().prop_map(Untagged::Txt),
        any::<(u8, u8)>().prop_map(|(one, other)| Untagged::Tup(one, other)),
        any::<u8>().prop_map(|x| Untagged::Str { x }),
        any::<bool>().prop_map(Untagged::Flag),
    ]
}

fn structs() -> impl Strategy<Value = Structs> {
    any::<(u8, Option<u8>, u8, Option<u8>, Option<u8>, u8, u8)>().prop_map(
        |(first, second, third, new, transparent, inner, x)| Structs {
            unit: Unit,
            braces: Braces {},
            empty: Empty(),
            triple: Triple(first, second, third),
            newtype: Newtype(new),
            transparent: Transparent(transparent),
            marked: Marked {
                inner,
                extra: PhantomData,
            },
            tagged: Tagged { x },
            phantom: PhantomData,
            nothing: (),
        },
    )
}

fn converted() -> impl Strategy<Value = Converted> {
    let coded = prop_oneof![
        any::<u8>().prop_map(Coded::A),
        any::<u8>().prop_map(|value| Coded::B { value })
    ];
    let wrapped = vec(any::<u8>().prop_map(Wrapped), 0..3);
    (any::<(u8, u8, u8, u8)>(), 0..128_u8, wrapped, coded).prop_map(
        |(numbers, half, wrapped, coded)| {
            let (module, functions, filled, seconds) = numbers;
            Converted {
                module,
                functions,
                filled,
                remote: Remote { seconds },
                even: Even(half * 2),
                wrapped,
                coded,
            }
        },
    )
}

fn keys() -> impl Strategy<Value = Keys> {
    let numbers = (
        hash_map(any::<i32>(), any::<u8>(), 0..3),
        btree_map(any::<u64>(), any::<u8>(), 0..3),
        btree_map(any::<i128>(), any::<u8>(), 0..3),
        btree_map(any::<char>(), any::<u8>(), 0..3),
        btree_map(any::<bool>(), any::<u8>(), 0..3),
    );
    let level = prop_oneof![Just(Level::VeryLow), Just(Level::High)];
    let own = (
        btree_map(level, any::<u8>(), 0..3),
        hash_map(any::<u16>().prop_map(Port), any::<u8>(), 0..3),
        btree_map(
            any::<(u8, u8)>().prop_map(|(from, to)| Span(from, to)),
            any::<u8>(),
            0..3,
        ),
        btree_map(any::<[u8; 4]>().prop_map(Ipv4Addr::from), any::<u8>(), 0..3),
        btree_map(
            any::<u128>().prop_map(uuid::Uuid::from_u128),
            any::<u8>(),
            0..3,
        ),
    );
    (numbers, own).prop_map(
        |((small, large, largest, letters, flags), (levels, ports, spans, addresses, ids))| Keys {
            small,
            large,
            largest,
            letters,
            flags,
            levels,
            ports,
            spans,
            addresses,
            ids,
        },
    )
}

fn generics() -> impl Strategy<Value = Generics> {
    let choice = prop_oneof![
        any::<u8>().prop_map(Choice::<u8, String>::Left),
        text().prop_map(|right| Choice::<u8, String>::Right { right }),
    ];
    let expression = any::<i32>()
        .prop_map(Expression::Num)
        .prop_recursive(3, 8, 2, |inner| {
            prop_oneof![
                inner.clone().prop_map(|one| Expression::Neg(Box::new(one))),
                (inner.clone(), inner)
                    .prop_map(|(one, other)| Expression::Add(Box::new(one), Box::new(other))),
            ]
        });
    let folder = Just(Folder(BTreeMap::new())).prop_recursive(3, 8, 3, |inner| {
        btree_map(text(), inner, 0..3).prop_map(Folder)
    });
    (
        any::<(u8, Option<u8>, u8)>(),
        vec(choice, 0..3),
        expression,
        folder,
    )
        .prop_map(
            |((one, other, count), choices, expression, folder)| Generics {
                pair: Pair { one, other },
                choices,
                counted: Counted { count },
                expression,
                folder,
            },
        )
}

fn foreign() -> impl Strategy<Value = Foreign> {
    let kind = prop_oneof![
        Just(ForeignKind::Unit),
        any::<u8>().prop_map(|a_field| ForeignKind::Struct { a_field })
    ];
    (vec(any::<(u8, Option<bool>)>(), 0..3), kind).prop_map(|(list, kind)| Foreign { list, kind })
}

fn standard() -> impl Strategy<Value = Standard> {
    let address = prop_oneof![
        any::<[u8; 4]>().prop_map(IpAddr::from),
        any::<[u8; 16]>().prop_map(IpAddr::from)
    ];
    let bound = prop_oneof![
        any::<u8>().prop_map(Bound::Included),
        any::<u8>().prop_map(Bound::Excluded),
        Just(Bound::<u8>::Unbounded)
    ];
    let outcome = prop_oneof![
        any::<u8>().prop_map(Ok::<u8, String>),
        text().prop_map(Err::<u8, String>)
    ];
    let duration = (any::<u64>(), 0..1_000_000_000_u32)
        .prop_map(|(seconds, nanos)| Duration::new(seconds, nanos));
    let socket = any::<([u8; 4], u16)>().prop_map(SocketAddr::from);
    let numbers = any::<(u8, u8, i128, u128)>();
    (duration, address, socket, text(), bound, outcome, numbers).prop_map(
        |(duration, address, socket, path, bound, outcome, (start, end, least, most))| Standard {
            duration,
            address,
            socket,
            path: PathBuf::from(path),
            range: start..end,
            bound,
            outcome,
            large: (least, most),
        },
    )
}

/// Days of this century and the ones next to it, because years of five digits have other forms.
fn dates() -> impl Strategy<Value = Dates> {
    const SECONDS: Range<i64> = -2_000_000_000..6_000_000_000;
    (
        SECONDS,
        0..1_000_000_000_u32,
        -1_439..1_440_i32,
        of(SECONDS),
    )
        .prop_filter_map(
            "a date that a type has not",
            |(seconds, nanos, minutes, until)| {
                let utc = chrono::DateTime::<chrono::Utc>::from_timestamp(seconds, nanos)?;
                Some(Dates {
                    utc,
                    offset: utc.with_timezone(&chrono::FixedOffset::east_opt(minutes * 60)?),
                    day: utc.date_naive(),
                    local: utc.naive_utc(),
                    seconds: chrono::DateTime::<chrono::Utc>::from_timestamp(seconds, 0)?,
                    stamp: jiff::Timestamp::from_millisecond(utc.timestamp_millis()).ok()?,
                    at: time::OffsetDateTime::from_unix_timestamp(seconds).ok()?,
                    until: until
                        .map(time::OffsetDateTime::from_unix_timestamp)
                        .transpose()
                        .ok()?,
                })
            },
        )
}

fn names() -> impl Strategy<Value = Names> {
    let page = || {
        "[a-z]{1,8}".prop_filter_map("an address", |name| {
            format!("https://example.com/{name}?a=1")
                .parse::<url::Url>()
                .ok()
        })
    };
    (any::<(u128, u128)>(), page(), of(page())).prop_map(|((id, simple), page, other)| Names {
        id: uuid::Uuid::from_u128(id),
        simple: uuid::Uuid::from_u128(simple),
        page,
        other,
    })
}

fn model() -> impl Strategy<Value = theirs::Model> {
    let kind = prop_oneof![
        Just(theirs::Kind::FirstOne),
        any::<u8>().prop_map(theirs::Kind::Second),
        text().prop_map(|a_field| theirs::Kind::LastOfAll { a_field }),
    ];
    let choice = prop_oneof![
        any::<u8>().prop_map(theirs::Choice::Number),
        text().prop_map(theirs::Choice::Text)
    ];
    (
        any::<(u8, u8, Option<u8>)>(),
        text(),
        vec(kind, 0..3),
        choice,
        text(),
        others(),
    )
        .prop_map(
            |((first_one, third_one, fourth_one), second_one, kinds, choice, part_text, others)| {
                theirs::Model {
                    first_one,
                    second_one,
                    third_one,
                    fourth_one,
                    kinds,
                    choice,
                    part: theirs::Part { part_text },
                    others,
                    cache: 0,
                }
            },
        )
}

/// The model that upstate's words read from this text, and the one that serde's words read from the
/// text that it is written as.
fn by_the_other(json: &[u8]) -> Result<[String; 2], TestCaseError> {
    let read = document::read::<ours::Model>(json)?;
    prop_assert!(read.notes().is_empty(), "{:?}", read.notes());
    let written = document::write(read.value())?;
    Ok([
        format!("{:?}", read.value()),
        format!("{:?}", serde_json::from_slice::<theirs::Model>(&written)?),
    ])
}

proptest! {
    #![proptest_config(few())]

    #[test]
    fn names_aliases_and_unknown_members(
        first_name in any::<u8>(), odd in text(), main_color in any::<u8>(), kind in any::<Option<u8>>(), alias in 0..3_usize
    ) {
        let paint = Paint { first_name, odd, main_color, r#type: kind };
        same_as_serde(&paint)?;
        let alias = ["MAIN-COLOR", "colour", "tint"].get(alias).copied().unwrap_or_default();
        prop_assert_eq!(read_equally::<Paint>(&renamed(&paint, "MAIN-COLOR", alias)?)?, Some(paint.clone()));
        prop_assert_eq!(read_equally::<Paint>(&renamed(&paint, "TYPE", "unknown")?)?, None);
    }

    #[test]
    fn absent_members_are_filled_in(
        retries in any::<u8>(), name in text(), limit in any::<Option<u8>>(), depth in any::<u8>(), bits in any::<u8>()
    ) {
        let settings = Settings { retries, name, limit, depth };
        same_as_serde(&settings)?;
        prop_assert!(read_equally::<Settings>(&without(&settings, bits)?)?.is_some());
    }

    #[test]
    fn members_that_are_not_written(
        id in any::<u8>(), plain in any::<Option<u8>>(), maybe in any::<Option<u8>>(), depth in 8..11_u8,
        list in vec(any::<u8>(), 0..3), limit in any::<Option<u8>>(), bits in any::<u8>()
    ) {
        let sparse = Sparse { id, plain, maybe, depth, list, limit, cache: 0, seed: 9 };
        same_as_serde(&sparse)?;
        read_equally::<Sparse>(&without(&sparse, bits)?)?;
    }

    #[test]
    fn flattened_structs_and_maps(
        numbers in any::<(u8, u8)>(), inner in inner(), place in any::<Option<(u8, u8)>>(),
        small in hash_map("x-[a-z]{1,4}", any::<u16>(), 0..3), rest in others()
    ) {
        let (first, second) = numbers;
        same_as_serde(&Outer { first, middle: Middle { second, inner } })?;
        same_as_serde(&Open { id: first, place: place.map(|(x, y)| Place { x, y }), others: small })?;
        same_as_serde(&OpenToAny { id: first, others: Value::Object(rest.into_iter().collect()) })?;
    }

    #[test]
    fn flattened_enums(id in any::<u8>(), outside in outside(), beside in beside(), loose in loose(), inner in inner()) {
        same_as_serde(&Part { id, kind: outside })?;
        same_as_serde(&Part { id, kind: beside })?;
        same_as_serde(&Part { id, kind: loose })?;
        same_as_serde(&Part { id, kind: inner })?;
    }

    #[test]
    fn externally_tagged_enums(external in external(), free in free()) {
        same_as_serde(&external)?;
        prop_assert_eq!(read_equally::<External>(&renamed(&external, "x-y", "XY")?)?, Some(external.clone()));
        same_as_serde(&free)?;
    }

    #[test]
    fn internally_tagged_enums(internal in internal(), free in free_inside(), x in any::<u8>()) {
        same_as_serde(&internal)?;
        same_as_serde(&free)?;
        let old = serde_json::json!({ "type": "old-name", "x": x });
        prop_assert_eq!(read_equally::<Internal>(&old)?, Some(Internal::NewName { x }));
    }

    #[test]
    fn adjacently_tagged_enums(adjacent in adjacent(), free in free_beside(), content in any::<u8>()) {
        same_as_serde(&adjacent)?;
        same_as_serde(&free)?;
        let old = serde_json::json!({ "c": content, "t": "old" });
        prop_assert_eq!(read_equally::<Adjacent>(&old)?, Some(Adjacent::Named(content)));
    }

    #[test]
    fn untagged_enums(untagged in untagged()) {
        same_as_serde(&untagged)?;
    }

    #[test]
    fn variants_for_other_names(name in "[a-z]{1,6}", is_known in any::<bool>(), id in any::<u8>(), x in any::<u8>()) {
        let outside = if is_known { Known::A } else { Known::Rest };
        let inside = if is_known { KnownInside::A { x } } else { KnownInside::Rest };
        let beside = if is_known { KnownBeside::A(x) } else { KnownBeside::Rest };
        same_as_serde(&outside)?;
        same_as_serde(&inside)?;
        same_as_serde(&beside)?;
        same_as_serde(&Part { id, kind: Some(outside.clone()) })?;
        same_as_serde(&Part { id, kind: outside })?;
        same_as_serde(&Part { id, kind: inside })?;
        same_as_serde(&Part { id, kind: beside })?;
        prop_assert_eq!(read_equally::<Known>(&Value::from(name.as_str()))?, Some(Known::Rest));
        prop_assert_eq!(read_equally::<KnownInside>(&serde_json::json!({ "type": name }))?, Some(KnownInside::Rest));
        prop_assert_eq!(read_equally::<KnownBeside>(&serde_json::json!({ "t": name }))?, Some(KnownBeside::Rest));
    }

    #[test]
    fn a_name_is_reported_unless_a_variant_has_it(name in "[a-z]{1,6}", x in any::<u8>()) {
        prop_assert_eq!(reported(&KnownBeside::Rest, &serde_json::json!({ "t": "OLD" }))?, 0);
        for (tag, lost) in [("Rest", 0), (name.as_str(), 1)] {
            prop_assert_eq!(reported(&Known::Rest, &Value::from(tag))?, lost);
            prop_assert_eq!(reported(&Known::Rest, &serde_json::json!({ tag: null }))?, lost);
            prop_assert_eq!(reported(&KnownInside::Rest, &serde_json::json!({ "type": tag }))?, lost);
            prop_assert_eq!(reported(&KnownInside::Rest, &serde_json::json!({ "type": tag, "x": x }))?, lost + 1);
            prop_assert_eq!(reported(&KnownBeside::Rest, &serde_json::json!({ "t": tag }))?, lost);
            prop_assert_eq!(reported(&KnownBeside::Rest, &serde_json::json!({ "t": tag, "c": null }))?, 2 * lost);
            prop_assert_eq!(reported(&KnownBeside::Rest, &serde_json::json!({ "t": tag, "c": x }))?, lost + 1);
            prop_assert_eq!(reported(&KnownBeside::Rest, &serde_json::json!([tag, null]))?, lost);
            prop_assert_eq!(reported(&KnownBeside::Rest, &serde_json::json!([tag, x]))?, 1);
        }
    }

    #[test]
    fn a_value_of_a_variant_that_is_not_stored(number in any::<u8>()) {
        for hiding in [Hiding::Own(0), Hiding::Nine(9), Hiding::Number(number)] {
            same_as_serde(&hiding)?;
        }
        same_as_serde(&HidingInside::Own(0))?;
        same_as_serde(&HidingInside::Str { x: number })?;
        same_as_serde(&HidingUntagged::Own(0))?;
        same_as_serde(&HidingUntagged::Number(number))?;
        prop_assert_eq!(document::write(&Hiding::Own(number))?, br#""Own""#);
        // serde does not read what it writes here.
        let own = serde_json::to_vec(&HidingBeside::Own(number))?;
        let ours = document::write(&HidingBeside::Own(number))?;
        prop_assert_eq!(&ours, &own);
        prop_assert_eq!(document::read::<HidingBeside>(&own)?.into_value(), HidingBeside::Own(0));
    }

    #[test]
    fn structs_of_every_kind(structs in structs()) {
        same_as_serde(&structs)?;
    }

    #[test]
    fn conversions(converted in converted(), number in any::<u8>()) {
        same_as_serde(&converted)?;
        prop_assert_eq!(read_equally::<Even>(&Value::from(number))?.is_some(), number & 1 == 0);
        prop_assert_eq!(read_equally::<Wrapped>(&serde_json::json!({ "value": number }))?, Some(Wrapped(number)));
        same_as_serde(&CodedJson { module: number, functions: number })?;
        let filling = |filled| Filling { id: number, filled: Filled(filled) };
        same_as_serde(&filling(number))?;
        prop_assert_eq!(read_equally::<Filling>(&serde_json::json!({ "id": number }))?, Some(filling(7)));
        prop_assert_eq!(read_equally::<Filling>(&serde_json::json!({ "id": number, "filled": null }))?, Some(filling(7)));
    }

    #[test]
    fn keys_of_maps(keys in keys()) {
        same_as_serde(&keys)?;
    }

    #[test]
    fn keys_that_have_other_names(count in any::<u8>(), name in "[a-z]{1,3}") {
        let names = [("Good", Grade::Good, 0), ("best", Grade::Good, 0), ("Unknown", Grade::Unknown, 0), (name.as_str(), Grade::Unknown, 1)];
        for (name, grade, lost) in names {
            let json = serde_json::json!({ name: count });
            let counts = BTreeMap::from([(grade, count)]);
            let found = read_equally::<BTreeMap<Grade, u8>>(&json)?;
            prop_assert_eq!(found.as_ref(), Some(&counts));
            prop_assert_eq!(reported(&counts, &json)?, lost);
            same_as_serde(&counts)?;
            let grades = Grades { counts };
            let found = read_equally::<Grades>(&json)?;
            prop_assert_eq!(found.as_ref(), Some(&grades));
            prop_assert_eq!(reported(&grades, &json)?, lost);
        }
    }

    #[test]
    fn generic_and_recursive_types(generics in generics()) {
        same_as_serde(&generics)?;
    }

    #[test]
    fn types_of_serde_alone(name in text(), foreign in foreign(), maybe in of(foreign())) {
        same_as_serde(&Holder { name, foreign, maybe })?;
    }

    #[test]
    fn types_of_the_standard_library(standard in standard()) {
        same_as_serde(&standard)?;
    }

    #[test]
    fn types_of_other_crates(dates in dates(), names in names()) {
        same_as_serde(&dates)?;
        same_as_serde(&names)?;
    }

    #[test]
    fn words_of_upstate_mean_those_of_serde(model in model(), is_old in any::<bool>()) {
        let shown = format!("{model:?}");
        let by_serde = serde_json::to_vec(&model)?;
        let [ours, theirs] = by_the_other(&by_serde)?;
        prop_assert_eq!((&ours, &theirs), (&shown, &shown));
        let written = document::write(document::read::<ours::Model>(&by_serde)?.value())?;
        prop_assert_eq!(serde_json::from_slice::<Value>(&written)?, serde_json::to_value(&model)?);
        let renamed = renamed(&model, "secondOne", if is_old { "old" } else { "secondOne" })?;
        prop_assert_eq!(by_the_other(renamed.to_string().as_bytes())?, [shown.clone(), shown]);
    }
}
