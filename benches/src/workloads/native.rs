//! native_model: JSON after its header, which the crate leaves to who wants it.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The encoding, which the models name.
pub(super) struct Json;

impl<T: Serialize> native_model::Encode<T> for Json {
    type Error = serde_json::Error;

    fn encode(model: &T) -> Result<Vec<u8>, serde_json::Error> {
        serde_json::to_vec(model)
    }
}

impl<T: DeserializeOwned> native_model::Decode<T> for Json {
    type Error = serde_json::Error;

    fn decode(data: Vec<u8>) -> Result<T, serde_json::Error> {
        serde_json::from_slice(&data)
    }
}
