//! Medium: a compute instance of 44 attributes, nested two levels, about 4 KB.

mod documents;
mod models;
#[cfg(feature = "peers")]
mod peers;

use upstate::Registry;
use upstate::codec::Encoding;

pub use self::models::{Declarative, Instance, InstanceV0, InstanceV1};
use super::generate::Generator;
use super::{BoxError, Declared, Document, Workload, by_hand, stored, through};
use crate::case::Case;

/// What one writes without upstate, up to the struct.
fn read_by_hand(version: u64, json: &[u8]) -> Result<Instance, BoxError> {
    Ok(match version {
        0 => InstanceV1::try_from(serde_json::from_slice::<InstanceV0>(json)?)?.try_into()?,
        1 => serde_json::from_slice::<InstanceV1>(json)?.try_into()?,
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

pub fn workload() -> Workload {
    let mut generator = Generator::new(2);
    let documents: Vec<Document> = (0..32)
        .map(|_| documents::document(&mut generator))
        .collect();
    let [prior, current] = [stored(&documents, 0), stored(&documents, 2)];
    let registry = Registry::new().with::<Instance>();
    Workload {
        name: "medium",
        upstate: Case::json(
            "upstate",
            prior.clone(),
            through(&registry, "example_instance", Encoding::Json),
        ),
        upstate_msgpack: Case::msgpack(
            "upstate, MessagePack",
            prior.clone(),
            through(&registry, "example_instance", Encoding::Msgpack),
        ),
        declared: Declared::of::<Declarative>("example_instance", &prior),
        by_hand: Case::json("by hand", prior.clone(), by_hand(upgrade_by_hand)),
        by_hand_msgpack: Case::msgpack(
            "by hand, MessagePack",
            prior.clone(),
            by_hand(upgrade_by_hand_to_msgpack),
        ),
        decode: Case::model("upstate::from_json", current.clone(), |json| {
            upstate::from_json::<Instance>(json).expect("the document fits")
        }),
        decode_by_hand: Case::model("serde_json::from_slice", current, |json| {
            serde_json::from_slice::<Instance>(json).expect("the document fits")
        }),
        #[cfg(feature = "peers")]
        peers: peers::all(&documents, &prior),
        #[cfg(not(feature = "peers"))]
        peers: Vec::new(),
        documents,
    }
}
