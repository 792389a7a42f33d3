//! Members that `rest` kept, where a later version has a field of that name.

#![allow(clippy::indexing_slicing, clippy::unwrap_used, dead_code, reason = "tests")]

use std::collections::BTreeMap;

use serde_json::{Value, json};
use upstate::Document;

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
