//! Kinds of one name in several groups, and models that would be one custom resource.

use serde_json::{Value, json};
use upstate::Document;
use upstate_kube::{Answer, Converter};

#[derive(Debug, Document)]
#[document(type_name = "ferry.boat", version = 1)]
#[upgrade_from(0 => 1, rename(colour => paint))]
#[kube(group = "ferry.example.com", kind = "Boat", version(0 = "v1beta1"), version(1 = "v1", storage))]
struct Boat {
    paint: String,
}

mod yard {
    use upstate::Document;

    #[derive(Debug, Document)]
    #[document(type_name = "yard.boat", version = 1)]
    #[upgrade_from(0 => 1, rename(colour => hull))]
    #[kube(group = "yard.example.org", kind = "Boat", version(0 = "v1beta1"), version(1 = "v1", storage))]
    pub(super) struct Boat {
        hull: String,
    }

    /// The plural of another kind.
    #[derive(Debug, Document)]
    #[document(type_name = "yard.ship", version = 0)]
    #[kube(group = "yard.example.org", kind = "Ship", plural = "boats", version(0 = "v1", storage))]
    pub(super) struct Ship {
        hull: String,
    }

    #[derive(Debug, Document)]
    #[document(type_name = "yard.old_boat", version = 0)]
    #[kube(group = "yard.example.org", kind = "Boat", plural = "vessels", version(0 = "v1", storage))]
    pub(super) struct OldBoat {
        keel: String,
    }
}

fn boat(group: &str, spec: &Value) -> Value {
    json!({"apiVersion": format!("{group}/v1beta1"), "kind": "Boat", "metadata": {"name": "a"}, "spec": spec})
}

fn answer(objects: &[Value], to: &str) -> Answer {
    let review = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview",
        "request": {"uid": "1", "desiredAPIVersion": to, "objects": objects},
    });
    let converter = Converter::new()
        .with::<Boat>()
        .unwrap()
        .with::<yard::Boat>()
        .unwrap();
    converter.review(review.to_string().as_bytes()).unwrap()
}

#[test]
fn kinds_of_one_name_are_converted_by_their_groups() {
    for (group, spec) in [
        ("ferry.example.com", json!({"paint": "red"})),
        ("yard.example.org", json!({"hull": "red"})),
    ] {
        let answer = answer(
            &[boat(group, &json!({"colour": "red"}))],
            &format!("{group}/v1"),
        );
        let body: Value = serde_json::from_slice(answer.body()).unwrap();
        assert_eq!(
            body["response"]["convertedObjects"][0]["spec"],
            spec,
            "{:?}",
            answer.failure()
        );
    }
}

#[test]
fn an_object_of_another_group_is_refused() {
    let answer = answer(
        &[boat("ferry.example.com", &json!({"colour": "red"}))],
        "yard.example.org/v1",
    );
    assert_eq!(
        answer.failure(),
        Some(
            "boats.yard.example.org \"a\", ferry.example.com/v1beta1 to v1: ferry.example.com/v1beta1, kind Boat, is not a version of the custom resource"
        )
    );
}

/// Otherwise objects of one would be converted by the versions of the other.
#[test]
fn two_models_of_one_custom_resource_are_refused() {
    let converter = || Converter::new().with::<yard::Boat>().unwrap();
    let refused =
        |converter: Result<Converter, upstate_kube::CrdError>| converter.unwrap_err().to_string();
    let message = |of: &str| {
        format!(
            "{of}: the group yard.example.org has `Boat` already, with the kind `Boat` and the plural `boats`\n\
             help: give one of the two another group, or another `kind` and `plural`; if they are one resource, add it once"
        )
    };
    assert_eq!(
        refused(converter().with::<yard::OldBoat>()),
        message("OldBoat")
    );
    assert_eq!(refused(converter().with::<yard::Ship>()), message("Ship"));
    assert_eq!(refused(converter().with::<yard::Boat>()), message("Boat"));
}
