//! Members that no field names, where a later version has a field of that name, or the object that they are in is gone.

#![allow(clippy::indexing_slicing, clippy::unwrap_used, dead_code, reason = "tests")]

use std::collections::BTreeMap;

use serde_json::{Value, json};
use upstate::{CurrentModel, Document};

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
    stored.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let read = upstate::upgrade_json_with_notes::<Note>(0, stored.to_string());
    let (note, notes) = read.map_err(|errors| errors.to_string())?;
    let written = serde_json::from_slice(&upstate::to_json(&note).unwrap()).unwrap();
    Ok((written, notes.undefined().iter().map(ToString::to_string).collect()))
}

#[test]
fn a_member_that_rest_kept_is_not_lost_unseen_to_a_new_field() {
    let whole = json!({"title": "x", "size": 3, "inner": {"colour": "red"}, "stars": 1, "unknown": 1});
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
        let stored = more.as_object().unwrap().values().chain(inner.as_object().unwrap().values()).next().unwrap();
        match read(&more, inner) {
            Ok((written, lacks)) => {
                let now = path.split('.').fold(&written, |value, step| &value[step]);
                assert!(now == stored || lacks == [path], "{path}: {written} lacks {lacks:?}");
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

/// The first element of a list is all that is left of it, and another member has the name of an object.
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
    assert_eq!(lacks::<Crate>(&stored), ["place.wall", "size.height", "inner.deep.odd", "edge.height"]);
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
    assert_eq!(lacks::<Seat>(&json!({"shelf": 1, "row": 2, "place": "here"})), ["place"]);
    assert_eq!(lacks::<Seat>(&json!({"shelf": 1, "row": 2, "place": {"row": 3, "wall": "north"}})), ["place.row"]);
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
