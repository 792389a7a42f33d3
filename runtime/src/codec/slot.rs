//! What a Rust type must know to be an attribute, and the constant that stands for one field.

use super::error::DecodeError;
use super::json::Reader;
use super::writer::Writer;
use crate::hash::Hash;
use crate::schema::{
    Attribute, Block, Field, Holds, NestedBlock, NestedTable, Nesting, Shape, Shared, Takes, Type, reads_leniently,
};

/// A Rust type whose values can be stored as an attribute.
///
/// Implemented for `bool`, `String`, integers and floats of up to 64 bits, [`Number`](crate::Number), `Option`, `Box`, `Vec`, sets, maps with
/// `String` keys, and every struct that derives [`Object`](crate::Object).
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be stored as an attribute",
    label = "not an attribute type",
    note = "an attribute is a `bool`, `String`, `Number`, an integer or float of at most 64 bits, a `Dynamic`, an enum that derives `StringEnum`, or an `Option`, `Vec`, `BTreeSet`, `HashSet`, `BTreeMap<String, _>`, `HashMap<String, _>` or `Box` of attribute types",
    note = "a nested struct of yours derives `upstate::Object`, an enum of texts `upstate::StringEnum`",
    note = "any other type is stored as text with `#[attribute(as_string)]`, or in a form of yours with `#[attribute(with = module)]`"
)]
pub trait AttributeType: Sized {
    /// The attribute's type in the schema.
    const TYPE: &'static Type;

    /// The nested objects, if it is made of some whose attributes have flags of their own.
    const NESTED: Option<NestedTable> = None;

    /// Whether its `Ord`, if it has one, is the order in which Terraform puts such values in a set.
    const SET_ORDER: bool = false;

    /// Whether null is one of its values.
    const OPTIONAL: bool = false;

    /// Which values of the attribute's type it takes.
    #[doc(hidden)]
    const HOLDS: &'static Holds = &Holds::ANYTHING;

    /// A number for the stored type and which of its values are taken.
    #[doc(hidden)]
    const WORD: u64 = word(Self::TYPE, Self::NESTED.as_ref(), Self::OPTIONAL, Self::HOLDS);

    /// Reads the value the reader is at.
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError>;

    /// The value of an attribute that is not stored at all; `None` if there has to be one.
    fn absent() -> Option<Self> {
        None
    }

    /// Writes the value.
    fn encode(&self, writer: &mut Writer<'_>);
}

/// What a type takes where it stands inside another one; of objects also whose they are.
pub(super) const fn held<T: AttributeType>() -> Holds {
    match &T::NESTED {
        Some(table) if table.is_single() => {
            let lenient = T::HOLDS.lenient || reads_leniently(table.members());
            Holds { takes: Takes::Objects(table.origin()), lenient, ..*T::HOLDS }
        }
        _ => *T::HOLDS,
    }
}

/// A number for a stored type and which of its values are taken. Of nested objects it is the struct that counts, not its members.
const fn word(ty: &Type, nested: Option<&NestedTable>, optional: bool, holds: &Holds) -> u64 {
    let mut hash = match nested {
        Some(nested) => nested.hash(),
        None => Hash::new().ty(ty),
    };
    hash = hash.word(optional as u64);
    mixed(hash, holds).finish()
}

const fn mixed(mut hash: Hash, holds: &Holds) -> Hash {
    let mut holds = Some(holds);
    while let Some(level) = holds {
        let facts = (level.nullable as u64) | (level.lenient as u64) << 1;
        hash = match level.takes {
            Takes::Anything => hash.word(facts),
            Takes::Integers { .. } => hash.word(facts | 0x04),
            Takes::Floats => hash.word(facts | 0x08),
            Takes::Texts(_) => hash.word(facts | 0x0c),
            Takes::OwnType => hash.word(facts | 0x10),
            Takes::Objects(origin) => hash.word(facts | 0x14).text(origin.rust_name),
            Takes::Tuples(mut elements) => {
                hash = hash.word(facts | 0x18).word(elements.len() as u64);
                while let [first, others @ ..] = elements {
                    hash = mixed(hash, first);
                    elements = others;
                }
                hash
            }
        };
        hash = hash.word(level.limit);
        holds = level.elements;
    }
    hash
}

/// One field of a model: its name in state, its type, and how to read and write it.
///
/// The derive makes one constant per field, the only place where the field's type must be an [`AttributeType`].
#[derive(Debug)]
pub struct Slot<T> {
    pub(super) name: &'static str,
    ty: &'static Type,
    nested: Option<NestedTable>,
    optional: bool,
    holds: Holds,
    /// The number of the type; 0 if it has yet to be computed.
    word: u64,
    pub(super) decode: fn(&mut Reader<'_>) -> Result<T, DecodeError>,
    pub(super) absent: fn() -> Option<T>,
    pub(super) encode: fn(&T, &mut Writer<'_>),
}

// The bounds stand on the functions: what fails is then the bound, with its own words, and not the search for a function.
impl<T> Slot<T> {
    /// The slot of the attribute `name`.
    #[must_use]
    pub const fn new(name: &'static str) -> Self
    where
        T: AttributeType,
    {
        Self {
            name,
            ty: T::TYPE,
            nested: T::NESTED,
            optional: T::OPTIONAL,
            holds: *T::HOLDS,
            word: T::WORD,
            decode: T::decode,
            absent: T::absent,
            encode: T::encode,
        }
    }
}

impl<T> Slot<T> {
    /// The slot of the nested blocks `name`.
    #[must_use]
    pub const fn new_block(name: &'static str) -> Self
    where
        T: BlockType,
    {
        Self { decode: T::decode_block, absent: T::no_block, ..Self::new(name) }
    }
}

/// A Rust type whose values can be nested blocks: an `Option`, `Vec`, set or map of an [`Object`](crate::Object).
///
/// Stored null reads as no block at all.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be stored as nested blocks",
    label = "not a block type",
    note = "a block field is an `Option`, `Vec`, `BTreeSet`, `HashSet`, `BTreeMap<String, _>` or `HashMap<String, _>` of a struct that derives `upstate::Object`"
)]
pub trait BlockType: AttributeType {
    /// Reads the blocks the reader is at.
    fn decode_block(reader: &mut Reader<'_>) -> Result<Self, DecodeError>;

    /// No block at all.
    fn no_block() -> Option<Self>;
}

impl<T> Slot<T> {
    /// The slot of an attribute whose stored form is not that of its Rust type.
    pub(super) const fn custom(
        name: &'static str,
        ty: &'static Type,
        optional: bool,
        holds: Holds,
        decode: fn(&mut Reader<'_>) -> Result<T, DecodeError>,
        absent: fn() -> Option<T>,
        encode: fn(&T, &mut Writer<'_>),
    ) -> Self {
        Self { name, ty, nested: None, optional, holds, word: 0, decode, absent, encode }
    }

    /// The slot of an attribute with an author's own functions: `read` tells the stored form, the others are made around it.
    #[must_use]
    pub const fn with<S: AttributeType, E>(
        name: &'static str,
        _read: fn(S) -> Result<T, E>,
        decode: fn(&mut Reader<'_>) -> Result<T, DecodeError>,
        absent: fn() -> Option<T>,
        encode: fn(&T, &mut Writer<'_>),
    ) -> Self {
        Self {
            name,
            ty: S::TYPE,
            nested: S::NESTED,
            optional: S::OPTIONAL,
            holds: Holds { nullable: S::OPTIONAL, lenient: S::HOLDS.lenient, ..Holds::of(Takes::OwnType) },
            word: 0,
            decode,
            absent,
            encode,
        }
    }

    /// The same slot, its value never stored: null is written in its place.
    #[must_use]
    pub const fn write_only(mut self) -> Self {
        fn null<T>(_: &T, writer: &mut Writer<'_>) {
            writer.null();
        }
        self.encode = null::<T>;
        self
    }

    /// The number of its type.
    const fn word(&self) -> u64 {
        if self.word == 0 { word(self.ty, self.nested.as_ref(), self.optional, &self.holds) } else { self.word }
    }

    pub(super) const fn nested_in(mut self, nested: Option<NestedTable>) -> Self {
        self.nested = nested;
        self
    }

    /// The slot's entry in an object type.
    #[must_use]
    pub const fn field(&self) -> Field {
        Field::constant(self.name, self.ty)
    }

    /// The slot's entry in a schema; `key` is the number of its name.
    #[must_use]
    pub const fn attribute(
        &self,
        key: u64,
        flags: u32,
        description: &'static str,
        deprecated: Option<&'static str>,
    ) -> Attribute {
        self.attribute_with_default(key, flags, description, deprecated, None)
    }

    /// The same, with what the attribute holds if the user sets nothing.
    #[must_use]
    pub const fn attribute_with_default(
        &self,
        key: u64,
        flags: u32,
        description: &'static str,
        deprecated: Option<&'static str>,
        default: Option<fn(&mut Writer<'_>)>,
    ) -> Attribute {
        let shape = match self.nested {
            Some(nested) => nested.shape(),
            None => Shape::Plain(Shared::Static(self.ty)),
        };
        Attribute::constant(
            self.name,
            shape,
            Attribute::with_presence(flags, self.optional),
            description,
            deprecated,
            default,
            self.holds,
        )
        .of_type(key, self.word())
    }

    /// The slot's entry among the nested blocks of a schema.
    #[must_use]
    pub const fn block(
        &self,
        key: u64,
        min: u64,
        max: u64,
        description: &'static str,
        deprecated: Option<&'static str>,
    ) -> NestedBlock {
        match self.nested {
            Some(nested) => nested.block(self.name, key, min, max, description, deprecated).of_type(self.word()),
            // Only `BlockType`s come here, and they all hold objects; anything else is a plain block without attributes.
            None => NestedBlock::constant(
                self.name,
                key,
                Nesting::Single,
                min,
                max,
                Block::constant(&[], &[], description, deprecated),
            ),
        }
    }
}

/// Writes the default of an attribute of type `T`.
pub fn write_default<T: AttributeType>(default: impl Into<T>, writer: &mut Writer<'_>) {
    default.into().encode(writer);
}
