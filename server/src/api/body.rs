//! Bodies: read within limits of size, time and memory, and taken apart with an error at each member.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::HeaderMap;
use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt as _;
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout};

use crate::rules::{Refusal, RefusalKind};

/// How long the next bytes of a body may take.
const IDLE: Duration = Duration::from_secs(30);

/// How many bytes a second a body has at least, once it takes longer than [`IDLE`]: a few that come slowly enough would hold the memory
/// that others wait for.
const SLOWEST: u64 = 8 << 10;

/// What small requests may have.
pub(super) const SMALL: usize = 1 << 20;

const BASE64: GeneralPurpose =
    GeneralPurpose::new(&STANDARD, GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent));

/// How much of all bodies may be in memory at the same time, in blocks.
#[derive(Debug)]
pub(super) struct Budget(Arc<Semaphore>);

const BLOCK: usize = 64 << 10;

impl Budget {
    pub(super) fn new(bytes: usize) -> Self {
        Self(Arc::new(Semaphore::new((bytes / BLOCK).clamp(1, Semaphore::MAX_PERMITS))))
    }

    /// Room for so many more bytes. Nobody waits for it: who waited would hold what others wait for.
    fn room(&self, bytes: usize) -> Result<OwnedSemaphorePermit, Refusal> {
        let blocks = u32::try_from(bytes.div_ceil(BLOCK)).unwrap_or(u32::MAX);
        Arc::clone(&self.0).try_acquire_many_owned(blocks).map_err(|_| {
            Refusal::new(RefusalKind::Unavailable, "The server is reading as many large bodies as its memory allows; try again")
        })
    }

    /// Reads a body of at most `limit` bytes.
    pub(super) async fn read(&self, headers: &HeaderMap, body: Body, limit: usize) -> Result<Held, Refusal> {
        let too_large = |found: String| {
            Refusal::new(
                RefusalKind::TooLarge,
                format!("The body has {found} bytes, and {limit} are the most that is taken here"),
            )
        };
        let declared = headers.get("content-length").and_then(|value| value.to_str().ok()).and_then(|text| text.parse().ok());
        if let Some(length) = declared.filter(|length: &usize| *length > limit) {
            return Err(too_large(length.to_string()));
        }
        let mut permits = self.room(declared.unwrap_or(BLOCK))?;
        let mut held = declared.unwrap_or(BLOCK).div_ceil(BLOCK).max(1) * BLOCK;
        let mut bytes = BytesMut::with_capacity(declared.unwrap_or_default());
        let mut body = body;
        let began = Instant::now();
        loop {
            let next = timeout(IDLE, body.frame()).await;
            let frame = match next {
                Err(_) => {
                    let detail = format!("The body stopped for {} seconds before its end; nothing was stored", IDLE.as_secs());
                    return Err(Refusal::new(RefusalKind::BadRequest, detail));
                }
                Ok(None) => break,
                Ok(Some(Err(error))) => {
                    let detail = format!("The body could not be read to its end, and nothing was stored: {error}");
                    return Err(Refusal::new(RefusalKind::BadRequest, detail));
                }
                Ok(Some(Ok(frame))) => frame,
            };
            let Some(data) = frame.data_ref() else { continue };
            if bytes.len() + data.len() > limit {
                return Err(too_large(format!("more than {limit}")));
            }
            if bytes.len() + data.len() > held {
                let more = (bytes.len() + data.len() - held).max(BLOCK);
                permits.merge(self.room(more)?);
                held += more.div_ceil(BLOCK) * BLOCK;
            }
            bytes.extend_from_slice(data);
            let due = began.elapsed().saturating_sub(IDLE).as_secs().saturating_mul(SLOWEST);
            if u64::try_from(bytes.len()).is_ok_and(|came| came < due) {
                let detail = format!("The body came slower than {SLOWEST} bytes a second; nothing was stored");
                return Err(Refusal::new(RefusalKind::BadRequest, detail));
            }
        }
        Ok(Held { bytes: bytes.freeze(), _permits: permits })
    }
}

/// A body in memory.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) bytes: Bytes,
    _permits: OwnedSemaphorePermit,
}

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

/// The reader takes a list for a struct, its members in the order of the fields; a document is none.
fn is_object(bytes: &[u8]) -> bool {
    bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{')
}

/// A list of resource objects.
fn read_list(data: &RawValue) -> Option<Vec<SentResource<'_>>> {
    let elements: Vec<&RawValue> = serde_json::from_str(data.get()).ok()?;
    let read = elements
        .into_iter()
        .map(|element| if is_object(element.get().as_bytes()) { serde_json::from_str(element.get()).ok() } else { None });
    read.collect()
}

fn unprocessable(pointer: &'static str, detail: String) -> Refusal {
    Refusal::unprocessable(pointer, detail)
}

impl<'t> Sent<'t> {
    /// Takes a body apart. One that is not JSON is refused; an empty one is an empty document.
    pub(super) fn read(bytes: &'t [u8]) -> Result<Self, Refusal> {
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Ok(Self { data: None, reason: None });
        }
        let wrong = |line, column| {
            let detail = format!("The body is not a JSON:API document (line {line}, column {column})");
            Refusal::new(RefusalKind::BadRequest, detail)
        };
        if !is_object(bytes) {
            return Err(wrong(1, 1));
        }
        serde_json::from_slice(bytes).map_err(|error| wrong(error.line(), error.column()))
    }

    /// Its one resource, of a type.
    pub(super) fn resource(&self, type_name: &str) -> Result<SentResource<'t>, Refusal> {
        let missing = || unprocessable("/data", format!("The body has no data of type {type_name:?}"));
        let resource = self.any_resource()?.ok_or_else(missing)?;
        match resource.type_name.as_deref() {
            Some(found) if found == type_name => Ok(resource),
            Some(found) => Err(unprocessable("/data/type", format!("data.type must be {type_name:?}, found {found:?}"))),
            None => Err(unprocessable("/data/type", format!("data.type is missing; expected {type_name:?}"))),
        }
    }

    /// Its one resource, if it has one, whatever its type: go-tfe locks with an empty one.
    pub(super) fn any_resource(&self) -> Result<Option<SentResource<'t>>, Refusal> {
        let Some(data) = self.data.filter(|data| data.get() != "null") else { return Ok(None) };
        let read = if is_object(data.get().as_bytes()) { serde_json::from_str(data.get()).ok() } else { None };
        let wrong = || unprocessable("/data", "data must be a resource object with attributes".to_owned());
        read.map(Some).ok_or_else(wrong)
    }

    /// Its resources.
    pub(super) fn resources(&self) -> Result<Vec<SentResource<'t>>, Refusal> {
        let Some(data) = self.data else { return Ok(Vec::new()) };
        let wrong = || unprocessable("/data", "data must be a list of resource objects".to_owned());
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

    fn raw(&self, name: &str) -> Option<&'t RawValue> {
        let value = self.attributes.as_ref()?.get(name).copied()?;
        (value.get() != "null").then_some(value)
    }

    /// Whether an attribute is there, `null` or not.
    pub(super) fn has(&self, name: &str) -> bool {
        self.attributes.as_ref().is_some_and(|attributes| attributes.contains_key(name))
    }

    /// An attribute of a type; `None` if it is missing or null.
    pub(super) fn attribute<T: Deserialize<'t>>(
        &self,
        name: &str,
        pointer: &'static str,
        what: &str,
    ) -> Result<Option<T>, Refusal> {
        let wrong = |_| unprocessable(pointer, format!("{name} must be {what}"));
        self.raw(name).map(|value| serde_json::from_str(value.get()).map_err(wrong)).transpose()
    }

    /// A string.
    pub(super) fn string(&self, name: &str, pointer: &'static str) -> Result<Option<String>, Refusal> {
        self.attribute(name, pointer, "a string")
    }

    /// Bytes in base64.
    pub(super) fn base64(&self, name: &str, pointer: &'static str) -> Result<Option<Bytes>, Refusal> {
        let Some(text) = self.attribute::<Cow<'t, str>>(name, pointer, "a string in base64")? else { return Ok(None) };
        let decoded = BASE64.decode(text.as_bytes());
        decoded.map(|bytes| Some(bytes.into())).map_err(|_| unprocessable(pointer, format!("{name} is not base64")))
    }

    /// The id of the resource to which a relationship refers.
    pub(super) fn related(&self, name: &str, pointer: &'static str) -> Result<Option<(String, String)>, Refusal> {
        #[derive(Deserialize)]
        struct Identifier {
            #[serde(default)]
            id: String,
            #[serde(rename = "type", default)]
            type_name: String,
        }
        let found = self.relationships.as_ref().and_then(|all| all.get(name)).and_then(|related| related.data);
        let Some(data) = found.filter(|data| data.get() != "null") else { return Ok(None) };
        let read: Option<Identifier> =
            if is_object(data.get().as_bytes()) { serde_json::from_str(data.get()).ok() } else { None };
        let read = read.filter(|read| !read.id.is_empty());
        read.map(|Identifier { id, type_name }| Some((type_name, id)))
            .ok_or_else(|| unprocessable(pointer, format!("relationships.{name}.data must have a type and an id")))
    }

    /// The resources to which a relationship refers.
    pub(super) fn all_related(&self, name: &str, pointer: &'static str) -> Result<Option<Vec<SentResource<'t>>>, Refusal> {
        let found = self.relationships.as_ref().and_then(|all| all.get(name)).and_then(|related| related.data);
        let wrong = || unprocessable(pointer, format!("relationships.{name}.data must be a list of resources"));
        found.map(|data| read_list(data).ok_or_else(wrong)).transpose()
    }
}
