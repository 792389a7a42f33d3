//! Values that serde reads and writes: types of other crates, and fields whose author wrote functions for serde.

use std::cell::RefCell;
use std::fmt::Display;

use serde_ignored::Path;
use serde_json::de::StrRead;

use super::error::{DecodeError, DecodeErrorKind, Problem};
use super::json::{Kind, Reader};
use super::writer::Writer;

type Result<T> = std::result::Result<T, DecodeError>;

/// serde's reader of a value, which notes the members that no type takes.
type Noting<'p, 'n, 'd, 't> =
    serde_ignored::Deserializer<'p, 'n, &'d mut serde_json::Deserializer<StrRead<'t>>, &'n dyn Fn(Path<'_>)>;

/// Reads the value that the reader is at with functions of serde. Members that they ignore are noted, and keys that come twice.
#[doc(hidden)]
pub fn read_with_serde<T>(
    reader: &mut Reader<'_>,
    read: impl FnOnce(Noting<'_, '_, '_, '_>) -> serde_json::Result<T>,
) -> Result<T> {
    reader.peek()?;
    let start = reader.position();
    reader.skip_noting_repeats()?;
    let text = reader.text().get(start..reader.position()).unwrap_or_default();
    let ignored = RefCell::new(Vec::new());
    let note = |path: Path<'_>| ignored.borrow_mut().push(steps(&path));
    let mut note: &dyn Fn(Path<'_>) = &note;
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = read(serde_ignored::Deserializer::new(&mut deserializer, &mut note));
    let value = value.and_then(|value| deserializer.end().map(|()| value));
    let value = value.map_err(|error| refused_by_serde::<T>(&error, start))?;
    for steps in ignored.take() {
        if let Some(offset) = offset_of(&mut Reader::new(text), &steps) {
            reader.note_undefined_at(start + offset);
        }
    }
    Ok(value)
}

/// A step to a member that serde ignored.
enum Step {
    Member(String),
    Element(usize),
    /// Into the content of the variant of an enum.
    Content,
}

fn steps(path: &Path<'_>) -> Vec<Step> {
    let (parent, step) = match path {
        Path::Root => return Vec::new(),
        Path::Seq { parent, index } => (parent, Some(Step::Element(*index))),
        Path::Map { parent, key } => (parent, Some(Step::Member(key.clone()))),
        Path::NewtypeVariant { parent } => (parent, Some(Step::Content)),
        Path::Some { parent } | Path::NewtypeStruct { parent } => (parent, None),
    };
    let mut steps = steps(parent);
    steps.extend(step);
    steps
}

/// The offset of the value that the steps lead to.
fn offset_of(reader: &mut Reader<'_>, steps: &[Step]) -> Option<usize> {
    let kind = reader.peek().ok()?;
    let Some((step, after)) = steps.split_first() else { return Some(reader.position()) };
    match (step, kind) {
        (Step::Element(index), Kind::Array) => {
            reader.open_array().ok()?;
            for passed in 0..=*index {
                if passed > 0 {
                    reader.skip().ok()?;
                }
                reader.next_element(passed == 0).ok()?.then_some(())?;
            }
            offset_of(reader, after)
        }
        (Step::Member(wanted), Kind::Object) => {
            let start = reader.mark();
            reader.open_object().ok()?;
            let mut first = true;
            while let Some(name) = reader.next_member(first).ok()? {
                if name == wanted.as_str() {
                    return offset_of(reader, after);
                }
                first = false;
                reader.skip().ok()?;
            }
            // The path lacks the name of a variant that holds fields with names, and so does this object.
            reader.rewind(start);
            content(reader)?;
            (reader.peek().ok()? == Kind::Object).then(|| offset_of(reader, steps)).flatten()
        }
        (Step::Content, Kind::Object) => {
            content(reader)?;
            offset_of(reader, after)
        }
        _ => None,
    }
}

/// Goes to the value of an object's only member.
fn content(reader: &mut Reader<'_>) -> Option<()> {
    let start = reader.mark();
    reader.open_object().ok()?;
    reader.next_member(true).ok()??;
    let value = reader.mark();
    reader.skip().ok()?;
    if reader.next_member(false).ok()?.is_some() {
        reader.rewind(start);
        return None;
    }
    reader.rewind(value);
    Some(())
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
    let name = short::<T>();
    let sentence = match expected(&text) {
        Some(expected) => format!("the stored value is not a valid `{name}`: {expected}"),
        None => format!("the stored value is not a valid `{name}`"),
    };
    DecodeError::new(Problem::Serde(kind, sentence, text), start)
}

/// The part of serde's message that is about the type and not about the stored value, which may be secret.
fn expected(message: &str) -> Option<String> {
    let message = message.rsplit_once(" at line ").map_or(message, |(message, _)| message);
    if let Some(field) = message.strip_prefix("missing field ") {
        return Some(format!("it lacks {field}"));
    }
    let is_of_serde = ["invalid type: ", "invalid value: ", "invalid length ", "unknown variant ", "unknown field "]
        .iter()
        .any(|words| message.starts_with(words));
    let (_, expected) = message.rsplit_once(", expected ").filter(|_| is_of_serde)?;
    Some(format!("expected {expected}"))
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

#[cfg(test)]
mod tests {
    use super::expected;

    #[test]
    fn messages_of_serde_lose_what_is_stored() {
        for (message, shown) in [
            ("missing field `q` at line 1 column 2", Some("it lacks `q`")),
            ("invalid type: string \"a, expected b\", expected u8 at line 1 column 14", Some("expected u8")),
            ("invalid value: integer `1999`, expected u8 at line 1 column 4", Some("expected u8")),
            ("invalid length 1, expected a tuple of size 2 at line 1 column 3", Some("expected a tuple of size 2")),
            ("unknown variant `c`, expected `A` or `B`", Some("expected `A` or `B`")),
            ("unknown field `c`, there are no fields at line 1 column 4", None),
            ("the colour of c, expected nothing at line 1 column 4", None),
        ] {
            assert_eq!(expected(message).as_deref(), shown, "{message}");
        }
    }
}
