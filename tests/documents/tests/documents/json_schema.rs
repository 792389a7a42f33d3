//! The JSON Schema of documents takes what they write, and nothing that they do not read.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::atomic::{AtomicU8, Ordering};

use serde_json::{Value, json};
use upstate::{CurrentModel, Document, Dynamic, Registry, Union};

#[derive(Debug, Document)]
#[document(type_name = "shapes")]
struct Shapes {
    outside: Outside,
    inside: Inside,
    beside: Beside,
    bare: Bare,
}

/// A member that may be missing, now and before.
#[derive(Debug, Document)]
#[document(type_name = "note", version = 1)]
#[upgrade_from(0 => 1, rename(name => title))]
struct Note {
    title: String,
    #[attribute(default = 3)]
    stars: u8,
    inner: Inner,
}

#[derive(Debug, Document)]
#[document(default)]
struct Inner {
    on: bool,
    tag: Option<String>,
}

impl Default for Inner {
    fn default() -> Self {
        Self {
            on: true,
            tag: None,
        }
    }
}

#[test]
fn what_a_default_fills_in_is_not_required() {
    let registry = Registry::new().with::<Note>();
    for (version, name) in [(0, "name"), (1, "title")] {
        let schema = upstate_compat::json_schema(registry.get("note").unwrap(), version).unwrap();
        let mut required: Vec<&str> = schema["required"]
            .as_array()
            .unwrap()
            .iter()
            .map(|name| name.as_str().unwrap())
            .collect();
        required.sort_unstable();
        assert_eq!(required, ["inner", name], "{schema:#}");
        assert_eq!(
            schema["properties"]["inner"].get("required"),
            None,
            "{schema:#}"
        );
    }
}

#[derive(Debug, Document)]
#[document(type_name = "client")]
struct Client {
    #[attribute(default)]
    login: Login,
    #[attribute(default = made())]
    identifier: u8,
}

/// Another one each time.
fn made() -> u8 {
    static NEXT: AtomicU8 = AtomicU8::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

#[derive(Debug, Document)]
#[document(default)]
struct Login {
    name: String,
    #[attribute(sensitive)]
    password: String,
}

impl Default for Login {
    fn default() -> Self {
        Self {
            name: "admin".to_owned(),
            password: "changeme".to_owned(),
        }
    }
}

#[derive(Document)]
#[document(type_name = "dated")]
struct Dated {
    #[deprecated = "use `name`"]
    title: Option<String>,
    name: String,
}

#[test]
fn a_deprecated_field_is_marked() {
    let registry = Registry::new().with::<Dated>();
    let schema = upstate_compat::json_schema(registry.get("dated").unwrap(), 0).unwrap();
    assert_eq!(schema["properties"]["title"]["deprecated"], true);
    assert_eq!(schema["properties"]["name"].get("deprecated"), None);
}

#[test]
fn a_default_is_shown_unless_it_varies_or_holds_a_secret() {
    let registry = Registry::new().with::<Client>();
    let schema = upstate_compat::json_schema(registry.get("client").unwrap(), 0).unwrap();
    let properties = &schema["properties"];
    assert_eq!(
        properties["identifier"],
        json!({"type": "integer", "minimum": 0, "maximum": 255})
    );
    assert_eq!(properties["login"].get("default"), None, "{schema:#}");
    assert_eq!(
        properties["login"]["properties"]["name"]["default"],
        "admin"
    );
    assert!(!schema.to_string().contains("changeme"), "{schema:#}");
}

#[derive(Debug, Union)]
enum Outside {
    Point,
    Circle(f64),
}

/// The tag has blanks, and so has a member beside it.
#[derive(Debug, Union)]
#[union(tag = "kind of shape")]
enum Inside {
    Point,
    Circle {
        #[attribute(name = "the radius")]
        radius: f64,
    },
}

#[derive(Debug, Union)]
#[union(tag = "event type", content = "100 % of it")]
enum Beside {
    Point,
    Circle(f64),
}

#[derive(Debug, Union)]
#[union(untagged)]
enum Bare {
    Number(i64),
    Text(String),
}

#[derive(Debug, Document)]
#[document(type_name = "contents")]
struct Contents {
    outside: Option<OutsideOf>,
    inside: Option<InsideOf>,
    beside: Option<BesideOf>,
    bare: Option<BareOf>,
}

#[derive(Debug, Document)]
struct Content {
    size: u8,
    note: Option<String>,
    #[attribute(default = 3)]
    stars: u8,
    deep: Vec<Option<Deep>>,
}

#[derive(Debug, Document)]
struct Deep {
    on: bool,
}

#[derive(Debug, Union)]
enum OutsideOf {
    Plain,
    Full(Content),
}

#[derive(Debug, Union)]
#[union(tag = "kind")]
enum InsideOf {
    Plain,
    Full(Content),
}

#[derive(Debug, Union)]
#[union(tag = "kind", content = "data")]
enum BesideOf {
    Plain,
    Full(Content),
}

/// A value of the first variant is one of the second, too.
#[derive(Debug, Union)]
#[union(untagged)]
enum BareOf {
    Full(Content),
    Sized { size: u8 },
}

/// What a variant has to hold is required in every representation; what a default or an option
/// fills in is not.
#[test]
fn the_schema_requires_what_a_variant_has_to_hold() {
    let registry = Registry::new().with::<Contents>();
    let schema = upstate_compat::json_schema(registry.get("contents").unwrap(), 0).unwrap();
    jsonschema::draft202012::meta::validate(&schema)
        .unwrap_or_else(|error| panic!("the schema is none: {error}"));
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    let (whole, least) = (
        json!({"size": 1, "note": "x", "stars": 2, "deep": [{"on": true}, null]}),
        json!({"size": 1, "deep": []}),
    );
    let contents = [
        (true, whole.clone()),
        (true, least),
        (true, json!({"size": 1, "note": null, "deep": []})),
        (false, json!({"deep": []})),
        (false, json!({"size": null, "deep": []})),
        (false, json!({"size": 1, "stars": null, "deep": []})),
        (false, json!({"size": 1, "deep": [{}]})),
    ];
    let inside = |content: &Value| {
        let mut content = content.clone();
        content
            .as_object_mut()
            .unwrap()
            .insert("kind".to_owned(), json!("Full"));
        content
    };
    let mut tried = 0;
    for (fits, content) in &contents {
        let values = [
            ("outside", json!({"Full": content})),
            ("inside", inside(content)),
            ("beside", json!({"kind": "Full", "data": content})),
            ("bare", content.clone()),
        ];
        for (name, value) in values {
            // Of that the other variant may be made.
            let fits = *fits || name == "bare" && content["size"] == 1;
            let stored = json!({ name: value });
            let read = upstate::from_json::<Contents>(stored.to_string());
            assert_eq!(read.is_ok(), fits, "{stored}: {read:?}");
            assert_eq!(validator.is_valid(&stored), fits, "{stored} by {schema:#}");
            if let Ok(read) = read {
                let written: Value =
                    serde_json::from_slice(&upstate::to_json(&read).unwrap()).unwrap();
                assert!(validator.is_valid(&written), "{written} by {schema:#}");
            }
            tried += 1;
        }
    }
    assert_eq!(tried, 4 * contents.len());
    assert!(
        validator.is_valid(&json!({"outside": null, "inside": null, "beside": null, "bare": null}))
    );
}

/// Compares the schema with the reader: each case is a member of a whole document, and says whether
/// its value fits.
fn compare<T: CurrentModel + Debug>(whole: &Value, cases: &[(&str, bool, Value)]) {
    let registry = Registry::new().with::<T>();
    let shown =
        upstate_compat::json_schema(registry.get(T::TYPE_NAME).unwrap(), T::VERSION).unwrap();
    jsonschema::draft202012::meta::validate(&shown)
        .unwrap_or_else(|error| panic!("the schema is none: {error}"));
    let schema = jsonschema::draft202012::new(&shown).unwrap();
    assert!(schema.is_valid(whole), "{whole} by {shown:#}");
    for (name, fits, value) in cases {
        let mut stored = whole.clone();
        stored
            .as_object_mut()
            .unwrap()
            .insert((*name).to_owned(), value.clone());
        let read = upstate::from_json::<T>(stored.to_string());
        assert_eq!(read.is_ok(), *fits, "{name}: {value}: {read:?}");
        assert_eq!(
            schema.is_valid(&stored),
            *fits,
            "{name}: {value} by {shown:#}"
        );
        if let Ok(read) = read {
            let written: Value = serde_json::from_slice(&upstate::to_json(&read).unwrap()).unwrap();
            assert!(schema.is_valid(&written), "{written} by {shown:#}");
        }
    }
}

#[derive(Debug, Document)]
#[document(type_name = "drawer")]
struct Drawer {
    bits: Vec<Option<Dynamic>>,
    by_number: BTreeMap<i16, bool>,
    by_count: BTreeMap<std::num::NonZeroU8, bool>,
    by_letter: BTreeMap<char, Deep>,
    by_flag: Vec<BTreeMap<bool, u8>>,
    by_size: BTreeMap<Size, u8>,
    names: Vec<String>,
    notes: Vec<Option<String>>,
    pairs: Vec<(u8, Option<char>)>,
    #[attribute(default = 3)]
    stars: u8,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Union)]
#[union(rename_all = "snake_case")]
enum Size {
    Small,
    VeryLarge,
}

#[test]
fn the_schema_has_the_keys_and_elements_that_are_read() {
    let whole = json!({
        "bits": [], "by_number": {}, "by_count": {}, "by_letter": {}, "by_flag": [], "by_size": {}, "names": [], "notes": [],
        "pairs": []
    });
    compare::<Drawer>(
        &whole,
        &[
            (
                "bits",
                true,
                json!([null, {"type": "string", "value": "x"}]),
            ),
            ("bits", false, json!(["x"])),
            (
                "by_number",
                true,
                json!({"-7": true, "0": false, "32767": true}),
            ),
            ("by_number", false, json!({"x": true})),
            ("by_number", false, json!({"07": true})),
            ("by_number", false, json!({"+7": true})),
            ("by_number", false, json!({"1234567": true})),
            ("by_number", false, json!({"7": null})),
            ("by_count", true, json!({"1": true, "255": false})),
            ("by_count", false, json!({"x": true})),
            ("by_count", false, json!({"-1": true})),
            ("by_count", false, json!({"1000": true})),
            ("by_letter", true, json!({"é": {"on": true}})),
            ("by_letter", false, json!({"ab": {"on": true}})),
            ("by_letter", false, json!({"": {"on": true}})),
            ("by_letter", false, json!({"a": null})),
            ("by_flag", true, json!([{"true": 1}])),
            ("by_flag", false, json!([{"yes": 1}])),
            ("by_size", true, json!({"very_large": 1, "small": 2})),
            ("by_size", false, json!({"VeryLarge": 1})),
            ("names", true, json!(["a"])),
            ("names", false, json!([null])),
            ("notes", true, json!([null, "a"])),
            ("pairs", true, json!([[1, null], [255, "x"]])),
            ("pairs", false, json!([[256, null]])),
            ("pairs", false, json!([[null, null]])),
            ("pairs", false, json!([[1, "xy"]])),
            ("stars", true, json!(4)),
        ],
    );
    let registry = Registry::new().with::<Drawer>();
    let schema = upstate_compat::json_schema(registry.get("drawer").unwrap(), 0).unwrap();
    assert_eq!(schema["properties"]["stars"]["default"], 3);
}

#[derive(Debug, Document)]
#[document(type_name = "counts")]
struct Counts {
    all: Vec<usize>,
    below: std::num::NonZeroI8,
    few: std::num::NonZeroU8,
    labels: BTreeMap<i128, bool>,
    pair: (i128, isize),
    total: u128,
}

#[test]
fn the_schema_has_the_ranges_of_integers_that_only_documents_have() {
    let whole = json!({"all": [], "below": -1, "few": 1, "labels": {}, "pair": [0, 0], "total": 0});
    compare::<Counts>(
        &whole,
        &[
            ("all", true, json!([0, u64::MAX])),
            ("all", false, json!([-1])),
            ("all", false, json!([null])),
            ("below", true, json!(-128)),
            ("below", false, json!(0)),
            ("below", false, json!(128)),
            ("few", true, json!(255)),
            ("few", false, json!(0)),
            ("few", false, json!(256)),
            ("labels", true, json!({"-7": true, "0": false})),
            ("labels", false, json!({"x": true})),
            ("labels", false, json!({"07": true})),
            ("pair", true, json!([-1, i64::MIN])),
            ("pair", false, json!([0.5, 0])),
            ("pair", false, json!([0, u64::MAX])),
            ("total", true, json!(u64::MAX)),
            ("total", false, json!(-1)),
            ("total", false, json!(0.5)),
        ],
    );
}

#[derive(Debug, Document)]
#[document(type_name = "others")]
struct Others {
    outside: OutsideOrOther,
    inside: InsideOrOther,
    beside: BesideOrOther,
    free: InsideOrFree,
}

#[derive(Debug, Union)]
enum OutsideOrOther {
    A,
    Full(u8),
    #[attribute(other)]
    Rest,
}

#[derive(Debug, Union)]
#[union(tag = "kind")]
enum InsideOrOther {
    A {
        size: u8,
    },
    #[attribute(other)]
    Rest,
}

#[derive(Debug, Union)]
#[union(tag = "kind", content = "data")]
enum BesideOrOther {
    A(u8),
    #[attribute(other)]
    Rest,
}

#[derive(Debug, Union)]
#[union(tag = "kind")]
enum InsideOrFree {
    A {
        size: u8,
    },
    #[attribute(untagged)]
    Rest(BTreeMap<String, u8>),
}

#[test]
fn the_schema_takes_names_of_variants_that_are_not_known() {
    let whole = json!({
        "outside": "A", "inside": {"kind": "A", "size": 1}, "beside": {"kind": "A", "data": 1}, "free": {"x": 1}
    });
    compare::<Others>(
        &whole,
        &[
            ("outside", true, json!("Rest")),
            ("outside", true, json!("New")),
            ("outside", true, json!({"Full": 1})),
            ("outside", false, json!("Full")),
            ("outside", false, json!({"Full": "x"})),
            ("outside", false, json!(7)),
            ("inside", true, json!({"kind": "Rest"})),
            ("inside", true, json!({"kind": "New", "x": 1})),
            ("inside", false, json!({"kind": "A"})),
            ("inside", false, json!({"size": 1})),
            ("beside", true, json!({"kind": "Rest"})),
            ("beside", true, json!({"kind": "New", "data": []})),
            ("beside", false, json!({"kind": "A"})),
            ("free", true, json!({"kind": "A", "size": 1})),
            ("free", false, json!({"kind": "A"})),
            ("free", false, json!({"x": "y"})),
        ],
    );
}

#[derive(Debug, Document)]
#[document(type_name = "frames")]
struct Frames {
    around: Around,
    kept: Kept,
    maybe: Maybe,
}

#[derive(Debug, Union)]
#[union(tag = "kind")]
enum Around {
    Of(Outside),
    Or(OutsideOrOther),
}

#[derive(Debug, Union)]
#[union(tag = "kind")]
enum Kept {
    All(BTreeMap<String, u8>),
    Few(Option<Deep>),
    Numbered(BTreeMap<u8, bool>),
}

#[derive(Debug, Union)]
enum Maybe {
    Full(Option<u8>),
    Any(Option<Dynamic>),
}

#[test]
fn the_schema_takes_members_beside_the_tag_of_an_enum() {
    compare::<Frames>(
        &json!({"around": {"kind": "Of", "Circle": 1.5}, "kept": {"kind": "All"}, "maybe": {"Full": null}}),
        &[
            ("around", true, json!({"kind": "Of", "Point": null})),
            ("around", false, json!({"kind": "Of"})),
            ("around", false, json!({"kind": "Of", "Circle": "x"})),
            ("around", true, json!({"kind": "Or", "Full": 1})),
            ("around", true, json!({"kind": "Or", "Rest": null})),
            ("around", false, json!({"kind": "Or", "New": null})),
            ("kept", true, json!({"kind": "All", "a": 1})),
            ("kept", false, json!({"kind": "All", "a": "x"})),
            ("kept", true, json!({"kind": "Few"})),
            ("kept", true, json!({"kind": "Few", "on": true})),
            ("kept", false, json!({"kind": "Few", "on": 7})),
            ("kept", true, json!({"kind": "Numbered", "7": true})),
            ("kept", false, json!({"kind": "Numbered", "x": true})),
            ("maybe", true, json!({"Full": 1})),
            ("maybe", false, json!({"Full": "x"})),
            ("maybe", true, json!({"Any": null})),
            (
                "maybe",
                true,
                json!({"Any": {"type": "string", "value": "x"}}),
            ),
        ],
    );
}

#[test]
fn the_schema_takes_what_a_document_reads() {
    let registry = Registry::new().with::<Shapes>();
    let schema = upstate_compat::json_schema(registry.get("shapes").unwrap(), 0).unwrap();
    jsonschema::draft202012::meta::validate(&schema)
        .unwrap_or_else(|error| panic!("the schema is none: {error}"));
    let schema = jsonschema::draft202012::new(&schema).unwrap();
    let whole = json!({
        "outside": "Point", "inside": {"kind of shape": "Point"}, "beside": {"event type": "Point"}, "bare": 7
    });
    let with = |name: &str, value: &Value| {
        let mut stored = whole.clone();
        stored
            .as_object_mut()
            .unwrap()
            .insert(name.to_owned(), value.clone());
        stored
    };
    for (name, fits, value) in [
        ("outside", true, json!({"Circle": 1.5})),
        ("outside", false, json!("Square")),
        ("outside", false, json!({"Circle": "x"})),
        ("outside", false, json!({"Circle": 1.5, "x": 1})),
        (
            "inside",
            true,
            json!({"kind of shape": "Circle", "the radius": 1.5}),
        ),
        ("inside", false, json!({"kind": "Point"})),
        (
            "inside",
            false,
            json!({"kind of shape": "Circle", "the radius": "x"}),
        ),
        (
            "beside",
            true,
            json!({"event type": "Circle", "100 % of it": 1.5}),
        ),
        ("beside", false, json!({"event type": "Circle"})),
        ("beside", false, json!({"event": "Point"})),
        ("bare", true, json!("x")),
        ("bare", false, json!([])),
    ] {
        let stored = with(name, &value);
        let read = upstate::from_json::<Shapes>(stored.to_string());
        assert_eq!(read.is_ok(), fits, "{name}: {value}: {read:?}");
        assert_eq!(schema.is_valid(&stored), fits, "{name}: {value}");
        if let Ok(read) = read {
            let written: Value = serde_json::from_slice(&upstate::to_json(&read).unwrap()).unwrap();
            assert_eq!(written, stored);
            assert!(schema.is_valid(&written), "{written}");
        }
    }
}
