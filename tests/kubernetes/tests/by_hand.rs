//! One custom resource in three versions: by upstate, and with kube-rs alone; `by_hand` has it by
//! stackable-versioned, which no registry has. The comparison in the guide has their lines.

#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

use serde_json::{Value, json};

/// The model of the page for operators.
mod upstate_kube_rs {
    use serde_json::Value;

    // Counted from here.
    use upstate::Document;
    use upstate_kube::{Converter, CustomResource, CustomResourceDefinition, Webhook};

    #[derive(Debug, Clone, PartialEq, Document)]
    #[document(type_name = "ferry.boat", version = 2, rename_all = "camelCase")]
    #[upgrade_from(1 => 2, rename(name => title), set(crew = []))]
    #[upgrade_from(0 => 1, nest(colour => paint))]
    #[kube(group = "ferry.example.com", kind = "Boat", short_names("bo"))]
    #[kube(version(0 = "v1alpha1", deprecated = "ask for v1"), version(1 = "v1beta1"), version(2 = "v1", storage))]
    struct Boat {
        title: String,
        paint: Paint,
        crew: Vec<String>,
    }

    #[derive(Debug, Clone, PartialEq, Document)]
    struct Paint {
        colour: String,
    }

    pub fn definition() -> CustomResourceDefinition {
        Boat::crd_with(&Webhook::service("ferry", "boat-webhook")).unwrap()
    }

    pub fn review(body: &[u8]) -> Vec<u8> {
        Converter::new()
            .with::<Boat>()
            .unwrap()
            .review(body)
            .unwrap()
            .into_body()
    }
    // To here.

    pub(super) fn versions() -> Value {
        definition().value()["spec"]["versions"].clone()
    }
}

mod kube_rs_alone {
    use serde_json::Value;

    // Counted from here.
    use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1 as api;
    use kube::CustomResourceExt as _;
    use kube::core::conversion::{ConversionRequest, ConversionResponse, ConversionReview};
    use serde::{Deserialize, Serialize};

    const KEPT: &str = "ferry.example.com/kept-by-v1";

    mod v1alpha1 {
        #[derive(
            Debug,
            Clone,
            kube::CustomResource,
            serde::Serialize,
            serde::Deserialize,
            schemars::JsonSchema,
        )]
        #[kube(
            group = "ferry.example.com",
            version = "v1alpha1",
            kind = "Boat",
            namespaced,
            shortname = "bo"
        )]
        #[kube(deprecated = "ask for v1")]
        pub struct BoatSpec {
            pub name: String,
            pub colour: String,
        }
    }

    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
    pub struct Paint {
        pub colour: String,
    }

    mod v1beta1 {
        #[derive(
            Debug,
            Clone,
            kube::CustomResource,
            serde::Serialize,
            serde::Deserialize,
            schemars::JsonSchema,
        )]
        #[kube(
            group = "ferry.example.com",
            version = "v1beta1",
            kind = "Boat",
            namespaced,
            shortname = "bo"
        )]
        pub struct BoatSpec {
            pub name: String,
            pub paint: super::Paint,
        }
    }

    mod v1 {
        #[derive(
            Debug,
            Clone,
            kube::CustomResource,
            serde::Serialize,
            serde::Deserialize,
            schemars::JsonSchema,
        )]
        #[kube(
            group = "ferry.example.com",
            version = "v1",
            kind = "Boat",
            namespaced,
            shortname = "bo"
        )]
        pub struct BoatSpec {
            pub title: String,
            pub paint: super::Paint,
            pub crew: Vec<String>,
        }
    }

    impl From<v1alpha1::BoatSpec> for v1beta1::BoatSpec {
        fn from(boat: v1alpha1::BoatSpec) -> Self {
            Self {
                name: boat.name,
                paint: Paint {
                    colour: boat.colour,
                },
            }
        }
    }

    impl From<v1beta1::BoatSpec> for v1alpha1::BoatSpec {
        fn from(boat: v1beta1::BoatSpec) -> Self {
            Self {
                name: boat.name,
                colour: boat.paint.colour,
            }
        }
    }

    impl From<v1beta1::BoatSpec> for v1::BoatSpec {
        fn from(boat: v1beta1::BoatSpec) -> Self {
            Self {
                title: boat.name,
                paint: boat.paint,
                crew: Vec::new(),
            }
        }
    }

    impl From<v1::BoatSpec> for v1beta1::BoatSpec {
        fn from(boat: v1::BoatSpec) -> Self {
            Self {
                name: boat.title,
                paint: boat.paint,
            }
        }
    }

    pub fn definition() -> api::CustomResourceDefinition {
        let versions = vec![v1alpha1::Boat::crd(), v1beta1::Boat::crd(), v1::Boat::crd()];
        let mut definition = kube::core::crd::merge_crds(versions, "v1").unwrap();
        let service = api::ServiceReference {
            name: "boat-webhook".to_owned(),
            namespace: "ferry".to_owned(),
            path: Some("/convert".to_owned()),
            port: Some(443),
        };
        definition.spec.conversion = Some(api::CustomResourceConversion {
            strategy: "Webhook".to_owned(),
            webhook: Some(api::WebhookConversion {
                client_config: Some(api::WebhookClientConfig {
                    service: Some(service),
                    ..Default::default()
                }),
                conversion_review_versions: vec!["v1".to_owned()],
            }),
        });
        definition
    }

    pub fn review(body: &[u8]) -> Vec<u8> {
        let review: ConversionReview = serde_json::from_slice(body).unwrap();
        let request = ConversionRequest::from_review(review).unwrap();
        let to = request.desired_api_version.clone();
        let converted = request
            .objects
            .iter()
            .map(|object| convert(object.clone(), &to))
            .collect();
        let response = ConversionResponse::for_request(request);
        let response = match converted {
            Ok(objects) => response.success(objects),
            Err(message) => response.failure(kube::core::Status::failure(&message, "")),
        };
        serde_json::to_vec(&response.into_review()).unwrap()
    }

    fn convert(mut object: Value, to: &str) -> Result<Value, String> {
        let from = object["apiVersion"].as_str().unwrap_or_default().to_owned();
        let spec = object["spec"].take();
        let mut boat = match from.as_str() {
            "ferry.example.com/v1alpha1" => {
                v1::BoatSpec::from(v1beta1::BoatSpec::from(read::<v1alpha1::BoatSpec>(spec)?))
            }
            "ferry.example.com/v1beta1" => v1::BoatSpec::from(read::<v1beta1::BoatSpec>(spec)?),
            "ferry.example.com/v1" => read(spec)?,
            other => return Err(format!("{other} is not a version of a boat")),
        };
        if let Some(annotations) = object["metadata"]["annotations"].as_object_mut() {
            if let Some(kept) = annotations.remove(KEPT).as_ref().and_then(Value::as_str) {
                boat.crew = serde_json::from_str(kept).map_err(|error| error.to_string())?;
            }
            if annotations.is_empty() {
                object["metadata"]
                    .as_object_mut()
                    .map(|metadata| metadata.remove("annotations"));
            }
        }
        if to != "ferry.example.com/v1" && !boat.crew.is_empty() {
            object["metadata"]["annotations"][KEPT] = serde_json::to_string(&boat.crew)
                .map_err(|error| error.to_string())?
                .into();
        }
        object["spec"] = match to {
            "ferry.example.com/v1alpha1" => {
                serde_json::to_value(v1alpha1::BoatSpec::from(v1beta1::BoatSpec::from(boat)))
            }
            "ferry.example.com/v1beta1" => serde_json::to_value(v1beta1::BoatSpec::from(boat)),
            "ferry.example.com/v1" => serde_json::to_value(boat),
            other => return Err(format!("{other} is not a version of a boat")),
        }
        .map_err(|error| error.to_string())?;
        object["apiVersion"] = to.into();
        Ok(object)
    }

    fn read<T: serde::de::DeserializeOwned>(spec: Value) -> Result<T, String> {
        serde_json::from_value(spec).map_err(|error| error.to_string())
    }
    // To here.

    pub(super) fn versions() -> Value {
        serde_json::to_value(definition().spec.versions).unwrap()
    }
}

fn converted(review: fn(&[u8]) -> Vec<u8>, object: &Value, to: &str) -> Value {
    let body = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview",
        "request": {"uid": "1", "desiredAPIVersion": format!("ferry.example.com/{to}"), "objects": [object]},
    });
    let answer: Value = serde_json::from_slice(&review(body.to_string().as_bytes())).unwrap();
    answer
        .pointer("/response/convertedObjects/0")
        .unwrap_or_else(|| panic!("{answer}"))
        .clone()
}

#[test]
fn both_convert_in_both_directions_and_keep_the_crew() {
    for review in [upstate_kube_rs::review, kube_rs_alone::review] {
        let newest = json!({
            "apiVersion": "ferry.example.com/v1", "kind": "Boat", "metadata": {"name": "ada"},
            "spec": {"title": "Ada", "paint": {"colour": "red"}, "crew": ["Bea"]},
        });
        for (version, spec) in [
            ("v1alpha1", json!({"name": "Ada", "colour": "red"})),
            (
                "v1beta1",
                json!({"name": "Ada", "paint": {"colour": "red"}}),
            ),
        ] {
            let older = converted(review, &newest, version);
            assert_eq!(older["spec"], spec);
            assert_eq!(converted(review, &older, "v1"), newest);
        }
    }
}

#[test]
fn both_define_the_versions() {
    for versions in [upstate_kube_rs::versions(), kube_rs_alone::versions()] {
        let mut names: Vec<&str> = versions
            .as_array()
            .unwrap()
            .iter()
            .map(|version| version["name"].as_str().unwrap())
            .collect();
        names.sort_unstable();
        assert_eq!(names, ["v1", "v1alpha1", "v1beta1"]);
    }
}

/// Lines that are not empty, between the two comments.
#[test]
fn the_guide_has_their_lines() {
    let source = include_str!("by_hand.rs");
    let parts = source
        .split("    // Counted from here.\n")
        .skip(1)
        .map(|part| part.split("    // To here.\n").next().unwrap_or_default());
    let lines: Vec<usize> = parts
        .map(|part| part.lines().filter(|line| !line.trim().is_empty()).count())
        .take(2)
        .collect();
    let page = include_str!("../../../docs/src/comparison.md");
    // The first line says what it is.
    let of_stackable = include_str!("by_hand/stackable_versioned.rs")
        .lines()
        .skip(1)
        .filter(|line| !line.trim().is_empty())
        .count();
    let row = format!(
        "| lines | {} | {of_stackable}, not built | | {} |",
        lines[1], lines[0]
    );
    assert!(page.contains(&row), "{row}");
}
