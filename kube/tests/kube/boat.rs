//! The custom resource of the scenarios, and one with every form of a field.

use std::collections::{BTreeMap, BTreeSet};

use upstate::{Document, StringEnum, Union};

/// A boat of the ferry.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(type_name = "ferry.boat", version = 2, rename_all = "camelCase")]
#[upgrade_from(1 => 2, rename(title => name), drop(berth: Option<String>, "nobody used it"))]
#[upgrade_from(0 => 1, nest(colour => paint), set(paint.gloss = null), rename(len: Option<i32> => length), default(length = 7))]
#[kube(
    group = "ferry.example.com",
    kind = "Boat",
    short_names("bo"),
    categories("all"),
    status = BoatStatus,
    version(0 = "v1alpha1", deprecated = "ferry.example.com/v1alpha1 ends in 2027; use v1"),
    version(1 = "v1beta1", deprecated),
    version(2 = "v1", storage),
    column(name = "Length", path = ".spec.length", type = "integer", priority = 1),
    column(name = "Afloat", path = ".status.afloat", type = "boolean"),
    selectable(".spec.paint.colour")
)]
pub(crate) struct Boat {
    /// How it looks.
    pub(crate) paint: Paint,
    #[attribute(default = 7)]
    pub(crate) length: i32,
    pub(crate) name: Option<String>,
    pub(crate) masts: Option<Vec<Mast>>,
    pub(crate) hull: Option<Hull>,
}

#[derive(Debug, Clone, PartialEq, Document)]
pub(crate) struct Paint {
    pub(crate) colour: String,
    pub(crate) gloss: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Document)]
pub(crate) struct Mast {
    pub(crate) height: u8,
    pub(crate) flag: Option<String>,
}

/// What it is made of.
#[derive(Debug, Clone, PartialEq, Union)]
#[union(tag = "kind", rename_all = "camelCase")]
pub(crate) enum Hull {
    Steel,
    Wood {
        species: String,
        oiled: Option<bool>,
    },
}

#[derive(Debug, Clone, PartialEq, Document)]
pub(crate) struct BoatStatus {
    pub(crate) afloat: bool,
    pub(crate) message: Option<String>,
}

/// Every form of a field that has a structural schema.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(type_name = "ferry.forms", version = 0)]
#[kube(group = "ferry.example.com", kind = "Forms", plural = "forms", scope = Cluster, version(0 = "v1", storage))]
pub(crate) struct Forms {
    pub(crate) flag: bool,
    pub(crate) small: i8,
    pub(crate) word: i32,
    pub(crate) long: i64,
    pub(crate) float: f64,
    pub(crate) size: Size,
    pub(crate) pair: (u8, u8),
    pub(crate) ports: BTreeSet<String>,
    pub(crate) pairs: BTreeSet<Vec<u8>>,
    pub(crate) by_name: BTreeMap<String, Option<u16>>,
    pub(crate) nullable: Vec<Option<String>>,
    pub(crate) parts: Vec<Part>,
    pub(crate) external: Load,
    pub(crate) adjacent: Event,
    #[attribute(as_string)]
    pub(crate) address: std::net::IpAddr,
    pub(crate) even: Even,
    #[attribute(json)]
    pub(crate) any: serde_json::Value,
    #[attribute(default)]
    pub(crate) words: Vec<String>,
    #[attribute(default = Some("en".to_owned()))]
    pub(crate) language: Option<String>,
    #[attribute(flatten)]
    pub(crate) rest: BTreeMap<String, serde_json::Value>,
}

#[derive(Debug, Clone, PartialEq, StringEnum)]
pub(crate) enum Size {
    Small,
    Large,
}

#[derive(Debug, Clone, PartialEq, Document)]
pub(crate) struct Part {
    /// The name of the part.
    pub(crate) name: String,
    #[attribute(default = 1)]
    pub(crate) count: u8,
}

#[derive(Debug, Clone, PartialEq, Union)]
#[union(rename_all = "camelCase")]
pub(crate) enum Load {
    Empty {},
    Cars { count: u8 },
    Named(String),
}

#[derive(Debug, Clone, PartialEq, Union)]
#[union(tag = "type", content = "data", rename_all = "camelCase")]
pub(crate) enum Event {
    Left,
    Docked { port: String, late: Option<bool> },
    Delayed { minutes: u16 },
}

/// A type with a reader of its own.
#[derive(Debug, Clone, PartialEq, Document)]
#[serde(try_from = "u8", into = "u8")]
pub(crate) struct Even(u8);

impl TryFrom<u8> for Even {
    type Error = String;
    fn try_from(value: u8) -> Result<Self, String> {
        if value.is_multiple_of(2) {
            Ok(Self(value))
        } else {
            Err("the number is odd".to_owned())
        }
    }
}

impl From<Even> for u8 {
    fn from(even: Even) -> Self {
        even.0
    }
}
