//! Members that no field names, where a later version has a field of that name, or the object that
//! they are in is gone.

#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    dead_code,
    reason = "tests"
)]

use std::collections::BTreeMap;

use serde_json::{Value, json};
use upstate::{CurrentModel, Document, Union};
use upstate_state::document::{self, Format};

#[derive(Debug, PartialEq, Document)]
#[document(type_name = "note", version = 1)]
#[upgrade_from(0 => 1, rename(name => title), set(size = 3), set(inner.colour = "red"))]
struct Note {
    title: String,
    size: u8,
    inner: Inner,
    #[attribute(default = 1)]
    stars: u8,
    #[attribute(rest)]
    rest: BTreeMap<String, Value>,
}

#[derive(Debug, PartialEq, Document)]
struct Inner {
    colour: String,
    #[attribute(rest)]
    rest: BTreeMap<String, Value>,
}

/// The document as it is written, and the paths of what that lacks.
fn read(more: &Value, inner: &Value) -> Result<(Value, Vec<String>), String> {
    let mut stored = json!({"name": "x", "inner": inner, "unknown": 1});
    stored
        .as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    let read = upstate::upgrade_json_with_notes::<Note>(0, stored.to_string());
    let (note, notes) = read.map_err(|errors| errors.to_string())?;
    let written = serde_json::from_slice(&upstate::to_json(&note).unwrap()).unwrap();
    Ok((
        written,
        notes.undefined().iter().map(ToString::to_string).collect(),
    ))
}

#[test]
fn a_member_that_rest_kept_is_not_lost_unseen_to_a_new_field() {
    let whole =
        json!({"title": "x", "size": 3, "inner": {"colour": "red"}, "stars": 1, "unknown": 1});
    assert_eq!(read(&json!({}), &json!({})), Ok((whole, Vec::new())));
    let nothing = json!({});
    for (more, inner, path) in [
        (json!({"size": 7}), &nothing, "size"),
        (json!({"size": "big"}), &nothing, "size"),
        (json!({"title": "other"}), &nothing, "title"),
        (json!({"title": 5}), &nothing, "title"),
        (json!({"stars": 4}), &nothing, "stars"),
        (json!({"stars": "many"}), &nothing, "stars"),
        (json!({}), &json!({"colour": "blue"}), "inner.colour"),
        (json!({}), &json!({"colour": 5}), "inner.colour"),
    ] {
        let stored = more
            .as_object()
            .unwrap()
            .values()
            .chain(inner.as_object().unwrap().values())
            .next()
            .unwrap();
        match read(&more, inner) {
            Ok((written, lacks)) => {
                let now = path.split('.').fold(&written, |value, step| &value[step]);
                assert!(
                    now == stored || lacks == [path],
                    "{path}: {written} lacks {lacks:?}"
                );
            }
            Err(error) => assert!(error.contains(path), "{error}"),
        }
    }
}

/// Its fields come out of objects that are gone, or that lose an object.
#[derive(Debug, PartialEq, Document)]
#[document(type_name = "crate", version = 2)]
#[upgrade_from(1 => 2, rename(edge.width: u8 => edge))]
#[upgrade_from(0 => 1,
    rename(size.width: u8 => width, inner.deep.colour: String => colour, inner.whole: Inner => whole),
    unnest(place: Place => shelf, row),
    drop(gone: Place, "nobody used it"))]
struct Crate {
    width: u8,
    colour: String,
    whole: Inner,
    inner: Inner,
    shelf: u8,
    row: u8,
    edge: u8,
}

#[derive(Debug, PartialEq, Document)]
struct Place {
    shelf: u8,
    row: u8,
    #[attribute(rest)]
    rest: BTreeMap<String, Value>,
}

/// The first element of a list is all that is left of it, and another member has the name of an
/// object.
#[derive(Debug, PartialEq, Document)]
#[document(type_name = "shelf", version = 1)]
#[upgrade_from(0 => 1, model = ShelfV0, rename(places.row => row, front.shelf => number, back => front), drop(places.shelf, front.row, "why"))]
struct Shelf {
    row: Option<u8>,
    number: u8,
    front: Place,
}

#[derive(Debug, PartialEq, Document)]
#[document(type_name = "shelf", version = 0, prior)]
struct ShelfV0 {
    places: Vec<Place>,
    front: Place,
    back: Place,
}

fn lacks<T: CurrentModel>(stored: &Value) -> Vec<String> {
    let (_, notes) = upstate::upgrade_json_with_notes::<T>(0, stored.to_string()).unwrap();
    notes.undefined().iter().map(ToString::to_string).collect()
}

#[test]
fn a_member_of_an_object_that_is_gone_is_not_lost_unseen() {
    let stored = json!({
        "size": {"width": 1, "height": 2, "nothing": null},
        "inner": {
            "colour": "red", "kept": 1,
            "deep": {"colour": "blue", "odd": [1]},
            "whole": {"colour": "green", "kept": 2},
        },
        "place": {"shelf": 1, "row": 2, "wall": "north"},
        "gone": {"shelf": 1, "row": 2, "wall": "south"},
        "edge": {"width": 3, "height": {"unit": "mm"}},
    });
    assert_eq!(
        lacks::<Crate>(&stored),
        ["place.wall", "size.height", "inner.deep.odd", "edge.height"]
    );
}

/// A function makes its place of the earlier one.
#[derive(Debug, PartialEq, Document)]
#[document(type_name = "hook", version = 1)]
#[upgrade_from(0 => 1, convert(place: Place, with = raised))]
struct Hook {
    place: Place,
}

fn raised(mut place: Place) -> Place {
    place.shelf += 1;
    place
}

#[test]
fn a_function_takes_and_makes_members_that_no_field_names() {
    let stored = json!({"place": {"shelf": 1, "row": 2, "wall": "north"}});
    let (hook, notes) = upstate::upgrade_json_with_notes::<Hook>(0, stored.to_string()).unwrap();
    let rest = BTreeMap::from([("wall".to_owned(), json!("north"))]);
    assert_eq!((hook.place.shelf, hook.place.rest), (2, rest));
    assert!(notes.undefined().is_empty());
}

/// A function makes a member that has the name of a field.
#[derive(Debug, PartialEq, Document)]
#[document(type_name = "peg", version = 1)]
#[upgrade_from(0 => 1, convert(place: Place, with = named_twice))]
struct Peg {
    place: Place,
}

fn named_twice(mut place: Place) -> Place {
    place.rest.insert("shelf".to_owned(), json!(9));
    place
}

#[test]
fn a_function_makes_no_member_that_has_the_name_of_a_field() {
    let stored = json!({"place": {"shelf": 1, "row": 2}}).to_string();
    let refused = upstate::upgrade_json_with_notes::<Peg>(0, stored).unwrap_err();
    let reason = "cannot be stored: a key of the remaining members is the name of a field";
    assert!(refused.to_string().contains(reason), "{refused}");
}

/// Its fields go into an object that was not there.
#[derive(Debug, PartialEq, Document)]
#[document(type_name = "seat", version = 1)]
#[upgrade_from(0 => 1, nest(shelf: u8, row: u8 => place))]
struct Seat {
    place: Place,
}

#[test]
fn what_had_the_name_of_a_new_object_is_named_once() {
    assert_eq!(
        lacks::<Seat>(&json!({"shelf": 1, "row": 2, "place": "here"})),
        ["place"]
    );
    assert_eq!(
        lacks::<Seat>(&json!({"shelf": 1, "row": 2, "place": {"row": 3, "wall": "north"}})),
        ["place.row"]
    );
}

#[test]
fn nor_one_of_an_element_or_of_an_object_whose_name_another_one_has() {
    let stored = json!({
        "places": [{"shelf": 1, "row": 2, "wall": "north"}],
        "front": {"shelf": 3, "row": 4, "wall": "south"},
        "back": {"shelf": 5, "row": 6, "wall": "east"},
    });
    assert_eq!(lacks::<Shelf>(&stored), ["front.wall", "places[0].wall"]);
}

#[derive(Debug, PartialEq, Document)]
#[document(type_name = "page")]
struct Page {
    #[attribute(rest)]
    rest: BTreeMap<String, Value>,
    #[attribute(alias = "paint")]
    colour: String,
    #[attribute(flatten)]
    window: Option<Window>,
    #[attribute(flatten)]
    kind: Kind,
    #[attribute(flatten)]
    place: Option<Where>,
}

#[derive(Debug, PartialEq, Document)]
struct Window {
    #[attribute(alias = "wide")]
    width: u8,
}

#[derive(Debug, PartialEq, Union)]
#[union(tag = "kind")]
enum Kind {
    Round { radius: u8 },
    Square { edge: u8 },
    Other(Side),
}

#[derive(Debug, PartialEq, Document)]
struct Side {
    length: u8,
}

#[derive(Debug, PartialEq, Union)]
#[union(tag = "at", content = "there")]
enum Where {
    Here,
    At(u8),
}

fn page(key: &str, kind: Kind, place: Option<Where>) -> Page {
    let rest = [(key.to_owned(), json!(1))].into();
    Page {
        rest,
        colour: "red".to_owned(),
        window: None,
        kind,
        place,
    }
}

#[test]
fn a_key_of_the_rest_that_another_member_has_is_not_written() {
    let round = || Kind::Round { radius: 1 };
    for key in ["colour", "paint", "width", "wide", "kind", "radius", "at"] {
        let error = upstate::to_json(&page(key, round(), None))
            .unwrap_err()
            .to_string();
        assert_eq!(
            error,
            format!("{key}: a key of the remaining members is the name of a field")
        );
    }
    for (key, kind, place) in [
        ("edge", Kind::Square { edge: 1 }, None),
        ("length", Kind::Other(Side { length: 1 }), None),
        ("there", round(), Some(Where::Here)),
        ("there", round(), Some(Where::At(1))),
    ] {
        let error = upstate::to_json(&page(key, kind, place))
            .unwrap_err()
            .to_string();
        assert_eq!(
            error,
            format!("{key}: a key of the remaining members is the name of a field")
        );
    }
    // Those of a variant that the value does not have are read back as what they are.
    for (key, kind, place) in [
        ("edge", round(), None),
        ("length", round(), None),
        ("radius", Kind::Other(Side { length: 1 }), None),
        ("there", round(), None),
        ("free", round(), Some(Where::Here)),
    ] {
        let page = page(key, kind, place);
        let json = upstate::to_json(&page).unwrap();
        assert_eq!(upstate::from_json::<Page>(&json).unwrap(), page, "{key}");
    }
}

/// As a value of its own, and not beside other members.
#[derive(Debug, PartialEq, Union)]
#[union(tag = "kind")]
enum Open {
    Any(BTreeMap<String, u8>),
    Fixed {
        x: u8,
        #[attribute(rest)]
        rest: BTreeMap<String, u8>,
    },
}

#[test]
fn nor_one_of_a_variant() {
    let of = |key: &str| BTreeMap::from([(key.to_owned(), 1)]);
    for bad in [
        Open::Any(of("kind")),
        Open::Fixed {
            x: 1,
            rest: of("x"),
        },
        Open::Fixed {
            x: 1,
            rest: of("kind"),
        },
    ] {
        upstate::document::write(&bad).unwrap_err();
    }
    let good = Open::Fixed {
        x: 1,
        rest: of("y"),
    };
    assert_eq!(
        upstate::document::write(&good).unwrap(),
        br#"{"kind":"Fixed","x":1,"y":1}"#
    );
}

/// Tags beside one another, of which each has the map's members beside it.
#[derive(Debug, PartialEq, Union)]
#[union(tag = "outer")]
enum Around {
    Open(Open),
    Marked(Marked),
}

#[derive(Debug, PartialEq, Document)]
#[serde(tag = "mark")]
struct Marked {
    x: u8,
    #[attribute(rest)]
    rest: BTreeMap<String, u8>,
}

#[test]
fn nor_one_of_the_tags_around_it() {
    let of = |key: &str| BTreeMap::from([(key.to_owned(), 1)]);
    let marked = |key: &str| {
        Around::Marked(Marked {
            x: 1,
            rest: of(key),
        })
    };
    let fixed = |key: &str| {
        Around::Open(Open::Fixed {
            x: 1,
            rest: of(key),
        })
    };
    let any = |key: &str| Around::Open(Open::Any(of(key)));
    for bad in [
        any("outer"),
        any("kind"),
        fixed("outer"),
        fixed("kind"),
        marked("outer"),
        marked("mark"),
    ] {
        let written = upstate::document::write(&bad);
        assert!(written.is_err(), "{bad:?}");
    }
    for (good, json) in [
        (any("y"), r#"{"outer":"Open","kind":"Any","y":1}"#),
        (
            marked("kind"),
            r#"{"outer":"Marked","mark":"Marked","x":1,"kind":1}"#,
        ),
    ] {
        let written = upstate::document::write(&good).unwrap();
        assert_eq!(String::from_utf8_lossy(&written), json);
        let read = upstate::document::read::<Around>(&written).unwrap();
        assert_eq!(read.value(), &good);
    }
}

fn note(key: &str) -> Note {
    let inner = Inner {
        colour: "red".to_owned(),
        rest: BTreeMap::new(),
    };
    Note {
        title: "x".to_owned(),
        size: 3,
        inner,
        stars: 1,
        rest: [(key.to_owned(), json!(0))].into(),
    }
}

#[test]
fn nor_one_of_the_format() {
    for format in [Format::new(), Format::toml()] {
        for key in ["type", "schema_version"] {
            let error = format.to_vec(&note(key)).unwrap_err().to_string();
            assert!(
                error.contains(&format!(
                    "A key of the remaining members is {key:?}, the name of a member of"
                )),
                "{error}"
            );
        }
    }
    let apart = Format::new().attributes_member("data");
    let note = note("schema_version");
    assert_eq!(
        apart
            .from_slice::<Note>(&apart.to_vec(&note).unwrap())
            .unwrap(),
        note
    );
}

#[test]
fn a_member_of_the_format_is_read_once() {
    let attributes = r#""title":"x","size":3,"inner":{"colour":"red"},"stars":1"#;
    for doubled in [
        format!(r#"{{"type":"note","schema_version":1,{attributes},"schema_version":0}}"#),
        format!(r#"{{"type":"note","schema_version":1,{attributes},"type":"other"}}"#),
        r#"{"type":"note","schema_version":0,"name":"x","inner":{},"schema_version":1}"#.to_owned(),
    ] {
        let error = document::from_str::<Note>(&doubled)
            .unwrap_err()
            .to_string();
        assert!(error.contains("more than once"), "{error}");
        let registry = upstate::Registry::new().with::<Note>();
        let error = Format::new()
            .upgrade(&registry, doubled.as_bytes())
            .unwrap_err()
            .to_string();
        assert!(error.contains("more than once"), "{error}");
    }
    let once = format!(r#"{{"type":"note","schema_version":1,{attributes},"more":{{"type":1}}}}"#);
    assert_eq!(
        document::from_str::<Note>(&once).unwrap().rest,
        [("more".to_owned(), json!({"type": 1}))].into()
    );
}
