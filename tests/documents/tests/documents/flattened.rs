//! Members that a flattened field stores, which operators name as if they were the struct's own.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::num::ParseIntError;

use serde_json::{Value, json};
use upstate::document::{self, NoteKind};
use upstate::upgrade::DowngradeRequest;
use upstate::{AttributeType, Document, Registry, Union};

#[derive(Debug, PartialEq, Document)]
#[document(type_name = "app", version = 0, prior)]
struct AppV0 {
    title: String,
    owner: String,
    #[attribute(flatten)]
    login: LoginV0,
    #[attribute(flatten)]
    window: Option<Window>,
    #[attribute(rest)]
    rest: BTreeMap<String, Value>,
}

#[derive(Debug, PartialEq, Document)]
#[document(rename_all = "camelCase")]
struct LoginV0 {
    #[attribute(sensitive)]
    pass_word: String,
    port: String,
    legacy: u8,
    size: u8,
    retries: Option<u8>,
}

#[derive(Debug, PartialEq, Document)]
#[document(type_name = "app", version = 1)]
#[upgrade_from(0, model = AppV0,
    rename(title => name, pass_word => secret_text, owner => signed_by, size => own_size),
    convert(port, with = number, back = text),
    drop(legacy, "nobody read it", back = 3),
    default(retries = 7),
    set(is_new = true),
)]
struct App {
    name: String,
    own_size: u8,
    #[attribute(flatten)]
    login: Login,
    #[attribute(flatten)]
    window: Option<Window>,
    #[attribute(rest)]
    rest: BTreeMap<String, Value>,
}

#[derive(Debug, PartialEq, Document)]
#[document(rename_all = "camelCase")]
struct Login {
    #[attribute(sensitive)]
    secret_text: String,
    port: u16,
    signed_by: String,
    retries: u8,
    is_new: bool,
}

#[derive(Debug, PartialEq, Document)]
struct Window {
    width: u32,
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "operators give functions what is stored"
)]
fn number(port: String) -> Result<u16, ParseIntError> {
    port.parse()
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "operators call functions that may fail"
)]
fn text(port: u16) -> Result<String, std::convert::Infallible> {
    Ok(port.to_string())
}

fn stored() -> Value {
    json!({"title": "t", "owner": "o", "passWord": "hunter2", "port": "80", "legacy": 3, "size": 4, "extra": {"a": 1}})
}

fn upgraded(stored: &Value) -> App {
    let (app, notes) = upstate::upgrade_json_with_notes::<App>(0, stored.to_string()).unwrap();
    assert_eq!(notes.undefined(), []);
    app
}

#[test]
fn operators_reach_the_members_of_flattened_fields() {
    let login = || Login {
        secret_text: "hunter2".into(),
        port: 80,
        signed_by: "o".into(),
        retries: 7,
        is_new: true,
    };
    let rest = || BTreeMap::from([("extra".to_owned(), json!({"a": 1}))]);
    let app = App {
        name: "t".into(),
        own_size: 4,
        login: login(),
        window: None,
        rest: rest(),
    };
    assert_eq!(upgraded(&stored()), app);
    let mut with_window = stored();
    with_window["width"] = json!(5);
    with_window["retries"] = json!(1);
    let login = Login {
        retries: 1,
        ..login()
    };
    assert_eq!(
        upgraded(&with_window),
        App {
            login,
            window: Some(Window { width: 5 }),
            ..app
        }
    );
}

#[test]
fn an_older_release_gets_its_members_and_no_others() {
    for more in [json!({}), json!({"width": 5}), json!({"retries": 2})] {
        let mut stored = stored();
        stored
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        let current = upstate::to_json(&upgraded(&stored)).unwrap();
        let registry = Registry::new().with::<App>();
        let response = registry.downgrade(&DowngradeRequest::json("app", 1, 0, &current));
        let mut older: Value = serde_json::from_slice(response.state().unwrap()).unwrap();
        if stored.get("retries").is_none() {
            assert_eq!(
                older.as_object_mut().unwrap().remove("retries"),
                Some(json!(7))
            );
        }
        assert_eq!(older, stored);
    }
}

#[test]
fn messages_name_the_member_and_hide_what_is_sensitive() {
    for (name, value, path, shown) in [
        ("passWord", json!(["hunter2"]), "secretText", "hunter2"),
        ("port", json!("x"), "port", ""),
        ("size", json!("big"), "own_size", ""),
    ] {
        let mut stored = stored();
        stored[name] = value;
        let error = upstate::upgrade_json::<App>(0, stored.to_string())
            .unwrap_err()
            .to_string();
        assert!(
            error.contains(&format!("(at {path})")) || error.contains(&format!("(at {name})")),
            "{error}"
        );
        assert!(shown.is_empty() || !error.contains(shown), "{error}");
    }
}

/// An enum whose variants no tag tells, in a field whose members are next to the others.
mod untagged {
    use super::*;

    #[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize, Document)]
    struct Part<K> {
        id: u8,
        #[serde(flatten)]
        kind: K,
    }

    #[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize, Union)]
    #[serde(untagged)]
    enum Kind {
        Wide(Wide),
        Tall(Box<Tall>),
        Both { depth: u8, weight: u8 },
    }

    #[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize, Document)]
    #[serde(deny_unknown_fields)]
    struct Wide {
        x: u8,
        z: u8,
    }

    #[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize, Document)]
    struct Tall {
        y: u8,
    }

    fn both_ways<T: AttributeType + Debug + PartialEq>(value: T, json: &str) {
        assert_eq!(
            String::from_utf8(document::write(&value).unwrap()).unwrap(),
            json
        );
        assert_eq!(
            document::read::<T>(json.as_bytes()).map(document::Read::into_value),
            Ok(value)
        );
    }

    fn part<K>(kind: K) -> Part<K> {
        Part { id: 1, kind }
    }

    #[test]
    fn structs_in_variants_are_found_by_their_members() {
        both_ways(
            part(Kind::Wide(Wide { x: 2, z: 3 })),
            r#"{"id":1,"x":2,"z":3}"#,
        );
        both_ways(
            part(Kind::Both {
                depth: 2,
                weight: 3,
            }),
            r#"{"id":1,"depth":2,"weight":3}"#,
        );
        let json = r#"{"id":1,"y":2}"#;
        let tall = part(Kind::Tall(Box::new(Tall { y: 2 })));
        assert_eq!(serde_json::to_string(&tall).unwrap(), json);
        assert_eq!(serde_json::from_str::<Part<Kind>>(json).unwrap(), tall);
        both_ways(tall, json);
        document::read::<Part<Kind>>(br#"{"id":1,"y":"big"}"#).unwrap_err();
    }

    /// A variant that does not fit leaves nothing behind, so that `deny_unknown_fields` of its
    /// struct refuses nothing.
    #[test]
    fn a_member_that_no_part_names_is_reported() {
        let read = document::read::<Part<Kind>>(br#"{"id":1,"y":2,"odd":3}"#).unwrap();
        assert_eq!(read.value(), &part(Kind::Tall(Box::new(Tall { y: 2 }))));
        assert_eq!(
            read.notes()
                .iter()
                .map(|note| note.kind)
                .collect::<Vec<_>>(),
            [NoteKind::Undefined]
        );
    }

    #[test]
    fn an_option_of_it_is_none_where_none_of_its_members_is_there() {
        let read = document::read::<Part<Option<Kind>>>(br#"{"id":1,"odd":2}"#).unwrap();
        assert_eq!(read.value(), &part(None));
        assert_eq!(
            read.notes()
                .iter()
                .map(|note| note.kind)
                .collect::<Vec<_>>(),
            [NoteKind::Undefined]
        );
        both_ways(part(None::<Kind>), r#"{"id":1}"#);
        both_ways(
            part(Some(Kind::Tall(Box::new(Tall { y: 2 })))),
            r#"{"id":1,"y":2}"#,
        );
        document::read::<Part<Option<Kind>>>(br#"{"id":1,"y":"big"}"#).unwrap_err();
    }

    #[derive(Debug, PartialEq, Document)]
    struct Kept {
        #[attribute(flatten)]
        kind: Option<Kind>,
        #[attribute(rest)]
        rest: BTreeMap<String, Value>,
    }

    #[test]
    fn what_is_left_goes_into_a_map_behind_it() {
        let rest = || BTreeMap::from([("odd".to_owned(), json!(2))]);
        both_ways(
            Kept {
                kind: None,
                rest: rest(),
            },
            r#"{"odd":2}"#,
        );
        both_ways(
            Kept {
                kind: Some(Kind::Tall(Box::new(Tall { y: 1 }))),
                rest: rest(),
            },
            r#"{"y":1,"odd":2}"#,
        );
    }

    #[derive(Debug, PartialEq, Union)]
    enum Outside {
        Made {
            at: u8,
        },
        #[union(untagged)]
        Other(Tall),
        #[union(untagged)]
        Many {
            many: Vec<u8>,
        },
    }

    #[derive(Debug, PartialEq, Union)]
    #[union(tag = "type")]
    enum Inside {
        Made {
            at: u8,
        },
        #[union(untagged)]
        Other(Tall),
        #[union(untagged)]
        Any(BTreeMap<String, u8>),
    }

    #[derive(Debug, PartialEq, Union)]
    #[union(tag = "type", content = "of")]
    enum Beside {
        Made {
            at: u8,
        },
        #[union(untagged)]
        Other(Tall),
    }

    #[test]
    fn variants_without_a_tag_behind_others_are_found_too() {
        both_ways(part(Outside::Made { at: 2 }), r#"{"id":1,"Made":{"at":2}}"#);
        both_ways(part(Outside::Other(Tall { y: 2 })), r#"{"id":1,"y":2}"#);
        both_ways(
            part(Outside::Many { many: vec![2] }),
            r#"{"id":1,"many":[2]}"#,
        );
        both_ways(
            part(Some(Outside::Other(Tall { y: 2 }))),
            r#"{"id":1,"y":2}"#,
        );
        both_ways(
            part(Inside::Made { at: 2 }),
            r#"{"id":1,"type":"Made","at":2}"#,
        );
        both_ways(part(Inside::Other(Tall { y: 2 })), r#"{"id":1,"y":2}"#);
        both_ways(
            part(Inside::Any(BTreeMap::from([("a".to_owned(), 2)]))),
            r#"{"id":1,"a":2}"#,
        );
        both_ways(
            part(Beside::Made { at: 2 }),
            r#"{"id":1,"type":"Made","of":{"at":2}}"#,
        );
        both_ways(part(Beside::Other(Tall { y: 2 })), r#"{"id":1,"y":2}"#);
        both_ways(part(None::<Beside>), r#"{"id":1}"#);
    }

    #[derive(Debug, PartialEq, Document)]
    struct Named {
        #[attribute(name = "Other")]
        other: u8,
        #[attribute(flatten)]
        kind: Outside,
        #[attribute(rest)]
        rest: BTreeMap<String, Value>,
    }

    #[test]
    fn the_name_of_a_variant_without_a_tag_is_free_for_a_field_or_a_key() {
        let named = |kind, rest| Named {
            other: 1,
            kind,
            rest,
        };
        let rest = || BTreeMap::from([("Many".to_owned(), json!(3))]);
        both_ways(
            named(Outside::Other(Tall { y: 2 }), rest()),
            r#"{"Other":1,"y":2,"Many":3}"#,
        );
        both_ways(
            named(Outside::Made { at: 2 }, rest()),
            r#"{"Other":1,"Made":{"at":2},"Many":3}"#,
        );
    }

    #[test]
    fn a_known_tag_with_wrong_content_is_no_other_variant() {
        document::read::<Part<Outside>>(br#"{"id":1,"Made":{"at":"x"},"y":2}"#).unwrap_err();
        document::read::<Part<Inside>>(br#"{"id":1,"type":"Made","at":"x","y":2}"#).unwrap_err();
        document::read::<Part<Beside>>(br#"{"id":1,"type":"Made","of":{"at":"x"},"y":2}"#)
            .unwrap_err();
    }

    #[derive(Debug, PartialEq, Union)]
    #[union(untagged)]
    enum Size {
        Rounded { size: f64 },
        Exact { size: u64 },
    }

    #[test]
    fn a_variant_that_loses_nothing_comes_before_the_first_that_fits() {
        both_ways(
            part(Size::Exact {
                size: 9_007_199_254_740_993,
            }),
            r#"{"id":1,"size":9007199254740993}"#,
        );
        let read = document::read::<Part<Size>>(br#"{"id":1,"size":-9007199254740993}"#).unwrap();
        assert_eq!(
            read.value(),
            &part(Size::Rounded {
                size: -9_007_199_254_740_992.0
            })
        );
        assert_eq!(
            read.notes()
                .iter()
                .map(|note| note.kind)
                .collect::<Vec<_>>(),
            [NoteKind::Rounded]
        );
    }

    #[derive(Debug, PartialEq, Union)]
    #[union(untagged)]
    enum Grown {
        Short { x: u8 },
        Long { x: u8, y: u8 },
    }

    #[derive(Debug, PartialEq, Document)]
    #[document(deny_unknown_fields)]
    struct Strict {
        #[attribute(flatten)]
        kind: Grown,
    }

    #[derive(Debug, PartialEq, Union)]
    #[union(tag = "type")]
    enum Tagged {
        Of(Grown),
    }

    fn long() -> Grown {
        Grown::Long { x: 2, y: 3 }
    }

    #[test]
    fn a_member_that_a_later_variant_has_is_not_left() {
        both_ways(part(long()), r#"{"id":1,"x":2,"y":3}"#);
        both_ways(part(Grown::Short { x: 2 }), r#"{"id":1,"x":2}"#);
        both_ways(Strict { kind: long() }, r#"{"x":2,"y":3}"#);
        both_ways(Tagged::Of(long()), r#"{"type":"Of","x":2,"y":3}"#);
        let read = document::read::<Part<Grown>>(br#"{"id":1,"x":2,"y":"big"}"#).unwrap();
        assert_eq!(
            (read.value(), read.notes().len()),
            (&part(Grown::Short { x: 2 }), 1)
        );
    }

    #[derive(Debug, PartialEq, Document)]
    struct Open {
        #[attribute(flatten)]
        kind: Grown,
        #[attribute(rest)]
        rest: BTreeMap<String, Value>,
    }

    #[derive(Debug, PartialEq, Document)]
    struct Inner {
        #[attribute(flatten)]
        kind: Grown,
    }

    #[derive(Debug, PartialEq, Document)]
    struct Outer {
        #[attribute(flatten)]
        inner: Inner,
        #[attribute(rest)]
        rest: BTreeMap<String, Value>,
    }

    #[test]
    fn a_map_beside_takes_no_member_of_a_variant_that_fits() {
        let rest = BTreeMap::new;
        both_ways(
            Open {
                kind: long(),
                rest: rest(),
            },
            r#"{"x":2,"y":3}"#,
        );
        both_ways(
            Outer {
                inner: Inner { kind: long() },
                rest: rest(),
            },
            r#"{"x":2,"y":3}"#,
        );
        let rest = || BTreeMap::from([("y".to_owned(), json!("big"))]);
        both_ways(
            Open {
                kind: Grown::Short { x: 2 },
                rest: rest(),
            },
            r#"{"x":2,"y":"big"}"#,
        );
        both_ways(
            Outer {
                inner: Inner {
                    kind: Grown::Short { x: 2 },
                },
                rest: rest(),
            },
            r#"{"x":2,"y":"big"}"#,
        );
    }

    #[derive(Debug, PartialEq, Document)]
    struct Node {
        #[attribute(flatten)]
        branch: Branch,
    }

    #[derive(Debug, PartialEq, Union)]
    #[union(untagged)]
    enum Branch {
        Left(Left),
        Right(Right),
        Leaf(Leaf),
    }

    #[derive(Debug, PartialEq, Document)]
    struct Left {
        #[attribute(recursive)]
        inner: Box<Node>,
        size: u8,
    }

    #[derive(Debug, PartialEq, Document)]
    struct Right {
        #[attribute(recursive)]
        inner: Box<Node>,
    }

    #[derive(Debug, PartialEq, Document)]
    struct Leaf {
        value: u8,
    }

    /// Each object in one another is tried as every variant, and what is in it each time; without a
    /// memory that would never end.
    #[test]
    fn variants_inside_one_another_are_tried_a_bounded_number_of_times() {
        let nested = |leaf: &str| format!("{}{leaf}{}", r#"{"inner":"#.repeat(40), "}".repeat(40));
        let mut expected = Node {
            branch: Branch::Leaf(Leaf { value: 1 }),
        };
        for _ in 0..40 {
            expected = Node {
                branch: Branch::Right(Right {
                    inner: Box::new(expected),
                }),
            };
        }
        both_ways(expected, &nested(r#"{"value":1}"#));
        let error = document::read::<Node>(nested(r#"{"value":"one"}"#).as_bytes())
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("none of the variants fits") && error.len() < 2_000,
            "{error}"
        );
    }

    /// An enum that is not flattened may hold scalars without a tag.
    #[derive(Debug, PartialEq, Union)]
    #[union(tag = "type")]
    enum Loose {
        Made {
            at: u8,
        },
        #[union(untagged)]
        Raw(String),
    }

    #[derive(Debug, PartialEq, Document)]
    struct Around {
        value: Loose,
    }

    #[test]
    fn a_part_of_what_is_no_json_is_not_read_as_a_value() {
        both_ways(
            Around {
                value: Loose::Raw("free".to_owned()),
            },
            r#"{"value":"free"}"#,
        );
        document::read::<Around>(br#"{"value":{"a" "free"}"#).unwrap_err();
    }

    #[test]
    fn a_scalar_without_a_tag_is_a_value() {
        both_ways(Loose::Made { at: 2 }, r#"{"type":"Made","at":2}"#);
        both_ways(Loose::Raw("free".to_owned()), r#""free""#);
    }
}
