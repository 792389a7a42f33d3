//! A `ConversionReview` as it arrives, read once: what nobody converts stays the bytes that it is,
//! and is written back as it was.
//!
//! Reading never stops at a type that is not expected, because the answer then says what is wrong
//! with which object.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use upstate::__internal::write_string;

type Text<'a> = Cow<'a, str>;

/// The members of a review that anything here needs.
#[derive(Debug, Default)]
pub(crate) struct Review<'a> {
    pub(crate) kind: Option<Text<'a>>,
    pub(crate) api_version: Option<Text<'a>>,
    pub(crate) request: Option<Request<'a>>,
}

/// The request of a review.
#[derive(Debug, Default)]
pub(crate) struct Request<'a> {
    pub(crate) uid: Option<Text<'a>>,
    pub(crate) version: Option<Text<'a>>,
    /// `None` for what is not an object.
    pub(crate) objects: Option<Vec<Option<Object<'a>>>>,
}

/// An object of a custom resource.
#[derive(Debug, Default)]
pub(crate) struct Object<'a> {
    pub(crate) api_version: Option<Text<'a>>,
    pub(crate) kind: Option<Text<'a>>,
    pub(crate) metadata: Option<Metadata<'a>>,
    pub(crate) spec: Option<&'a RawValue>,
    pub(crate) status: Option<&'a RawValue>,
    pub(crate) others: Vec<(Text<'a>, &'a RawValue)>,
}

/// Its metadata.
#[derive(Debug, Default)]
pub(crate) struct Metadata<'a> {
    pub(crate) name: Option<&'a RawValue>,
    pub(crate) namespace: Option<&'a RawValue>,
    pub(crate) resource_version: Option<&'a RawValue>,
    pub(crate) annotations: Annotations<'a>,
    pub(crate) others: Vec<(Text<'a>, &'a RawValue)>,
}

/// The annotations of an object.
#[derive(Debug, Default)]
pub(crate) enum Annotations<'a> {
    #[default]
    None,
    Some(BTreeMap<Text<'a>, &'a RawValue>),
    /// Neither null nor an object.
    Other,
}

/// Reads a review.
pub(crate) fn review(body: &[u8]) -> serde_json::Result<Review<'_>> {
    let mut reader = serde_json::Deserializer::from_slice(body);
    let review = Expected::<Review<'_>>::default().deserialize(&mut reader)?;
    reader.end()?;
    Ok(review.unwrap_or_default())
}

/// The text of a JSON string.
pub(crate) fn text(raw: &RawValue) -> Option<Text<'_>> {
    Expected::<Text<'_>>::default()
        .deserialize(&mut serde_json::Deserializer::from_str(raw.get()))
        .ok()
        .flatten()
}

/// A kind of JSON that is wanted at a place.
trait Part<'de>: Sized {
    fn of_text(text: Text<'de>) -> Option<Self> {
        drop(text);
        None
    }

    fn of_null() -> Option<Self> {
        None
    }

    fn of_map<A: MapAccess<'de>>(mut map: A) -> Result<Option<Self>, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(None)
    }

    fn of_seq<A: SeqAccess<'de>>(mut seq: A) -> Result<Option<Self>, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(None)
    }
}

/// Reads a part, or `None` where something else is.
struct Expected<P>(PhantomData<P>);

impl<P> Default for Expected<P> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<'de, P: Part<'de>> DeserializeSeed<'de> for Expected<P> {
    type Value = Option<P>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<P>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, P: Part<'de>> Visitor<'de> for Expected<P> {
    type Value = Option<P>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Option<P>, E> {
        Ok(None)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Option<P>, E> {
        Ok(None)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Option<P>, E> {
        Ok(None)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Option<P>, E> {
        Ok(None)
    }

    fn visit_unit<E>(self) -> Result<Option<P>, E> {
        Ok(P::of_null())
    }

    fn visit_str<E>(self, text: &str) -> Result<Option<P>, E> {
        Ok(P::of_text(Cow::Owned(text.to_owned())))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Option<P>, E> {
        Ok(P::of_text(Cow::Borrowed(text)))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Option<P>, A::Error> {
        P::of_map(map)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Option<P>, A::Error> {
        P::of_seq(seq)
    }
}

/// A name of a member, borrowed unless it has an escape.
#[derive(Deserialize)]
#[serde(transparent)]
struct Name<'a>(#[serde(borrow)] Text<'a>);

impl<'de> Part<'de> for Text<'de> {
    fn of_text(text: Text<'de>) -> Option<Self> {
        Some(text)
    }
}

/// Reads the members of an object that have a name here; others are passed over.
macro_rules! members {
    ($whole:ident: $($name:literal => $member:ident),+) => {
        impl<'de> Part<'de> for $whole<'de> {
            fn of_map<A: MapAccess<'de>>(mut map: A) -> Result<Option<Self>, A::Error> {
                let mut whole = Self::default();
                while let Some(Name(name)) = map.next_key()? {
                    match &*name {
                        $($name => whole.$member = map.next_value_seed(Expected::default())?,)+
                        _ => drop(map.next_value::<IgnoredAny>()?),
                    }
                }
                Ok(Some(whole))
            }
        }
    };
}

members!(Review: "kind" => kind, "apiVersion" => api_version, "request" => request);
members!(Request: "uid" => uid, "desiredAPIVersion" => version, "objects" => objects);

impl<'de> Part<'de> for Vec<Option<Object<'de>>> {
    fn of_seq<A: SeqAccess<'de>>(mut seq: A) -> Result<Option<Self>, A::Error> {
        let mut objects = Self::new();
        while let Some(object) = seq.next_element_seed(Expected::default())? {
            objects.push(object);
        }
        Ok(Some(objects))
    }
}

impl<'de> Part<'de> for Object<'de> {
    fn of_map<A: MapAccess<'de>>(mut map: A) -> Result<Option<Self>, A::Error> {
        let mut object = Self::default();
        while let Some(Name(name)) = map.next_key()? {
            match &*name {
                "apiVersion" => object.api_version = map.next_value_seed(Expected::default())?,
                "kind" => object.kind = map.next_value_seed(Expected::default())?,
                "metadata" => object.metadata = map.next_value_seed(Expected::default())?,
                "spec" => object.spec = Some(map.next_value()?),
                "status" => object.status = Some(map.next_value()?),
                _ => object.others.push((name, map.next_value()?)),
            }
        }
        Ok(Some(object))
    }
}

impl<'de> Part<'de> for Metadata<'de> {
    fn of_map<A: MapAccess<'de>>(mut map: A) -> Result<Option<Self>, A::Error> {
        let mut metadata = Self::default();
        while let Some(Name(name)) = map.next_key()? {
            match &*name {
                "name" => metadata.name = Some(map.next_value()?),
                "namespace" => metadata.namespace = Some(map.next_value()?),
                "resourceVersion" => metadata.resource_version = Some(map.next_value()?),
                "annotations" => {
                    let annotations = map.next_value_seed(Expected::default())?;
                    metadata.annotations = annotations.unwrap_or(Annotations::Other);
                }
                _ => metadata.others.push((name, map.next_value()?)),
            }
        }
        Ok(Some(metadata))
    }
}

impl<'de> Part<'de> for Annotations<'de> {
    fn of_null() -> Option<Self> {
        Some(Self::None)
    }

    fn of_map<A: MapAccess<'de>>(mut map: A) -> Result<Option<Self>, A::Error> {
        let mut annotations = BTreeMap::new();
        while let Some(Name(name)) = map.next_key()? {
            annotations.insert(name, map.next_value()?);
        }
        Ok(Some(Self::Some(annotations)))
    }
}

/// Writes the members of a JSON object.
pub(crate) struct Members<'o> {
    out: &'o mut Vec<u8>,
    is_first: bool,
}

impl<'o> Members<'o> {
    /// Begins an object.
    pub(crate) fn begin(out: &'o mut Vec<u8>) -> Self {
        out.push(b'{');
        Self {
            out,
            is_first: true,
        }
    }

    /// Begins a member; its value is to be appended to what is returned.
    pub(crate) fn name(&mut self, name: &str) -> &mut Vec<u8> {
        if !std::mem::take(&mut self.is_first) {
            self.out.push(b',');
        }
        write_string(name, self.out);
        self.out.push(b':');
        self.out
    }

    /// A member whose value is a string.
    pub(crate) fn text(&mut self, name: &str, text: &str) {
        write_string(text, self.name(name));
    }

    /// A member that is JSON already, if it is there.
    pub(crate) fn raw(&mut self, name: &str, raw: Option<&RawValue>) {
        if let Some(raw) = raw {
            self.name(name).extend_from_slice(raw.get().as_bytes());
        }
    }

    /// Members that are JSON already.
    pub(crate) fn raws(&mut self, raws: &[(Text<'_>, &RawValue)]) {
        for (name, raw) in raws {
            self.raw(name, Some(raw));
        }
    }

    /// Ends the object.
    pub(crate) fn end(self) {
        self.out.push(b'}');
    }
}
