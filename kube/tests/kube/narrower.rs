//! Older versions that hold fewer values of a field: narrower numbers, fewer variants, numbers in
//! place of strings.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use upstate::{Document, StringEnum};
use upstate_kube::{Converter, CustomResource as _, Webhook};

use crate::definitions::spec_of;
use crate::round_trips::{edited_annotations_take_nothing_away, every_pair_is_the_identity};

#[derive(Debug, Document)]
#[document(type_name = "ferry.gauge", version = 2)]
#[upgrade_from(1 => 2,
    carry(depth: Option<i8>, days: Option<Vec<u8>>, by_port: BTreeMap<String, u8>),
    rename(marks.size: Option<u8> => marks.height),
    rename(id => place, tone => colour),
    values(side: Option<OldSide>, "N" => "north", "S" => "south"),
)]
#[upgrade_from(0 => 1,
    convert(code: Option<u16>),
    reformat(#[kube(pattern = "^[a-c]{1,2}/[a-c]{1,2}$")] id: Option<String>, "{port}/{dock}" => "ports/{port}/docks/{dock}"),
    values(#[kube(one_of("d", "p"))] tone: Option<String>, "d" => "dark", "p" => "pale"),
)]
#[kube(group = "ferry.example.com", kind = "Gauge", version(0 = "v1alpha1"), version(1 = "v1beta1"), version(2 = "v1", storage))]
struct Gauge {
    depth: Option<i32>,
    days: Option<Vec<i64>>,
    by_port: BTreeMap<String, i32>,
    marks: Vec<Mark>,
    place: Option<String>,
    side: Option<Side>,
    code: Option<String>,
    colour: Option<String>,
}

#[derive(Debug, Document)]
struct Mark {
    name: String,
    height: Option<i64>,
}

#[derive(Debug, StringEnum)]
enum Side {
    North,
    South,
    East,
}

#[derive(Debug, StringEnum)]
enum OldSide {
    #[value(name = "N")]
    N,
    #[value(name = "S")]
    S,
}

/// A ladder whose older version must have what it cannot hold.
#[derive(Debug, Document)]
#[document(type_name = "ferry.ladder", version = 1)]
#[upgrade_from(0 => 1, rename(rank: u8 => grade))]
#[kube(group = "ferry.example.com", kind = "Ladder", version(0 = "v1alpha1"), version(1 = "v1", storage))]
struct Ladder {
    grade: i32,
}

/// An anchor whose older version cannot hold the default of the current one.
#[derive(Debug, Document)]
#[document(type_name = "ferry.anchor", version = 1)]
#[upgrade_from(0 => 1, rename(links: Option<u8> => chain), default(chain = 300))]
#[kube(group = "ferry.example.com", kind = "Anchor", version(0 = "v1alpha1"), version(1 = "v1", storage))]
struct Anchor {
    name: String,
    #[attribute(default = 300)]
    chain: i32,
}

/// A meter whose older version has a struct of its own, which reads no greater heights.
#[derive(Debug, Document)]
#[document(type_name = "ferry.meter", version = 1)]
#[upgrade_from(0, model = MeterV0, rename(h => height))]
#[kube(group = "ferry.example.com", kind = "Meter", version(0 = "v1beta1"), version(1 = "v1", storage))]
struct Meter {
    height: Option<i32>,
}

#[derive(Debug, Document)]
#[document(type_name = "ferry.meter", version = 0)]
struct MeterV0 {
    h: Option<u8>,
}

#[test]
fn meters_come_back_as_they_were() {
    every_pair_is_the_identity::<Meter>();
}

#[test]
fn gauges_come_back_as_they_were() {
    every_pair_is_the_identity::<Gauge>();
}

#[test]
fn gauges_say_the_same_beside_edited_annotations() {
    edited_annotations_take_nothing_away::<Gauge>();
}

fn object(kind: &str, version: &str, spec: &Value) -> Value {
    json!({"apiVersion": format!("ferry.example.com/{version}"), "kind": kind, "metadata": {"name": "a"}, "spec": spec})
}

fn converted(object: &Value, to: &str) -> Result<Value, String> {
    let review = json!({
        "kind": "ConversionReview", "apiVersion": "apiextensions.k8s.io/v1",
        "request": {"uid": "1", "desiredAPIVersion": format!("ferry.example.com/{to}"), "objects": [object]},
    });
    let converter = Converter::new()
        .with::<Gauge>()
        .unwrap()
        .with::<Ladder>()
        .unwrap()
        .with::<Anchor>()
        .unwrap();
    let converter = converter
        .with::<Parcel>()
        .unwrap()
        .with::<Stall>()
        .unwrap()
        .with::<Cable>()
        .unwrap();
    let converter = converter.with::<Shelf>().unwrap();
    let answer = converter.review(review.to_string().as_bytes()).unwrap();
    if let Some(problem) = answer.failure() {
        return Err(problem.to_owned());
    }
    let body: Value = serde_json::from_slice(answer.body()).unwrap();
    Ok(body["response"]["convertedObjects"][0].clone())
}

fn wide() -> Value {
    let spec = json!({
        "depth": 300, "days": [1, 300], "by_port": {"a": 5, "b": 256}, "code": "A7", "place": "anywhere", "side": "east",
        "colour": "grey", "marks": [{"name": "x", "height": 1000}, {"name": "y", "height": 7}],
    });
    object("Gauge", "v1", &spec)
}

/// Otherwise one such object would take the whole collection away from the clients of the version.
#[test]
fn what_is_out_of_an_older_versions_range_is_absent_there_and_kept_whole() {
    let newest = wide();
    let oldest = converted(&newest, "v1alpha1").unwrap();
    assert_eq!(
        oldest["spec"],
        json!({"by_port": {"a": 5}, "marks": [{"name": "x"}, {"name": "y", "size": 7}]})
    );
    let annotation = oldest["metadata"]["annotations"]["ferry.example.com/upstate-v1"]
        .as_str()
        .unwrap();
    let annotation: Value = serde_json::from_str(annotation).unwrap();
    let expected = json!({
        "/spec/depth": 300, "/spec/days": [1, 300], "/spec/by_port/b": 256, "/spec/code": "A7", "/spec/place": "anywhere",
        "/spec/side": "east", "/spec/colour": "grey", "/spec/marks/0/height": 1000,
    });
    assert_eq!(annotation["k"], expected);
    assert_eq!(converted(&oldest, "v1").unwrap(), newest);
    // By way of the other older version, too, which holds the code and the place.
    let between = converted(&oldest, "v1beta1").unwrap();
    assert_eq!(
        (&between["spec"]["code"], &between["spec"]["id"]),
        (&json!("A7"), &json!("anywhere"))
    );
    assert_eq!(converted(&between, "v1").unwrap(), newest);
}

#[test]
fn a_value_that_a_client_writes_in_its_place_wins() {
    let mut oldest = converted(&wide(), "v1alpha1").unwrap();
    oldest["spec"]["depth"] = json!(4);
    oldest["spec"]["side"] = json!("N");
    let mut expected = wide()["spec"].clone();
    expected["depth"] = json!(4);
    expected["side"] = json!("north");
    assert_eq!(converted(&oldest, "v1").unwrap()["spec"], expected);
}

/// No value that nobody wrote is put in its place.
#[test]
fn a_field_that_the_older_version_must_have_is_refused_and_named() {
    let ladder = |grade: i32| object("Ladder", "v1", &json!({"grade": grade}));
    assert_eq!(
        converted(&ladder(255), "v1alpha1").unwrap()["spec"],
        json!({"rank": 255})
    );
    for grade in [-1, 256] {
        let problem = converted(&ladder(grade), "v1alpha1").unwrap_err();
        assert!(
            problem.contains("ladders.ferry.example.com \"a\"") && problem.contains("spec.rank"),
            "{problem}"
        );
    }
}

/// The server refuses a definition with a default out of the field's range, and the older version
/// takes the absence.
#[test]
fn a_default_that_the_older_version_cannot_hold_is_absent_there() {
    let definition = Anchor::crd_with(&Webhook::service("ferry", "webhook")).unwrap();
    let of = |version: &str| spec_of(definition.value(), version)["properties"].clone();
    assert_eq!(
        of("v1alpha1")["links"],
        json!({"type": "integer", "minimum": 0, "maximum": 255})
    );
    assert_eq!(of("v1")["chain"]["default"], 300);
    let anchor = |version: &str, rest: Value| {
        let mut spec = json!({"name": "a"});
        spec.as_object_mut()
            .unwrap()
            .extend(rest.as_object().unwrap().clone());
        object("Anchor", version, &spec)
    };
    let (newest, oldest) = (
        anchor("v1", json!({"chain": 300})),
        anchor("v1alpha1", json!({})),
    );
    assert_eq!(
        converted(&newest, "v1alpha1").unwrap(),
        oldest,
        "it needs no annotation"
    );
    assert_eq!(converted(&oldest, "v1").unwrap(), newest);
    let (short, older) = (
        anchor("v1", json!({"chain": 5})),
        anchor("v1alpha1", json!({"links": 5})),
    );
    assert_eq!(converted(&short, "v1alpha1").unwrap(), older);
    every_pair_is_the_identity::<Anchor>();
}

/// A parcel whose older versions have its place under another name, and its code in any letters.
#[derive(Debug, Document)]
#[document(type_name = "ferry.parcel", version = 2)]
#[upgrade_from(1 => 2, rename(id => place), convert(code: String, lowercase))]
#[upgrade_from(0 => 1, reformat(id: Option<String>, "{port}/{dock}" => "ports/{port}/docks/{dock}"))]
#[kube(group = "ferry.example.com", kind = "Parcel", version(0 = "v1alpha1"), version(2 = "v1", storage))]
struct Parcel {
    place: Option<String>,
    code: String,
}

/// A stall whose older versions have another member under the name of its number.
#[derive(Debug, Document)]
#[document(type_name = "ferry.stall", version = 2)]
#[upgrade_from(1 => 2, rename(id => place), rename(number => id))]
#[upgrade_from(0 => 1, reformat(id: Option<String>, "{port}/{dock}" => "ports/{port}/docks/{dock}"))]
#[kube(group = "ferry.example.com", kind = "Stall", version(0 = "v1alpha1"), version(2 = "v1", storage))]
struct Stall {
    place: Option<String>,
    id: u32,
}

/// The older version holds all else, whatever a version between makes of it.
#[test]
fn what_the_older_version_can_hold_stays_beside_what_is_left_out() {
    let cases = [
        (
            "Parcel",
            json!({"place": "anywhere", "code": "AB"}),
            json!({"code": "AB"}),
        ),
        (
            "Stall",
            json!({"place": "anywhere", "id": 7}),
            json!({"number": 7}),
        ),
    ];
    for (kind, spec, expected) in cases {
        let newest = object(kind, "v1", &spec);
        let oldest = converted(&newest, "v1alpha1").unwrap();
        assert_eq!(oldest["spec"], expected, "{kind}");
        assert_eq!(converted(&oldest, "v1").unwrap(), newest, "{kind}");
    }
}

/// Each value that does not fit takes several runs of the engine, and there is an end to these.
#[test]
fn values_come_back_beside_many_that_do_not_fit() {
    let mark = |index: usize| json!({"name": index.to_string(), "height": 1000});
    let marks: Vec<Value> = (0..160).map(mark).collect();
    let newest = object(
        "Gauge",
        "v1",
        &json!({"by_port": {}, "code": "A7", "marks": marks}),
    );
    let mut oldest = converted(&newest, "v1alpha1").unwrap();
    let mut expected = newest["spec"].clone();
    let annotations = &mut oldest["metadata"]["annotations"]["ferry.example.com/upstate-v1"];
    let mut annotation: Value = serde_json::from_str(annotations.as_str().unwrap()).unwrap();
    for index in (0..160_usize).step_by(8) {
        // The older version would have such a size, and its client wrote none.
        annotation["k"][format!("/spec/marks/{index}/height")] = json!(5);
        expected["marks"][index]
            .as_object_mut()
            .unwrap()
            .remove("height");
    }
    *annotations = json!(annotation.to_string());
    assert_eq!(converted(&oldest, "v1").unwrap()["spec"], expected);
}

/// A cable whose older version has the default of the current one.
#[derive(Debug, Document)]
#[document(type_name = "ferry.cable", version = 1)]
#[upgrade_from(0 => 1, rename(links: Option<u8> => chain), default(chain = 5))]
#[kube(group = "ferry.example.com", kind = "Cable", version(0 = "v1alpha1"), version(1 = "v1", storage))]
struct Cable {
    name: String,
    #[attribute(default = 5)]
    chain: i32,
}

/// A client that writes the default has changed nothing.
#[test]
fn a_default_stands_where_a_value_is_left_out() {
    let newest = object("Cable", "v1", &json!({"name": "a", "chain": 300}));
    let mut oldest = converted(&newest, "v1alpha1").unwrap();
    assert_eq!(oldest["spec"], json!({"name": "a", "links": 5}));
    for (links, chain) in [(5, 300), (4, 4)] {
        oldest["spec"]["links"] = json!(links);
        assert_eq!(
            converted(&oldest, "v1").unwrap()["spec"],
            json!({"name": "a", "chain": chain})
        );
    }
}

/// A shelf whose older version has its tones without the place of all of them.
#[derive(Debug, Document)]
#[document(type_name = "ferry.shelf", version = 1)]
#[upgrade_from(0 => 1, each(reformat(tones: BTreeMap<String, String>, "{tone}" => "tones/{tone}")))]
#[kube(group = "ferry.example.com", kind = "Shelf", version(0 = "v1alpha1"), version(1 = "v1", storage))]
struct Shelf {
    tones: BTreeMap<String, String>,
}

/// The engine names the first entry alone.
#[test]
fn all_entries_of_a_map_that_do_not_fit_are_left_out() {
    let tone = |index: usize| {
        (
            format!("t{index}"),
            if index == 7 { "tones/dark" } else { "grey" },
        )
    };
    let tones: BTreeMap<String, &str> = (0..40).map(tone).collect();
    let newest = object("Shelf", "v1", &json!({"tones": tones}));
    let oldest = converted(&newest, "v1alpha1").unwrap();
    assert_eq!(oldest["spec"], json!({"tones": {"t7": "dark"}}));
    assert_eq!(converted(&oldest, "v1").unwrap(), newest);
}
