//! Bodies that clients send, taken apart with an error at each member.

use std::borrow::Cow;
use std::collections::BTreeMap;

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use bytes::Bytes;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::rules::{Refusal, RefusalKind};

/// The greatest number of bytes of a small request.
pub(super) const SMALL: usize = 1 << 20;

const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// A JSON:API document as a client sends it.
#[derive(Debug, Deserialize)]
pub(super) struct Sent<'t> {
    #[serde(borrow, default)]
    data: Option<&'t RawValue>,
    /// pytfe sends this beside, not inside.
    #[serde(borrow, default)]
    reason: Option<Cow<'t, str>>,
}

/// One resource of such a document.
#[derive(Debug, Deserialize, Default)]
pub(super) struct SentResource<'t> {
    #[serde(borrow, default)]
    id: Option<Cow<'t, str>>,
    #[serde(borrow, rename = "type", default)]
    type_name: Option<Cow<'t, str>>,
    #[serde(borrow, default)]
    attributes: Option<BTreeMap<Cow<'t, str>, &'t RawValue>>,
    #[serde(borrow, default)]
    relationships: Option<BTreeMap<Cow<'t, str>, Related<'t>>>,
}

#[derive(Debug, Deserialize)]
struct Related<'t> {
    #[serde(borrow, default)]
    data: Option<&'t RawValue>,
}

/// The reader takes a list for a struct, its members in the order of the fields; a document is
/// none.
fn is_object(bytes: &[u8]) -> bool {
    bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{')
}

/// A list of resource objects.
fn read_list(data: &RawValue) -> Option<Vec<SentResource<'_>>> {
    let elements: Vec<&RawValue> = serde_json::from_str(data.get()).ok()?;
    let read = elements.into_iter().map(|element| {
        if is_object(element.get().as_bytes()) {
            serde_json::from_str(element.get()).ok()
        } else {
            None
        }
    });
    read.collect()
}

fn unprocessable(pointer: &'static str, detail: String) -> Refusal {
    Refusal::unprocessable(pointer, detail)
}

impl<'t> Sent<'t> {
    /// Takes a body apart. One that is not JSON is refused; an empty one is an empty document.
    pub(super) fn read(bytes: &'t [u8]) -> Result<Self, Refusal> {
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Ok(Self {
                data: None,
                reason: None,
            });
        }
        let wrong = |line, column| {
            let detail =
                format!("The body is not a JSON:API document (line {line}, column {column})");
            Refusal::new(RefusalKind::BadRequest, detail)
        };
        if !is_object(bytes) {
            return Err(wrong(1, 1));
        }
        serde_json::from_slice(bytes).map_err(|error| wrong(error.line(), error.column()))
    }

    /// Its one resource, of a type.
    pub(super) fn resource(&self, type_name: &str) -> Result<SentResource<'t>, Refusal> {
        let missing = || {
            unprocessable(
                "/data",
                format!("The body has no data of type {type_name:?}"),
            )
        };
        let resource = self.any_resource()?.ok_or_else(missing)?;
        match resource.type_name.as_deref() {
            Some(found) if found == type_name => Ok(resource),
            Some(found) => Err(unprocessable(
                "/data/type",
                format!("data.type must be {type_name:?}, found {found:?}"),
            )),
            None => Err(unprocessable(
                "/data/type",
                format!("data.type is missing; expected {type_name:?}"),
            )),
        }
    }

    /// Its one resource, if it has one, whatever its type: go-tfe locks with an empty one.
    pub(super) fn any_resource(&self) -> Result<Option<SentResource<'t>>, Refusal> {
        let Some(data) = self.data.filter(|data| data.get() != "null") else {
            return Ok(None);
        };
        let read = if is_object(data.get().as_bytes()) {
            serde_json::from_str(data.get()).ok()
        } else {
            None
        };
        let wrong = || {
            unprocessable(
                "/data",
                "data must be a resource object with attributes".to_owned(),
            )
        };
        read.map(Some).ok_or_else(wrong)
    }

    /// Its resources.
    pub(super) fn resources(&self) -> Result<Vec<SentResource<'t>>, Refusal> {
        let Some(data) = self.data else {
            return Ok(Vec::new());
        };
        let wrong = || {
            unprocessable(
                "/data",
                "data must be a list of resource objects".to_owned(),
            )
        };
        read_list(data).ok_or_else(wrong)
    }

    /// The reason beside `data`.
    pub(super) fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }
}

impl<'t> SentResource<'t> {
    /// Its id.
    pub(super) fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// Its type; empty if it does not say.
    pub(super) fn type_name(&self) -> &str {
        self.type_name.as_deref().unwrap_or_default()
    }

    fn raw(&self, name: &str) -> Option<&'t RawValue> {
        let value = self.attributes.as_ref()?.get(name).copied()?;
        (value.get() != "null").then_some(value)
    }

    /// True if an attribute is there, `null` or not.
    pub(super) fn has(&self, name: &str) -> bool {
        self.attributes
            .as_ref()
            .is_some_and(|attributes| attributes.contains_key(name))
    }

    /// An attribute of a type; `None` if it is missing or null.
    pub(super) fn attribute<T: Deserialize<'t>>(
        &self,
        name: &str,
        pointer: &'static str,
        what: &str,
    ) -> Result<Option<T>, Refusal> {
        let wrong = |_| unprocessable(pointer, format!("{name} must be {what}"));
        self.raw(name)
            .map(|value| serde_json::from_str(value.get()).map_err(wrong))
            .transpose()
    }

    /// A string.
    pub(super) fn string(
        &self,
        name: &str,
        pointer: &'static str,
    ) -> Result<Option<String>, Refusal> {
        self.attribute(name, pointer, "a string")
    }

    /// Bytes in base64.
    pub(super) fn base64(
        &self,
        name: &str,
        pointer: &'static str,
    ) -> Result<Option<Bytes>, Refusal> {
        let Some(text) = self.attribute::<Cow<'t, str>>(name, pointer, "a string in base64")?
        else {
            return Ok(None);
        };
        let decoded = BASE64.decode(text.as_bytes());
        decoded
            .map(|bytes| Some(bytes.into()))
            .map_err(|_| unprocessable(pointer, format!("{name} is not base64")))
    }

    /// The id of the resource to which a relationship refers.
    pub(super) fn related(
        &self,
        name: &str,
        pointer: &'static str,
    ) -> Result<Option<(String, String)>, Refusal> {
        #[derive(Deserialize)]
        struct Identifier {
            #[serde(default)]
            id: String,
            #[serde(rename = "type", default)]
            type_name: String,
        }
        let found = self
            .relationships
            .as_ref()
            .and_then(|all| all.get(name))
            .and_then(|related| related.data);
        let Some(data) = found.filter(|data| data.get() != "null") else {
            return Ok(None);
        };
        let read: Option<Identifier> = if is_object(data.get().as_bytes()) {
            serde_json::from_str(data.get()).ok()
        } else {
            None
        };
        let read = read.filter(|read| !read.id.is_empty());
        read.map(|Identifier { id, type_name }| Some((type_name, id)))
            .ok_or_else(|| {
                unprocessable(
                    pointer,
                    format!("relationships.{name}.data must have a type and an id"),
                )
            })
    }

    /// The resources to which a relationship refers.
    pub(super) fn all_related(
        &self,
        name: &str,
        pointer: &'static str,
    ) -> Result<Option<Vec<SentResource<'t>>>, Refusal> {
        let found = self
            .relationships
            .as_ref()
            .and_then(|all| all.get(name))
            .and_then(|related| related.data);
        let wrong = || {
            unprocessable(
                pointer,
                format!("relationships.{name}.data must be a list of resources"),
            )
        };
        found
            .map(|data| read_list(data).ok_or_else(wrong))
            .transpose()
    }
}
