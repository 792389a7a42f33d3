//! Encodings of stored values.

pub(crate) mod json;

mod collections;
mod error;
mod object;
pub(crate) mod scalar;
mod slot;
mod writer;

pub(crate) use error::Problem;
pub use error::{DecodeError, EncodeError};
pub use object::{Object, ObjectReader, ObjectWriter, read_object, write_object};
pub use slot::{AttributeType, BlockType, Slot};
pub use writer::Writer;
