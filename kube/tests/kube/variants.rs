//! Enums with data whose variants have members of one name.

use serde_json::json;
use upstate::{Document, Union};
use upstate_kube::CustomResource;

use crate::definitions::spec_of;
use crate::pump::Pump;

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
    assert_eq!(drive["oneOf"], json!([{"properties": large, "required": needed}, {"properties": small, "required": needed}]));

    let filter = &spec["properties"]["filter"];
    let mut inside = members;
    inside.as_object_mut().unwrap().remove("type");
    assert_eq!(filter["properties"]["data"], json!({"type": "object", "properties": inside}));
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
         options beside its limits, which a structural schema cannot say\nhelp: change the type, or store the field as any JSON with \
         `#[attribute(json)]`"
    );
}
