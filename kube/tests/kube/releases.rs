//! Objects that an earlier release stored, with what it kept for the version that was the current
//! one then.

use serde_json::{Value, json};
use upstate::Document;
use upstate_kube::{Converter, CustomResource};

use crate::round_trips::attempt;

const GROUP: &str = "ferry.example.com";

/// The first release.
#[derive(Debug, Document)]
#[document(type_name = "ferry.raft", version = 1)]
#[upgrade_from(0 => 1, set(owner = "ferry"), set(mast.flag = null))]
#[kube(group = "ferry.example.com", kind = "Raft", version(0 = "v1alpha1", storage), version(1 = "v1"))]
struct First {
    name: String,
    owner: String,
    mast: Mast,
}

/// The next one, in which another version is the current one.
#[derive(Debug, Document)]
#[document(type_name = "ferry.raft", version = 2)]
#[upgrade_from(1 => 2, rename(name => title), set(deck = "wood"))]
#[upgrade_from(0 => 1, set(owner = "ferry"), set(mast.flag = null))]
#[kube(
    group = "ferry.example.com",
    kind = "Raft",
    version(0 = "v1alpha1"),
    version(1 = "v1", storage),
    version(2 = "v2")
)]
struct Second {
    title: String,
    owner: String,
    deck: String,
    mast: Mast,
}

#[derive(Debug, Document)]
struct Mast {
    height: u8,
    flag: Option<String>,
}

fn converted<T: CustomResource>(object: &Value, to: &str) -> Value {
    let converter = Converter::new().with::<T>().unwrap();
    attempt(&converter, object, &format!("{GROUP}/{to}")).unwrap()
}

fn raft(version: &str, spec: &Value) -> Value {
    json!({"apiVersion": format!("{GROUP}/{version}"), "kind": "Raft", "metadata": {"name": "r"}, "spec": spec})
}

/// Otherwise the newest version would show a default where a client wrote a value, and would keep
/// it once the object is rewritten.
#[test]
fn values_that_an_earlier_release_kept_come_back_in_each_later_version() {
    let newest = raft(
        "v1",
        &json!({"name": "a", "owner": "acme", "mast": {"height": 3, "flag": "x"}}),
    );
    let stored = converted::<First>(&newest, "v1alpha1");
    assert_eq!(stored["spec"], json!({"name": "a", "mast": {"height": 3}}));
    assert!(
        stored["metadata"]["annotations"]["ferry.example.com/upstate-v1"].is_string(),
        "{stored}"
    );
    let expected = raft(
        "v2",
        &json!({"title": "a", "owner": "acme", "deck": "wood", "mast": {"height": 3, "flag": "x"}}),
    );
    assert_eq!(converted::<Second>(&stored, "v2"), expected);
    // And so once it was rewritten in the version that is stored now.
    let moved = converted::<Second>(&stored, "v1");
    assert_eq!(moved, newest);
    assert_eq!(converted::<Second>(&moved, "v2"), expected);
    let older = converted::<Second>(&expected, "v1alpha1");
    assert_eq!(converted::<Second>(&older, "v2"), expected);
    assert_eq!(converted::<Second>(&older, "v1"), newest);
}

#[test]
fn a_change_of_the_stored_object_counts_in_each_later_version() {
    let newest = raft(
        "v1",
        &json!({"name": "a", "owner": "acme", "mast": {"height": 3, "flag": "x"}}),
    );
    let mut stored = converted::<First>(&newest, "v1alpha1");
    stored["spec"]["name"] = json!("b");
    stored["spec"]["mast"]["height"] = json!(4);
    let spec = converted::<Second>(&stored, "v2")["spec"].take();
    assert_eq!(
        spec,
        json!({"title": "b", "owner": "acme", "deck": "wood", "mast": {"height": 4, "flag": "x"}})
    );
}

/// An edited annotation is ignored, and the object is read without it.
#[test]
fn an_annotation_of_an_earlier_release_that_does_not_fit_is_ignored() {
    for text in [
        "{",
        r#"{"v":1,"k":{"/spec/owner":7},"h":{}}"#,
        r#"{"v":1,"d":["/spec/name","/spec/mast"]}"#,
    ] {
        let mut stored = raft("v1alpha1", &json!({"name": "a", "mast": {"height": 3}}));
        stored["metadata"]["annotations"] = json!({"ferry.example.com/upstate-v1": text});
        let spec = converted::<Second>(&stored, "v2")["spec"].take();
        assert_eq!(
            spec,
            json!({"title": "a", "owner": "ferry", "deck": "wood", "mast": {"height": 3}}),
            "{text}"
        );
    }
}

/// A release whose upgrader from the first version skips the one between.
#[derive(Debug, Document)]
#[document(type_name = "ferry.raft", version = 2)]
#[upgrade_from(1 => 2, rename(name => title), set(serial = null))]
#[upgrade_from(0 => 2, rename(name => title), set(owner = "ferry"))]
#[kube(group = "ferry.example.com", kind = "Raft", version(0 = "v1alpha1", storage), version(1 = "v1"), version(2 = "v2"))]
struct Skipping {
    title: String,
    owner: String,
    serial: Option<String>,
}

/// The version between has no place for it, and the current one has.
#[test]
fn a_value_that_the_version_between_lacks_is_kept() {
    let first = raft(
        "v1",
        &json!({"name": "a", "owner": "acme", "mast": {"height": 3, "flag": null}}),
    );
    let mut stored = converted::<First>(&first, "v1alpha1");
    stored["spec"] = json!({"name": "a", "serial": "s"});
    let newest = json!({"title": "a", "owner": "acme", "serial": "s"});
    assert_eq!(converted::<Skipping>(&stored, "v2")["spec"], newest);
    let between = converted::<Skipping>(&stored, "v1");
    assert_eq!(between["spec"], json!({"name": "a", "owner": "acme"}));
    assert_eq!(converted::<Skipping>(&between, "v2")["spec"], newest);
}
