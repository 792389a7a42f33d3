//! Encodings of stored values.

pub(crate) mod json;

mod collections;
mod error;
pub(crate) mod msgpack;
mod object;
pub(crate) mod scalar;
mod slot;
mod writer;

pub(crate) use error::Problem;
pub use error::{DecodeError, DecodeErrorKind, EncodeError};
pub(crate) use object::encode_object;
pub use object::{Object, ObjectReader, ObjectWriter, read_object, write_object};
pub use slot::{AttributeType, BlockType, Slot};
pub use writer::{Encoding, Writer};
