//! Attributes that hold other attributes' values: options, boxes, lists, sets, maps.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{BuildHasher, Hash};

use super::UnknownAttributes;
use super::error::DecodeError;
use super::json::{Kind, Reader};
use super::key::{Key, KeyText, not_a_key, note_left_out};
use super::object::Object;
use super::slot::{AttributeType, BlockType};
use super::writer::{Encoding, Writer};
use crate::message::Message;
use crate::schema::Type;
use crate::schema::table::{Stored, TypeInfo};
use crate::value::Value;

type Result<T> = std::result::Result<T, DecodeError>;

/// Refuses, at compile time, an `Option` of what is null already. The error points at the caller:
/// where the standard library's sources are installed, it would otherwise show those of `assert!`.
#[track_caller]
const fn check_never_null(info: &TypeInfo) {
    assert!(
        !info.holds.nullable,
        "an `Option` of a type that may be null itself: state has one null, so `Some` of it would be read back as `None` [U0014]\n\
         help: leave the outer `Option` out"
    );
}

/// Refuses, at compile time, an `Option` of what is null already, where a field has it; `inner` is
/// the type in it.
#[doc(hidden)]
#[track_caller]
pub const fn check_one_null(has_two_nulls: bool, inner: &str) {
    if has_two_nulls {
        Message::refuse(
            "`{}` may be null itself, and state has one null: `Some` of it would be read back as `None` [U0014]\nhelp: write `{}`",
            &[inner, inner],
        );
    }
}

impl<T: AttributeType> AttributeType for Option<T> {
    const INFO: &'static TypeInfo = {
        check_never_null(T::INFO);
        Self::UNCHECKED_INFO
    };
    const UNCHECKED_INFO: &'static TypeInfo = &TypeInfo::or_null(T::INFO);
    const HAS_TWO_NULLS: bool = T::INFO.holds.nullable;
    const ABSENT_IS_NULL: bool = true;

    #[inline]
    fn decode(reader: &mut Reader<'_>) -> Result<Self> {
        if reader.take_null() {
            return Ok(None);
        }
        // Because a string is sooner known than the kind of the value that comes next.
        if reader.is_at_string() || reader.peek()? != Kind::Null {
            T::decode(reader).map(Some)
        } else {
            reader.null().map(|()| None)
        }
    }

    fn absent() -> Option<Self> {
        Some(None)
    }

    #[inline]
    fn encode(&self, writer: &mut Writer<'_>) {
        match self {
            Some(value) => value.encode(writer),
            None => writer.null(),
        }
    }
}

impl<T: AttributeType> AttributeType for Box<T> {
    const INFO: &'static TypeInfo = T::INFO;
    const ABSENT_IS_NULL: bool = T::ABSENT_IS_NULL;

    fn decode(reader: &mut Reader<'_>) -> Result<Self> {
        T::decode(reader).map(Self::new)
    }

    fn absent() -> Option<Self> {
        T::absent().map(Self::new)
    }

    fn encode(&self, writer: &mut Writer<'_>) {
        (**self).encode(writer);
    }
}

/// Hands every element of an array to `push`.
fn elements<T: AttributeType>(
    reader: &mut Reader<'_>,
    wanted: &'static str,
    mut push: impl FnMut(T),
) -> Result<()> {
    if reader.peek()? != Kind::Array {
        return Err(reader.unexpected(wanted));
    }
    reader.open_array()?;
    let mut first = true;
    while reader.next_element(first)? {
        first = false;
        push(T::decode(reader)?);
    }
    Ok(())
}

/// Hands every element of a set to `insert`, which says whether it is new.
fn set_elements<T: AttributeType>(
    reader: &mut Reader<'_>,
    mut insert: impl FnMut(T) -> bool,
) -> Result<()> {
    reader.peek()?;
    let start = reader.position();
    let mut repeated = false;
    elements(reader, "a set", |value| repeated |= !insert(value))?;
    if repeated {
        reader.note_repeated(start);
    }
    Ok(())
}

/// Writes the elements of a set, which come in the order of `T`; where that is not Terraform's,
/// they are put in it.
pub(super) fn write_set<'a, T: AttributeType + 'a>(
    len: usize,
    values: impl Iterator<Item = &'a T>,
    writer: &mut Writer<'_>,
) {
    let stored = T::INFO.stored;
    if writer.is_exact()
        || T::SET_ORDER
        || !matches!(stored, Stored::Bool | Stored::String | Stored::Number)
    {
        return write_elements(len, values, writer);
    }
    let ty = stored.to_type();
    let mut json = Vec::new();
    let mut list: Vec<Value> = values
        .map(|value| {
            json.clear();
            value.encode(&mut Writer::new(&mut json, Encoding::Json));
            Value::from_json(&json, &ty, UnknownAttributes::Ignore).unwrap_or_default()
        })
        .collect();
    crate::value::set::normalize(&mut list);
    Value::List(list).write(&Type::list(ty), writer);
}

pub(super) fn write_elements<'a, T: AttributeType + 'a>(
    len: usize,
    values: impl Iterator<Item = &'a T>,
    writer: &mut Writer<'_>,
) {
    writer.open_array(len);
    for (index, value) in values.enumerate() {
        writer.element(index);
        value.encode(writer);
    }
    writer.close_array();
}

impl<T: AttributeType> AttributeType for Vec<T> {
    const INFO: &'static TypeInfo = &TypeInfo::list(T::INFO).read_as::<Self>();

    fn decode(reader: &mut Reader<'_>) -> Result<Self> {
        let mut list = Self::new();
        elements(reader, "a list", |value| list.push(value))?;
        Ok(list)
    }

    fn encode(&self, writer: &mut Writer<'_>) {
        write_elements(self.len(), self.iter(), writer);
    }
}

#[diagnostic::do_not_recommend]
impl<T: AttributeType + Ord> AttributeType for BTreeSet<T> {
    const INFO: &'static TypeInfo = &TypeInfo::set(T::INFO).read_as::<Self>();

    fn decode(reader: &mut Reader<'_>) -> Result<Self> {
        let mut set = Self::new();
        set_elements(reader, |value| set.insert(value))?;
        Ok(set)
    }

    fn encode(&self, writer: &mut Writer<'_>) {
        write_set(self.len(), self.iter(), writer);
    }
}

/// Written in the order of `T`, so that the same set always gives the same text.
#[diagnostic::do_not_recommend]
impl<T: AttributeType + Ord + Hash, S: BuildHasher + Default> AttributeType for HashSet<T, S> {
    const INFO: &'static TypeInfo = &TypeInfo::set(T::INFO).read_as::<Self>();

    fn decode(reader: &mut Reader<'_>) -> Result<Self> {
        let mut set = Self::default();
        set_elements(reader, |value| set.insert(value))?;
        Ok(set)
    }

    fn encode(&self, writer: &mut Writer<'_>) {
        let mut sorted: Vec<&T> = self.iter().collect();
        sorted.sort_unstable();
        write_set(sorted.len(), sorted.into_iter(), writer);
    }
}

/// Hands every entry of an object to `insert`, which says whether the key is new; of a repeated key
/// the last value counts.
fn entries<K: Key, T: AttributeType>(
    reader: &mut Reader<'_>,
    mut insert: impl FnMut(K, T) -> bool,
) -> Result<()> {
    if reader.peek()? != Kind::Object {
        return Err(reader.unexpected("a map"));
    }
    let start = reader.position();
    reader.open_object()?;
    let (mut first, mut merged) = (true, false);
    while let Some(key) = reader.next_member(first)? {
        first = false;
        let leaves_out = K::leaves_out(&key);
        // At the value, because the path at a name is the map's, which is none where the map is a
        // document's own.
        let Some(key) = K::read(key) else {
            reader.peek()?;
            return Err(DecodeError::new(not_a_key::<K>(), reader.position()));
        };
        if leaves_out {
            reader.peek()?;
            let at = reader.position();
            note_left_out::<K>(reader, at);
        }
        merged |= !insert(key, T::decode(reader)?);
    }
    // Terraform takes the last one silently, so that only documents report it.
    if merged && reader.is_exact() {
        reader.note_merged(start);
    }
    Ok(())
}

fn write_entries<'a, K: Key + 'a, T: AttributeType + 'a>(
    len: usize,
    entries: impl Iterator<Item = (&'a K, &'a T)>,
    writer: &mut Writer<'_>,
) {
    writer.open_object(len);
    for (index, (key, value)) in entries.enumerate() {
        key.written().write(index, writer);
        value.encode(writer);
    }
    writer.close_object();
}

impl<K: Key + Ord, T: AttributeType> AttributeType for BTreeMap<K, T> {
    const INFO: &'static TypeInfo = &TypeInfo::map(T::INFO)
        .keyed(K::WORD, K::READS)
        .read_as::<Self>();

    fn decode(reader: &mut Reader<'_>) -> Result<Self> {
        let mut map = Self::new();
        entries(reader, |key, value| map.insert(key, value).is_none())?;
        Ok(map)
    }

    fn encode(&self, writer: &mut Writer<'_>) {
        write_entries(self.len(), self.iter(), writer);
    }
}

/// Written in the order of the keys.
impl<K: Key + Eq + Hash, T: AttributeType, S: BuildHasher + Default> AttributeType
    for HashMap<K, T, S>
{
    const INFO: &'static TypeInfo = &TypeInfo::map(T::INFO)
        .keyed(K::WORD, K::READS)
        .read_as::<Self>();

    fn decode(reader: &mut Reader<'_>) -> Result<Self> {
        let mut map = Self::default();
        entries(reader, |key, value| map.insert(key, value).is_none())?;
        Ok(map)
    }

    fn encode(&self, writer: &mut Writer<'_>) {
        // A hash map has no order of its own, and a file must not change by chance.
        let mut sorted: Vec<(KeyText<'_>, &T)> = self
            .iter()
            .map(|(key, value)| (key.written(), value))
            .collect();
        sorted.sort_unstable_by(|(one, _), (other, _)| one.as_bytes().cmp(other.as_bytes()));
        writer.open_object(sorted.len());
        for (index, (key, value)) in sorted.into_iter().enumerate() {
            key.write(index, writer);
            value.encode(writer);
        }
        writer.close_object();
    }
}

/// Block types: null, like nothing, means that there is no block.
macro_rules! blocks {
    ($([$($bound:tt)+] $container:ty;)+) => {$(
        impl<$($bound)+> BlockType for $container {
            fn decode_block(reader: &mut Reader<'_>) -> Result<Self> {
                if reader.peek()? == Kind::Null { reader.null().map(|()| Self::default()) } else { Self::decode(reader) }
            }

            fn no_block() -> Option<Self> {
                Some(Self::default())
            }
        }
    )+};
}

blocks! {
    [T: AttributeType + Object] Option<T>;
    [T: AttributeType + Object] Vec<T>;
    [T: AttributeType + Object + Ord] BTreeSet<T>;
    [T: AttributeType + Object + Ord + Hash, S: BuildHasher + Default] HashSet<T, S>;
    [T: AttributeType + Object] BTreeMap<String, T>;
    [T: AttributeType + Object, S: BuildHasher + Default] HashMap<String, T, S>;
}

#[cfg(test)]
mod tests {
    use super::{AttributeType, Reader};

    /// The value of an optional string, and where the cursor is behind it; otherwise where the
    /// error is.
    fn read(json: &str) -> Result<(Option<String>, usize), usize> {
        let mut reader = Reader::new(json);
        match <Option<String> as AttributeType>::decode(&mut reader) {
            Ok(value) => Ok((value, reader.position())),
            Err(error) => Err(error.offset()),
        }
    }

    #[test]
    fn null_and_strings_are_known_behind_blanks_too() {
        let some = |value: &str| Some(value.to_owned());
        for (json, expected) in [
            ("null", Ok((None, 4))),
            (" \n\tnull", Ok((None, 7))),
            ("null ", Ok((None, 4))),
            ("nulls", Ok((None, 4))),
            ("\"null\"", Ok((some("null"), 6))),
            ("  \"a\"", Ok((some("a"), 5))),
            ("nul", Err(0)),
            ("  nul", Err(2)),
            ("", Err(0)),
            ("  ", Err(2)),
        ] {
            assert_eq!(read(json), expected, "{json:?}");
        }
    }
}
