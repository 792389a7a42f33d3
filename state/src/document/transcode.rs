//! Between JSON text and any format of serde's.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Unexpected, Visitor};
use serde::ser::{Error as _, Serialize, SerializeMap as _, SerializeSeq as _, Serializer};
use upstate::__internal::{Kind, Reader, write_string};
use upstate::{Number, ResourceDefinition};

/// The name by which `serde_json` hands over the text of a value instead of the value. Should it
/// ever change, values come one by one as from other formats, and what could have lost digits is
/// refused.
const RAW: &str = "$serde_json::private::RawValue";

/// The value that a deserializer reads, as JSON.
pub(super) fn json<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    let mut out = Vec::new();
    deserializer.deserialize_newtype_struct(RAW, Into(&mut out, Floats::Rounded))?;
    Ok(out)
}

/// The JSON of a binary format, whose floats are those that were written.
#[cfg(any(feature = "msgpack", feature = "cbor"))]
pub(super) fn exact_json<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    let mut out = Vec::new();
    deserializer.deserialize_any(Into(&mut out, Floats::Exact))?;
    Ok(out)
}

/// True if a float is a whole number of 64 bits whose shortest digits may be those of another one.
pub(super) fn is_rounded(float: f64) -> bool {
    (9_007_199_254_740_992.0..18_446_744_073_709_551_616.0).contains(&float.abs())
        && float.fract() == 0.0
}

/// The digits that floats had where they were written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Floats {
    /// More, perhaps: the format is text, or one that its deserializer does not name.
    Rounded,
    /// Their own.
    #[cfg_attr(
        not(any(feature = "msgpack", feature = "cbor")),
        allow(dead_code, reason = "only binary formats have them")
    )]
    Exact,
}

/// Writes whatever comes as JSON.
struct Into<'o>(&'o mut Vec<u8>, Floats);

impl<'de> DeserializeSeed<'de> for Into<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Into<'_> {
    fn text(self, text: impl fmt::Display) {
        self.0.extend_from_slice(text.to_string().as_bytes());
    }
}

/// Writes values as they are shown. A macro, because serde has a method for each type.
macro_rules! written {
    ($($visit:ident $value:ty),+) => {
        $(fn $visit<E: Error>(self, value: $value) -> Result<(), E> {
            self.text(value);
            Ok(())
        })+
    };
}

impl<'de> Visitor<'de> for Into<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a document that carries its schema version")
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_none<E: Error>(self) -> Result<(), E> {
        self.visit_unit()
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.text("null");
        Ok(())
    }

    written! {
        visit_bool bool, visit_i64 i64, visit_i128 i128, visit_u64 u64, visit_u128 u128
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<(), E> {
        /// From here on a whole number may have been another one before it became a float.
        const ROUNDED: f64 = 9_007_199_254_740_992.0;
        if !value.is_finite() {
            return Err(E::invalid_value(
                Unexpected::Other("a number that is not finite"),
                &"a number that JSON has",
            ));
        }
        if self.1 == Floats::Exact {
            // With an exponent if there would be many digits.
            let text = if is_rounded(value) {
                format!("{value:.1}")
            } else {
                format!("{value:?}")
            };
            self.0.extend_from_slice(text.as_bytes());
            return Ok(());
        }
        if value.abs() >= ROUNDED {
            return Err(E::invalid_value(
                Unexpected::Other("a number beyond 2^53 as a float"),
                &"numbers digit for digit; read the document with `upstate_state::document::Format` instead of through serde",
            ));
        }
        // With its point, because an integer would be another value.
        self.text(format_args!("{value:?}"));
        Ok(())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        write_string(text, self.0);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        self.0.push(b'[');
        let begin = self.0.len();
        loop {
            let comma = self.0.len() > begin;
            if comma {
                self.0.push(b',');
            }
            if elements.next_element_seed(Into(self.0, self.1))?.is_none() {
                self.0.truncate(self.0.len() - usize::from(comma));
                self.0.push(b']');
                return Ok(());
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        self.0.push(b'{');
        let mut first = true;
        while let Some(name) = members.next_key::<String>()? {
            if first && name == RAW {
                self.0.pop();
                self.0
                    .append(&mut members.next_value::<String>()?.into_bytes());
                return Ok(());
            }
            if !std::mem::take(&mut first) {
                self.0.push(b',');
            }
            write_string(&name, self.0);
            self.0.push(b':');
            members.next_value_seed(Into(self.0, self.1))?;
        }
        self.0.push(b'}');
        Ok(())
    }
}

impl Wide {
    /// That of a type, whose documents have this one.
    pub(super) fn of(definition: &ResourceDefinition, of_documents: Self) -> Self {
        if definition.schema().is_document() {
            of_documents
        } else {
            Self::Float
        }
    }
}

/// One JSON value, written to a serializer. It is one that this crate wrote.
pub(super) struct Json<'t>(pub(super) &'t str, pub(super) Wide);

/// The form of integers of more than 64 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wide {
    /// A float: resources write the floats that are whole so.
    Float,
    /// An integer.
    #[cfg_attr(
        not(any(feature = "cbor", feature = "yaml")),
        allow(dead_code, reason = "other formats have none")
    )]
    Integer,
    /// None.
    Refused,
}

impl Json<'_> {
    /// The value that the reader is at.
    fn next<'t, E: serde::ser::Error>(reader: &mut Reader<'t>, wide: Wide) -> Result<Json<'t>, E> {
        let mut read = || {
            reader.peek()?;
            let start = reader.position();
            reader.skip().map(|()| start)
        };
        let start = read().map_err(E::custom)?;
        Ok(Json(
            reader
                .text()
                .get(start..reader.position())
                .unwrap_or_default(),
            wide,
        ))
    }
}

impl Serialize for Json<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut reader = Reader::new(self.0);
        match reader.peek().map_err(S::Error::custom)? {
            Kind::Null => serializer.serialize_none(),
            Kind::Bool => serializer.serialize_bool(reader.bool().map_err(S::Error::custom)?),
            Kind::String => serializer.serialize_str(&reader.string().map_err(S::Error::custom)?),
            Kind::Number => number(self.0.trim(), self.1, serializer),
            Kind::Array => {
                reader.open_array().map_err(S::Error::custom)?;
                let mut seq = serializer.serialize_seq(None)?;
                let mut first = true;
                while reader
                    .next_element(std::mem::take(&mut first))
                    .map_err(S::Error::custom)?
                {
                    seq.serialize_element(&Json::next::<S::Error>(&mut reader, self.1)?)?;
                }
                seq.end()
            }
            Kind::Object => {
                reader.open_object().map_err(S::Error::custom)?;
                let mut map = serializer.serialize_map(None)?;
                let mut first = true;
                while let Some(name) = reader
                    .next_member(std::mem::take(&mut first))
                    .map_err(S::Error::custom)?
                {
                    map.serialize_entry(&*name, &Json::next::<S::Error>(&mut reader, self.1)?)?;
                }
                map.end()
            }
        }
    }
}

/// True if the digits are those of a float, as serde writes and reads it.
pub(super) fn is_float(digits: &str) -> bool {
    digits.contains(['.', 'e', 'E']) || digits == "-0"
}

/// Writes a number as what its digits say: an integer, or a float if they have a point or an
/// exponent.
pub(super) fn number<S: Serializer>(
    digits: &str,
    wide: Wide,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    if !is_float(digits) {
        if let Ok(int) = digits.parse::<i64>() {
            return serializer.serialize_i64(int);
        }
        if let Ok(int) = digits.parse::<u64>() {
            return serializer.serialize_u64(int);
        }
        match (wide, digits.parse::<i128>(), digits.parse::<u128>()) {
            (Wide::Float, ..) | (Wide::Integer | Wide::Refused, Err(_), Err(_)) => {}
            (Wide::Integer, Ok(int), _) => return serializer.serialize_i128(int),
            (Wide::Integer, Err(_), Ok(int)) => return serializer.serialize_u128(int),
            (Wide::Refused, ..) => {
                return Err(S::Error::custom(
                    "an integer has more digits than 64 bits hold",
                ));
            }
        }
    }
    if let Some(float) = float(digits) {
        return serializer.serialize_f64(float);
    }
    Err(S::Error::custom(
        "a number has more digits than serde's formats carry; write the document as JSON with `upstate_state::document::Format::to_vec`, or hold the number as a string",
    ))
}

/// The float that has all digits of a number, if there is one.
pub(super) fn float(digits: &str) -> Option<f64> {
    let number: Number = digits.parse().ok()?;
    // Not that of the number, which has no negative zero.
    let float: f64 = digits.parse().ok()?;
    (Number::from_f64(float).as_ref() == Some(&number)).then_some(float)
}
