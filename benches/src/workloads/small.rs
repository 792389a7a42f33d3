//! Small: the thing of three attributes, whose two settings were flags once. Each prior version has
//! its own way to the current one.

#[cfg(feature = "peers")]
mod peers;

use serde::{Deserialize, Serialize};
use serde_json::json;
use upstate::codec::Encoding;
use upstate::{Registry, Resource};

use super::generate::Generator;
use super::{BoxError, Declared, Document, Workload, by_hand, stored, through};
use crate::case::Case;

#[derive(Debug, Clone, PartialEq, Resource, Serialize, Deserialize)]
#[resource(type_name = "example_thing", version = 2)]
#[upgrade_from(0, model = ThingV0)]
#[upgrade_from(1, model = ThingV1)]
pub struct Thing {
    #[attribute(computed)]
    pub id: String,
    pub optional_attribute: Option<String>,
    pub required_attribute: String,
}

#[derive(Debug, Clone, PartialEq, Resource, Serialize, Deserialize)]
#[resource(type_name = "example_thing", version = 1, prior)]
pub struct ThingV1 {
    pub id: String,
    pub optional_attribute: Option<bool>,
    pub required_attribute: String,
}

#[derive(Debug, Clone, PartialEq, Resource, Serialize, Deserialize)]
#[resource(type_name = "example_thing", version = 0)]
pub struct ThingV0 {
    pub id: String,
    pub optional_attribute: Option<bool>,
    pub required_attribute: bool,
}

impl From<ThingV1> for Thing {
    fn from(prior: ThingV1) -> Self {
        Self {
            id: prior.id,
            optional_attribute: prior.optional_attribute.map(|on| on.to_string()),
            required_attribute: prior.required_attribute,
        }
    }
}

impl From<ThingV0> for Thing {
    fn from(prior: ThingV0) -> Self {
        Self {
            id: prior.id,
            optional_attribute: prior.optional_attribute.map(|on| on.to_string()),
            required_attribute: prior.required_attribute.to_string(),
        }
    }
}

/// The upgrade, declared.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "example_thing", version = 2)]
#[upgrade_from(0, model = ThingV0, convert(optional_attribute), convert(required_attribute))]
#[upgrade_from(1, model = ThingV1, convert(optional_attribute))]
pub struct Declarative {
    #[attribute(computed)]
    pub id: String,
    pub optional_attribute: Option<String>,
    pub required_attribute: String,
}

/// What one writes without upstate, up to the struct.
fn read_by_hand(version: u64, json: &[u8]) -> Result<Thing, BoxError> {
    Ok(match version {
        0 => serde_json::from_slice::<ThingV0>(json)?.into(),
        1 => serde_json::from_slice::<ThingV1>(json)?.into(),
        2 => serde_json::from_slice(json)?,
        newer => return Err(format!("version {newer} is not known").into()),
    })
}

pub fn upgrade_by_hand(version: u64, json: &[u8]) -> Result<Vec<u8>, BoxError> {
    Ok(serde_json::to_vec(&read_by_hand(version, json)?)?)
}

fn upgrade_by_hand_to_msgpack(version: u64, json: &[u8]) -> Result<Vec<u8>, BoxError> {
    Ok(rmp_serde::to_vec_named(&read_by_hand(version, json)?)?)
}

fn document(generator: &mut Generator) -> Document {
    let id = generator.hex(12);
    let optional = generator.flag().then(|| generator.flag());
    let optional_text = optional.map(|on| if on { "true" } else { "false" });
    let required = generator.flag();
    let required_text = if required { "true" } else { "false" };
    Document([
        json!({ "id": id, "optional_attribute": optional, "required_attribute": required }),
        json!({ "id": id, "optional_attribute": optional, "required_attribute": required_text }),
        json!({ "id": id, "optional_attribute": optional_text, "required_attribute": required_text }),
    ])
}

pub fn workload() -> Workload {
    let mut generator = Generator::new(1);
    let documents: Vec<Document> = (0..64).map(|_| document(&mut generator)).collect();
    let [prior, current] = [stored(&documents, 0), stored(&documents, 2)];
    let registry = Registry::new().with::<Thing>();
    Workload {
        name: "small",
        upstate: Case::json(
            "upstate",
            prior.clone(),
            through(&registry, "example_thing", Encoding::Json),
        ),
        upstate_msgpack: Case::msgpack(
            "upstate, MessagePack",
            prior.clone(),
            through(&registry, "example_thing", Encoding::Msgpack),
        ),
        declared: Declared::of::<Declarative>("example_thing", &prior),
        by_hand: Case::json("by hand", prior.clone(), by_hand(upgrade_by_hand)),
        by_hand_msgpack: Case::msgpack(
            "by hand, MessagePack",
            prior.clone(),
            by_hand(upgrade_by_hand_to_msgpack),
        ),
        decode: Case::model("upstate::from_json", current.clone(), |json| {
            upstate::from_json::<Thing>(json).expect("the document fits")
        }),
        decode_by_hand: Case::model("serde_json::from_slice", current, |json| {
            serde_json::from_slice::<Thing>(json).expect("the document fits")
        }),
        #[cfg(feature = "peers")]
        peers: peers::all(&documents, &prior),
        #[cfg(not(feature = "peers"))]
        peers: Vec::new(),
        documents,
    }
}
