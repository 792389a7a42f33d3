//! Values without a Rust type: what a schema built at run time describes.

mod decode;
mod dynamic;
mod encode;
mod flatmap;
mod msgpack;
mod number;
pub(crate) mod set;
mod settle;

use std::collections::BTreeMap;

pub use dynamic::Dynamic;
pub use encode::ConformError;
pub(crate) use encode::Unknown;
pub use flatmap::FlatmapError;
pub use msgpack::MsgpackError;
pub use number::{Number, ParseNumberError};

use crate::schema::Type;

/// A stored value, read by a [`Type`] known at run time.
///
/// Collections carry no element type: the schema they were read by has it.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Value {
    /// No value.
    #[default]
    Null,
    /// A value not known yet. Never part of a stored state.
    Unknown,
    /// `true` or `false`.
    Bool(bool),
    /// A number, digit for digit.
    Number(Number),
    /// Text.
    String(String),
    /// The elements of a list, set or tuple.
    List(Vec<Value>),
    /// The entries of a map, or the attributes of an object.
    Map(BTreeMap<String, Value>),
    /// A value that carries its type.
    Dynamic(Box<(Type, Value)>),
}

impl Value {
    /// The members, if it is a map or object.
    pub fn as_map(&self) -> Option<&BTreeMap<String, Value>> {
        match self {
            Self::Map(members) => Some(members),
            _ => None,
        }
    }

    /// The members, if it is a map or object.
    pub fn as_map_mut(&mut self) -> Option<&mut BTreeMap<String, Value>> {
        match self {
            Self::Map(members) => Some(members),
            _ => None,
        }
    }

    /// The text, if it is a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// Whether it is null.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    pub(crate) fn noun(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Unknown => "an unknown value",
            Self::Bool(_) => "a bool",
            Self::Number(_) => "a number",
            Self::String(_) => "a string",
            Self::List(_) => "a list",
            Self::Map(_) => "an object or map",
            Self::Dynamic(_) => "a dynamic value",
        }
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::String(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::String(text)
    }
}

impl From<Number> for Value {
    fn from(number: Number) -> Self {
        Self::Number(number)
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Number(number.into())
    }
}

impl From<Vec<Value>> for Value {
    fn from(elements: Vec<Value>) -> Self {
        Self::List(elements)
    }
}

impl FromIterator<(String, Value)> for Value {
    fn from_iter<I: IntoIterator<Item = (String, Value)>>(members: I) -> Self {
        Self::Map(members.into_iter().collect())
    }
}
