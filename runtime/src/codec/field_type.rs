//! The trait by which generated code asks for the type of a field.

use super::error::DecodeError;
use super::json::Reader;
use super::object::{ObjectReader, ObjectWriter};
use super::slot::AttributeType;
use super::writer::Writer;
use crate::schema::table::TypeInfo;

/// An [`AttributeType`] without others between angle brackets. The compiler lists no further types
/// below an error about it, since one implementation is for all.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be stored as an attribute [U0006]",
    label = "not an attribute type",
    note = "write `#[derive(upstate::Object)]` above a nested struct, `#[derive(upstate::StringEnum)]` above an enum without data; for any other type write `#[attribute(as_string)]` above the field, which stores it as a string, or in a document `#[attribute(json)]`, which stores it as serde does"
)]
pub trait FieldType: Sized {
    /// The values that the type stores.
    const INFO: &'static TypeInfo;

    /// True if a value that is not stored at all is the one that is stored as null.
    const ABSENT_IS_NULL: bool;

    /// Reads the value the reader is at.
    ///
    /// # Errors
    /// The value is not one of the type.
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError>;

    /// The value of an attribute that is not stored at all; `None` if there has to be one.
    fn absent() -> Option<Self>;

    /// Writes the value.
    fn encode(&self, writer: &mut Writer<'_>);

    /// Reads the next field of an object, which keeps the error if there is one.
    fn read(object: &mut ObjectReader<'_, '_>) -> Option<Self>;

    /// Writes the next field of an object.
    fn write(&self, object: &mut ObjectWriter<'_, '_>);
}

#[diagnostic::do_not_recommend]
impl<T: AttributeType> FieldType for T {
    const INFO: &'static TypeInfo = <T as AttributeType>::INFO;
    const ABSENT_IS_NULL: bool = <T as AttributeType>::ABSENT_IS_NULL;

    #[inline]
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        <T as AttributeType>::decode(reader)
    }

    #[inline]
    fn absent() -> Option<Self> {
        <T as AttributeType>::absent()
    }

    #[inline]
    fn encode(&self, writer: &mut Writer<'_>) {
        <T as AttributeType>::encode(self, writer);
    }

    #[inline]
    fn read(object: &mut ObjectReader<'_, '_>) -> Option<Self> {
        <T as AttributeType>::read(object)
    }

    #[inline]
    fn write(&self, object: &mut ObjectWriter<'_, '_>) {
        <T as AttributeType>::write(self, object);
    }
}
