//! Reviews, one fact after the other. The scenarios are those of `scenarios.jsonl`, which were run
//! on a server.

use proptest::prelude::*;
use serde_json::{Value, json};
use upstate::{Document, Union};
use upstate_kube::{Answer, Converter, LARGEST_REVIEW};

use crate::boat::Boat;
use crate::round_trips::hash;

const GROUP: &str = "ferry.example.com";

pub(crate) fn converter() -> Converter {
    let converter = Converter::new()
        .with::<Boat>()
        .unwrap()
        .with::<Door>()
        .unwrap()
        .with::<Buoy>()
        .unwrap();
    let converter = converter
        .with::<Shell>()
        .unwrap()
        .with::<StrictShell>()
        .unwrap()
        .with::<Voyage>()
        .unwrap();
    converter.with::<Landing>().unwrap().with::<Slip>().unwrap()
}

fn review(objects: &[Value], to: &str) -> Value {
    json!({
        "kind": "ConversionReview", "apiVersion": "apiextensions.k8s.io/v1",
        "request": {"uid": "4020743b", "desiredAPIVersion": format!("{GROUP}/{to}"), "objects": objects},
        "response": {"uid": "", "convertedObjects": null, "result": {"metadata": {}}},
    })
}

fn answer(objects: &[Value], to: &str) -> Answer {
    converter()
        .review(review(objects, to).to_string().as_bytes())
        .unwrap()
}

/// The one object that an answer has.
fn converted(object: &Value, to: &str) -> Value {
    let answer = answer(std::slice::from_ref(object), to);
    let body: Value = serde_json::from_slice(answer.body()).unwrap();
    assert_eq!(body["response"]["uid"], "4020743b");
    assert_eq!(
        body["response"]["result"],
        json!({"status": "Success"}),
        "{:?}",
        answer.failure()
    );
    body["response"]["convertedObjects"][0].clone()
}

fn boat(version: &str, spec: &Value) -> Value {
    json!({
        "apiVersion": format!("{GROUP}/{version}"), "kind": "Boat",
        "metadata": {"name": "b0", "namespace": "default", "uid": "2acf", "generation": 1, "finalizers": ["x"], "labels": {"a": "b"}},
        "spec": spec,
    })
}

/// A change that a client makes, as text.
fn edited(mut object: Value, edit: impl FnOnce(&mut Value)) -> Value {
    edit(&mut object);
    object
}

const KEPT: &str = "ferry.example.com/upstate-v1";

#[test]
fn what_an_older_version_cannot_hold_is_in_an_annotation_and_comes_back() {
    let newest = boat(
        "v1",
        &json!({"paint": {"colour": "red", "gloss": 3}, "length": 7}),
    );
    let oldest = converted(&newest, "v1alpha1");
    assert_eq!(oldest["spec"], json!({"colour": "red", "len": 7}));
    assert_eq!(oldest["apiVersion"], "ferry.example.com/v1alpha1");
    assert_eq!(
        oldest["metadata"]["annotations"],
        json!({KEPT: r#"{"k":{"/spec/paint/gloss":3},"v":1}"#})
    );
    assert_eq!(converted(&oldest, "v1"), newest);
    // Between two older versions, too.
    let beta = converted(&oldest, "v1beta1");
    assert_eq!(beta["spec"], newest["spec"]);
    assert_eq!(beta["metadata"].get("annotations"), None);
}

/// Scenario 20: the server restores all of it but labels and annotations, which it takes from the
/// answer.
#[test]
fn metadata_stays_as_it_is() {
    let mut newest = boat("v1", &json!({"paint": {"colour": "red"}, "length": 7}));
    newest["metadata"]["annotations"] =
        json!({"kubectl.kubernetes.io/last-applied-configuration": "{}", "b": "c"});
    for to in ["v1alpha1", "v1beta1"] {
        assert_eq!(converted(&newest, to)["metadata"], newest["metadata"]);
    }
}

/// Scenario 25: the client's change wins where it made one, and what it did not see is as it was.
/// Numbers keep their spelling there, and members their order.
#[test]
fn what_is_not_converted_keeps_its_bytes() {
    let metadata =
        r#"{"name":"b0","namespace":"default","z":{"b":1.0e3,"a":"\u003c"},"labels":{"a":"b"}}"#;
    let review = format!(
        r#"{{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","request":{{"uid":"1","desiredAPIVersion":"{GROUP}/v1alpha1","objects":[
        {{"other": [ 1.50 ],"spec":{{"paint":{{"colour":"red"}}}},"metadata":{metadata},"kind":"Boat","apiVersion":"{GROUP}/v1"}}]}}}}"#
    );
    let answer = converter().review(review.as_bytes()).unwrap();
    let expected = format!(
        r#"{{"apiVersion":"{GROUP}/v1alpha1","kind":"Boat","metadata":{metadata},"other":[ 1.50 ],"spec":{{"colour":"red","len":7}}}}"#
    );
    let body = std::str::from_utf8(answer.body()).unwrap();
    assert!(
        body.ends_with(&format!(r#""convertedObjects":[{expected}]}}}}"#)),
        "{body}"
    );
}

#[test]
fn a_change_in_an_older_version_keeps_what_that_cannot_hold() {
    let newest = boat(
        "v1",
        &json!({"paint": {"colour": "red", "gloss": 3}, "length": 7}),
    );
    let oldest = edited(converted(&newest, "v1alpha1"), |boat| {
        boat["spec"]["colour"] = json!("green");
    });
    let again = converted(&oldest, "v1");
    assert_eq!(
        again["spec"],
        json!({"paint": {"colour": "green", "gloss": 3}, "length": 7})
    );
    assert_eq!(again["metadata"].get("annotations"), None);
}

/// Scenario 26: a limit, since no converter sees the object that is replaced.
#[test]
fn a_client_that_drops_the_annotation_drops_what_is_in_it() {
    let newest = boat(
        "v1",
        &json!({"paint": {"colour": "red", "gloss": 3}, "length": 7}),
    );
    let oldest = edited(converted(&newest, "v1alpha1"), |boat| {
        drop(
            boat["metadata"]
                .as_object_mut()
                .unwrap()
                .remove("annotations"),
        );
    });
    assert_eq!(
        converted(&oldest, "v1")["spec"],
        json!({"paint": {"colour": "red"}, "length": 7})
    );
}

/// A buoy whose newest version has members with limits.
#[derive(Debug, Document)]
#[document(type_name = "ferry.buoy", version = 1)]
#[upgrade_from(0 => 1, set(light = null), set(mark = null), set(flags = []), set(lamp = null))]
#[kube(group = "ferry.example.com", kind = "Buoy", version(0 = "v1alpha1"), version(1 = "v1", storage))]
struct Buoy {
    name: String,
    #[kube(range = 0..=10)]
    light: Option<i64>,
    #[kube(pattern = "^a+$")]
    mark: Option<String>,
    #[kube(length = ..=2, each(length = ..=1))]
    flags: Vec<String>,
    lamp: Option<Lamp>,
}

#[derive(Debug, Union)]
#[union(tag = "is")]
enum Lamp {
    Small(SmallLamp),
    Large(LargeLamp),
}

#[derive(Debug, Document)]
struct SmallLamp {
    #[kube(range = 1..=5)]
    size: i64,
}

#[derive(Debug, Document)]
struct LargeLamp {
    #[kube(range = 10..=50)]
    size: i64,
}

/// Whoever may edit an annotation must not store what the server refuses.
#[test]
fn an_edited_annotation_is_judged_by_limits() {
    let buoy = |rest: &Value| {
        let mut spec = json!({"name": "b", "flags": []});
        spec.as_object_mut()
            .unwrap()
            .extend(rest.as_object().unwrap().clone());
        json!({"apiVersion": "ferry.example.com/v1", "kind": "Buoy", "metadata": {"name": "b"}, "spec": spec})
    };
    let (large, small) = (
        json!({"lamp": {"is": "Large", "size": 20}}),
        json!({"lamp": {"is": "Small", "size": 3}}),
    );
    let edits = [
        (json!({"light": 9}), ":9", ":10", true),
        (json!({"light": 9}), ":9", ":11", false),
        (json!({"mark": "a"}), r#""a""#, r#""aa""#, true),
        (json!({"mark": "a"}), r#""a""#, r#""b""#, false),
        (json!({"flags": ["a"]}), r#"["a"]"#, r#"["a","b"]"#, true),
        (
            json!({"flags": ["a"]}),
            r#"["a"]"#,
            r#"["a","b","c"]"#,
            false,
        ),
        (json!({"flags": ["a"]}), r#"["a"]"#, r#"["ab"]"#, false),
        (large.clone(), ":20", ":50", true),
        (large.clone(), ":20", ":3", false),
        (large, "Large", "Small", false),
        (small.clone(), ":3", ":5", true),
        (small, ":3", ":20", false),
    ];
    for (spec, from, to, is_taken) in edits {
        let older = edited(converted(&buoy(&spec), "v1alpha1"), |older| {
            let text = older["metadata"]["annotations"][KEPT].as_str().unwrap();
            assert!(text.contains(from), "{text}");
            older["metadata"]["annotations"][KEPT] = json!(text.replace(from, to));
        });
        let expected = if is_taken {
            serde_json::from_str(&spec.to_string().replace(from, to)).unwrap()
        } else {
            json!({})
        };
        assert_eq!(
            converted(&older, "v1"),
            buoy(&expected),
            "{spec}: {from} {to}"
        );
    }
}

#[test]
fn an_edited_annotation_is_judged_by_the_schema_and_ignored_where_it_does_not_fit() {
    let oldest = |text: &str| {
        let mut oldest = boat("v1alpha1", &json!({"colour": "red", "len": 7}));
        oldest["metadata"]["annotations"] = json!({KEPT: text});
        oldest
    };
    let plain = json!({"paint": {"colour": "red"}, "length": 7});
    let broken = [
        "",
        "{",
        "null",
        "[]",
        "7",
        r#"{"v":2,"k":{"/spec/paint/gloss":3}}"#,
        r#"{"v":1,"k":[]}"#,
        r#"{"v":1,"k":{"":{}}}"#,
        r#"{"v":1,"k":{"/spec":{}}}"#,
        r#"{"v":1,"k":{"/spec/paint/gloss":"wrong"}}"#,
        r#"{"v":1,"k":{"/spec/paint/gloss":-1}}"#,
        r#"{"v":1,"k":{"/spec/paint/colour":"blue"}}"#,
        r#"{"v":1,"k":{"/spec/nothing":1}}"#,
        r#"{"v":1,"k":{"/spec/paint/x/y":1}}"#,
        r#"{"v":1,"k":{"/metadata/name":"other"}}"#,
        r#"{"v":1,"k":{"/spec/masts/0/flag":"x"}}"#,
        r#"{"v":1,"d":["/spec/paint"]}"#,
        r#"{"v":1,"d":[1]}"#,
        r#"{"v":1,"k":{"/spec/paint/gloss":3},"h":{"/spec/paint/gloss":"00000000"}}"#,
        r#"{"v":1,"k":{"/spec/paint/gloss":3},"h":[]}"#,
    ];
    for text in &broken[..broken.len() - 1] {
        let answer = answer(&[oldest(text)], "v1");
        let body: Value = serde_json::from_slice(answer.body()).unwrap();
        assert_eq!(
            body["response"]["convertedObjects"][0]["spec"], plain,
            "{text}"
        );
        assert_eq!(answer.restored(), 0, "{text}");
    }
    // A value that fits is input like any other.
    let fits = answer(&[oldest(r#"{"v":1,"k":{"/spec/paint/gloss":1000}}"#)], "v1");
    assert_eq!(
        (fits.restored(), fits.ignored(), fits.superseded()),
        (1, 0, 0)
    );
    let counted = answer(
        &[oldest(
            r#"{"v":1,"k":{"/spec/paint/colour":"blue","/spec/paint/x/y":1}}"#,
        )],
        "v1",
    );
    assert_eq!(
        (counted.restored(), counted.ignored(), counted.superseded()),
        (0, 1, 1)
    );
}

/// Otherwise the object could not be read, nor any list that it is in; or it would say in one
/// version what it does not say in another.
#[test]
fn what_comes_back_takes_nothing_away_from_the_other_version() {
    let large = "r".repeat(140_000);
    let pinned = json!({"locks": {"name": "a", "pin": "1234"}, "hinges": []});
    let oldest = json!({"colour": "red", "len": 7, "title": "a", "berth": "b4"});
    let newest = json!({"paint": {"colour": "red"}, "length": 7, "name": "a"});
    let painted = json!({"/spec/paint/colour": "blue", "/spec/paint/gloss": 3});
    let red = json!({"/spec/paint/colour": hash(&json!("red"))});
    let cases = [
        // No annotation may have the secret of the older version, so that it could not be kept.
        (
            (door("v1beta1", &pinned), "v1"),
            (
                json!({"/spec/locks/pin": "x"}),
                json!({"/spec/locks/pin": hash(&json!("1234"))}),
            ),
            (pinned.clone(), [0, 1]),
        ),
        // Nor is there room for this.
        (
            (boat("v1alpha1", &json!({"colour": large, "len": 7})), "v1"),
            (
                json!({"/spec/paint/colour": "blue"}),
                json!({"/spec/paint/colour": hash(&json!(large))}),
            ),
            (json!({"paint": {"colour": large}, "length": 7}), [0, 1]),
        ),
        // In the older version nothing is there, which counts as well.
        (
            (boat("v1alpha1", &json!({"colour": "red", "len": 7})), "v1"),
            (json!({"/spec/name": "b"}), json!({})),
            (json!({"paint": {"colour": "red"}, "length": 7}), [0, 1]),
        ),
        // The other values come back, also where the berth is lost with and without them.
        (
            (boat("v1alpha1", &oldest), "v1"),
            (painted.clone(), red.clone()),
            (
                json!({"paint": {"colour": "red", "gloss": 3}, "length": 7, "name": "a"}),
                [1, 1],
            ),
        ),
        // An older version may be the one that takes them back, too.
        (
            (boat("v1", &newest), "v1beta1"),
            (
                json!({"/spec/berth": "b4", "/spec/title": "b"}),
                json!({"/spec/title": hash(&json!("a"))}),
            ),
            (
                json!({"paint": {"colour": "red"}, "length": 7, "berth": "b4", "title": "a"}),
                [1, 1],
            ),
        ),
        // The defaults of the current version do not count between two older ones.
        (
            (
                boat("v1alpha1", &json!({"colour": "red", "len": 7})),
                "v1beta1",
            ),
            (painted, red),
            (
                json!({"paint": {"colour": "red", "gloss": 3}, "length": 7}),
                [1, 1],
            ),
        ),
    ];
    for ((object, to), (kept, hashes), (expected, fates)) in cases {
        let text = json!({"v": 1, "k": kept, "h": hashes}).to_string();
        let annotation = format!("{GROUP}/upstate-{to}");
        let answer = answer(
            &[edited(object, |object| {
                object["metadata"]["annotations"] = json!({annotation: text});
            })],
            to,
        );
        assert_eq!(answer.failure(), None, "{kept}");
        let body: Value = serde_json::from_slice(answer.body()).unwrap();
        assert_eq!(
            body["response"]["convertedObjects"][0]["spec"], expected,
            "{kept}"
        );
        assert_eq!([answer.restored(), answer.ignored()], fates, "{kept}");
    }
}

/// Server-side apply removes fields from objects, and has the rest converted.
#[test]
fn partial_objects_become_what_they_have() {
    let cases = [
        (
            "v1alpha1",
            json!({"colour": "y"}),
            "v1",
            json!({"paint": {"colour": "y"}, "length": 7}),
        ),
        ("v1alpha1", json!({"len": 3}), "v1", json!({"length": 3})),
        ("v1alpha1", json!({}), "v1", json!({})),
        ("v1", json!({}), "v1alpha1", json!({})),
        ("v1", json!({"length": 3}), "v1alpha1", json!({"len": 3})),
        ("v1", json!({"paint": {"gloss": 3}}), "v1alpha1", json!({})),
        ("v1", json!({"paint": {}}), "v1alpha1", json!({})),
        ("v1beta1", json!({"title": "t"}), "v1", json!({"name": "t"})),
        (
            "v1",
            json!({"masts": [{"flag": "x"}]}),
            "v1beta1",
            json!({"masts": [{"flag": "x"}]}),
        ),
        (
            "v1",
            json!({"hull": {"kind": "wood"}, "paint": {"colour": "x"}}),
            "v1alpha1",
            json!({"colour": "x", "hull": {"kind": "wood"}}),
        ),
    ];
    for (from, spec, to, expected) in cases {
        let made = converted(&boat(from, &spec), to)["spec"].take();
        assert_eq!(made, expected, "{from} {spec}");
    }
    // The field manager's objects have a resourceVersion, and a default would be a field that
    // somebody seems to want.
    let mut object = boat("v1alpha1", &json!({"colour": "y"}));
    object["metadata"]["resourceVersion"] = json!("7");
    assert_eq!(
        converted(&object, "v1")["spec"],
        json!({"paint": {"colour": "y"}})
    );
    for spec in [None, Some(Value::Null)] {
        let mut object = boat("v1alpha1", &json!({}));
        object.as_object_mut().unwrap().remove("spec");
        if let Some(spec) = &spec {
            object["spec"] = spec.clone();
        }
        let made = converted(&object, "v1");
        assert_eq!(made.get("spec"), spec.as_ref());
        assert_eq!(made["apiVersion"], "ferry.example.com/v1");
    }
}

/// A ferry with a struct that needs no member.
#[derive(Debug, Document)]
#[document(type_name = "ferry.slip", version = 1)]
#[upgrade_from(0 => 1, rename(title => name), set(needs.anchor = null))]
#[kube(group = "ferry.example.com", kind = "Slip", version(0 = "v1alpha1"), version(1 = "v1", storage))]
struct Slip {
    name: String,
    needs: Needs,
    by_day: std::collections::BTreeMap<String, Needs>,
}

#[derive(Debug, Document)]
struct Needs {
    anchor: Option<u8>,
    depth: Option<u8>,
    berth: Option<NeededBerth>,
}

#[derive(Debug, Document)]
struct NeededBerth {
    name: String,
}

/// Otherwise server-side apply would take it for a field that a client wants.
#[test]
fn partial_objects_gain_no_struct_that_no_client_wrote() {
    let cases = [
        (json!({"title": "a"}), json!({"name": "a"})),
        (
            json!({"title": "a", "needs": {"depth": 3}}),
            json!({"name": "a", "needs": {"depth": 3}}),
        ),
        (json!({"needs": {}}), json!({"needs": {}})),
        (json!({"needs": {"berth": {}}}), json!({})),
        (
            json!({"by_day": {"monday": {}}}),
            json!({"by_day": {"monday": {}}}),
        ),
    ];
    for (older, newest) in cases {
        let made = converted(&of_ferry("Slip", "v1alpha1", &older), "v1")["spec"].take();
        assert_eq!(made, newest, "{older}");
        if newest != json!({}) {
            assert_eq!(
                converted(&of_ferry("Slip", "v1", &newest), "v1alpha1")["spec"],
                older,
                "{newest}"
            );
        }
    }
}

#[test]
fn the_status_is_converted_beside_the_spec() {
    let mut newest = boat("v1", &json!({"paint": {"colour": "red"}, "length": 7}));
    newest["status"] = json!({"afloat": true, "message": "in time"});
    let oldest = converted(&newest, "v1alpha1");
    assert_eq!(oldest["status"], newest["status"]);
    assert_eq!(converted(&oldest, "v1"), newest);
}

/// Scenario 16: the server's own defaults are those of the storage version, on reading alone.
#[test]
fn defaults_of_the_wanted_version_are_there() {
    assert_eq!(
        converted(&boat("v1", &json!({"paint": {"colour": "x"}})), "v1alpha1")["spec"],
        json!({"colour": "x", "len": 7})
    );
    let made = converted(&boat("v1alpha1", &json!({"colour": "x"})), "v1");
    assert_eq!(made["spec"], json!({"paint": {"colour": "x"}, "length": 7}));
}

/// An older version's own values are kept the other way round.
#[test]
fn what_only_an_older_version_has_is_kept_in_the_newer_one() {
    let beta = boat(
        "v1beta1",
        &json!({"paint": {"colour": "x"}, "length": 3, "berth": "b4", "title": "t"}),
    );
    let newest = converted(&beta, "v1");
    assert_eq!(
        newest["spec"],
        json!({"paint": {"colour": "x"}, "length": 3, "name": "t"})
    );
    assert_eq!(
        newest["metadata"]["annotations"]["ferry.example.com/upstate-v1beta1"],
        r#"{"k":{"/spec/berth":"b4"},"v":1}"#
    );
    let renamed = edited(newest.clone(), |boat| boat["spec"]["name"] = json!("u"));
    assert_eq!(converted(&newest, "v1beta1"), beta);
    assert_eq!(converted(&renamed, "v1beta1")["spec"]["berth"], "b4");
}

#[derive(Debug, Document)]
#[document(type_name = "ferry.door", version = 1)]
#[upgrade_from(0 => 1, set(locks.code = null), set(hinges.oil = null))]
#[kube(group = "ferry.example.com", kind = "Door", version(0 = "v1beta1"), version(1 = "v1", storage))]
struct Door {
    locks: Lock,
    hinges: Vec<Hinge>,
}

#[derive(Debug, Document)]
struct Lock {
    name: String,
    #[attribute(sensitive)]
    code: Option<String>,
    #[attribute(sensitive)]
    pin: Option<String>,
}

#[derive(Debug, Document)]
struct Hinge {
    side: String,
    oil: Option<u8>,
}

fn door(version: &str, spec: &Value) -> Value {
    json!({"apiVersion": format!("{GROUP}/{version}"), "kind": "Door", "metadata": {"name": "d"}, "spec": spec})
}

#[test]
fn a_secret_is_never_in_an_annotation_nor_in_a_message() {
    let answer = answer(
        &[door(
            "v1",
            &json!({"locks": {"name": "a", "code": "1234"}, "hinges": []}),
        )],
        "v1beta1",
    );
    assert_eq!(
        answer.failure(),
        Some(
            "doors.ferry.example.com \"d\", ferry.example.com/v1 to v1beta1: a version cannot hold the sensitive value at /spec/locks/code of v1, \
             and no annotation may; read the object as v1"
        )
    );
    assert!(!String::from_utf8_lossy(answer.body()).contains("1234"));
}

/// Elements of a list are found by what they were.
#[test]
fn kept_values_follow_elements_that_move() {
    let newest = door(
        "v1",
        &json!({"locks": {"name": "a"}, "hinges": [{"side": "l", "oil": 1}, {"side": "r", "oil": 2}, {"side": "t"}]}),
    );
    let old = converted(&newest, "v1beta1");
    assert_eq!(
        old["spec"]["hinges"],
        json!([{"side": "l"}, {"side": "r"}, {"side": "t"}])
    );
    assert_eq!(converted(&old, "v1"), newest);
    let moved = edited(old, |door| {
        door["spec"]["hinges"] = json!([{"side": "new"}, {"side": "r"}, {"side": "l"}]);
    });
    let again = converted(&moved, "v1");
    assert_eq!(
        again["spec"]["hinges"],
        json!([{"side": "new"}, {"side": "r", "oil": 2}, {"side": "l", "oil": 1}])
    );
}

/// A shell of which each version knows the variants, and the newest more of their members.
#[derive(Debug, Document)]
#[document(type_name = "ferry.shell", version = 1)]
#[upgrade_from(0 => 1, set(hull.Wood.oiled = null), set(hull.Bamboo.oiled = null), set(gloss = null))]
#[kube(group = "ferry.example.com", kind = "Shell", version(0 = "v1alpha1"), version(1 = "v1", storage))]
struct Shell {
    hull: ShellHull,
    gloss: Option<u32>,
}

#[derive(Debug, Union)]
#[union(tag = "kind", rename_all = "camelCase")]
enum ShellHull {
    Steel,
    Wood {
        species: String,
        oiled: Option<bool>,
    },
    Bamboo {
        oiled: Option<bool>,
    },
}

/// A shell that refuses members that it does not know.
#[derive(Debug, Document)]
#[document(type_name = "ferry.strict_shell", version = 1)]
#[upgrade_from(0 => 1, set(hull.Wood.oiled = null), set(gloss = null))]
#[kube(group = "ferry.example.com", kind = "StrictShell", version(0 = "v1alpha1"), version(1 = "v1", storage))]
struct StrictShell {
    hull: StrictHull,
    gloss: Option<u32>,
}

#[derive(Debug, Union)]
#[union(tag = "kind", rename_all = "camelCase", deny_unknown_fields)]
enum StrictHull {
    Steel,
    Wood {
        species: String,
        oiled: Option<bool>,
    },
}

/// The content of each variant is in one member.
#[derive(Debug, Document)]
#[document(type_name = "ferry.voyage", version = 1)]
#[upgrade_from(0 => 1, set(event.Docked.late = null), set(event.Moored.late = null), set(gloss = null))]
#[kube(group = "ferry.example.com", kind = "Voyage", version(0 = "v1alpha1"), version(1 = "v1", storage))]
struct Voyage {
    event: VoyageEvent,
    gloss: Option<u32>,
}

#[derive(Debug, Union)]
#[union(tag = "type", content = "data", rename_all = "camelCase")]
enum VoyageEvent {
    Left,
    Docked { port: String, late: Option<bool> },
    Moored { port: String, late: Option<bool> },
}

fn of_ferry(kind: &str, version: &str, spec: &Value) -> Value {
    json!({"apiVersion": format!("{GROUP}/{version}"), "kind": kind, "metadata": {"name": "a"}, "spec": spec})
}

/// Otherwise the object could not be read in the newest version, and neither could any list that it
/// is in.
#[test]
fn a_kept_value_stays_in_its_variant() {
    let oiled = json!({"hull": {"kind": "wood", "species": "oak", "oiled": true}, "gloss": 3});
    let late =
        json!({"event": {"type": "docked", "data": {"port": "x", "late": true}}, "gloss": 3});
    let cases = [
        (
            "Shell",
            &oiled,
            json!({"hull": {"kind": "wood", "species": "ash"}}),
            Some("/spec/hull/oiled"),
        ),
        ("Shell", &oiled, json!({"hull": {"kind": "steel"}}), None),
        ("Shell", &oiled, json!({"hull": {"kind": "bamboo"}}), None),
        (
            "StrictShell",
            &oiled,
            json!({"hull": {"kind": "wood", "species": "ash"}}),
            Some("/spec/hull/oiled"),
        ),
        (
            "StrictShell",
            &oiled,
            json!({"hull": {"kind": "steel"}}),
            None,
        ),
        (
            "Voyage",
            &late,
            json!({"event": {"type": "docked", "data": {"port": "y"}}}),
            Some("/spec/event/data/late"),
        ),
        ("Voyage", &late, json!({"event": {"type": "left"}}), None),
        (
            "Voyage",
            &late,
            json!({"event": {"type": "moored", "data": {"port": "x"}}}),
            None,
        ),
    ];
    for (kind, newest, change, comes_back) in cases {
        let newest = of_ferry(kind, "v1", newest);
        let older = converted(&newest, "v1alpha1");
        assert_eq!(converted(&older, "v1"), newest, "{older}");
        let changed = edited(older, |older| older["spec"] = change.clone());
        // Annotations of earlier releases do not say which variant it was, so that another one with
        // the member takes the value.
        let text = changed["metadata"]["annotations"][KEPT].as_str().unwrap();
        let mut annotation: Value = serde_json::from_str(text).unwrap();
        annotation.as_object_mut().unwrap().remove("h");
        let before = edited(changed.clone(), |older| {
            older["metadata"]["annotations"][KEPT] = json!(annotation.to_string());
        });
        let can_tell = !["bamboo", "moored"]
            .iter()
            .any(|variant| change.to_string().contains(variant));
        for older in [Some(changed), can_tell.then_some(before)]
            .into_iter()
            .flatten()
        {
            let mut expected = change.clone();
            expected["gloss"] = json!(3);
            if let Some(pointer) = comes_back {
                let (parent, name) = pointer
                    .strip_prefix("/spec")
                    .unwrap()
                    .rsplit_once('/')
                    .unwrap();
                expected.pointer_mut(parent).unwrap()[name] = json!(true);
            }
            assert_eq!(converted(&older, "v1")["spec"], expected, "{older}");
        }
    }
}

/// Otherwise a value of an element that is gone would come back in one that nobody touched.
#[test]
fn a_kept_value_goes_to_no_other_element_with_the_same_hash() {
    let hinge = |side: &str, oil: u8| json!({"side": side, "oil": oil});
    let dry = |side: &str| json!({"side": side});
    let cases = [
        (
            vec![hinge("l", 1), hinge("l", 2)],
            vec![dry("l")],
            vec![hinge("l", 1)],
        ),
        (
            vec![hinge("l", 1), hinge("l", 2), hinge("r", 3)],
            vec![dry("r"), dry("t"), dry("l")],
            vec![hinge("r", 3), dry("t"), dry("l")],
        ),
        (
            vec![hinge("l", 1), hinge("r", 3), hinge("l", 2)],
            vec![dry("l"), dry("r")],
            vec![hinge("l", 1), hinge("r", 3)],
        ),
        // One of the two has nothing that is kept.
        (
            vec![dry("l"), hinge("l", 2)],
            vec![dry("l")],
            vec![dry("l")],
        ),
        (
            vec![hinge("l", 1), dry("l")],
            vec![dry("r"), dry("l")],
            vec![dry("r"), dry("l")],
        ),
        (
            vec![dry("l"), hinge("l", 2)],
            vec![dry("l"), dry("l")],
            vec![dry("l"), hinge("l", 2)],
        ),
    ];
    for (newest, changed, expected) in cases {
        let newest = door("v1", &json!({"locks": {"name": "a"}, "hinges": newest}));
        let older = converted(&newest, "v1beta1");
        assert_eq!(converted(&older, "v1"), newest);
        let changed = edited(older, |older| older["spec"]["hinges"] = json!(changed));
        assert_eq!(
            converted(&changed, "v1")["spec"]["hinges"],
            json!(expected),
            "{changed}"
        );
    }
}

/// A quay whose berths have keys, one of them with a default.
#[derive(Debug, Document)]
#[document(type_name = "ferry.landing", version = 1)]
#[upgrade_from(0 => 1, set(berths.lamp = null))]
#[kube(group = "ferry.example.com", kind = "Landing", version(0 = "v1alpha1"), version(1 = "v1", storage))]
struct Landing {
    #[kube(list_type = "map", list_map_keys("name", "deck"))]
    berths: Vec<Berth>,
}

#[derive(Debug, Document)]
struct Berth {
    name: String,
    #[attribute(default = 1)]
    deck: u8,
    depth: u8,
    lamp: Option<String>,
}

/// Elements of a list with keys are found by them, whatever else of an element changes.
#[test]
fn kept_values_follow_the_keys_of_elements() {
    let newest = json!({"berths": [
        {"name": "a", "deck": 1, "depth": 4, "lamp": "red"},
        {"name": "b", "deck": 1, "depth": 5},
        {"name": "b", "deck": 2, "depth": 5, "lamp": "green"},
    ]});
    let newest = of_ferry("Landing", "v1", &newest);
    let older = converted(&newest, "v1alpha1");
    assert_eq!(converted(&older, "v1"), newest);
    let berths = |older: &Value, berths: Value| {
        let changed = edited(older.clone(), |older| older["spec"]["berths"] = berths);
        converted(&changed, "v1")["spec"]["berths"].take()
    };
    let other_depth = berths(
        &older,
        json!([{"name": "a", "depth": 9}, {"name": "b", "depth": 5}]),
    );
    assert_eq!(
        other_depth,
        json!([{"name": "a", "deck": 1, "depth": 9, "lamp": "red"}, {"name": "b", "deck": 1, "depth": 5}]),
    );
    let moved = berths(
        &older,
        json!([{"name": "b", "deck": 2, "depth": 8}, {"name": "a", "deck": 1, "depth": 7}]),
    );
    let expected = [
        json!({"name": "b", "deck": 2, "depth": 8, "lamp": "green"}),
        json!({"name": "a", "deck": 1, "depth": 7, "lamp": "red"}),
    ];
    assert_eq!(moved, json!(expected));
    let renamed = berths(&older, json!([{"name": "c", "deck": 1, "depth": 4}]));
    assert_eq!(
        renamed,
        json!([{"name": "c", "deck": 1, "depth": 4}]),
        "another element has no lamp"
    );
    // An annotation of an earlier release has no hashes of keys.
    let before = edited(older, |older| {
        let mut annotation: Value =
            serde_json::from_str(older["metadata"]["annotations"][KEPT].as_str().unwrap()).unwrap();
        assert!(
            annotation.as_object_mut().unwrap().remove("i").is_some(),
            "{annotation}"
        );
        older["metadata"]["annotations"][KEPT] = json!(annotation.to_string());
    });
    assert_eq!(converted(&before, "v1"), newest);
    let moved = berths(
        &before,
        json!([{"name": "b", "deck": 2, "depth": 5}, {"name": "a", "deck": 1, "depth": 7}]),
    );
    let expected = [
        json!({"name": "b", "deck": 2, "depth": 5, "lamp": "green"}),
        json!({"name": "a", "deck": 1, "depth": 7}),
    ];
    assert_eq!(moved, json!(expected));
}

/// Otherwise an object with many kept values would hold up the review, and the whole list with it.
#[test]
fn an_annotation_with_thousands_of_values_takes_no_time() {
    let side = |index: usize| format!("{index:0200}");
    let hinges: Vec<Value> = (0..2000)
        .map(|index| json!({"side": side(index), "oil": index % 200}))
        .collect();
    let newest = door("v1", &json!({"locks": {"name": "a"}, "hinges": hinges}));
    let older = converted(&newest, "v1beta1");
    let timed = |object: &Value| {
        let begin = std::time::Instant::now();
        (answer(std::slice::from_ref(object), "v1"), begin.elapsed())
    };
    let (_, plain) = timed(&older);

    let changed = edited(older.clone(), |door| {
        drop(door["spec"]["hinges"].as_array_mut().unwrap().remove(0));
    });
    let (moved, time) = timed(&changed);
    let body: Value = serde_json::from_slice(moved.body()).unwrap();
    assert_eq!(
        body["response"]["convertedObjects"][0]["spec"]["hinges"],
        json!(hinges[1..])
    );
    // About twice as long, and it took hundreds of times.
    assert!(time < plain * 50, "{time:?}, {plain:?}");

    let changed = edited(older, |door| {
        let text = door["metadata"]["annotations"][KEPT].as_str().unwrap();
        let mut annotation: Value = serde_json::from_str(text).unwrap();
        annotation["k"]["/spec/hinges/5/oil"] = json!("x");
        annotation["k"]["/spec/hinges/1500/oil"] = json!(256);
        door["metadata"]["annotations"][KEPT] = json!(annotation.to_string());
    });
    let (answer, time) = timed(&changed);
    assert_eq!(
        (answer.failure(), answer.restored(), answer.ignored()),
        (None, 1998, 2)
    );
    // Some 50 tries, where each of the 2,000 values was one.
    assert!(time < plain * 50, "{time:?}, {plain:?}");
}

#[test]
fn what_has_no_room_in_an_annotation_is_an_error_that_names_it() {
    let hinges: Vec<Value> = (0..6000)
        .map(|index| json!({"side": index.to_string(), "oil": 1}))
        .collect();
    let large = door("v1", &json!({"locks": {"name": "a"}, "hinges": hinges}));
    let refused = answer(std::slice::from_ref(&large), "v1beta1");
    assert_eq!(
        refused.failure(),
        Some(
            "doors.ferry.example.com \"d\", ferry.example.com/v1 to v1beta1: the version cannot hold 6000 values of v1, such as \
             /spec/hinges/0/oil, and they are too large for an annotation, which has room for 131072 bytes; read the object as v1"
        )
    );
    let dropping = converter().drop_too_large();
    let dropped = dropping
        .review(review(&[large], "v1beta1").to_string().as_bytes())
        .unwrap();
    assert_eq!((dropped.failure(), dropped.lost()), (None, 6000));
    // Others' annotations count, too.
    let mut full = boat(
        "v1",
        &json!({"paint": {"colour": "red", "gloss": 3}, "length": 7}),
    );
    full["metadata"]["annotations"] = json!({"a": "x".repeat(262_100)});
    assert!(
        answer(&[full], "v1alpha1")
            .failure()
            .unwrap()
            .contains("too large")
    );
}

/// The server counts the bytes of keys and of values, whatever JSON takes for them.
#[test]
fn annotations_have_room_up_to_the_limits() {
    let kept = r#"{"k":{"/spec/paint/gloss":3},"v":1}"#;
    let room = 262_144 - KEPT.len() - kept.len() - "a".len();
    for (others, fits) in [(room, true), (room + 1, false)] {
        let mut newest = boat(
            "v1",
            &json!({"paint": {"colour": "red", "gloss": 3}, "length": 7}),
        );
        newest["metadata"]["annotations"] = json!({"a": "\n".repeat(others)});
        assert_eq!(
            answer(&[newest], "v1alpha1").failure().is_none(),
            fits,
            "{others}"
        );
    }
    let older = "ferry.example.com/upstate-v1beta1";
    let room = 128 * 1024 - older.len() - r#"{"k":{"/spec/berth":""},"v":1}"#.len();
    for (length, fits) in [(room, true), (room + 1, false)] {
        let beta = boat(
            "v1beta1",
            &json!({"paint": {"colour": "x"}, "length": 3, "berth": "b".repeat(length)}),
        );
        assert_eq!(answer(&[beta], "v1").failure().is_none(), fits, "{length}");
    }
}

/// Every object is on its own, and the server shows the message to every client.
#[test]
fn objects_that_cannot_be_converted_are_named() {
    let good = boat("v1", &json!({"paint": {"colour": "x"}}));
    let bad = |name: &str, spec: Value| {
        edited(boat("v1", &spec), |boat| {
            boat["metadata"]["name"] = json!(name);
        })
    };
    let objects = [
        good.clone(),
        bad("b1", json!({"paint": {"colour": 1}})),
        bad("b2", json!({"paint": "x"})),
        bad("b3", json!([])),
    ];
    let refused = answer(&objects, "v1alpha1");
    let message = refused.failure().unwrap();
    for name in ["\"b1\"", "\"b2\"", "\"b3\""] {
        assert!(
            message.contains(&format!(
                "boats.ferry.example.com {name} in namespace \"default\", ferry.example.com/v1 to v1alpha1: spec"
            )),
            "{message}"
        );
    }
    assert!(!message.contains("\"b0\""), "{message}");
    let body: Value = serde_json::from_slice(refused.body()).unwrap();
    assert_eq!(
        body["response"],
        json!({"uid": "4020743b", "result": {"status": "Failed", "message": message}})
    );
    // Objects in several versions, and one that is there already.
    let mixed = answer(
        &[
            good.clone(),
            boat("v1alpha1", &json!({"colour": "y", "len": 1})),
            boat("v1beta1", &json!({"paint": {"colour": "z"}})),
        ],
        "v1",
    );
    let body: Value = serde_json::from_slice(mixed.body()).unwrap();
    let objects = body["response"]["convertedObjects"].as_array().unwrap();
    assert_eq!(objects[0], good);
    assert_eq!(
        (
            &objects[1]["spec"]["paint"]["colour"],
            &objects[2]["spec"]["paint"]["colour"]
        ),
        (&json!("y"), &json!("z"))
    );
}

#[test]
fn a_message_names_three_objects_and_counts_the_others() {
    for (count, end) in [
        (3, ": spec is not an object"),
        (4, "; and 1 more object"),
        (5, "; and 2 more objects"),
    ] {
        let refused = answer(&vec![boat("v1", &json!([])); count], "v1alpha1");
        let message = refused.failure().unwrap();
        assert!(message.ends_with(end), "{message}");
        assert_eq!(
            message.matches("boats.ferry.example.com").count(),
            3,
            "{message}"
        );
    }
}

#[test]
fn an_object_of_another_kind_group_or_version_is_refused() {
    let plain = boat("v1", &json!({"paint": {"colour": "x"}}));
    let with = |pointer: &str, value: Value| {
        edited(plain.clone(), |boat| {
            *boat.pointer_mut(pointer).unwrap() = value;
        })
    };
    let objects = [
        with("/kind", json!("Ship")),
        with("/kind", json!(7)),
        with("/apiVersion", json!("ferry.example.com/v9")),
        with("/apiVersion", json!("v1")),
        with("/apiVersion", json!("other.example.com/v1")),
        with("/apiVersion", Value::Null),
        with("/metadata", json!("x")),
        with("/metadata", Value::Null),
        with("/spec", json!("x")),
        json!(null),
        json!([]),
        json!("x"),
        json!({}),
        edited(plain.clone(), |boat| {
            boat["metadata"]["annotations"] = json!([]);
        }),
    ];
    for object in objects {
        let refused = answer(std::slice::from_ref(&object), "v1alpha1");
        assert!(refused.failure().is_some(), "{object}");
    }
    // Without a name, the place in the review names the object.
    for (object, problem) in [
        (json!(null), "is not an object"),
        (json!({}), "has no kind"),
        (with("/apiVersion", Value::Null), "has no apiVersion"),
        (with("/metadata", Value::Null), "has no metadata"),
    ] {
        let refused = answer(&[plain.clone(), object], "v1alpha1");
        let message = format!("object 2 of the review {problem}");
        assert_eq!(refused.failure(), Some(message.as_str()));
    }
    let refused = answer(&[with("/kind", json!("Ship"))], "v1alpha1");
    let message = refused.failure().unwrap();
    assert!(
        message.starts_with(
            "object 1 of the review has the kind \"Ship\", which has no converter for the group \"ferry.example.com\"; those with one are "
        ) && message.contains("boats.ferry.example.com"),
        "{message}"
    );
    let unnamed = edited(with("/apiVersion", json!("ferry.example.com/v9")), |boat| {
        boat["metadata"].as_object_mut().unwrap().remove("name");
    });
    let refused = answer(&[unnamed], "v1alpha1");
    let message = refused.failure().unwrap();
    assert!(
        message.starts_with(
            "boats.ferry.example.com (object 1 of the review) in namespace \"default\", ferry.example.com/v9 to v1alpha1: "
        ),
        "{message}"
    );
    // Others see a client's words in part and on one line, because these may be long.
    let long = format!("S\n{}", "x".repeat(100_000));
    for pointer in ["/kind", "/apiVersion", "/metadata/name"] {
        let mut object = with("/apiVersion", json!("ferry.example.com/v9"));
        *object.pointer_mut(pointer).unwrap() = json!(long);
        for version in ["v1alpha1", long.as_str()] {
            let refused = answer(std::slice::from_ref(&object), version);
            let message = refused.failure().unwrap();
            let is_short = message.len() < 2_000 && !message.contains('\n');
            assert!(is_short && message.contains("xxx…"), "{message}");
        }
    }
    let nothing = Converter::new();
    let refused = nothing
        .review(
            review(std::slice::from_ref(&plain), "v1")
                .to_string()
                .as_bytes(),
        )
        .unwrap();
    assert_eq!(
        refused.failure(),
        Some(
            "object 1 of the review has the kind \"Boat\", which has no converter for the group \"ferry.example.com\"; nothing has one"
        )
    );
    for version in ["v2", "", "v1/v1"] {
        assert!(
            answer(std::slice::from_ref(&plain), version)
                .failure()
                .is_some(),
            "{version}"
        );
    }
}

#[test]
fn bytes_that_are_no_review_have_no_answer() {
    let converter = converter();
    let with = |pointer: &str, value: Value| {
        edited(review(&[], "v1"), |review| {
            *review.pointer_mut(pointer).unwrap() = value;
        })
    };
    let reviews = [
        with("/kind", json!("AdmissionReview")),
        with("/apiVersion", json!("apiextensions.k8s.io/v1beta1")),
        with("/request", Value::Null),
        with("/request", json!([])),
        with("/request/uid", json!(7)),
        with("/request/desiredAPIVersion", Value::Null),
        with("/request/objects", Value::Null),
        with("/request/objects", json!({})),
        json!([]),
        json!(1),
    ];
    for review in reviews {
        converter.review(review.to_string().as_bytes()).unwrap_err();
    }
    let other = with("/apiVersion", json!("apiextensions.k8s.io/v1beta1"));
    let message = converter.review(other.to_string().as_bytes());
    assert_eq!(
        message.unwrap_err().to_string(),
        "The request is not a ConversionReview of apiextensions.k8s.io/v1: its apiVersion is \"apiextensions.k8s.io/v1beta1\", not \
         \"apiextensions.k8s.io/v1\"."
    );
    let deep = "[".repeat(100_000);
    for bytes in [
        &b""[..],
        b"{",
        b"\xff\xfe",
        b"kind: ConversionReview",
        deep.as_bytes(),
    ] {
        converter.review(bytes).unwrap_err();
    }
    let large = vec![b' '; LARGEST_REVIEW + 1];
    let message = converter.review(&large).unwrap_err().to_string();
    assert_eq!(
        message,
        "The request is not a ConversionReview of apiextensions.k8s.io/v1: it has 8388609 bytes, and 8388608 are read; ask for fewer objects at a time."
    );
    // An empty list is answered with one.
    let body: Value = serde_json::from_slice(
        converter
            .review(review(&[], "v1").to_string().as_bytes())
            .unwrap()
            .body(),
    )
    .unwrap();
    assert_eq!(body["response"]["convertedObjects"], json!([]));
}

/// A part of a review, by a number.
fn part(value: &mut Value, number: u64) -> &mut Value {
    let length = match value {
        Value::Array(elements) => elements.len(),
        Value::Object(members) => members.len(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    };
    // One in eight ends above.
    if length == 0 || number.is_multiple_of(8) {
        return value;
    }
    let length = u64::try_from(length).unwrap();
    let index = usize::try_from(number / 8 % length).unwrap();
    let rest = number / 8 / length;
    match value {
        Value::Array(elements) => part(&mut elements[index], rest),
        Value::Object(members) => part(members.values_mut().nth(index).unwrap(), rest),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value,
    }
}

/// Any JSON, with the names and texts that mean something to a converter among the strings.
fn anything() -> BoxedStrategy<Value> {
    let known = [
        "",
        "Boat",
        "Door",
        "ferry.example.com/v1",
        "ferry.example.com/v9",
        "a/b/c",
        "/spec/paint/gloss",
        "\u{0}~1/",
        "upstate-v1",
        r#"{"k":{"/spec/paint/gloss":3},"v":1}"#,
        r#"{"k":{"/spec/hinges/0/oil":3},"v":1}"#,
        r#"{"k":{"":{}},"v":1}"#,
        r#"{"k":{"/metadata/name":"x","/spec":null,"spec":1},"v":1}"#,
        r#"{"k":[],"v":-1}"#,
        r#"{"v":18446744073709551616}"#,
        "{",
        "[[[[",
    ];
    let text = prop_oneof![2 => proptest::sample::select(known.to_vec()).prop_map(str::to_owned), 1 => ".{0,12}"].boxed();
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        text.clone().prop_map(Value::from),
    ];
    let names = [
        "spec",
        "paint",
        "gloss",
        "hinges",
        "annotations",
        "apiVersion",
        "kind",
        KEPT,
    ];
    let name = prop_oneof![
        proptest::sample::select(names.to_vec()).prop_map(str::to_owned),
        text
    ];
    let nested = leaf.prop_recursive(3, 12, 3, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            proptest::collection::vec((name.clone(), inner), 0..3)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    });
    nested.boxed()
}

/// A review that has objects in several versions, with an annotation for later ones.
fn good_review(to: &str) -> Value {
    let kept = |mut object: Value, text: &str| {
        object["metadata"]["annotations"] = json!({KEPT: text});
        object
    };
    let objects = [
        boat(
            "v1",
            &json!({"paint": {"colour": "red", "gloss": 3}, "length": 7}),
        ),
        kept(
            boat("v1alpha1", &json!({"colour": "red", "len": 7})),
            r#"{"k":{"/spec/paint/gloss":3},"v":1}"#,
        ),
        kept(
            door(
                "v1beta1",
                &json!({"locks": {"name": "a"}, "hinges": [{"side": "l"}]}),
            ),
            r#"{"k":{"/spec/hinges/0/oil":3},"v":1}"#,
        ),
        kept(boat("v1beta1", &json!({"paint": {"colour": "z"}})), "{}"),
    ];
    review(&objects, to)
}

/// Whatever is in a review, it is refused or answered with as many objects, each in the version
/// that was asked for, and else as it was.
#[test]
fn reviews_with_anything_in_them_are_refused_or_answered() {
    let converter = converter();
    let (refused, failed, done) = (
        std::cell::Cell::new(0),
        std::cell::Cell::new(0),
        std::cell::Cell::new(0),
    );
    let count = |cell: &std::cell::Cell<u32>| cell.set(cell.get() + 1);
    let changes = proptest::collection::vec((any::<u64>(), anything()), 1..4);
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        cases: 2_000,
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    let outcome = runner.run(
        &(
            proptest::sample::select(vec!["v1", "v1beta1", "v1alpha1"]),
            changes,
        ),
        |(to, changes)| {
            let mut review = good_review(to);
            for (number, value) in changes {
                *part(&mut review, number) = value;
            }
            let Ok(answer) = converter.review(review.to_string().as_bytes()) else {
                count(&refused);
                return Ok(());
            };
            let body: Value = serde_json::from_slice(answer.body()).unwrap();
            prop_assert_eq!(&body["response"]["uid"], &review["request"]["uid"]);
            if let Some(message) = answer.failure() {
                count(&failed);
                prop_assert!(message.len() < 20_000, "{}", message.len());
                prop_assert_eq!(
                    &body["response"]["result"],
                    &json!({"status": "Failed", "message": message})
                );
                prop_assert!(body["response"].get("convertedObjects").is_none());
                return Ok(());
            }
            count(&done);
            let asked = review["request"]["objects"].as_array().unwrap();
            let objects = body["response"]["convertedObjects"].as_array().unwrap();
            prop_assert_eq!(asked.len(), objects.len());
            for (before, after) in asked.iter().zip(objects) {
                prop_assert_eq!(
                    &after["apiVersion"],
                    &review["request"]["desiredAPIVersion"]
                );
                for member in ["kind", "metadata"] {
                    let without = |object: &Value| {
                        let mut value = object[member].clone();
                        value
                            .as_object_mut()
                            .map(|members| members.remove("annotations"));
                        value
                    };
                    prop_assert_eq!(without(before), without(after), "{}", member);
                }
            }
            Ok(())
        },
    );
    outcome.unwrap();
    // Each of the three is tried often enough to say something, whatever the seed; about 100 of the
    // 2,000 fail, and as many are done.
    let counts = [refused.get(), failed.get(), done.get()];
    assert!(counts.iter().all(|count| *count > 50), "{counts:?}");
}

/// Bytes that are cut off, or of which some are others.
#[test]
fn broken_bytes_of_a_review_are_refused_or_answered() {
    let converter = converter();
    let good = good_review("v1alpha1").to_string().into_bytes();
    for end in 0..good.len() {
        converter.review(&good[..end]).unwrap_err();
    }
    proptest!(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() }, |(changes in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..4))| {
        let mut bytes = good.clone();
        for (index, byte) in changes {
            bytes[index.index(good.len())] = byte;
        }
        if let Ok(answer) = converter.review(&bytes) {
            let body: Value = serde_json::from_slice(answer.body()).unwrap();
            prop_assert!(body["response"]["result"]["status"].is_string());
        }
    });
}

/// A locker that keeps all members that no field names, and whose older version keeps none.
#[derive(Debug, Document)]
#[document(type_name = "ferry.locker", version = 1)]
#[upgrade_from(0, model = OldLocker, downgrade = without_rest)]
#[kube(group = "ferry.example.com", kind = "Locker", version(0 = "v1alpha1"), version(1 = "v1", storage))]
struct Locker {
    name: String,
    #[attribute(flatten, sensitive)]
    rest: std::collections::BTreeMap<String, String>,
}

#[derive(Debug, Document)]
#[document(type_name = "ferry.locker", version = 0, prior)]
struct OldLocker {
    name: String,
}

impl From<OldLocker> for Locker {
    fn from(OldLocker { name }: OldLocker) -> Self {
        Self {
            name,
            rest: std::collections::BTreeMap::new(),
        }
    }
}

#[expect(clippy::unnecessary_wraps, reason = "the form of such a function")]
fn without_rest(Locker { name, .. }: Locker) -> Result<OldLocker, String> {
    Ok(OldLocker { name })
}

#[test]
fn no_annotation_holds_a_secret_member_that_no_field_names() {
    let locker = |rest: Value| {
        let mut spec = json!({"name": "l"});
        spec.as_object_mut()
            .unwrap()
            .extend(rest.as_object().unwrap().clone());
        json!({"apiVersion": "ferry.example.com/v1", "kind": "Locker", "metadata": {"name": "l"}, "spec": spec})
    };
    let converter = Converter::new().with::<Locker>().unwrap();
    let ask = |object: Value| {
        converter
            .review(review(&[object], "v1alpha1").to_string().as_bytes())
            .unwrap()
    };
    assert_eq!(ask(locker(json!({}))).failure(), None);
    let refused = ask(locker(json!({"token": "hunter2"})));
    let failure = refused.failure().unwrap();
    assert!(
        failure.contains("sensitive value at /spec/token") && !failure.contains("hunter2"),
        "{failure}"
    );
    assert!(!String::from_utf8_lossy(refused.body()).contains("hunter2"));
    // In part, because the name is a client's as well.
    let long = format!("to\nken{}", "x".repeat(10_000));
    let refused = ask(locker(json!({long: "hunter2"})));
    let failure = refused.failure().unwrap();
    assert!(
        failure.contains("/spec/to\\nken") && failure.len() < 1_000,
        "{failure}"
    );
}

/// A label whose older version has few letters, and a function that says the whole text.
#[derive(Debug, Document)]
#[document(type_name = "ferry.label", version = 1)]
#[upgrade_from(0, model = OldLabel, downgrade = of_few_letters)]
#[kube(group = "ferry.example.com", kind = "Label", version(0 = "v1alpha1"), version(1 = "v1", storage))]
struct Label {
    text: String,
}

#[derive(Debug, Document)]
#[document(type_name = "ferry.label", version = 0, prior)]
struct OldLabel {
    text: String,
}

impl From<OldLabel> for Label {
    fn from(OldLabel { text }: OldLabel) -> Self {
        Self { text }
    }
}

fn of_few_letters(Label { text }: Label) -> Result<OldLabel, String> {
    if text.len() > 1_000 {
        Err(format!("it is too long: {text}"))
    } else {
        Ok(OldLabel { text })
    }
}

#[test]
fn an_error_with_a_text_of_a_client_is_shown_in_part() {
    let converter = Converter::new().with::<Label>().unwrap();
    let label = of_ferry("Label", "v1", &json!({"text": "é".repeat(10_000)}));
    let refused = converter
        .review(review(&[label], "v1alpha1").to_string().as_bytes())
        .unwrap();
    let failure = refused.failure().unwrap();
    let letters = failure.chars().count();
    assert!(
        failure.contains("it is too long: éé") && letters < 2_000,
        "{letters} {failure}"
    );
}

/// A vault whose older version has the pins in any letters.
#[derive(Debug, Document)]
#[document(type_name = "ferry.vault", version = 1)]
#[upgrade_from(0 => 1, each(convert(pins, lowercase)))]
#[kube(group = "ferry.example.com", kind = "Vault", version(0 = "v1alpha1"), version(1 = "v1", storage))]
struct Vault {
    #[attribute(sensitive)]
    pins: Vec<String>,
}

/// The list is sensitive, and no element by itself.
#[test]
fn no_annotation_holds_an_element_of_a_secret_list() {
    let converter = Converter::new().with::<Vault>().unwrap();
    let ask = |from: &str, to: &str, pins: Value| {
        let vault = of_ferry("Vault", from, &json!({"pins": pins}));
        converter
            .review(review(&[vault], to).to_string().as_bytes())
            .unwrap()
    };
    assert_eq!(ask("v1", "v1alpha1", json!(["hunter2"])).failure(), None);
    for (from, to) in [("v1", "v1alpha1"), ("v1alpha1", "v1")] {
        let refused = ask(from, to, json!(["a", "Hunter2"]));
        let failure = refused.failure().unwrap();
        assert!(
            failure.contains("sensitive value at /spec/pins of"),
            "{failure}"
        );
        // Because an object that is about to be stored cannot be read yet.
        let advice = if to == "v1" {
            "; write the object without what v1 cannot hold; one that is stored as v1alpha1 can be read as v1alpha1"
        } else {
            "; read the object as v1"
        };
        assert!(failure.ends_with(advice), "{failure}");
        assert!(
            !String::from_utf8_lossy(refused.body())
                .to_lowercase()
                .contains("hunter2")
        );
    }
}

/// A fence whose boards have pins, and oil in the newest version.
#[derive(Debug, Document)]
#[document(type_name = "ferry.fence", version = 1)]
#[upgrade_from(0 => 1, set(boards.oil = null))]
#[kube(group = "ferry.example.com", kind = "Fence", version(0 = "v1alpha1"), version(1 = "v1", storage))]
struct Fence {
    boards: Vec<Board>,
}

#[derive(Debug, Document)]
struct Board {
    name: String,
    #[attribute(sensitive)]
    pin: Option<String>,
    oil: Option<u8>,
}

fn converted_fence(fence: &Value, to: &str) -> Value {
    let converter = Converter::new().with::<Fence>().unwrap();
    let answer = converter
        .review(
            review(std::slice::from_ref(fence), to)
                .to_string()
                .as_bytes(),
        )
        .unwrap();
    assert_eq!(answer.failure(), None);
    let body: Value = serde_json::from_slice(answer.body()).unwrap();
    body["response"]["convertedObjects"][0].clone()
}

/// Two boards that differ in their pins alone: what is kept of one never comes to the other.
#[test]
fn no_value_comes_to_an_element_that_differs_in_a_secret() {
    for second in [
        json!({"name": "a", "pin": "2", "oil": 2}),
        json!({"name": "a", "pin": "2"}),
    ] {
        let newest = of_ferry(
            "Fence",
            "v1",
            &json!({"boards": [{"name": "a", "pin": "1", "oil": 1}, second]}),
        );
        let older = converted_fence(&newest, "v1alpha1");
        assert_eq!(converted_fence(&older, "v1"), newest);
        let fewer = edited(older, |older| {
            drop(older["spec"]["boards"].as_array_mut().unwrap().remove(0));
        });
        assert_eq!(
            converted_fence(&fewer, "v1")["spec"]["boards"],
            json!([{"name": "a", "pin": "2"}])
        );
    }
    let newest = of_ferry(
        "Fence",
        "v1",
        &json!({"boards": [{"name": "a", "pin": "1", "oil": 1}]}),
    );
    let more = edited(converted_fence(&newest, "v1alpha1"), |older| {
        older["spec"]["boards"]
            .as_array_mut()
            .unwrap()
            .insert(0, json!({"name": "a", "pin": "9"}));
    });
    assert_eq!(
        converted_fence(&more, "v1")["spec"]["boards"],
        json!([{"name": "a", "pin": "9"}, {"name": "a", "pin": "1"}])
    );
}

/// A hash has no key, so that somebody would find a pin of four digits by trying.
#[test]
fn no_hash_in_an_annotation_says_anything_of_a_secret() {
    let ask = converted_fence;
    let fence = |pin: &str| {
        let boards = json!([{"name": "a", "pin": pin, "oil": 1}, {"name": "b", "pin": pin}, {"name": "c", "oil": 3}]);
        of_ferry("Fence", "v1", &json!({"boards": boards}))
    };
    let older = ask(&fence("1234"), "v1alpha1");
    assert_eq!(
        older["metadata"]["annotations"],
        ask(&fence("5678"), "v1alpha1")["metadata"]["annotations"]
    );
    // Earlier releases wrote hashes of all of an element.
    let before = edited(older.clone(), |older| {
        let mut annotation: Value =
            serde_json::from_str(older["metadata"]["annotations"][KEPT].as_str().unwrap()).unwrap();
        annotation["h"]["/spec/boards/0"] = json!(hash(&json!({"name": "a", "pin": "1234"})));
        older["metadata"]["annotations"][KEPT] = json!(annotation.to_string());
    });
    for older in [older, before] {
        assert_eq!(ask(&older, "v1"), fence("1234"), "{older}");
        let moved = edited(older, |older| {
            older["spec"]["boards"].as_array_mut().unwrap().reverse();
        });
        let mut boards = fence("1234")["spec"]["boards"].clone();
        boards.as_array_mut().unwrap().reverse();
        assert_eq!(ask(&moved, "v1")["spec"]["boards"], boards, "{moved}");
    }
}

/// An annotation that somebody edited may have many values in one element that is another one by
/// now.
#[test]
fn an_element_with_secrets_is_looked_at_once() {
    let converter = Converter::new().with::<Fence>().unwrap();
    let timed = |fence: &Value| {
        let begin = std::time::Instant::now();
        let answer = converter
            .review(
                review(std::slice::from_ref(fence), "v1")
                    .to_string()
                    .as_bytes(),
            )
            .unwrap();
        assert_eq!(answer.failure(), None);
        (answer.ignored(), begin.elapsed())
    };
    let older = of_ferry(
        "Fence",
        "v1alpha1",
        &json!({"boards": [{"name": "a".repeat(400_000), "pin": "1"}]}),
    );
    let (_, plain) = timed(&older);
    let changed = edited(older, |older| {
        let kept: serde_json::Map<String, Value> = (0..2000)
            .map(|nth| (format!("/spec/boards/0/x{nth}"), json!(1)))
            .collect();
        let annotation = json!({"v": 1, "k": kept, "h": {"/spec/boards/0": "00000000"}});
        older["metadata"]["annotations"] = json!({KEPT: annotation.to_string()});
    });
    let (ignored, time) = timed(&changed);
    assert_eq!(ignored, 2000);
    // A few times as long, and it took hundreds of times.
    assert!(time < plain * 50, "{time:?}, {plain:?}");
}
