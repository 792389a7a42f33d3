//! Fields of types that serde reads and writes: `#[attribute(with = upstate::serde)]`.
//!
//! The attribute is a string of JSON: white space and the order of names mean nothing, and it is
//! written in one way. The schema, and so `upstate.lock`, knows the string and no more: what is
//! inside may change without a new version, and serde decides what of it can still be read. Where
//! that is too little, let the field have an [`Object`](crate::Object) of its own; where the type
//! is another crate's, write a module with `read` and `write` whose stored form is such an object.
//!
//! ```
//! use serde::{Deserialize, Serialize};
//! use upstate::Resource;
//!
//! #[derive(Debug, PartialEq, Serialize, Deserialize)]
//! #[serde(tag = "kind", rename_all = "snake_case")]
//! enum Probe {
//!     Http { path: String },
//!     Tcp { port: u16 },
//! }
//!
//! #[derive(Debug, PartialEq, Resource)]
//! #[resource(type_name = "example_check")]
//! struct Check {
//!     #[attribute(with = upstate::serde)]
//!     probe: Probe,
//!     #[attribute(with = upstate::serde::optional)]
//!     fallback: Option<Probe>,
//! }
//!
//! let check = Check { probe: Probe::Tcp { port: 80 }, fallback: None };
//! let json = upstate::to_json(&check)?;
//! assert_eq!(json, br#"{"fallback":null,"probe":"{\"kind\":\"tcp\",\"port\":80}"}"#);
//! assert_eq!(upstate::from_json::<Check>(&json).unwrap(), check);
//! # Ok::<(), upstate::EncodeError>(())
//! ```
//!
//! serde writes a float that is not finite as null, so such a value may not be read again.

use std::fmt;

use ::serde::Serialize;
use ::serde::de::DeserializeOwned;

use crate::codec::json::Reader;
use crate::codec::{AttributeType, DecodeError, Writer};
use crate::meaning::JsonText;
use crate::schema::table::TypeInfo;

/// A string of JSON, as an attribute. [`write`](write()) and [`optional::write`] make it.
#[derive(Debug)]
pub struct Stored(Option<JsonText>);

/// The reason why a stored string is not of a type. It says at which line and column, and not what
/// is there, which may be a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    name: &'static str,
    line: usize,
    column: usize,
    is_json: bool,
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            name,
            line,
            column,
            is_json,
        } = self;
        let what = if *is_json {
            format_args!("the JSON in the string is not a valid `{name}`")
        } else {
            format_args!("the string is not JSON")
        };
        write!(f, "{what} (line {line}, column {column} of it)")
    }
}

impl std::error::Error for Unreadable {}

/// Reads a string of JSON as a `T`.
///
/// # Errors
/// It is not JSON, or not of a `T`.
#[expect(clippy::needless_pass_by_value, reason = "as the derive calls it")]
pub fn read<T: DeserializeOwned>(stored: String) -> Result<T, Unreadable> {
    serde_json::from_str(&stored).map_err(|error| {
        let name = std::any::type_name::<T>();
        Unreadable {
            name: name
                .split('<')
                .next()
                .and_then(|name| name.rsplit("::").next())
                .unwrap_or(name),
            line: error.line(),
            column: error.column(),
            is_json: error.is_data(),
        }
    })
}

/// Writes a `T` as a string of JSON, in one way. If `T` has no JSON, the model cannot be encoded.
pub fn write<T: Serialize>(value: &T) -> Stored {
    Stored(JsonText::write(value).ok())
}

/// Fields that are an `Option` of a type that serde reads and writes; `None` is null in state.
pub mod optional {
    use super::{DeserializeOwned, Serialize, Stored, Unreadable};

    /// Reads a string of JSON as a `T`, and null as `None`.
    ///
    /// # Errors
    /// It is not JSON, or not of a `T`.
    pub fn read<T: DeserializeOwned>(stored: Option<String>) -> Result<Option<T>, Unreadable> {
        stored.map(super::read).transpose()
    }

    /// Writes a `T` as a string of JSON, and `None` as null.
    pub fn write<T: Serialize>(value: &Option<T>) -> Option<Stored> {
        value.as_ref().map(super::write)
    }
}

#[diagnostic::do_not_recommend]
impl AttributeType for Stored {
    const INFO: &'static TypeInfo = String::INFO;

    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let text = String::decode(reader)?;
        Ok(Self(text.parse().ok()))
    }

    fn encode(&self, writer: &mut Writer<'_>) {
        if self.0.is_none() {
            writer.unwritable("a value that serde cannot write as JSON cannot be stored");
        }
        writer.string(self.0.as_ref().map_or("", JsonText::as_str));
    }
}

/// Asks, in const evaluation, whether a type can be written by serde.
#[doc(hidden)]
#[derive(Debug)]
pub struct Serializes<T>(std::marker::PhantomData<T>);

impl<T: Serialize> Serializes<T> {
    /// It can.
    pub const DERIVED: bool = true;
}

/// Asks, in const evaluation, whether a type can be read by serde.
#[doc(hidden)]
#[derive(Debug)]
pub struct Deserializes<T>(std::marker::PhantomData<T>);

impl<T: DeserializeOwned> Deserializes<T> {
    /// It can.
    pub const DERIVED: bool = true;
}

/// The answer for all other types: constants of the types themselves are found before those of a
/// trait.
#[doc(hidden)]
pub trait WithoutSerde {
    /// It cannot.
    const DERIVED: bool = false;
}

impl<T> WithoutSerde for Serializes<T> {}
impl<T> WithoutSerde for Deserializes<T> {}
