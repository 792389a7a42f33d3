//! Values that serde reads and writes: types of other crates, and fields whose author wrote functions for serde.

use std::fmt::Display;

use serde_json::de::StrRead;

use super::error::{DecodeError, DecodeErrorKind, Problem};
use super::json::Reader;
use super::writer::Writer;

type Result<T> = std::result::Result<T, DecodeError>;

/// Reads the value that the reader is at with functions of serde.
#[doc(hidden)]
pub fn read_with_serde<T>(
    reader: &mut Reader<'_>,
    read: impl FnOnce(&mut serde_json::Deserializer<StrRead<'_>>) -> serde_json::Result<T>,
) -> Result<T> {
    reader.peek()?;
    let start = reader.position();
    reader.skip()?;
    let text = reader.text().get(start..reader.position()).unwrap_or_default();
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = read(&mut deserializer).and_then(|value| deserializer.end().map(|()| value));
    value.map_err(|error| refused_by_serde::<T>(&error, start))
}

/// The error of serde, by the words that its messages begin with.
#[cold]
fn refused_by_serde<T>(error: &serde_json::Error, start: usize) -> DecodeError {
    let text = error.to_string();
    let kinds = [
        ("missing field", DecodeErrorKind::Null),
        ("unknown field", DecodeErrorKind::UndefinedAttribute),
        ("unknown variant", DecodeErrorKind::UnknownVariant),
        ("duplicate field", DecodeErrorKind::RepeatedMember),
        ("invalid type", DecodeErrorKind::WrongKind),
        ("invalid length", DecodeErrorKind::TupleLength),
        ("number out of range", DecodeErrorKind::BadNumber),
        ("recursion limit", DecodeErrorKind::Depth),
    ];
    let kind = kinds.iter().find(|(words, _)| text.starts_with(words)).map_or(DecodeErrorKind::BadText, |(_, kind)| *kind);
    DecodeError::new(Problem::Serde(kind, short::<T>(), text), start)
}

/// Reads a value as its type's `Deserialize` does.
#[doc(hidden)]
pub fn read_serde<T: serde::de::DeserializeOwned>(reader: &mut Reader<'_>) -> Result<T> {
    read_with_serde(reader, |deserializer| T::deserialize(deserializer))
}

/// Writes a value with functions of serde.
#[doc(hidden)]
pub fn write_with_serde(
    writer: &mut Writer<'_>,
    write: impl FnOnce(&mut serde_json::Serializer<&mut Vec<u8>>) -> serde_json::Result<()>,
) {
    let mut json = Vec::new();
    if write(&mut serde_json::Serializer::new(&mut json)).is_ok() {
        return writer.raw_json(std::str::from_utf8(&json).unwrap_or_default());
    }
    writer.unwritable("the type's own `Serialize` refuses the value");
    writer.null();
}

/// Writes a value as its type's `Serialize` does.
#[doc(hidden)]
pub fn write_serde<T: serde::Serialize>(value: &T, writer: &mut Writer<'_>) {
    write_with_serde(writer, |serializer| value.serialize(serializer));
}

/// The error of a conversion that the author of a type wrote.
#[doc(hidden)]
pub fn refused_by_author(error: impl Display, start: usize) -> DecodeError {
    DecodeError::new(Problem::Author(error.to_string()), start)
}

/// The name of a type without its modules.
fn short<T>() -> String {
    super::forms::short_name(std::any::type_name::<T>())
}
