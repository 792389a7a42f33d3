//! Enums with data whose variants have members of one name.

use serde_json::{Value, json};
use upstate::{Document, Union};
use upstate_kube::{Converter, CustomResource, Webhook};

use crate::definitions::spec_of;
use crate::works::{Pump, Tank};

/// Limits of one variant are not those of another, and what is the same in both is said once.
#[test]
fn each_variant_has_its_own_limits_and_no_default_of_another() {
    let spec = spec_of(Pump::crd().unwrap().value(), "v1");
    let drive = &spec["properties"]["drive"];
    let members = json!({
        "count": {"type": "integer", "format": "int64"},
        "label": {"type": "string"},
        "name": {"type": "string", "maxLength": 5},
        "size": {"type": "integer", "format": "int64"},
        "type": {"type": "string", "enum": ["Large", "Small"]},
    });
    assert_eq!(drive["properties"], members);
    let needed = json!(["label", "name", "size"]);
    let large = json!({"size": {"minimum": 10, "maximum": 50}, "label": {"maxLength": 5}, "type": {"enum": ["Large"]}});
    let small = json!({"size": {"minimum": 1, "maximum": 5}, "type": {"enum": ["Small"]}});
    assert_eq!(
        drive["oneOf"],
        json!([{"properties": large, "required": needed}, {"properties": small, "required": needed}])
    );

    let filter = &spec["properties"]["filter"];
    let mut inside = members;
    inside.as_object_mut().unwrap().remove("type");
    assert_eq!(
        filter["properties"]["data"],
        json!({"type": "object", "properties": inside})
    );
    let large = json!({"properties": {"size": {"minimum": 10, "maximum": 50}, "label": {"maxLength": 5}}, "required": needed});
    let small = json!({"properties": {"size": {"minimum": 1, "maximum": 5}}, "required": needed});
    assert_eq!(
        filter["oneOf"],
        json!([
            {"properties": {"type": {"enum": ["Large"]}, "data": large}, "required": ["data"]},
            {"properties": {"type": {"enum": ["None"]}}, "not": {"required": ["data"]}},
            {"properties": {"type": {"enum": ["Small"]}, "data": small}, "required": ["data"]},
        ])
    );
}

#[derive(Debug, Document)]
#[document(type_name = "works.valve", version = 0)]
#[kube(group = "works.example.com", kind = "Valve", version(0 = "v1", storage))]
struct Valve {
    state: State,
}

#[derive(Debug, Union)]
#[union(tag = "is")]
enum State {
    Open(Open),
    Shut(Shut),
}

#[derive(Debug, Document)]
struct Open {
    #[kube(list_type = "atomic")]
    by: Vec<String>,
}

#[derive(Debug, Document)]
struct Shut {
    #[kube(list_type = "set")]
    by: Vec<String>,
}

#[test]
fn options_that_no_variant_can_have_alone_are_refused() {
    assert_eq!(
        Valve::crd().unwrap_err().to_string(),
        "Valve, version v1: a structural schema cannot describe `spec.state`: two variants have a member of one name with different \
         options apart from its limits, which a structural schema cannot say\nhelp: change the type, or store the field as any JSON with \
         `#[attribute(json)]`"
    );
}

#[test]
fn what_is_flattened_is_beside_the_other_members() {
    let definition = Tank::crd_with(&Webhook::url("https://localhost/")).unwrap();
    for (version, name) in [("v1", "name"), ("v1beta1", "title")] {
        let mut properties = json!({
            "content": {"type": "string", "enum": ["Nothing", "Oil", "Water"]},
            "count": {"type": "integer", "minimum": 0, "maximum": 255, "default": 2},
            "grade": {"type": "string"},
            "height": {"type": "integer", "format": "int64"},
            "warm": {"type": "boolean"},
            "width": {"type": "integer", "format": "int64"},
        });
        properties[name] = json!({"type": "string"});
        let of = |variant: &str, rest: Value| {
            let mut branch = json!({"properties": {"content": {"enum": [variant]}}});
            branch
                .as_object_mut()
                .unwrap()
                .extend(rest.as_object().unwrap().clone());
            branch
        };
        let expected = json!({
            "type": "object",
            "properties": properties,
            "required": ["content"],
            "allOf": [{"anyOf": [{"required": ["width"]}, {"not": {"anyOf": [{"required": ["height"]}, {"required": ["width"]}]}}]}],
            "oneOf": [
                of("Nothing", json!({"not": {"anyOf": [{"required": ["grade"]}, {"required": ["warm"]}]}})),
                of("Oil", json!({"required": ["grade"]})),
                of("Water", json!({"required": ["warm"], "not": {"required": ["grade"]}})),
            ],
        });
        assert_eq!(spec_of(definition.value(), version), expected, "{version}");
    }
}

#[test]
fn tanks_come_back() {
    let converter = Converter::new().with::<Tank>().unwrap();
    let convert = |version: &str, object: &Value| {
        let review = json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview",
            "request": {"uid": "1", "desiredAPIVersion": format!("works.example.com/{version}"), "objects": [object]},
        });
        let answer: Value = serde_json::from_slice(
            converter
                .review(review.to_string().as_bytes())
                .unwrap()
                .body(),
        )
        .unwrap();
        answer["response"]["convertedObjects"][0].clone()
    };
    let specs = [
        json!({"name": "a", "count": 1, "content": "Water", "warm": true}),
        json!({"name": "a", "count": 1, "content": "Oil", "grade": "x", "width": 4, "height": 2}),
        json!({"count": 2, "content": "Nothing"}),
        json!({"count": 2, "content": "Nothing", "width": 7, "height": 1}),
    ];
    for spec in specs {
        let tank = json!({"apiVersion": "works.example.com/v1", "kind": "Tank", "metadata": {"name": "t"}, "spec": spec});
        let older = convert("v1beta1", &tank);
        assert_eq!(
            older["spec"].get("title"),
            spec.get("name"),
            "{spec}: {older}"
        );
        assert_eq!(convert("v1", &older), tank, "{older}");
    }
}

#[derive(Debug, Document)]
#[document(type_name = "works.crane", version = 0)]
#[kube(group = "works.example.com", kind = "Crane", version(0 = "v1", storage))]
struct Crane {
    #[attribute(flatten)]
    brake: Brake,
    #[attribute(flatten)]
    load: Load,
}

#[derive(Debug, Union)]
#[union(tag = "brake")]
enum Brake {
    Shut,
    Open { since: u32 },
}

#[derive(Debug, Union)]
#[union(tag = "load")]
enum Load {
    None,
    Some { weight: u32 },
}

#[derive(Debug, Document)]
#[document(type_name = "works.lift", version = 0)]
#[kube(group = "works.example.com", kind = "Lift", version(0 = "v1", storage))]
struct Lift {
    #[attribute(flatten)]
    load: Option<Load>,
}

#[test]
fn enums_that_no_schema_can_tell_are_refused() {
    let help = "help: change the type, or store the field as any JSON with `#[attribute(json)]`";
    assert_eq!(
        Crane::crd().unwrap_err().to_string(),
        format!(
            "Crane, version v1: a structural schema cannot describe `spec`: two enums are flattened into it, and it can tell the variants \
             of one\n{help}"
        )
    );
    assert_eq!(
        Lift::crd().unwrap_err().to_string(),
        format!(
            "Lift, version v1: a structural schema cannot describe `spec`: the enum that is flattened into it may be absent, which is a \
             variant without a name; make it a variant of the enum\n{help}"
        )
    );
}

#[derive(Debug, Document)]
#[document(type_name = "works.gate", version = 0)]
#[kube(group = "works.example.com", kind = "Gate", version(0 = "v1", storage))]
struct Gate {
    leaf: Leaf,
}

#[derive(Debug, Union)]
#[union(tag = "leaf")]
enum Leaf {
    None,
    Single(Single),
}

#[derive(Debug, Document)]
struct Single {
    colour: String,
    #[attribute(flatten)]
    hinge: Option<Hinge>,
}

#[derive(Debug, Document)]
struct Hinge {
    side: String,
    oiled: Option<bool>,
}

#[derive(Debug, Document)]
#[document(type_name = "works.hatch", version = 0)]
#[kube(group = "works.example.com", kind = "Hatch", version(0 = "v1", storage))]
struct Hatch {
    cover: Cover,
}

#[derive(Debug, Union)]
#[union(tag = "cover")]
enum Cover {
    None,
    Loaded(Loaded),
}

#[derive(Debug, Document)]
struct Loaded {
    #[attribute(flatten)]
    load: Load,
}

/// A struct that is flattened into a variant is there whole or not at all, and an enum cannot be
/// told there.
#[test]
fn a_variant_describes_what_is_flattened_into_it() {
    let leaf = &spec_of(Gate::crd().unwrap().value(), "v1")["properties"]["leaf"];
    let parts = json!([{"anyOf": [{"required": ["side"]}, {"not": {"anyOf": [{"required": ["oiled"]}, {"required": ["side"]}]}}]}]);
    assert_eq!(leaf["allOf"], parts);
    assert_eq!(leaf["oneOf"][1]["required"], json!(["colour"]));
    let refused = Hatch::crd().unwrap_err().to_string();
    assert!(
        refused.contains(
            "`spec.cover`: a variant has a flattened enum, whose variants it cannot tell\n"
        ),
        "{refused}"
    );
}
