//! The definition beside the one that kube-derive writes for the same struct: all places where they
//! differ, each with the reason.

#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::ResourceRequirements;
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use kube::{CustomResource, CustomResourceExt as _};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use upstate::Document;
use upstate_kube::CustomResource as _;

mod ours {
    use super::{BTreeMap, Document, IntOrString, Quantity, ResourceRequirements};

    /// A boat of the ferry.
    #[derive(Debug, Document)]
    #[document(type_name = "ferry.boat", version = 0, rename_all = "camelCase")]
    #[kube(
        group = "ferry.example.com",
        kind = "Boat",
        short_names("bo"),
        categories("all"),
        status = BoatStatus,
        version(0 = "v1", storage),
        column(name = "Length", path = ".spec.length", type = "integer")
    )]
    pub(super) struct BoatSpec {
        /// As passengers know it.
        pub(super) name: String,
        pub(super) length: i32,
        pub(super) decks: u8,
        pub(super) weight: f64,
        pub(super) is_new: bool,
        pub(super) berth: Option<String>,
        #[attribute(default = 7)]
        pub(super) crew: i64,
        pub(super) masts: Vec<Mast>,
        pub(super) labels: BTreeMap<String, String>,
        pub(super) hull: Hull,
        pub(super) paint: Paint,
        #[attribute(json)]
        #[kube(schema)]
        pub(super) port: IntOrString,
        #[attribute(json)]
        #[kube(schema)]
        pub(super) size: Option<Quantity>,
        #[attribute(json)]
        #[kube(schema)]
        pub(super) limits: BTreeMap<String, Quantity>,
        /// As containers have them.
        #[attribute(json)]
        #[kube(schema)]
        pub(super) resources: ResourceRequirements,
    }

    #[derive(Debug, Document)]
    pub(super) struct Mast {
        pub(super) height: u16,
    }

    #[derive(Debug, upstate::StringEnum)]
    pub(super) enum Hull {
        #[value(name = "Steel")]
        Steel,
        #[value(name = "Wood")]
        Wood,
    }

    #[derive(Debug, upstate::Union)]
    pub(super) enum Paint {
        Plain { colour: String },
        Glossy { percent: u8 },
    }

    #[derive(Debug, Document)]
    #[document(type_name = "ferry.tagged", version = 0)]
    #[kube(group = "ferry.example.com", kind = "Tagged", version(0 = "v1", storage))]
    pub(super) struct TaggedSpec {
        pub(super) paint: TaggedPaint,
    }

    #[derive(Debug, upstate::Union)]
    #[union(tag = "kind")]
    pub(super) enum TaggedPaint {
        Plain { colour: String },
        Glossy { percent: u8 },
    }

    #[derive(Debug, Document)]
    pub(super) struct BoatStatus {
        pub(super) afloat: bool,
    }
}

/// A boat of the ferry.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, CustomResource)]
#[kube(
    group = "ferry.example.com",
    version = "v1",
    kind = "Boat",
    namespaced,
    shortname = "bo",
    category = "all",
    status = "BoatStatus",
    printcolumn = r#"{"name":"Length","jsonPath":".spec.length","type":"integer"}"#
)]
#[serde(rename_all = "camelCase")]
struct BoatSpec {
    /// As passengers know it.
    name: String,
    length: i32,
    decks: u8,
    weight: f64,
    is_new: bool,
    berth: Option<String>,
    #[serde(default = "seven")]
    crew: i64,
    masts: Vec<Mast>,
    labels: BTreeMap<String, String>,
    hull: Hull,
    paint: Paint,
    port: IntOrString,
    size: Option<Quantity>,
    limits: BTreeMap<String, Quantity>,
    /// As containers have them.
    resources: ResourceRequirements,
}

fn seven() -> i64 {
    7
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
struct Mast {
    height: u16,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
enum Hull {
    Steel,
    Wood,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
enum Paint {
    Plain { colour: String },
    Glossy { percent: u8 },
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
struct BoatStatus {
    afloat: bool,
}

fn differ(ours: Option<&Value>, theirs: Option<&Value>, path: &str, found: &mut Vec<String>) {
    match (ours, theirs) {
        (Some(ours), Some(theirs)) if ours == theirs => {}
        // `255.0` is `255` in Kubernetes.
        (Some(Value::Number(ours)), Some(Value::Number(theirs)))
            if ours.as_f64() == theirs.as_f64() => {}
        (Some(Value::Object(ours)), Some(Value::Object(theirs))) => {
            let mut names: Vec<&String> = ours.keys().chain(theirs.keys()).collect();
            names.sort();
            names.dedup();
            for name in names {
                differ(
                    ours.get(name),
                    theirs.get(name),
                    &format!("{path}/{name}"),
                    found,
                );
            }
        }
        (Some(Value::Array(ours)), Some(Value::Array(theirs))) if ours.len() == theirs.len() => {
            for (index, (ours, theirs)) in ours.iter().zip(theirs).enumerate() {
                differ(Some(ours), Some(theirs), &format!("{path}/{index}"), found);
            }
        }
        (ours, theirs) => {
            let shown =
                |value: Option<&Value>| value.map_or_else(|| "-".to_owned(), ToString::to_string);
            found.push(format!("{path}: {} | {}", shown(ours), shown(theirs)));
        }
    }
}

/// Places with what is ours and what is theirs, and the reason for it.
const DIFFERENCES: [(&str, &str); 18] = [
    (
        r#"/spec/conversion: {"strategy":"None"} | -"#,
        "the server's default, written out",
    ),
    (
        r#"/spec/names/listKind: "BoatList" | -"#,
        "the server's default, written out",
    ),
    (
        r#"…/description: "A boat of the ferry." | "Auto-generated derived type for BoatSpec via `CustomResource`""#,
        "the doc comment of the struct",
    ),
    (
        r#"…/properties/apiVersion: {"type":"string"} | -"#,
        "the server adds it",
    ),
    (
        r#"…/properties/kind: {"type":"string"} | -"#,
        "the server adds it",
    ),
    (
        r#"…/properties/metadata: {"type":"object"} | -"#,
        "the server adds it",
    ),
    (
        "…/properties/spec/properties/berth/nullable: - | true",
        "a null would be kept beside a default, and an absent field says the same",
    ),
    (
        r#"…/properties/spec/properties/decks/format: - | "uint8""#,
        "Kubernetes knows no such format",
    ),
    (
        "…/properties/spec/properties/length/maximum: 2147483647 | -",
        "the server does not enforce `int32`",
    ),
    (
        "…/properties/spec/properties/length/minimum: -2147483648 | -",
        "the server does not enforce `int32`",
    ),
    (
        r#"…/properties/spec/properties/masts/items/properties/height/format: - | "uint16""#,
        "Kubernetes knows no such format",
    ),
    (
        r#"…/properties/spec/properties/paint/oneOf/0/required/0: "Glossy" | "Plain""#,
        "the order of variants is that of their names",
    ),
    (
        r#"…/properties/spec/properties/paint/oneOf/1/required/0: "Plain" | "Glossy""#,
        "the order of variants is that of their names",
    ),
    (
        r#"…/properties/spec/properties/paint/properties/Glossy/properties/percent/format: - | "uint8""#,
        "Kubernetes knows no such format",
    ),
    (
        "…/properties/spec/properties/size/nullable: - | true",
        "as for `berth`",
    ),
    (
        r#"…/properties/spec/properties/weight/format: - | "double""#,
        "each number is one",
    ),
    (
        "…/properties/status/nullable: - | true",
        "an absent status says the same",
    ),
    (r#"…/title: - | "Boat""#, "the kind says it"),
];

#[test]
fn the_definitions_differ_in_these_places_alone() {
    let ours = ours::BoatSpec::crd().unwrap();
    let theirs = serde_json::to_value(Boat::crd()).unwrap();
    let mut found = Vec::new();
    differ(Some(ours.value()), Some(&theirs), "", &mut found);
    let version = "/spec/versions/0/schema/openAPIV3Schema";
    let found: Vec<String> = found
        .iter()
        .map(|line| line.replace(version, "…"))
        .collect();
    assert_eq!(found, DIFFERENCES.map(|(line, _)| line));
}

/// The schema of a tag is another one in each variant, and kube-derive finds that out when the
/// program runs.
#[test]
fn kube_derive_has_no_schema_for_a_tagged_enum() {
    let refused = std::panic::catch_unwind(Tagged::crd);
    assert!(refused.is_err());
    let spec = ours::TaggedSpec::crd().unwrap();
    let paint = spec
        .value()
        .pointer("/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/paint")
        .unwrap();
    assert_eq!(
        paint.pointer("/properties/kind/enum").unwrap(),
        &serde_json::json!(["Glossy", "Plain"])
    );
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, CustomResource)]
#[kube(
    group = "ferry.example.com",
    version = "v1",
    kind = "Tagged",
    namespaced
)]
struct TaggedSpec {
    paint: TaggedPaint,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind")]
enum TaggedPaint {
    Plain { colour: String },
    Glossy { percent: u8 },
}

/// The struct of kube-rs that the page of `upstate-kube` begins with.
mod before {
    use super::{Deserialize, JsonSchema, ResourceRequirements, Serialize};

    /// A ferry.
    #[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, kube::CustomResource)]
    #[kube(
        group = "ferry.example.com",
        version = "v1",
        kind = "Ferry",
        namespaced,
        shortname = "fe",
        status = "FerryStatus"
    )]
    #[kube(printcolumn = r#"{"name":"Length","jsonPath":".spec.maxLength","type":"integer"}"#)]
    #[serde(rename_all = "camelCase")]
    pub struct FerrySpec {
        /// Metres.
        #[schemars(range(min = 1, max = 90))]
        pub max_length: i64,
        #[serde(default = "two")]
        pub crew: i64,
        pub harbour: Option<String>,
        pub resources: ResourceRequirements,
    }

    fn two() -> i64 {
        2
    }

    #[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
    pub struct FerryStatus {
        pub afloat: bool,
    }
}

/// The model that the page puts in its place.
mod after {
    use super::{Document, ResourceRequirements};

    /// A ferry.
    #[derive(Debug, Clone, Document)]
    #[document(type_name = "ferry.ferry", version = 0, rename_all = "camelCase")]
    #[kube(group = "ferry.example.com", kind = "Ferry", short_names("fe"), status = FerryStatus, version(0 = "v1", storage))]
    #[kube(column(name = "Length", path = ".spec.maxLength", type = "integer"))]
    pub struct FerrySpec {
        /// Metres.
        #[kube(range = 1..=90)]
        pub max_length: i64,
        #[attribute(default = 2)]
        pub crew: i64,
        pub harbour: Option<String>,
        #[attribute(json)]
        #[kube(schema)]
        pub resources: ResourceRequirements,
    }

    #[derive(Debug, Clone, Document)]
    pub struct FerryStatus {
        pub afloat: bool,
    }
}

#[test]
fn the_page_leads_from_one_definition_to_the_same() {
    let ours = after::FerrySpec::crd().unwrap();
    let theirs = serde_json::to_value(before::Ferry::crd()).unwrap();
    let mut found = Vec::new();
    differ(Some(ours.value()), Some(&theirs), "", &mut found);
    let version = "/spec/versions/0/schema/openAPIV3Schema";
    let found: Vec<String> = found
        .iter()
        .map(|line| line.replace(version, "…"))
        .collect();
    let expected = [
        r#"/spec/conversion: {"strategy":"None"} | -"#,
        r#"/spec/names/listKind: "FerryList" | -"#,
        r#"…/description: "A ferry." | "Auto-generated derived type for FerrySpec via `CustomResource`""#,
        r#"…/properties/apiVersion: {"type":"string"} | -"#,
        r#"…/properties/kind: {"type":"string"} | -"#,
        r#"…/properties/metadata: {"type":"object"} | -"#,
        "…/properties/spec/properties/harbour/nullable: - | true",
        "…/properties/status/nullable: - | true",
        r#"…/title: - | "Ferry""#,
    ];
    assert_eq!(found, expected);
    // The two programs are those of the page.
    let without_indent = |text: &str| {
        text.lines()
            .map(str::trim_start)
            .collect::<Vec<_>>()
            .join("\n")
    };
    let source = without_indent(include_str!("kube_derive.rs"));
    let page = include_str!("../../../kube/docs/kube.md");
    let programs: Vec<&str> = page
        .split("```rust,ignore\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next())
        .collect();
    assert_eq!(programs.len(), 2);
    for program in programs {
        assert!(source.contains(without_indent(program).trim()), "{program}");
    }
}
