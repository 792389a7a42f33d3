//! Documents in binary formats, as serde writes them: maps by name.

#[cfg(feature = "cbor")]
use serde::de::{Deserialize, Deserializer};
use upstate::{Diagnostic, Diagnostics, ResourceDefinition};

use super::text;
use super::transcode::{self, Wide};
use super::tree::{Serialized, Tree};

/// Reads `MessagePack`; gives its JSON.
#[cfg(feature = "msgpack")]
pub(super) fn read_msgpack(bytes: &[u8]) -> Result<Vec<u8>, Diagnostics> {
    let mut rest = bytes;
    let mut deserializer = rmp_serde::Deserializer::new(&mut rest);
    deserializer.set_max_depth(DEPTH);
    let json = transcode::exact_json(&mut deserializer);
    drop(deserializer);
    whole(json.map_err(|error| error.to_string()), rest, "MessagePack")
}

/// Writes `MessagePack`.
#[cfg(feature = "msgpack")]
pub(super) fn write_msgpack(
    tree: &Tree<'_>,
    definition: &ResourceDefinition,
) -> Result<Vec<u8>, Diagnostic> {
    // Its serializer would write an integer of more than 64 bits as bytes.
    rmp_serde::to_vec_named(&Serialized(tree, Wide::of(definition, Wide::Refused)))
        .map_err(|error| unwritable(&error.to_string(), "MessagePack"))
}

/// Reads CBOR; gives its JSON.
#[cfg(feature = "cbor")]
pub(super) fn read_cbor(bytes: &[u8]) -> Result<Vec<u8>, Diagnostics> {
    let mut rest = std::io::Cursor::new(bytes);
    let json = cbor4ii::serde::from_reader::<Json, _>(&mut rest).map(|Json(json)| json);
    let at = usize::try_from(rest.position()).unwrap_or(usize::MAX);
    whole(
        json.map_err(|error| error.to_string()),
        bytes.get(at..).unwrap_or_default(),
        "CBOR",
    )
}

/// Writes CBOR.
#[cfg(feature = "cbor")]
pub(super) fn write_cbor(
    tree: &Tree<'_>,
    definition: &ResourceDefinition,
) -> Result<Vec<u8>, Diagnostic> {
    cbor4ii::serde::to_vec(
        Vec::new(),
        &Serialized(tree, Wide::of(definition, Wide::Integer)),
    )
    .map_err(|error| unwritable(&error.to_string(), "CBOR"))
}

/// The number of values inside one another, as in JSON.
#[cfg(feature = "msgpack")]
const DEPTH: usize = 256;

fn whole(json: Result<Vec<u8>, String>, rest: &[u8], format: &str) -> Result<Vec<u8>, Diagnostics> {
    match json {
        Ok(json) if rest.is_empty() => Ok(json),
        Ok(_) => Err(text::unreadable(&format!(
            "not valid {format}: {} more bytes follow the document",
            rest.len()
        ))
        .into()),
        Err(problem) => Err(text::unreadable(&format!("not valid {format}: {problem}")).into()),
    }
}

#[cold]
fn unwritable(problem: &str, format: &str) -> Diagnostic {
    let detail =
        format!("The document holds what {format} cannot: {problem}. Nothing was written.");
    text::unwritable(detail)
}

#[cfg(feature = "cbor")]
struct Json(Vec<u8>);

#[cfg(feature = "cbor")]
impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        transcode::exact_json(deserializer).map(Self)
    }
}
