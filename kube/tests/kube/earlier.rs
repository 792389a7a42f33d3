//! Limits, list types and rules of earlier versions: those that their models have, and those of
//! today where values went on as they were.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use upstate::{Document, StringEnum};
use upstate_kube::{CustomResource, Webhook};

use crate::definitions::spec_of;

fn properties<T: CustomResource>(version: &str) -> Value {
    spec_of(
        T::crd_with(&Webhook::service("ferry", "webhook"))
            .unwrap()
            .value(),
        version,
    )["properties"]
        .clone()
}

#[derive(Debug, Document)]
#[document(type_name = "ferry.quay", version = 2, rename_all = "camelCase")]
#[upgrade_from(1 => 2,
    rename(#[kube(length = 2..=9)] title: String => name),
    rename(r#old_depth: i32 => depth),
    convert(#[kube(pattern = "^[0-9]+$", length = 1..=5, rule("self != '0'", message = "no port is 0"))] port: String, empty = refuse),
    drop(#[kube(range = 0..=9)] legacy: Option<u8>, "nobody used it"),
    drop(#[kube(list_type = "set", each(length = 2..=3))] codes: Vec<String>, "nobody used them", back = []),
    values(#[kube(one_of("S", "L"))] size: String, "S" => "small", "L" => "large"),
    values(grade, "x" => "a", _ => keep),
    rename(lights.lamps => lamps),
    rename(crane.r#max_reach => crane.reach),
)]
#[upgrade_from(0 => 1,
    nest(owner, r#phone_numbers => contact),
    set(contact.rank = null),
    null_if(note, ""),
)]
#[kube(group = "ferry.example.com", kind = "Quay", version(0 = "v1alpha1"), version(1 = "v1beta1"), version(2 = "v1", storage))]
struct Quay {
    #[kube(length = 1..=40)]
    name: String,
    #[kube(range = 1..=90, rule("self != 13", message = "unlucky"))]
    depth: i32,
    #[kube(range = 1..=65535)]
    port: u16,
    #[kube(one_of("small", "large"))]
    size: String,
    #[kube(one_of("a", "b"))]
    grade: String,
    #[kube(length = 1..=4)]
    note: Option<String>,
    #[kube(range = 1..=8)]
    lamps: u8,
    lights: Lights,
    contact: Contact,
    #[kube(rule("self.reach > 0", message = "it reaches"), map_type = "atomic")]
    crane: Crane,
}

#[derive(Debug, Document)]
#[document(rename_all = "camelCase")]
struct Contact {
    #[kube(length = 3..=30, rule("self != 'nobody'", message = "somebody"))]
    owner: String,
    #[kube(list_type = "set", length = 0..=5, each(length = 3..=20))]
    phone_numbers: Vec<String>,
    #[kube(range = 0..=5)]
    rank: Option<u8>,
}

#[derive(Debug, Document)]
struct Lights {
    #[kube(range = 0..=100)]
    power: u8,
}

#[derive(Debug, Document)]
#[document(rename_all = "camelCase")]
struct Crane {
    #[kube(range = 1..=50)]
    reach: u8,
}

#[test]
fn a_field_that_an_operator_writes_has_its_own() {
    let of = properties::<Quay>("v1beta1");
    assert_eq!(
        of["title"],
        json!({"type": "string", "minLength": 2, "maxLength": 9})
    );
    assert_eq!(
        of["port"],
        json!({"type": "string", "minLength": 1, "maxLength": 5, "pattern": "^[0-9]+$", "x-kubernetes-validations": [{"rule": "self != '0'", "message": "no port is 0"}]})
    );
    assert_eq!(
        of["legacy"],
        json!({"type": "integer", "minimum": 0, "maximum": 9})
    );
    assert_eq!(
        of["codes"],
        json!({"type": "array", "default": [], "x-kubernetes-list-type": "set", "items": {"type": "string", "minLength": 2, "maxLength": 3}})
    );
    // And so has the version before.
    let of = properties::<Quay>("v1alpha1");
    assert_eq!(
        (
            &of["title"]["maxLength"],
            &of["port"]["pattern"],
            &of["legacy"]["maximum"]
        ),
        (&json!(9), &json!("^[0-9]+$"), &json!(9))
    );
    assert_eq!(of["codes"]["x-kubernetes-list-type"], "set");
}

#[test]
fn a_field_that_went_elsewhere_as_it_was_has_those_of_the_place() {
    let newest = properties::<Quay>("v1");
    let of = properties::<Quay>("v1alpha1");
    let contact = &newest["contact"]["properties"];
    assert_eq!(contact["owner"]["maxLength"], 30);
    assert_eq!(of["owner"], contact["owner"]);
    assert_eq!(of["phone_numbers"], contact["phoneNumbers"]);
    for version in ["v1beta1", "v1alpha1"] {
        let of = properties::<Quay>(version);
        assert_eq!(
            of["lights"]["properties"]["lamps"], newest["lamps"],
            "{version}"
        );
        assert_eq!(
            of["lights"]["properties"]["power"], newest["lights"]["properties"]["power"],
            "{version}"
        );
        assert_eq!(
            of["old_depth"], newest["depth"],
            "{version}: a written type that is today's changes nothing"
        );
        assert_eq!(
            of["crane"]["properties"]["max_reach"], newest["crane"]["properties"]["reach"],
            "{version}"
        );
    }
}

/// Otherwise the older version would refuse the values that it is for.
#[test]
fn limits_of_other_values_are_left_out() {
    for version in ["v1beta1", "v1alpha1"] {
        let of = properties::<Quay>(version);
        assert_eq!(
            of["size"],
            json!({"type": "string", "enum": ["S", "L"]}),
            "{version}"
        );
        assert_eq!(of["grade"], json!({"type": "string"}), "{version}");
        assert_eq!(of["crane"]["x-kubernetes-map-type"], "atomic");
        assert_eq!(
            of["crane"].get("x-kubernetes-validations"),
            None,
            "{version}: there is no `reach` in it"
        );
    }
    assert_eq!(
        properties::<Quay>("v1beta1")["note"],
        json!({"type": "string", "minLength": 1, "maxLength": 4})
    );
    assert_eq!(
        properties::<Quay>("v1alpha1")["note"],
        json!({"type": "string"}),
        "it may be empty there"
    );
}

#[derive(Debug, Document)]
#[document(type_name = "ferry.gate", version = 1)]
#[upgrade_from(0, model = GateV0, rename(title => name), drop(codes, "nobody used them", back = []), drop(labels, "nobody saw them"), convert(state, with = opened, back = state))]
#[kube(group = "ferry.example.com", kind = "Gate", version(0 = "v1alpha1"), version(1 = "v1", storage))]
struct Gate {
    #[kube(length = 1..=40)]
    name: String,
    state: bool,
}

#[derive(Debug, Document)]
#[document(type_name = "ferry.gate", version = 0)]
struct GateV0 {
    #[kube(length = 2..=9)]
    title: String,
    #[kube(list_type = "map", list_map_keys("id"))]
    codes: Vec<Code>,
    #[kube(rule("self != 'SHUT' || true", message = "a rule of its own"))]
    state: State,
    #[kube(length = 0..=2)]
    labels: Option<BTreeMap<String, String>>,
}

#[derive(Debug, Document)]
struct Code {
    id: u8,
}

#[derive(Debug, Clone, Copy, StringEnum)]
enum State {
    Open,
    Shut,
}

#[test]
fn a_prior_model_has_its_own() {
    let of = properties::<Gate>("v1alpha1");
    assert_eq!(
        of["title"],
        json!({"type": "string", "minLength": 2, "maxLength": 9})
    );
    assert_eq!(of["codes"]["x-kubernetes-list-map-keys"], json!(["id"]));
    assert_eq!(
        of["state"]["x-kubernetes-validations"],
        json!([{"rule": "self != 'SHUT' || true", "message": "a rule of its own"}])
    );
    assert_eq!(of["labels"]["maxProperties"], 2);
    assert_eq!(properties::<Gate>("v1")["name"]["maxLength"], 40);
}

fn opened(state: State) -> bool {
    matches!(state, State::Open)
}

fn state(opened: bool) -> State {
    if opened { State::Open } else { State::Shut }
}
