//! Values of documents on their own: JSON by the rules of serde, without a version.
//!
//! A document with versions is read by [`upgrade_json`](crate::upgrade_json), or by the crate
//! `upstate-state`, which also keeps the version in the file. These functions are for what is
//! inside: a value of any type that a field of a document may have.

use crate::codec::json::Reader;
use crate::codec::{AttributeType, DecodeError, EncodeError, Encoding, Writer};

/// A value, and what its reader did not keep.
#[derive(Debug, Clone, PartialEq)]
pub struct Read<T> {
    value: T,
    notes: Vec<Note>,
}

/// A place where the stored text holds more than the value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Note {
    /// The reason.
    pub kind: NoteKind,
    /// The byte at which the stored value begins.
    pub offset: usize,
}

/// The reason for a [`Note`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoteKind {
    /// No field names the member.
    Undefined,
    /// A set had an element more than once.
    RepeatedElement,
    /// A map had a key more than once; the last value counts.
    RepeatedKey,
    /// A float cannot hold the integer, and was rounded.
    Rounded,
}

impl<T> Read<T> {
    /// The value.
    pub fn value(&self) -> &T {
        &self.value
    }

    /// The value alone.
    pub fn into_value(self) -> T {
        self.value
    }

    /// The places where the stored text holds more than the value, each once.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }
}

/// Reads a value of a document.
///
/// # Errors
/// Says at which byte the text does not fit the type.
///
/// ```
/// let read = upstate::document::read::<Vec<u8>>(b"[1, 2]")?;
/// assert_eq!(read.value(), &[1, 2]);
/// upstate::document::read::<u8>(b"\"7\"").unwrap_err();
/// # Ok::<(), upstate::DecodeError>(())
/// ```
pub fn read<T: AttributeType>(json: &[u8]) -> Result<Read<T>, DecodeError> {
    let mut reader = Reader::from_bytes(json)?;
    reader.read_exactly();
    let value = T::decode(&mut reader)?;
    reader.end()?;
    let kinds = [
        (NoteKind::Undefined, reader.skipped()),
        (NoteKind::RepeatedElement, reader.repeated()),
        (NoteKind::RepeatedKey, reader.merged()),
        (NoteKind::Rounded, reader.rounded()),
    ];
    let mut notes: Vec<Note> = kinds
        .iter()
        .flat_map(|(kind, offsets)| {
            offsets.iter().map(|offset| Note {
                kind: *kind,
                offset: *offset,
            })
        })
        .collect();
    // An object whose members come out of order is read twice, so that a note may be there twice.
    notes.sort_by_key(|note| note.offset);
    notes.dedup();
    Ok(Read { value, notes })
}

/// Writes a value of a document as compact JSON.
///
/// # Errors
/// A number in it is not finite, or a type's own writer refuses the value.
///
/// ```
/// assert_eq!(upstate::document::write(&1.0)?, b"1.0");
/// # Ok::<(), upstate::EncodeError>(())
/// ```
pub fn write<T: AttributeType>(value: &T) -> Result<Vec<u8>, EncodeError> {
    let mut out = Vec::new();
    let mut writer = Writer::new(&mut out, Encoding::Json);
    writer.write_exactly();
    value.encode(&mut writer);
    writer.finish_alone()?;
    Ok(out)
}
