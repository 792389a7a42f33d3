//! Values without a Rust type: what a schema built at run time describes.

mod access;
mod convert;
mod decode;
mod dynamic;
mod encode;
mod flatmap;
mod msgpack;
mod number;
mod repeated;
pub(crate) mod set;
mod settle;

use std::collections::BTreeMap;

pub use access::PlaceError;
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
