//! The trait of Rust types that can be attributes, and the slots of fields whose stored form is not
//! that of their Rust type.

use super::error::DecodeError;
use super::json::Reader;
use super::object::{ObjectReader, ObjectWriter};
use super::writer::Writer;
use crate::diagnostics::Diagnostics;
use crate::schema::Type;
use crate::schema::table::TypeInfo;
use crate::value::Value;

/// A Rust type whose values can be stored as an attribute.
///
/// Implemented for `bool`, `String`, integers and floats of up to 64 bits,
/// [`Number`](crate::Number), `Option`, `Box`, `Vec`, sets, maps with `String` keys, and every
/// struct that derives [`Object`](crate::Object).
///
/// This trait is sealed: for a type of your own, write `#[attribute(as_string)]` or
/// `#[attribute(with = module)]` on the field. An error about a field calls it `FieldType`.
#[doc(alias = "FieldType")]
// Most impls are not recommended, because the compiler would list eight of them, tuples first.
// Those of five containers are: what is in one that is not recommended is not named in the message.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be stored as an attribute [U0006]",
    label = "not an attribute type",
    note = "write `#[derive(upstate::Object)]` above a nested struct, `#[derive(upstate::StringEnum)]` above an enum without data; for any other type write `#[attribute(as_string)]` above the field, which stores it as a string, or in a document `#[attribute(json)]`, which stores it as serde does"
)]
pub trait AttributeType: Sized {
    /// The values that the type stores.
    #[doc(hidden)]
    const INFO: &'static TypeInfo;

    /// These, also where null would be two of the type's values, which `INFO` refuses.
    #[doc(hidden)]
    const UNCHECKED_INFO: &'static TypeInfo = Self::INFO;

    /// True if null would be two of the type's values.
    #[doc(hidden)]
    const HAS_TWO_NULLS: bool = false;

    /// True if the type's `Ord`, if it has one, is the order in which Terraform puts such values in
    /// a set.
    const SET_ORDER: bool = false;

    /// True if a value that is not stored at all is the one that is stored as null.
    #[doc(hidden)]
    const ABSENT_IS_NULL: bool = false;

    /// The values that an author's own type takes of these.
    #[doc(hidden)]
    const OWN_INFO: &'static TypeInfo = &TypeInfo::own_type(Self::INFO);

    /// Reads the value the reader is at.
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError>;

    /// The value of an attribute that is not stored at all; `None` if there has to be one.
    fn absent() -> Option<Self> {
        None
    }

    /// Writes the value.
    fn encode(&self, writer: &mut Writer<'_>);

    /// Reads the next field of an object, which keeps the error if there is one.
    #[doc(hidden)]
    #[inline]
    fn read(object: &mut ObjectReader<'_, '_>) -> Option<Self> {
        object.read(Self::decode, Self::absent)
    }

    /// Writes the next field of an object.
    #[doc(hidden)]
    #[inline]
    fn write(&self, object: &mut ObjectWriter<'_, '_>) {
        object.write(self, Self::encode);
    }
}

/// Reads a value as a type does, for its mistake alone.
pub(super) fn decoded<T: AttributeType>(reader: &mut Reader<'_>) -> Result<(), DecodeError> {
    T::decode(reader).map(drop)
}

/// A Rust type whose values can be nested blocks: an `Option`, `Vec`, set or map of an
/// [`Object`](crate::Object).
///
/// Stored null reads as no block at all. This trait is sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be stored as nested blocks",
    label = "not a block type",
    note = "a block field is an `Option`, `Vec`, `BTreeSet`, `HashSet`, `BTreeMap<String, _>` or `HashMap<String, _>` of a struct that derives `upstate::Object`"
)]
pub trait BlockType: AttributeType {
    /// The slot of nested blocks.
    #[doc(hidden)]
    const SLOT: Slot<Self> = Slot {
        info: Self::INFO,
        decode: Self::decode_block,
        absent: Self::no_block,
        encode: Self::encode,
    };

    /// Reads the blocks the reader is at.
    fn decode_block(reader: &mut Reader<'_>) -> Result<Self, DecodeError>;

    /// No block at all.
    fn no_block() -> Option<Self>;
}

/// The functions that read and write a field whose stored form is not that of its Rust type, or
/// that holds blocks.
#[derive(Debug)]
pub struct Slot<T> {
    /// The values that are stored.
    pub info: &'static TypeInfo,
    pub(super) decode: fn(&mut Reader<'_>) -> Result<T, DecodeError>,
    pub(super) absent: fn() -> Option<T>,
    pub(super) encode: fn(&T, &mut Writer<'_>),
}

// The bounds stand on the functions: what fails is then the bound, with its own words, and not the
// search for a function.
impl<T> Slot<T> {
    /// The slot of an attribute that is never stored: null is written in its place.
    #[expect(
        clippy::new_without_default,
        reason = "a trait's function is not const"
    )]
    #[must_use]
    pub const fn new() -> Self
    where
        T: AttributeType,
    {
        Self {
            info: T::INFO,
            decode: T::decode,
            absent: T::absent,
            encode: T::encode,
        }
    }

    /// The slot of an attribute with an author's own functions: `read` tells the stored form, the
    /// others are made around it.
    #[must_use]
    pub const fn with<S: AttributeType, E>(
        _read: fn(S) -> Result<T, E>,
        decode: fn(&mut Reader<'_>) -> Result<T, DecodeError>,
        absent: fn() -> Option<T>,
        encode: fn(&T, &mut Writer<'_>),
    ) -> Self {
        Self {
            info: const { &TypeInfo::own_type(S::INFO) },
            decode,
            absent,
            encode,
        }
    }

    /// Marks the value as never stored: null is written in its place.
    #[must_use]
    pub const fn write_only(self) -> Self {
        fn null<T>(_: &T, writer: &mut Writer<'_>) {
            writer.null();
        }
        Self {
            encode: null::<T>,
            ..self
        }
    }

    /// Reads the next field of an object, which keeps the error if what is stored does not fit, or
    /// has to be there and is not.
    #[inline]
    pub fn read(&self, object: &mut ObjectReader<'_, '_>) -> Option<T> {
        object.read(self.decode, self.absent)
    }

    /// Reads the next field of a document's object; where it is not stored, `default` gives its
    /// value.
    pub fn read_or(
        &self,
        object: &mut ObjectReader<'_, '_>,
        default: impl FnOnce() -> T,
    ) -> Option<T> {
        object.read_or(self.decode, default)
    }

    /// Writes the next field of an object.
    #[inline]
    pub fn write(&self, value: &T, object: &mut ObjectWriter<'_, '_>) {
        object.write(value, self.encode);
    }

    /// The value of a field that is not stored at all; `None` if there has to be one.
    #[must_use]
    pub fn absent(&self) -> Option<T> {
        (self.absent)()
    }

    /// Reads a value of it outside of an object.
    pub fn decode(&self, reader: &mut Reader<'_>) -> Result<T, DecodeError> {
        (self.decode)(reader)
    }

    /// Writes a value of it outside of an object.
    pub fn encode(&self, value: &T, writer: &mut Writer<'_>) {
        (self.encode)(value, writer);
    }
}

/// The value that a struct of a document fills in where the member at `INDEX` of its rows is not
/// there.
#[doc(hidden)]
pub trait Absent<const INDEX: usize> {
    /// Writes it.
    fn write(writer: &mut Writer<'_>);
}

/// A value that an author writes for a field of type `T`.
#[diagnostic::on_unimplemented(
    message = "this value is of type `{Self}`, and the field of type `{T}`",
    label = "not of type `{T}`",
    note = "write a value of the field's type, or of one that becomes it by `Into`"
)]
pub trait FieldValue<T> {
    /// The value of the field.
    fn value(self) -> T;
}

#[diagnostic::do_not_recommend]
impl<T, V: Into<T>> FieldValue<T> for V {
    #[inline]
    fn value(self) -> T {
        self.into()
    }
}

/// The type of a field whose default a function makes, which returns `A`.
#[diagnostic::on_unimplemented(
    message = "this function returns `{A}`, and the field is of type `{Self}`",
    label = "returns `{A}`",
    note = "let the function return `{Self}`"
)]
pub trait DefaultFrom<A> {
    /// The value of the field.
    fn value(answer: A) -> Self;
}

// The field's type comes first, so that it tells that of `Default::default`.
#[diagnostic::do_not_recommend]
impl<T> DefaultFrom<T> for T {
    #[inline]
    fn value(answer: T) -> Self {
        answer
    }
}

impl Type {
    /// The type of the values that a Rust type is stored as.
    ///
    /// ```
    /// use upstate::schema::Type;
    ///
    /// assert_eq!(Type::of::<Vec<i64>>(), Type::list(Type::Number));
    /// ```
    #[must_use]
    pub fn of<T: AttributeType>() -> Self {
        T::INFO.stored.to_type()
    }
}

/// Runs an author's check of a value, which is decoded as a field of its type is.
#[doc(hidden)]
pub fn check_value<T: AttributeType>(
    json: &str,
    check: fn(&T) -> Result<(), Diagnostics>,
) -> Result<(), Diagnostics> {
    let mut reader = Reader::new(json);
    // A value that does not fit the type passes, because it is reported where the whole model is
    // decoded.
    T::decode(&mut reader).map_or(Ok(()), |value| check(&value))
}

impl TypeInfo {
    /// Its values, read as the Rust type `T` does if it reads more than its type shows.
    pub(crate) const fn read_as<T: AttributeType>(mut self) -> Self {
        if self.holds.lenient {
            self.reads = Some(Value::read_as::<T>);
        }
        self
    }
}
