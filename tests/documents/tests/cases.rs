//! What serde and `serde_json` do, executed once and recorded, and what a document does of it.

#![expect(
    unused_imports,
    unused_qualifications,
    unreachable_pub,
    non_ascii_idents,
    reason = "the types of the cases are not ours"
)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::sync::OnceLock;

use serde_json::Value;
use upstate::codec::DecodeErrorKind as Kind;
use upstate::{AttributeType, DecodeError, document};

mod prelude {
    pub use std::borrow::Cow;
    pub use std::cell::{Cell, RefCell};
    pub use std::cmp::Reverse;
    pub use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};
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
const DEVIATIONS: [(&str, &[&str]); 3] = [
    ("an internally tagged enum is not read from an array, which no writer makes", &["sd-283", "sd-284", "sd-995"]),
    ("a number beyond the range of `Saturating` is refused", &["sd-481"]),
    ("256 values inside one another are the limit, wherever they are", &["sd-866", "sd-868", "sd-871", "sd-872"]),
];

/// A recorded case.
fn case(id: &str) -> &'static Value {
    static CASES: OnceLock<BTreeMap<String, Value>> = OnceLock::new();
    let cases = CASES.get_or_init(|| {
        let document: Value = serde_json::from_str(include_str!("../cases.json")).unwrap();
        let Value::Array(cases) = document["cases"].clone() else { panic!("no cases") };
        cases.into_iter().map(|case| (case["id"].as_str().unwrap().to_owned(), case)).collect()
    });
    &cases[id]
}

/// JSON with each number as it means: digits, not how they are spelt.
fn meaning(json: &str) -> Option<upstate::Value> {
    upstate::Value::from_untyped_json(json.as_bytes()).ok()
}

fn input(case: &Value) -> Vec<u8> {
    match (&case["input"], &case["input_hex"]) {
        (Value::String(text), _) => text.clone().into_bytes(),
        (_, Value::String(hex)) => {
            (0..hex.len() / 2).map(|at| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).unwrap()).collect()
        }
        _ => panic!("no input"),
    }
}

/// Whether an error is of the class that serde has for it.
fn is_class(error: &DecodeError, class: &str) -> bool {
    let kinds: &[Kind] = match class {
        "missing field" => &[Kind::Null],
        "unknown field" => &[Kind::UndefinedAttribute],
        "unknown variant" => &[Kind::UnknownVariant],
        "invalid type" | "syntax" => {
            &[Kind::WrongKind, Kind::Null, Kind::Syntax, Kind::UnknownVariant, Kind::BadNumber, Kind::BadText, Kind::TupleLength]
        }
        "invalid value" | "out of range" => &[Kind::BadNumber, Kind::BadText, Kind::WrongKind, Kind::UndefinedAttribute],
        "invalid length" => &[Kind::TupleLength, Kind::WrongKind, Kind::Null],
        "duplicate field" => &[Kind::RepeatedMember],
        "depth" => &[Kind::Depth],
        "eof" => &[Kind::Syntax, Kind::WrongKind],
        _ => {
            &[Kind::BadText, Kind::WrongKind, Kind::UnknownVariant, Kind::BadNumber, Kind::Syntax, Kind::Null, Kind::TupleLength]
        }
    };
    kinds.contains(&error.kind())
}

fn read<T: AttributeType + Debug>(id: &str) {
    let case = case(id);
    // By way of a `Value`, which a document does not know.
    if case["via"].is_string() || DEVIATIONS.iter().any(|(_, ids)| ids.contains(&id)) {
        return;
    }
    let (outcome, expected) = (&case["outcome"], case["document"].as_str().unwrap());
    let result = document::read::<T>(&input(case));
    match (&result, outcome["err"].as_str(), expected) {
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
        (Ok(read), _, "keep" | "refuse") if outcome["err"].is_string() && !read.notes().is_empty() => {}
        (Ok(read), Some(_), "report") if !read.notes().is_empty() => {}
        (Err(_), _, "refuse") | (Ok(_), _, "value" | "more") => {}
        (Ok(value), _, _) => panic!("{id}: {expected}: a document reads {value:?}; serde {outcome}"),
        (Err(error), _, _) => panic!("{id}: {expected}: a document refuses it: {error}; serde {outcome}"),
    }
    if let Ok(read) = &result
        && outcome["again"] == "same"
    {
        again(id, read.value());
    }
}

fn compare<T: AttributeType + Debug>(id: &str, read: &document::Read<T>, outcome: &Value, expected: &str) {
    let value = read.value();
    if let Some(debug) = outcome["debug"].as_str().filter(|_| expected != "keep") {
        assert_eq!(format!("{value:?}"), debug, "{id}");
    }
    if expected == "report" {
        assert!(!read.notes().is_empty(), "{id}: nothing is reported: {value:?}");
    }
    if let Some(written) = outcome["written"].as_str().filter(|_| expected != "keep") {
        let text = document::write(value).unwrap_or_else(|error| panic!("{id}: {error}"));
        let text = String::from_utf8(text).unwrap();
        assert_eq!(meaning(&text), meaning(written), "{id}: a document writes {text}, serde {written}");
    }
}

/// What is written reads as the value that was written.
fn again<T: AttributeType + Debug>(id: &str, value: &T) {
    if let Ok(json) = document::write(value) {
        let again = document::read::<T>(&json);
        let again =
            again.unwrap_or_else(|error| panic!("{id}: {} is written and not read: {error}", String::from_utf8_lossy(&json)));
        assert_eq!(format!("{:?}", again.value()), format!("{value:?}"), "{id}");
    }
}

fn written<T: AttributeType + Debug>(id: &str, value: &T) {
    let case = case(id);
    let (outcome, expected) = (&case["outcome"], case["document"].as_str().unwrap());
    let result = document::write(value);
    match (&result, outcome["written"].as_str(), expected) {
        (Ok(text), Some(written), "same" | "keep" | "report") => {
            let text = String::from_utf8(text.clone()).unwrap();
            assert_eq!(meaning(&text), meaning(written), "{id}: a document writes {text}, serde {written}");
        }
        (Ok(_), _, "value" | "more") | (Err(_), _, "refuse") | (Err(_), None, "same") => {}
        // What serde writes and does not read again is refused.
        (Err(_), Some(_), "same") if outcome["again"] != "same" => {}
        (Ok(text), ..) => panic!("{id}: {expected}: a document writes {}; serde {outcome}", String::from_utf8_lossy(text)),
        (Err(error), ..) => panic!("{id}: {expected}: a document does not write it: {error}; serde {outcome}"),
    }
    if outcome["again"] == "same" {
        again(id, value);
    }
}

#[test]
fn every_case_is_run_or_does_not_compile() {
    let document: Value = serde_json::from_str(include_str!("../cases.json")).unwrap();
    let cases = document["cases"].as_array().unwrap();
    let kinds: BTreeSet<&str> = cases.iter().filter_map(|case| case["document"].as_str()).collect();
    assert_eq!(kinds, BTreeSet::from(["compile", "keep", "more", "refuse", "report", "same", "value"]));
    assert!(cases.len() > 700);
}
