//! What serde and `serde_json` do, executed once and recorded, and what a document does of it.

#![expect(
    unused_imports,
    unused_qualifications,
    unreachable_pub,
    non_ascii_idents,
    reason = "the types of the cases are not ours"
)]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{Debug, Display};
use std::sync::OnceLock;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use upstate::codec::DecodeErrorKind as Kind;
use upstate::{AttributeType, DecodeError, document};

mod prelude {
    pub use std::borrow::Cow;
    pub use std::cell::{Cell, RefCell};
    pub use std::cmp::Reverse;
    pub use std::collections::{
        BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque,
    };
    pub use std::ffi::{CString, OsString};
    pub use std::marker::PhantomData;
    pub use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
    pub use std::num::{NonZeroU8, Saturating, Wrapping};
    pub use std::ops::{Bound, Range};
    pub use std::path::PathBuf;
    pub use std::rc::Rc;
    pub use std::sync::atomic::AtomicU8;
    pub use std::sync::{Arc, Mutex, RwLock};
    pub use std::time::{Duration, SystemTime};

    pub use serde::{Deserialize, Serialize};
    pub use serde_json::Value;
    pub use serde_json::value::RawValue;
    pub use upstate::{Document, Union};
    pub use uuid::Uuid;
}

include!(concat!(env!("OUT_DIR"), "/cases.rs"));

/// Cases in which a document does something else on purpose; `docs/src/deviations.md` says why.
const DEVIATIONS: [(&str, &[&str]); 5] = [
    (
        "an internally tagged enum is not read from an array, which no writer makes",
        &["sd-283", "sd-284", "sd-995"],
    ),
    (
        "a number beyond the range of `Saturating` is refused",
        &["sd-481"],
    ),
    (
        "256 values inside one another are the limit, wherever they are",
        &["sd-866", "sd-868", "sd-871", "sd-872"],
    ),
    (
        "an internally tagged `Option` is written, without a value by the tag alone, and read again",
        &["sd-289", "sd-292"],
    ),
    (
        "a number that serde's `Value` cannot hold is read as it is stored",
        &["sd-550"],
    ),
];

fn is_deviation(id: &str) -> bool {
    DEVIATIONS.iter().any(|(_, ids)| ids.contains(&id))
}

/// A recorded case.
fn case(id: &str) -> &'static Value {
    static CASES: OnceLock<BTreeMap<String, Value>> = OnceLock::new();
    let cases = CASES.get_or_init(|| {
        cases()
            .into_iter()
            .map(|case| (case["id"].as_str().unwrap().to_owned(), case))
            .collect()
    });
    &cases[id]
}

fn cases() -> Vec<Value> {
    let document: Value = serde_json::from_str(include_str!("../cases.json")).unwrap();
    let Value::Array(cases) = document["cases"].clone() else {
        panic!("no cases")
    };
    cases
}

/// What a document makes of each case in which it does not do just what serde did.
fn ours() -> &'static BTreeMap<String, Value> {
    static OURS: OnceLock<BTreeMap<String, Value>> = OnceLock::new();
    OURS.get_or_init(|| serde_json::from_str(include_str!("../ours.json")).unwrap())
}

fn is_in_ours(case: &Value) -> bool {
    case["document"] != "same" || is_deviation(case["id"].as_str().unwrap())
}

/// Compares the outcome with the one in `ours.json`; the message is the line to write there.
fn compare_with_ours(case: &Value, outcome: &Value) {
    if is_in_ours(case) {
        let id = case["id"].as_str().unwrap();
        let outcome = outcome.to_string();
        let recorded = ours().get(id).map(Value::to_string);
        assert_eq!(
            recorded.as_ref(),
            Some(&outcome),
            "\n  \"{id}\": {outcome},"
        );
    }
}

fn refused(error: &DecodeError) -> Value {
    json!({ "refused": format!("{:?}", error.kind()), "text": error.to_string() })
}

fn text(written: Result<Vec<u8>, impl Display>) -> Value {
    match written {
        Ok(json) => String::from_utf8(json).unwrap().into(),
        Err(error) => json!({ "refused": error.to_string() }),
    }
}

/// JSON with each number as it means: digits, not how they are spelt.
fn meaning(json: &str) -> Option<upstate::Value> {
    upstate::Value::from_untyped_json(json.as_bytes()).ok()
}

fn input(case: &Value) -> Vec<u8> {
    match (&case["input"], &case["input_hex"]) {
        (Value::String(text), _) => text.clone().into_bytes(),
        (_, Value::String(hex)) => (0..hex.len() / 2)
            .map(|at| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).unwrap())
            .collect(),
        _ => panic!("no input"),
    }
}

/// Whether an error is of the class that serde has for it.
fn is_class(error: &DecodeError, class: &str) -> bool {
    let kinds: &[Kind] = match class {
        "missing field" => &[Kind::Null],
        "unknown field" => &[Kind::UndefinedAttribute],
        "unknown variant" => &[Kind::UnknownVariant],
        "invalid type" | "syntax" => &[
            Kind::WrongKind,
            Kind::Null,
            Kind::Syntax,
            Kind::UnknownVariant,
            Kind::BadNumber,
            Kind::BadText,
            Kind::TupleLength,
        ],
        "invalid value" | "out of range" => &[
            Kind::BadNumber,
            Kind::BadText,
            Kind::WrongKind,
            Kind::UndefinedAttribute,
        ],
        "invalid length" => &[Kind::TupleLength, Kind::WrongKind, Kind::Null],
        "duplicate field" => &[Kind::RepeatedMember],
        "depth" => &[Kind::Depth],
        "eof" => &[Kind::Syntax, Kind::WrongKind],
        _ => &[
            Kind::BadText,
            Kind::WrongKind,
            Kind::UnknownVariant,
            Kind::BadNumber,
            Kind::Syntax,
            Kind::Null,
            Kind::TupleLength,
        ],
    };
    kinds.contains(&error.kind())
}

fn read<T: AttributeType + Debug + Serialize + DeserializeOwned>(id: &str) {
    let case = case(id);
    let (outcome, expected) = (&case["outcome"], case["document"].as_str().unwrap());
    let result = document::read::<T>(&input(case));
    compare_with_ours(
        case,
        &match &result {
            Ok(read) => {
                let notes: Vec<String> = read
                    .notes()
                    .iter()
                    .map(|note| format!("{note:?}"))
                    .collect();
                json!({ "value": format!("{:?}", read.value()), "notes": notes, "written": text(document::write(read.value())) })
            }
            Err(error) => refused(error),
        },
    );
    match (&result, outcome["err"].as_str(), expected) {
        _ if is_deviation(id) => {}
        // What serde refuses is refused for the same reason, unless a document reads more.
        (Err(error), Some(class), "same" | "report" | "keep" | "value" | "refuse") => {
            assert!(
                outcome["stage"] == "write" || is_class(error, class),
                "{id}: serde says {class}, a document {error} ({:?})",
                error.kind()
            );
        }
        (Ok(value), Some(class), "same") if outcome["stage"] != "write" => {
            panic!("{id}: serde refuses it ({class}), and a document reads {value:?}")
        }
        (Ok(value), None, "same" | "report" | "keep") => compare(id, value, outcome, expected),
        (Ok(read), _, "keep" | "refuse")
            if outcome["err"].is_string() && !read.notes().is_empty() => {}
        (Ok(read), Some(_), "report") if !read.notes().is_empty() => {}
        (Err(_), _, "refuse") | (Ok(_), _, "value" | "more") => {}
        (Ok(value), _, _) => {
            panic!("{id}: {expected}: a document reads {value:?}; serde {outcome}")
        }
        (Err(error), _, _) => {
            panic!("{id}: {expected}: a document refuses it: {error}; serde {outcome}")
        }
    }
    if let Ok(read) = &result
        && outcome["again"] == "same"
    {
        again(id, read.value());
    }
}

fn compare<T: AttributeType + Debug>(
    id: &str,
    read: &document::Read<T>,
    outcome: &Value,
    expected: &str,
) {
    let value = read.value();
    if let Some(debug) = outcome["debug"].as_str().filter(|_| expected != "keep") {
        assert_eq!(format!("{value:?}"), debug, "{id}");
    }
    if expected == "report" {
        assert!(
            !read.notes().is_empty(),
            "{id}: nothing is reported: {value:?}"
        );
    }
    if let Some(written) = outcome["written"].as_str().filter(|_| expected != "keep") {
        let text = document::write(value).unwrap_or_else(|error| panic!("{id}: {error}"));
        let text = String::from_utf8(text).unwrap();
        assert_eq!(
            meaning(&text),
            meaning(written),
            "{id}: a document writes {text}, serde {written}"
        );
    }
}

/// Cases in which serde reads another variant of what is written: the first that fits, though a
/// later one loses nothing.
const LATER_VARIANTS: [&str; 4] = ["sd-362", "sd-370", "sd-374", "sd-896"];

/// What is written reads as the value that was written, by a document and by serde; and what serde
/// writes, by a document.
fn again<T: AttributeType + Debug + Serialize + DeserializeOwned>(id: &str, value: &T) {
    let debug = format!("{value:?}");
    if let Ok(json) = document::write(value) {
        let json = String::from_utf8(json).unwrap();
        let again = document::read::<T>(json.as_bytes());
        let again =
            again.unwrap_or_else(|error| panic!("{id}: {json} is written and not read: {error}"));
        assert_eq!(format!("{:?}", again.value()), debug, "{id}");
        let by_serde = serde_json::from_str::<T>(&json);
        let by_serde =
            by_serde.unwrap_or_else(|error| panic!("{id}: serde does not read {json}: {error}"));
        assert_eq!(
            format!("{by_serde:?}") == debug,
            !LATER_VARIANTS.contains(&id),
            "{id}: serde reads {json} as {by_serde:?}"
        );
    }
    if let Ok(json) = serde_json::to_string(value) {
        let read = document::read::<T>(json.as_bytes());
        let read = read.unwrap_or_else(|error| {
            panic!("{id}: serde writes {json}, which is not read: {error}")
        });
        assert_eq!(
            format!("{:?}", read.value()),
            debug,
            "{id}: serde writes {json}"
        );
    }
}

fn written<T: AttributeType + Debug + Serialize + DeserializeOwned>(id: &str, value: &T) {
    let case = case(id);
    let (outcome, expected) = (&case["outcome"], case["document"].as_str().unwrap());
    let result = document::write(value);
    compare_with_ours(case, &json!({ "written": text(document::write(value)) }));
    match (&result, outcome["written"].as_str(), expected) {
        _ if is_deviation(id) => {}
        (Ok(text), Some(written), "same" | "keep" | "report") => {
            let text = String::from_utf8(text.clone()).unwrap();
            assert_eq!(
                meaning(&text),
                meaning(written),
                "{id}: a document writes {text}, serde {written}"
            );
        }
        (Ok(_), _, "value" | "more") | (Err(_), _, "refuse") | (Err(_), None, "same") => {}
        // What serde writes and does not read again is refused.
        (Err(_), Some(_), "same") if outcome["again"] != "same" => {}
        (Ok(text), ..) => panic!(
            "{id}: {expected}: a document writes {}; serde {outcome}",
            String::from_utf8_lossy(text)
        ),
        (Err(error), ..) => {
            panic!("{id}: {expected}: a document does not write it: {error}; serde {outcome}")
        }
    }
    if outcome["again"] == "same" {
        again(id, value);
    }
}

/// Compiles only for a type that no field of a document has: for another one, two methods are
/// meant.
macro_rules! is_no_field {
    ($($id:literal: $type:ty),* $(,)?) => {
        #[test]
        fn types_that_no_field_has() {
            trait Meant<Of> {
                fn id(id: &'static str) -> &'static str {
                    id
                }
            }
            struct Field;
            impl<T: ?Sized> Meant<()> for T {}
            impl<T: AttributeType> Meant<Field> for T {}
            let ids = [$(<$type as Meant<_>>::id($id)),*];
            assert!(ids.iter().all(|id| !case(id)["root"].is_null()));
        }
    };
}

is_no_field! {
    "sd-811": time::OffsetDateTime,
    "sd-812": time::OffsetDateTime,
    "sd-814": time::Date,
    "sd-815": time::Date,
    "sd-877": std::borrow::Cow<'static, [u8]>,
    "sd-878": &'static serde_json::value::RawValue,
    "sd-724": std::ffi::OsString,
    "sd-679": BTreeMap<Option<u8>, u8>,
    "sd-685": BTreeMap<(u8, u8), u8>,
    "sd-686": BTreeMap<(), u8>,
}

/// sd-025 and sd-410, which serde does not compile; and sd-986.
#[test]
fn types_that_serde_does_not_have() {
    #[derive(Debug, PartialEq, upstate::Document)]
    #[serde(rename_all = "camelCase")]
    struct Accents {
        été: u8,
    }
    #[derive(Debug, PartialEq, upstate::Document)]
    struct Long {
        a: [u8; 33],
    }
    #[derive(Debug, PartialEq, upstate::Union)]
    enum Flattened {
        A {
            #[serde(flatten)]
            a: Inner,
        },
    }
    #[derive(Debug, PartialEq, upstate::Document)]
    struct Inner {
        y: u8,
    }
    fn both_ways<T: AttributeType + Debug + PartialEq>(value: T, json: &str) {
        assert_eq!(text(document::write(&value)), json);
        assert_eq!(
            document::read::<T>(json.as_bytes()).map(document::Read::into_value),
            Ok(value)
        );
    }
    both_ways(Accents { été: 1 }, r#"{"été":1}"#);
    both_ways(
        Long { a: [7; 33] },
        &json!({ "a": vec![7; 33] }).to_string(),
    );
    both_ways(
        Flattened::A { a: Inner { y: 1 } },
        case("sd-986")["outcome"]["prints"].as_str().unwrap(),
    );
}

/// Fields of a transparent struct that are not stored have serde's values, and markers do not
/// count, with and without names.
#[test]
fn a_transparent_struct_is_its_one_field() {
    use std::marker::PhantomData;

    #[derive(Debug, PartialEq, Serialize, serde::Deserialize, upstate::Document)]
    #[serde(transparent)]
    struct Id<T>(u64, PhantomData<T>);
    #[derive(Debug, PartialEq, Serialize, serde::Deserialize, upstate::Document)]
    #[serde(transparent)]
    struct Named<T> {
        of: PhantomData<T>,
        name: Option<String>,
    }
    #[derive(Debug, PartialEq, Serialize, serde::Deserialize, upstate::Document)]
    #[serde(transparent)]
    struct Second(
        #[serde(skip, default = "seven")] u8,
        Option<u8>,
        #[serde(skip)] PhantomData<u8>,
    );
    #[derive(Debug, PartialEq, Serialize, serde::Deserialize, upstate::Document)]
    struct Holds {
        id: Id<()>,
        second: Second,
    }
    #[derive(Debug, PartialEq, Serialize, serde::Deserialize, upstate::Document)]
    #[serde(transparent)]
    struct Skips {
        value: u8,
        #[serde(skip, default = "seven")]
        by_function: u8,
        #[serde(skip)]
        own: u8,
    }
    fn seven() -> u8 {
        7
    }
    fn as_with_serde<T: AttributeType + Debug + PartialEq + Serialize + DeserializeOwned>(
        value: &T,
        json: &str,
    ) {
        assert_eq!(serde_json::to_string(value).unwrap(), json);
        assert_eq!(serde_json::from_str::<T>(json).unwrap(), *value);
        assert_eq!(text(document::write(value)), json);
        assert_eq!(
            document::read::<T>(json.as_bytes()).unwrap().into_value(),
            *value
        );
    }
    as_with_serde(
        &Skips {
            value: 1,
            by_function: 7,
            own: 0,
        },
        "1",
    );
    as_with_serde(&Id::<()>(7, PhantomData), "7");
    as_with_serde(
        &Named::<()> {
            of: PhantomData,
            name: Some("a".to_owned()),
        },
        r#""a""#,
    );
    let holds = Holds {
        id: Id(7, PhantomData),
        second: Second(7, None, PhantomData),
    };
    as_with_serde(&holds, r#"{"id":7,"second":null}"#);
    // A transparent `Option` may be absent, as one that nothing is around.
    assert_eq!(
        document::read::<Holds>(br#"{"id":7}"#)
            .unwrap()
            .into_value(),
        holds
    );
}

#[test]
fn an_array_of_another_length_is_refused_with_the_number_of_its_elements() {
    #[derive(Debug, upstate::Document)]
    struct Trip {
        #[attribute(alias = "start", alias = "begin")]
        from: u8,
        to: u8,
        #[attribute(default)]
        miles: u8,
    }
    #[derive(Debug, upstate::Document)]
    struct Step(u8, u8);
    #[derive(Debug, upstate::Union)]
    #[union(tag = "kind", content = "of")]
    enum Stop {
        Port(u8),
    }

    fn refused<T: AttributeType + Debug>(json: &str) -> String {
        document::read::<Vec<T>>(json.as_bytes())
            .unwrap_err()
            .to_string()
    }
    for (message, wanted, found) in [
        (refused::<Trip>("[[]]"), 3, "0"),
        (refused::<Trip>("[[1]]"), 3, "1"),
        (refused::<Trip>("[[1,2,3,4,5]]"), 3, "more"),
        (refused::<Step>("[[1]]"), 2, "1"),
        (refused::<Step>("[[1,2,3]]"), 2, "more"),
        (refused::<[u8; 2]>("[[1]]"), 2, "1"),
        (refused::<[u8; 2]>("[[1,2,3,4]]"), 2, "4"),
        (refused::<Stop>("[[]]"), 2, "0"),
        (refused::<Stop>(r#"[["Port"]]"#), 2, "1"),
        (refused::<Stop>(r#"[["Port",1,2]]"#), 2, "more"),
    ] {
        let expected = format!("expected an array with {wanted} elements, found {found} ");
        assert!(message.contains(&expected), "{message}");
    }
}

/// Values in one another, in each of which something is lost, so that every variant is tried at
/// every depth.
#[test]
fn variants_without_a_tag_are_tried_a_bounded_number_of_times() {
    #[derive(Debug, PartialEq, upstate::Union)]
    #[union(untagged)]
    enum Tree {
        Left {
            inner: Box<Tree>,
        },
        Right {
            inner: Box<Tree>,
            #[attribute(default)]
            size: u8,
        },
        Leaf {
            value: u8,
        },
    }
    let nested = |depth: usize, leaf: &str| {
        format!(
            "{}{leaf}{}",
            r#"{"inner":"#.repeat(depth),
            "}".repeat(depth)
        )
    };
    let mut expected = Tree::Leaf { value: 1 };
    for _ in 0..60 {
        expected = Tree::Left {
            inner: Box::new(expected),
        };
    }
    for (leaf, notes) in [(r#"{"value":1}"#, 0), (r#"{"value":1,"odd":2}"#, 1)] {
        let read = document::read::<Tree>(nested(60, leaf).as_bytes()).unwrap();
        assert_eq!((read.value(), read.notes().len()), (&expected, notes));
    }
    let read =
        document::read::<Tree>(br#"{"inner":{"inner":{"value":1},"size":3},"size":2}"#).unwrap();
    let inside = Tree::Right {
        inner: Box::new(Tree::Leaf { value: 1 }),
        size: 3,
    };
    assert_eq!(
        (read.value(), read.notes()),
        (
            &Tree::Right {
                inner: Box::new(inside),
                size: 2
            },
            &[][..]
        )
    );
}

/// Each value in one another is tried as every variant, and what is in it each time; without a
/// memory that would never end.
#[test]
fn variants_without_a_tag_that_do_not_fit_are_tried_a_bounded_number_of_times() {
    #[derive(Debug, PartialEq, upstate::Union)]
    #[union(untagged)]
    enum Tree {
        Left { inner: Box<Tree>, size: u8 },
        Right { inner: Box<Tree> },
        Leaf { value: u8 },
    }
    let nested = |leaf: &str| format!("{}{leaf}{}", r#"{"inner":"#.repeat(40), "}".repeat(40));
    let mut expected = Tree::Leaf { value: 1 };
    for _ in 0..40 {
        expected = Tree::Right {
            inner: Box::new(expected),
        };
    }
    let read = document::read::<Tree>(nested(r#"{"value":1}"#).as_bytes()).unwrap();
    assert_eq!((read.value(), read.notes()), (&expected, &[][..]));
    let error = document::read::<Tree>(nested(r#"{"value":"one"}"#).as_bytes())
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("none of the variants fits: \"Left\": none of the variants fits"),
        "{error}"
    );
    assert!(error.len() < 2_000, "{error}");
    let error = document::read::<Tree>(br#"{"inner":{"value":"one"}}"#)
        .unwrap_err()
        .to_string();
    assert!(error.contains("expected a number"), "{error}");
}

/// An array may be a tag and its content, so that what is in it is tried once before the first
/// variant without a tag.
#[test]
fn arrays_that_are_not_a_tag_and_its_content_are_tried_a_bounded_number_of_times() {
    #[derive(Debug, PartialEq, upstate::Union)]
    #[union(tag = "t", content = "c")]
    enum Tree {
        A(Box<Tree>),
        #[union(untagged)]
        Many(String, Box<Tree>, u8),
        #[union(untagged)]
        Leaf(u8),
    }
    let json = format!("{}1{}", r#"["A","#.repeat(40), ",3]".repeat(40));
    let mut expected = Tree::Leaf(1);
    for _ in 0..40 {
        expected = Tree::Many("A".to_owned(), Box::new(expected), 3);
    }
    assert_eq!(
        document::read::<Tree>(json.as_bytes()).unwrap().value(),
        &expected
    );
}

/// The variant of a value is the same whatever else is in the document.
#[test]
fn a_variant_does_not_depend_on_the_values_before_it() {
    macro_rules! choice {
        ($($variant:ident $field:ident),+) => {
            #[derive(Debug, PartialEq, upstate::Union)]
            #[union(untagged)]
            enum Choice {
                $($variant { $field: Option<u8> },)+
            }
        };
    }
    choice!(
        A a, B b, C c, D d, E e, F f, G g, H h, I i, J j, K k, L l, M m, N n, O o, P p, Q q, R r, S s, T t, U u, V v, W w, X x
    );
    let odd = format!(r#"{{"odd":"{}"}},"#, "-".repeat(1_000)).repeat(100);
    let read = document::read::<Vec<Choice>>(format!(r#"[{odd}{{"x":1}}]"#).as_bytes()).unwrap();
    assert_eq!(
        (read.value().first(), read.notes().len()),
        (Some(&Choice::A { a: None }), 100)
    );
    assert_eq!(read.value().last(), Some(&Choice::X { x: Some(1) }));
}

/// An object whose members come out of order is read once more, and so would be each one in it,
/// every time.
#[test]
fn objects_out_of_order_are_read_again_a_bounded_number_of_times() {
    #[derive(Debug, PartialEq, upstate::Document)]
    struct Node {
        name: Option<String>,
        child: Option<Box<Node>>,
    }
    let json = format!(
        r#"{}{{"odd":1}}{}"#,
        r#"{"child":"#.repeat(40),
        r#","name":"x"}"#.repeat(40)
    );
    let mut expected = Node {
        name: None,
        child: None,
    };
    for _ in 0..40 {
        expected = Node {
            name: Some("x".to_owned()),
            child: Some(Box::new(expected)),
        };
    }
    let read = document::read::<Node>(json.as_bytes()).unwrap();
    assert_eq!((read.value(), read.notes().len()), (&expected, 1));
}

#[test]
fn every_case_is_run_or_does_not_compile() {
    let cases = cases();
    let kinds: BTreeSet<&str> = cases
        .iter()
        .filter_map(|case| case["document"].as_str())
        .collect();
    assert_eq!(
        kinds,
        BTreeSet::from([
            "compile", "keep", "more", "refuse", "report", "same", "value"
        ])
    );
    assert_eq!(cases.len(), 709);
    let errors: BTreeMap<String, BTreeSet<String>> =
        serde_json::from_str(include_str!("../compile_errors.json")).unwrap();
    for name in errors.keys() {
        let path = format!(
            "{}/../../ui-tests/tests/ui/documents/{name}.stderr",
            env!("CARGO_MANIFEST_DIR")
        );
        assert!(
            std::path::Path::new(&path).exists(),
            "{name} is no compile error"
        );
    }
    let (mut run, mut not_compiled) = (BTreeSet::new(), BTreeSet::new());
    for case in &cases {
        let id = case["id"].as_str().unwrap();
        let has_error = errors.values().any(|ids| ids.contains(id));
        let is_run = RUN.contains(&id);
        let is_by_hand = BY_HAND.contains(&id);
        assert_eq!(
            [has_error, is_run, is_by_hand]
                .iter()
                .filter(|is| **is)
                .count(),
            1,
            "{id}"
        );
        if is_run && is_in_ours(case) {
            run.insert(id);
        }
        if has_error {
            not_compiled.insert(id);
        }
    }
    assert_eq!(
        ours().keys().map(String::as_str).collect::<BTreeSet<_>>(),
        run
    );
    assert_eq!(
        errors.values().map(BTreeSet::len).sum::<usize>(),
        not_compiled.len()
    );
    let deviations = DEVIATIONS.iter().flat_map(|(_, ids)| ids.iter());
    assert!(deviations.into_iter().all(|id| ours().contains_key(*id)));
}
