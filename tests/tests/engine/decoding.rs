//! Typed decoding and encoding by Terraform's rules.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use upstate::{Number, Object, Resource, from_json, to_json};

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Object)]
struct Rule {
    port: i64,
    protocol: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(version = 0)]
struct Everything {
    flag: Option<bool>,
    text: Option<String>,
    int: Option<i64>,
    byte: Option<u8>,
    float: Option<f64>,
    exact: Option<Number>,
    list: Option<Vec<String>>,
    set: Option<BTreeSet<String>>,
    hashed: Option<HashSet<i64>>,
    map: Option<BTreeMap<String, bool>>,
    lookup: Option<HashMap<String, i64>>,
    rule: Option<Rule>,
    boxed: Option<Box<Rule>>,
    #[block]
    rules: Vec<Rule>,
    nested: Option<BTreeMap<String, Vec<Rule>>>,
    #[attribute(name = "type")]
    kind: Option<String>,
}

fn read(json: &str) -> Everything {
    from_json(json).unwrap_or_else(|error| panic!("{json}: {error}"))
}

fn refused(json: &str) -> String {
    match from_json::<Everything>(json) {
        Ok(value) => panic!("{json} was read as {value:?}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn scalars_are_coerced_as_the_plugin_protocol_does() {
    for (json, text) in [
        ("1.50", "1.50"),
        ("1e3", "1e3"),
        ("true", "true"),
        ("false", "false"),
        (r#""x""#, "x"),
        ("-0", "-0"),
    ] {
        assert_eq!(
            read(&format!(r#"{{"text": {json}}}"#)).text.as_deref(),
            Some(text)
        );
    }
    for (json, flag) in [
        ("true", true),
        (r#""true""#, true),
        (r#""1""#, true),
        ("1", true),
        ("0", false),
        (r#""0""#, false),
    ] {
        assert_eq!(
            read(&format!(r#"{{"flag": {json}}}"#)).flag,
            Some(flag),
            "{json}"
        );
    }
    for (json, int) in [
        ("7", 7),
        (r#""7""#, 7),
        ("7.0", 7),
        ("1e3", 1000),
        ("-9223372036854775808", i64::MIN),
        (r#""+7""#, 7),
    ] {
        assert_eq!(
            read(&format!(r#"{{"int": {json}}}"#)).int,
            Some(int),
            "{json}"
        );
    }
    for (json, float) in [
        ("0.1", 0.1),
        (r#""2.5""#, 2.5),
        ("3", 3.0),
        ("1e22", 1e22),
        ("1e300", 1e300),
    ] {
        assert_eq!(
            read(&format!(r#"{{"float": {json}}}"#)).float,
            Some(float),
            "{json}"
        );
    }
    let exact = read(r#"{"exact": 123456789012345678901234567890.0123456789}"#)
        .exact
        .unwrap();
    assert_eq!(
        exact.to_string(),
        "123456789012345678901234567890.0123456789"
    );
}

#[test]
fn what_a_type_cannot_hold_is_refused_with_path_and_byte() {
    for (json, message) in [
        (
            r#"{"flag": "True"}"#,
            r#"flag: a bool is required; to convert from string, use lowercase "true" (byte 9)"#,
        ),
        (
            r#"{"flag": "yes"}"#,
            r#"flag: expected a bool, found a string other than "true", "false", "1" and "0" (byte 9)"#,
        ),
        (
            r#"{"flag": 2}"#,
            "flag: expected a bool, found a number other than 0 and 1 (byte 9)",
        ),
        (
            r#"{"float": 9007199254740993}"#,
            "float: expected a number that a 64-bit float can hold, found one that it would change; `Number` keeps every digit (byte 10)",
        ),
        (
            r#"{"flag": []}"#,
            "flag: expected a bool, found an array (byte 9)",
        ),
        (
            r#"{"text": {}}"#,
            "text: expected a string, found an object (byte 9)",
        ),
        (
            r#"{"int": 1.5}"#,
            "int: expected a whole number from -9223372036854775808 to 9223372036854775807, found another number (byte 8)",
        ),
        (
            r#"{"int": 9223372036854775808}"#,
            "int: expected a whole number from -9223372036854775808 to 9223372036854775807, found another number (byte 8)",
        ),
        (
            r#"{"byte": 256}"#,
            "byte: expected a whole number from 0 to 255, found another number (byte 9)",
        ),
        (
            r#"{"byte": -1}"#,
            "byte: expected a whole number from 0 to 255, found another number (byte 9)",
        ),
        (
            r#"{"int": "seven"}"#,
            "int: error parsing number: expected a number, found a string that is not a decimal number (byte 8)",
        ),
        (
            r#"{"float": 9007199254740993}"#,
            "float: expected a number that a 64-bit float can hold, found one that it would change; `Number` keeps every digit (byte 10)",
        ),
        (
            r#"{"exact": 1e1001}"#,
            "exact: error parsing number: written without an exponent it has more than 1000 digits (byte 10)",
        ),
        (
            r#"{"list": {"a": 1}}"#,
            "list: expected a list, found an object (byte 9)",
        ),
        (
            r#"{"list": ["a", null]}"#,
            "list[1]: the stored value is null, but must not be (byte 15)",
        ),
        (
            r#"{"map": {"a b": []}}"#,
            r#"map["a b"]: expected a bool, found an array (byte 16)"#,
        ),
        (
            r#"{"rule": [1, "tcp"]}"#,
            "rule: expected an object, found an array (byte 9)",
        ),
        (
            r#"{"rules": [{"port": 1}, {"protocol": "tcp"}]}"#,
            "rules[1].port: the stored state lacks this attribute, which must have a value",
        ),
        (
            r#"{"nested": {"x": [{"port": "y"}]}}"#,
            r#"nested["x"][0].port: error parsing number: expected a number, found a string that is not a decimal number (byte 27)"#,
        ),
        (r#"[]"#, "expected an object, found an array (byte 0)"),
        ("null", "the stored value is null, but must not be (byte 0)"),
        ("", "not valid JSON: expected a value (byte 0)"),
        (
            "\u{feff}{}",
            "not valid JSON: it begins with a byte order mark (BOM), which JSON must not have; save it as UTF-8 without one (byte 0)",
        ),
        (
            "{} {}",
            "not valid JSON: expected the end of the document (byte 3)",
        ),
        (
            r#"{"zz": tru}"#,
            "zz: not valid JSON: expected `null`, `true` or `false` (byte 7)",
        ),
        (
            r#"{"text": "\ud800"}"#,
            "text: not valid JSON: expected both halves of a surrogate pair (byte 12)",
        ),
        (
            r#"{"text": "a"#,
            "text: not valid JSON: expected `\"` at the end of the string (byte 11)",
        ),
        (
            "{\"text\": \"a\nb\"}",
            "text: not valid JSON: expected an escape in place of a control character (byte 11)",
        ),
        (
            r#"{"int": 01}"#,
            "not valid JSON: expected `,` or `}` (byte 9)",
        ),
        (
            r#"{"int": 1,}"#,
            "not valid JSON: expected a name in quotes (byte 10)",
        ),
    ] {
        assert_eq!(refused(json), message, "{json}");
    }
}

#[test]
fn missing_and_null_are_null_and_null_blocks_are_empty() {
    let nothing = read("{}");
    assert_eq!(
        nothing,
        read(r#"{"flag": null, "list": null, "rule": null, "rules": null, "map": null}"#)
    );
    assert_eq!(
        (nothing.flag, nothing.list, nothing.rules),
        (None, None, vec![])
    );
}

/// A struct that is named as a collection is.
mod shapes {
    use upstate::Object;

    #[derive(Debug, PartialEq, Object)]
    pub(super) struct Vec {
        pub(super) x: i64,
        pub(super) y: i64,
    }
}

#[test]
fn a_block_may_be_of_a_struct_that_is_named_as_a_collection_is() {
    #[derive(Debug, PartialEq, Resource)]
    #[resource(version = 0)]
    struct Sign {
        #[block]
        offset: Option<shapes::Vec>,
    }
    let sign: Sign = from_json(r#"{"offset":{"x":1,"y":2}}"#).unwrap();
    assert_eq!(
        sign,
        Sign {
            offset: Some(shapes::Vec { x: 1, y: 2 })
        }
    );
    assert_eq!(from_json::<Sign>("{}").unwrap(), Sign { offset: None });
}

#[test]
fn undefined_names_are_skipped_at_every_depth_but_must_be_json() {
    let value = read(
        r#"{"aa": {"q": [1, {"x": null}]}, "rule": {"color": "red", "port": 1, "zz": [[]]}, "zz": 1e5}"#,
    );
    assert_eq!(
        value.rule,
        Some(Rule {
            port: 1,
            protocol: None
        })
    );
    // What is below a name that the model does not define might be sensitive, so it is not named.
    assert!(refused(r#"{"aa": {"q": [1, }]}"#).starts_with("aa: not valid JSON"));
}

#[test]
fn order_does_not_matter_and_the_last_of_a_repeated_name_counts() {
    let sorted =
        read(r#"{"flag": true, "int": 1, "rule": {"port": 1, "protocol": "tcp"}, "text": "x"}"#);
    let shuffled = read(
        r#"{"text": "x", "zz": 0, "rule": {"protocol": "tcp", "port": 1}, "int": 1, "aa": 0, "flag": true}"#,
    );
    assert_eq!(sorted, shuffled);
    assert_eq!(read(r#"{"int": 1, "int": 2}"#).int, Some(2));
    assert_eq!(
        read(r#"{"type": "a", "int": 1, "type": "b"}"#)
            .kind
            .as_deref(),
        Some("b")
    );
    assert!(!read(r#"{"map": {"a": true, "a": false}}"#).map.unwrap()["a"]);
    // Once objects come unsorted, errors still know their place.
    let error = refused(
        r#"{"text": "x", "rules": [{"protocol": "tcp", "port": 1}, {"protocol": "tcp", "port": "y"}]}"#,
    );
    assert!(error.starts_with("rules[1].port: "), "{error}");
}

/// Every field must be there, so one that comes late must not be taken for missing.
#[derive(Debug, PartialEq, Object)]
struct Required {
    a: String,
    b: i64,
    c: Inner,
    d: Vec<Inner>,
}

#[derive(Debug, PartialEq, Object)]
struct Inner {
    x: String,
    y: bool,
}

#[test]
fn required_fields_may_come_in_any_order() {
    let expected: Required =
        from_json(r#"{"a":"1","b":2,"c":{"x":"3","y":true},"d":[{"x":"4","y":false}]}"#).unwrap();
    for json in [
        r#"{"d":[{"y":false,"x":"4"}],"c":{"y":true,"x":"3"},"b":2,"a":"1"}"#,
        r#"{"b":2,"a":"1","d":[{"x":"4","y":false}],"c":{"x":"3","y":true}}"#,
        r#"{"c":{"y":true,"x":"3"},"zz":{},"a":"1","d":[{"x":"4","y":false}],"b":2}"#,
    ] {
        assert_eq!(from_json::<Required>(json).unwrap(), expected, "{json}");
    }
    let error =
        from_json::<Required>(r#"{"d":[{"y":false}],"c":{"y":true,"x":"3"},"b":2,"a":"1"}"#)
            .unwrap_err();
    assert_eq!(error.path().unwrap().to_string(), "d[0].x");
    let error = from_json::<Required>(r#"{"b":2,"zz":1}"#).unwrap_err();
    assert_eq!(error.path().unwrap().to_string(), "a");
}

#[test]
fn deep_nesting_is_refused_and_not_followed() {
    let deep = format!(r#"{{"aa": {}1{}}}"#, "[".repeat(300), "]".repeat(300));
    assert!(refused(&deep).contains("more than 256 values inside one another"));
    let unclosed = "[".repeat(2_000_000);
    assert!(refused(&unclosed).contains("expected an object, found an array"));
    assert!(refused(&format!(r#"{{"aa": {unclosed}"#)).contains("more than 256"));
}

#[test]
fn encoding_writes_every_attribute_sorted_by_name() {
    let value = read(
        r#"{"type": "<b>&", "text": "\u2028\n\u001f", "set": ["b", "a", "b"], "hashed": [3, 1], "lookup": {"y": 1, "x": 2},
            "float": 1e21, "exact": "1e21", "byte": 7, "rules": [{"port": 80}], "boxed": {"port": 1}}"#,
    );
    let json = String::from_utf8(to_json(&value).unwrap()).unwrap();
    let expected = concat!(
        r#"{"boxed":{"port":1,"protocol":null},"byte":7,"exact":1000000000000000000000,"flag":null,"#,
        r#""float":1000000000000000000000,"hashed":[1,3],"int":null,"list":null,"lookup":{"x":2,"y":1},"map":null,"nested":null,"#,
        r#""rule":null,"rules":[{"port":80,"protocol":null}],"set":["a","b"],"text":"\u2028\n\u001f","type":"\u003cb\u003e\u0026"}"#,
    );
    assert_eq!(json, expected);
    assert_eq!(read(&json), value);
}

#[test]
fn a_number_that_is_not_finite_is_refused_with_its_path() {
    #[derive(Debug, Object)]
    struct Inner {
        value: f64,
    }
    #[derive(Debug, Object)]
    struct Outer {
        first: f64,
        samples: BTreeMap<String, Vec<Inner>>,
    }
    let sample = |value| Inner { value };
    let samples = BTreeMap::from([("a".to_owned(), vec![sample(1.0), sample(f64::NAN)])]);
    let error = to_json(&Outer {
        first: 0.5,
        samples,
    })
    .unwrap_err();
    assert_eq!(
        error.to_string(),
        r#"samples["a"][1].value: a number that is not finite cannot be stored"#
    );
}

#[test]
fn the_schema_follows_from_the_types() {
    let schema = Everything::schema();
    let shape = |name: &str| {
        let attribute = schema
            .block()
            .attributes()
            .iter()
            .find(|attribute| attribute.name() == name);
        attribute.map(|attribute| attribute.implied_type().to_string())
    };
    assert_eq!(shape("set").as_deref(), Some(r#"["set","string"]"#));
    assert_eq!(shape("lookup").as_deref(), Some(r#"["map","number"]"#));
    assert_eq!(
        shape("rule").as_deref(),
        Some(r#"["object",{"port":"number","protocol":"string"}]"#)
    );
    assert_eq!(
        shape("nested").as_deref(),
        Some(r#"["map",["list",["object",{"port":"number","protocol":"string"}]]]"#)
    );
    assert_eq!(shape("rules"), None);
    let names: Vec<&str> = schema
        .block()
        .blocks()
        .iter()
        .map(upstate::schema::NestedBlock::name)
        .collect();
    assert_eq!(names, ["rules"]);
    assert_eq!(Everything::TYPE_NAME, "everything");
}
