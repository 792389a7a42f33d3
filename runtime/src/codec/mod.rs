//! Encodings of stored values.

pub(crate) mod json;

mod beside;
mod collections;
#[cfg(any(
    feature = "chrono",
    feature = "jiff",
    feature = "url",
    feature = "uuid"
))]
mod dates;
mod error;
mod field_type;
mod finite;
mod forms;
mod functions;
mod key;
mod members;
pub(crate) mod msgpack;
mod object;
mod replaces;
pub(crate) mod scalar;
mod slot;
pub mod union;
mod values;
mod with_serde;
mod writer;

#[doc(hidden)]
pub use beside::{
    check_conversion, check_hidden_part, check_part, check_positions, check_recursive, check_tag,
};
#[doc(hidden)]
pub use collections::check_one_null;
#[doc(hidden)]
pub use error::is_utf16;
pub use error::{DecodeError, DecodeErrorKind, EncodeError};
pub(crate) use error::{Problem, one_of};
// This trait and those of functions have a hidden name here, not in `__private` alone: the compiler
// shows what is only below a hidden module with its whole path.
#[doc(hidden)]
pub use field_type::FieldType;
pub(crate) use forms::none_of;
pub use forms::{AsString, SingleBlock, StoredForm, StringEnum, With, ZeroAsNull};
#[doc(hidden)]
pub use forms::{
    Elements, StringForm, WrittenElements, absent_with, read_elements, read_string_enum, read_with,
    write_elements, write_string_enum, write_with,
};
#[doc(hidden)]
pub use functions::{
    CheckAnswer, CheckFunction, Checking, Module, NoForm, OfTarget, OfValue, OtherForm, ReadAnswer,
    Reads, TakesTarget, TakesValue, Writes,
};
pub use json::{Kind, Reader};
pub use key::Key;
#[doc(hidden)]
pub use key::KeyText;
pub use members::Members;
#[doc(hidden)]
pub use members::{
    is_part_there, is_variant_there, no_members, read_part, write_fields, write_fields_beside,
    write_no_members, write_part,
};
pub use object::Object;
#[doc(hidden)]
pub use object::{IsObject, ObjectReader, ObjectWriter, encode_object, read_object, write_object};
pub(crate) use object::{encode_members, read_found, read_members, read_members_of};
#[doc(hidden)]
pub use replaces::{ByReference, ByValue, DecidesReplacement, Inside, replaces_if};
#[doc(hidden)]
pub use slot::{Absent, DefaultFrom, FieldValue, Slot, check_value};
pub use slot::{AttributeType, BlockType};
#[doc(hidden)]
pub use with_serde::{
    read_serde, read_with_serde, refused_by_author, write_serde, write_with_serde,
};
pub(crate) use writer::Written;
pub use writer::{Encoding, Writer};

/// The treatment of names that a model or type does not define.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UnknownAttributes {
    /// Ignore them, at every depth, as upgrades do with stored state.
    #[default]
    Ignore,
    /// Refuse them.
    Deny,
}

/// Writes one value, as an attribute holds it, as `MessagePack` of Terraform's plugin protocol.
/// [`Type::of`](crate::schema::Type::of) is its type.
///
/// # Errors
/// It holds a number that is not finite.
///
/// ```
/// assert_eq!(upstate::codec::attribute_to_msgpack(&vec![1, 2])?, [0x92, 1, 2]);
/// upstate::codec::attribute_to_msgpack(&f64::NAN).unwrap_err();
/// # Ok::<(), upstate::EncodeError>(())
/// ```
pub fn attribute_to_msgpack<T: AttributeType>(value: &T) -> Result<Vec<u8>, EncodeError> {
    let mut out = Vec::new();
    let mut writer = Writer::new(&mut out, Encoding::Msgpack);
    value.encode(&mut writer);
    writer.finish_alone()?;
    Ok(out)
}
