//! Shapes as the derive writes them: plain tables, one row per field.
//!
//! A [`Table`] is a `static` without a destructor and without interior mutability, so that const
//! evaluation reads it in place and the compiler checks it once. All proofs at compile time are
//! over tables. The values that the program itself uses, [`Schema`],
//! [`Attribute`](crate::schema::Attribute) and [`Type`](crate::schema::Type), are made from them on
//! first use.
//!
//! - [`Row`]: one field: its name in state and that name's number side by side, its flags, its
//!   description, and what values it stores.
//! - [`TypeInfo`]: what values a Rust type stores. There is one for each type, however many fields
//!   have it.
//! - [`Beside`]: the facts that few fields have: another name in state, a deprecation, a default,
//!   limits of a block.
//!
//! **Shapes without a struct.** [`derived`] makes the table of a prior version from the table of a
//! later one and the [`Edit`]s between them, at compile time. Its types represent types that no
//! struct has; see there.

mod aliases;
mod checked;
pub mod derived;
mod flattened;
mod make;
mod released;
#[cfg(test)]
mod tests;
mod unlisted;
mod variants;

pub use checked::{
    check_bytes, check_length, check_numbers, check_pattern, check_range, check_strings,
};
pub(crate) use flattened::StoredRows;
pub use flattened::{Flattened, Names};
pub use make::LazySchema;
pub(crate) use unlisted::Unlisted;
pub use variants::{
    ContentOf, Edited, Edits, VariantEdit, VariantEdits, Variants, member_info, stored_member,
    stored_variant,
};

use std::fmt;

use super::attribute::{presence, with_presence};
use super::{Decodes, DefinedAt, Fact, Holds, Nesting, ObjectUpgrader, Origin, Presence, Takes};
use crate::codec::json::Reader;
use crate::codec::{DecodeError, Writer};
use crate::message::{Message, iterate};
use crate::value::Value;
use upstate_words::hash::{Hash, code, key};
use upstate_words::lock::OWN;

/// A shape: the fields of a struct, or of what a prior version stored without a struct of its own.
#[derive(Clone, Copy)]
pub struct Table {
    /// The struct's name with its module; of a shape without a struct what messages call it; empty
    /// if the struct did not compile.
    pub rust_name: &'static str,
    /// The number of the types that the struct's parameters stand for; 0 of a struct without
    /// parameters.
    pub instance: u64,
    /// The place at which the struct is written.
    pub defined_at: DefinedAt,
    /// The schema version; 0 for a nested object.
    pub version: u64,
    /// The text of the struct's doc comment.
    pub description: &'static str,
    /// The reason why the struct should no longer be used, if there is one.
    pub deprecated: Option<&'static str>,
    /// The facts declared for the rules of compatibility. Behind a function: facts may name fields
    /// of the struct whose table this is.
    pub facts: Option<fn() -> &'static [Fact]>,
    /// The fields, in byte order of their names in state.
    pub rows: &'static [Row],
    /// The flattened fields, whose members are stored beside those of the rows.
    pub flattened: &'static [Flattened],
    /// The upgraders of a nested object, from what it was before; of a shape without a struct,
    /// those to the later shape.
    pub upgraders: &'static [ObjectUpgrader],
    /// The stored form of a struct of a document; nothing if it is of none.
    pub document: Option<&'static DocumentTable>,
    /// The later shape, of a prior version of a document that no struct is.
    pub later: Option<&'static Self>,
    /// The static that keeps the table's schema once it is made.
    pub schema: &'static LazySchema,
}

/// The stored form of a struct of a document.
#[derive(Debug, Clone, Copy)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are independent of each other"
)]
pub struct DocumentTable {
    /// The stored names of its fields, in their own order. Those of parts are not among them.
    pub names: &'static [&'static str],
    /// Other names that fields are read by, each with the position of the field's name.
    pub aliases: &'static [(&'static str, usize)],
    /// True if members of parts are beside those of fields, so that members that no row names are
    /// kept.
    pub has_parts: bool,
    /// True if members that no field names are refused.
    pub denies_unknown: bool,
    /// True if it is read by Terraform's rules.
    pub lenient: bool,
    /// True if it is of a variant, which is never read from an array.
    pub is_variant: bool,
    /// The word of the rule for the names of its fields; empty if it has none.
    pub rename_all: &'static str,
    /// The names that its parts take.
    pub parts: &'static Names,
}

impl DocumentTable {
    /// A struct without fields.
    pub const EMPTY: Self = Self {
        names: &[],
        aliases: &[],
        has_parts: false,
        denies_unknown: false,
        lenient: false,
        is_variant: false,
        rename_all: "",
        parts: &Names::NONE,
    };

    /// A prior version that no struct is: members that it does not name are kept for the struct
    /// that is made of it.
    pub(super) const OF_PRIOR: Self = Self {
        has_parts: true,
        ..Self::EMPTY
    };
}

/// One field of a [`Table`].
#[derive(Clone, Copy)]
pub struct Row {
    /// Its name in state.
    pub name: &'static str,
    /// The number of that name.
    pub key: u64,
    /// Bits of [`flags`](super::flags).
    pub flags: u32,
    /// The text of the field's doc comment.
    pub description: &'static str,
    /// The values that the field stores.
    pub info: &'static TypeInfo,
    /// The parts of a row that few fields have; nothing if the field has none of them.
    pub beside: Option<&'static Beside>,
}

/// The parts of a row that few fields have.
#[derive(Debug, Clone, Copy)]
pub struct Beside {
    /// The name of the field and that name's number, where it is another than the name in state.
    pub field: Option<(&'static str, u64)>,
    /// The reason why the field should no longer be used, if there is one.
    pub deprecated: Option<&'static str>,
    /// Writes what it holds if the user sets nothing; in a document, where it is not there.
    pub default: Option<fn(&mut Writer<'_>)>,
    /// The number of blocks that there must be, and the number that there may be; 0 means no limit.
    pub items: (u64, u64),
    /// The facts declared for the rules of compatibility.
    pub facts: &'static [Fact],
}

impl Beside {
    /// Nothing of it.
    pub const NOTHING: Self = Self {
        field: None,
        deprecated: None,
        default: None,
        items: (0, 0),
        facts: &[],
    };
}

/// The values that a Rust type stores.
#[derive(Debug, Clone, Copy)]
pub struct TypeInfo {
    /// Their type.
    pub(crate) stored: Stored,
    /// The values of that type that the Rust type takes.
    pub(crate) holds: Holds,
    /// A number for both: two Rust types with the same carry each other's values.
    pub(crate) word: u64,
    /// A number for what a lock says about them.
    released: u64,
    /// True if something in it is sensitive that no attribute of its own holds: a member of an
    /// object in a tuple, an enum, a list of lists.
    hides: bool,
    /// Reads a value as the Rust type does, if that reads stored forms which its type does not tell
    /// of.
    pub(crate) reads: Option<ReadValue>,
}

impl TypeInfo {
    /// The type of the values that an element of a tuple stores, and those of its values that it
    /// takes.
    pub(crate) const fn tuple_element(
        &self,
        nth: usize,
    ) -> Option<(&'static Stored, &'static Holds)> {
        let (Stored::Tuple(stored), Takes::Tuples(holds)) = (self.stored, self.holds.takes) else {
            return None;
        };
        #[expect(clippy::indexing_slicing, reason = "both are asked for their length")]
        if nth < stored.len() && nth < holds.len() {
            Some((stored[nth], holds[nth]))
        } else {
            None
        }
    }
}

/// Reads a value, whatever the Rust type is.
pub(crate) type ReadValue = fn(&mut Reader<'_>) -> Result<Value, DecodeError>;

/// The type of stored values, without a destructor.
#[derive(Clone, Copy)]
pub(crate) enum Stored {
    /// `true` or `false`.
    Bool,
    /// Unicode text.
    String,
    /// A decimal number.
    Number,
    /// A value that carries its own type.
    Dynamic,
    /// Elements of one type, in order.
    List(&'static Stored),
    /// Elements of one type, each once, without order.
    Set(&'static Stored),
    /// Elements of one type, by text key.
    Map(&'static Stored),
    /// A fixed number of elements, each of its own type.
    Tuple(&'static [&'static Stored]),
    /// Nested objects.
    Object(&'static Table),
    /// Any JSON value.
    Json,
    /// One of several variants.
    Union(&'static UnionTable),
}

/// An enum with data.
#[derive(Debug, Clone, Copy)]
pub struct UnionTable {
    /// The enum's name with its module.
    pub rust_name: &'static str,
    /// The number of the types that the enum's parameters stand for; 0 of an enum without
    /// parameters.
    pub instance: u64,
    /// The way by which a stored value tells its variant, in the words of
    /// [`UnionType::tagging`](crate::schema::UnionType::tagging).
    pub tagging: &'static str,
    /// The variants: in byte order of their names, so that their order in the enum does not count;
    /// without a tag in that order, since of those that fit equally well the first is read.
    pub variants: &'static [VariantRow],
    /// The stored name of the variant for names that are not known, which is none of these.
    pub other: Option<&'static str>,
}

/// A variant of a [`UnionTable`].
#[derive(Debug, Clone, Copy)]
pub struct VariantRow {
    /// Its stored name.
    pub name: &'static str,
    /// Its name in Rust; empty if no enum has it.
    pub rust_name: &'static str,
    /// The number of the stored name.
    pub key: u64,
    /// Other names that it is read by.
    pub aliases: &'static [&'static str],
    /// True if it is stored without its name in an enum whose others have a tag.
    pub is_untagged: bool,
    /// The values that the variant holds.
    pub info: &'static TypeInfo,
}

/// The enum that values are, or hold in one collection.
pub(crate) const fn union_in(stored: &Stored) -> Option<&'static UnionTable> {
    let held = match stored.element() {
        Some(element) => element,
        None => stored,
    };
    if let Stored::Union(union) = held {
        Some(union)
    } else {
        None
    }
}

/// The variant of this name, or of this name in Rust.
pub(crate) const fn variant(union: &'static UnionTable, name: u64) -> Option<&'static VariantRow> {
    let mut by_rust_name = None;
    iterate!(row in union.variants => {
        if row.key == name {
            return Some(row);
        }
        if key(row.rust_name) == name {
            by_rust_name = Some(row);
        }
    });
    by_rust_name
}

impl Table {
    /// A prior version of a document that no struct is. Its fields have the other names that those
    /// of `later` have, and it has the flattened fields of `later`: operators do not reach into
    /// these.
    #[must_use]
    pub const fn of_document_before(self, later: &'static Self) -> Self {
        Self {
            flattened: later.flattened,
            document: Some(&DocumentTable::OF_PRIOR),
            later: Some(later),
            ..self
        }
    }

    /// The table of a struct that did not compile: nothing is said about it. What others have
    /// besides a name is written over it.
    #[must_use]
    pub const fn stub(schema: &'static LazySchema) -> Self {
        Self {
            rust_name: "",
            instance: 0,
            defined_at: None,
            version: 0,
            description: "",
            deprecated: None,
            facts: None,
            rows: &[],
            flattened: &[],
            upgraders: &[],
            document: None,
            later: None,
            schema,
        }
    }

    /// True if the table is of a struct that did not compile: all others have a name.
    pub(crate) const fn is_stub(&self) -> bool {
        self.rust_name.is_empty()
    }

    /// True if there is a struct; a shape without one has no place where it is written.
    const fn has_struct(&self) -> bool {
        self.defined_at.is_some()
    }

    /// The struct.
    pub(crate) const fn origin(&self) -> Origin {
        let Self {
            rust_name,
            instance,
            upgraders,
            defined_at,
            ..
        } = *self;
        Origin {
            rust_name,
            instance,
            upgraders,
            defined_at,
        }
    }

    /// A number for what all rows carry, in any order.
    pub(crate) const fn carry(&self) -> u64 {
        let mut carry = 0;
        iterate!(row in self.rows => {
            carry ^= row.carry();
        });
        carry
    }

    /// True if some value reads from stored forms that its type does not tell of, so that a value
    /// of the schema comes out of the model alone.
    pub(crate) const fn reads_leniently(&self) -> bool {
        iterate!(row in self.rows => {
            if row.info.holds.lenient {
                return true;
            }
        });
        false
    }
}

impl Row {
    /// True if the row is a block, not an attribute.
    pub(crate) const fn is_block(&self) -> bool {
        self.flags & super::flags::BLOCK != 0
    }

    /// True if an object of a document must have a member of it: it takes no null, and nothing
    /// fills it in.
    pub(crate) const fn must_be_there(&self) -> bool {
        !self.info.is_nullable() && self.flags & super::flags::FILLED_IN == 0
    }

    /// True if it is sensitive: it is marked so, or its values have parts that are and that no
    /// schema can mark.
    pub(crate) const fn is_sensitive(&self) -> bool {
        self.all_flags() & super::flags::SENSITIVE != 0
    }

    /// The flags, with the one of what is sensitive though nobody marked it.
    pub(super) const fn all_flags(&self) -> u32 {
        if self.info.hides {
            self.flags | super::flags::SENSITIVE
        } else {
            self.flags
        }
    }

    /// True if what the row stores must not be shown.
    pub(crate) const fn is_hidden(&self) -> bool {
        self.is_sensitive() || self.flags & super::flags::WRITE_ONLY != 0
    }

    /// True if every part of its values is kept back.
    pub(crate) const fn is_hidden_as_a_whole(&self) -> bool {
        self.info.hides
            || self.flags & (super::flags::SENSITIVE | super::flags::WRITE_ONLY) != 0
                && self.flags & super::flags::IN_PART == 0
    }

    /// The presence of the field: it says who gives the field its value.
    pub(crate) const fn presence(&self) -> Presence {
        presence(self.presence_flags())
    }

    /// The flags, with those that say who gives it its value.
    pub(super) const fn presence_flags(&self) -> u32 {
        // That a document fills a member in does not say that somebody else may set it.
        let of_resource = self.flags & (super::flags::SHAPE_ONLY | super::flags::FILLED_IN) == 0;
        let has_default = of_resource
            && matches!(
                self.beside,
                Some(Beside {
                    default: Some(_),
                    ..
                })
            );
        with_presence(self.all_flags(), self.info.holds.nullable || has_default)
    }

    /// The name of the field.
    pub(crate) const fn field(&self) -> &'static str {
        match self.beside {
            Some(Beside {
                field: Some((field, _)),
                ..
            }) if self.flags & super::flags::RENAMED == 0 => field,
            _ => self.name,
        }
    }

    /// The number of the field's name.
    pub(crate) const fn field_key(&self) -> u64 {
        match self.beside {
            Some(Beside {
                field: Some((_, key)),
                ..
            }) if self.flags & super::flags::RENAMED == 0 => *key,
            _ => self.key,
        }
    }

    /// A number for its name, whether it must not be shown, and all that decides which values it
    /// takes: two with the same carry each other's values.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the lower half is what is wanted"
    )]
    pub(crate) const fn carry(&self) -> u64 {
        let word = if self.is_block() {
            self.info.word ^ 0x2000
        } else {
            self.info.word
        };
        let word = if self.is_hidden() {
            word ^ 0x4000
        } else {
            word
        };
        // A wide product cannot overflow, and needs no call.
        (self.key as u128 * (word | 1) as u128) as u64
    }
}

impl TypeInfo {
    pub(crate) const fn new(stored: Stored, holds: Holds) -> Self {
        let hides = stored.objects().is_none() && stored.hides();
        let released = Self::number(&stored, &holds, hides);
        Self {
            stored,
            holds,
            word: mixed(stored.hash(Hash::new()), &holds).finish(),
            released,
            hides,
            reads: None,
        }
    }

    /// True if something in it is sensitive.
    pub(crate) const fn hides_any(&self) -> bool {
        self.stored.hides()
    }

    /// Every value of the type but null.
    pub(crate) const fn of(stored: Stored) -> Self {
        Self::new(stored, Holds::ANYTHING)
    }

    /// The objects of a struct.
    #[must_use]
    pub const fn object(table: &'static Table) -> Self {
        let lenient = table.reads_leniently();
        Self::new(
            Stored::Object(table),
            Holds {
                lenient,
                ..Holds::of(Takes::Objects(table))
            },
        )
    }

    /// The objects of a struct of a document.
    #[must_use]
    pub const fn document(table: &'static Table) -> Self {
        let info = Self::object(table);
        Self {
            holds: info.holds.of_documents(),
            ..info
        }
    }

    /// Numbers, of which the proofs know that they are those of an integer type, by its name. The
    /// type with this decoder reads them.
    pub(crate) const fn integers_of(integer: &'static str, decodes: Decodes) -> Self {
        let holds = Holds::integers_of(integer);
        Self::new(Stored::Number, holds.decoded_by(decodes))
    }

    /// As [`integers_of`](Self::integers_of), without 0.
    pub(crate) const fn non_zero(integer: &'static str, decodes: Decodes) -> Self {
        let holds = Holds {
            without_zero: true,
            ..Holds::integers_of(integer)
        };
        Self::new(Stored::Number, holds.decoded_by(decodes))
    }

    /// One of a fixed set of strings; `texts_key` is the sum of their keys.
    #[must_use]
    pub const fn texts(texts: &'static [&'static str], texts_key: u64) -> Self {
        Self::new(Stored::String, Holds::texts(texts, texts_key))
    }

    /// Strings of one form, which the type that reads them knows.
    pub(crate) const fn formatted(format: &'static str) -> Self {
        Self::new(Stored::String, Holds::formatted(format, Takes::OwnType))
    }

    /// Strings of one form, as the type with this decoder reads them.
    pub(crate) const fn formatted_by(format: &'static str, decodes: Decodes) -> Self {
        let holds = Holds::formatted(format, Takes::OwnType);
        Self::new(Stored::String, holds.decoded_by(decodes))
    }

    /// The values of these that an author's own type takes.
    pub(crate) const fn own_type(of: &'static Self) -> Self {
        let Holds {
            nullable,
            lenient,
            is_of_documents,
            ..
        } = of.holds;
        let own = match of.stored {
            Stored::String | Stored::Number => Holds::formatted(OWN, Takes::OwnType),
            Stored::Bool
            | Stored::Dynamic
            | Stored::List(_)
            | Stored::Set(_)
            | Stored::Map(_)
            | Stored::Tuple(_)
            | Stored::Object(_)
            | Stored::Json
            | Stored::Union(_) => Holds::of(Takes::OwnType),
        };
        Self::new(
            of.stored,
            Holds {
                nullable,
                lenient,
                is_of_documents,
                given: Some(&of.holds),
                ..own
            },
        )
    }

    /// Its values, or null.
    pub(crate) const fn or_null(of: &Self) -> Self {
        Self::new(of.stored, of.holds.or_null())
    }

    /// Its values, and stored forms that the type does not show.
    pub(crate) const fn leniently(of: &Self) -> Self {
        Self::new(of.stored, of.holds.leniently())
    }

    /// Lists of these values.
    pub(crate) const fn list(of: &'static Self) -> Self {
        Self::new(Stored::List(&of.stored), Holds::elements_of(&of.holds))
    }

    /// Sets of these values.
    pub(crate) const fn set(of: &'static Self) -> Self {
        Self::new(Stored::Set(&of.stored), Holds::elements_of(&of.holds))
    }

    /// Maps of these values.
    pub(crate) const fn map(of: &'static Self) -> Self {
        Self::new(Stored::Map(&of.stored), Holds::elements_of(&of.holds))
    }

    /// Maps whose keys are of a kind of their own; `keys` are the strings that those are, where
    /// that is known.
    pub(crate) const fn keyed(mut self, word: u64, keys: Option<&'static Self>) -> Self {
        if let Some(keys) = keys {
            self.holds.keys = Some(&keys.holds);
            self = Self::new(self.stored, self.holds);
        }
        if word != 0 {
            self.word = Hash::new().word(self.word).word(word).finish();
            self.holds = self.holds.of_documents();
        }
        self
    }

    /// Any JSON value.
    pub const JSON: &'static Self =
        &Self::new(Stored::Json, Holds::of(Takes::OwnType).of_documents());

    /// Any JSON value, or null.
    pub const JSON_OR_NULL: &'static Self = &Self::or_null(Self::JSON);

    /// The content of a variant that holds nothing.
    pub const NOTHING: &'static Self =
        &Self::new(Stored::Tuple(&[]), Holds::ANYTHING.of_documents());

    /// A variant of an enum with data.
    #[must_use]
    pub const fn union(table: &'static UnionTable, nullable: bool) -> Self {
        Self::new(
            Stored::Union(table),
            Holds {
                nullable,
                is_of_documents: true,
                ..Holds::of(Takes::OwnType)
            },
        )
    }

    /// True if null is one of its values.
    #[must_use]
    pub const fn is_nullable(&self) -> bool {
        self.holds.nullable
    }

    /// The kind of its values, where there is only one and no parts are in them.
    pub(crate) const fn scalar(&self) -> Option<&'static str> {
        match self.stored {
            Stored::Bool => Some("a bool"),
            Stored::String => Some("a string"),
            Stored::Number => Some("a number"),
            Stored::Dynamic
            | Stored::List(_)
            | Stored::Set(_)
            | Stored::Map(_)
            | Stored::Tuple(_)
            | Stored::Object(_)
            | Stored::Json
            | Stored::Union(_) => None,
        }
    }

    /// The nested objects and their arrangement, if these values are objects whose members have
    /// flags of their own.
    pub(crate) const fn objects(&self) -> Option<(&'static Table, Nesting)> {
        self.stored.objects()
    }
}

impl Stored {
    /// True if a member of an object in it is hidden.
    pub(super) const fn hides(&self) -> bool {
        match self {
            Self::Bool | Self::String | Self::Number | Self::Dynamic | Self::Json => false,
            Self::List(element) | Self::Set(element) | Self::Map(element) => element.hides(),
            Self::Tuple(elements) => {
                iterate!(element in *elements => {
                    if element.hides() {
                        return true;
                    }
                });
                false
            }
            Self::Object(table) => {
                let mut index = 0;
                while index < table.stored_len() {
                    let row = table.stored_row(index);
                    if row.is_hidden() || row.info.stored.hides() {
                        return true;
                    }
                    index += 1;
                }
                table.hides_rest()
            }
            Self::Union(table) => {
                iterate!(variant in table.variants => {
                    if variant.info.stored.hides() {
                        return true;
                    }
                });
                false
            }
        }
    }

    /// The elements of a list, set or map.
    pub(crate) const fn element(&self) -> Option<&'static Self> {
        match self {
            Self::List(element) | Self::Set(element) | Self::Map(element) => Some(element),
            Self::Bool
            | Self::String
            | Self::Number
            | Self::Dynamic
            | Self::Tuple(_)
            | Self::Object(_)
            | Self::Json
            | Self::Union(_) => None,
        }
    }

    /// The nested objects and their arrangement.
    pub(crate) const fn objects(&self) -> Option<(&'static Table, Nesting)> {
        match self {
            Self::Object(table) => Some((table, Nesting::Single)),
            Self::List(Self::Object(table)) => Some((table, Nesting::List)),
            Self::Set(Self::Object(table)) => Some((table, Nesting::Set)),
            Self::Map(Self::Object(table)) => Some((table, Nesting::Map)),
            Self::Bool
            | Self::String
            | Self::Number
            | Self::Dynamic
            | Self::List(_)
            | Self::Set(_)
            | Self::Map(_)
            | Self::Tuple(_)
            | Self::Json
            | Self::Union(_) => None,
        }
    }

    /// A number for the type.
    #[cfg(feature = "kube")]
    pub(crate) const fn number(&self) -> u64 {
        self.hash(Hash::new()).finish()
    }

    /// Adds the type to a hash. The struct of nested objects counts, with what its parameters stand
    /// for, not its members; without a struct, the members do.
    const fn hash(&self, hash: Hash) -> Hash {
        match self {
            Self::Bool => hash.word(code::BOOL),
            Self::String => hash.word(code::STRING),
            Self::Number => hash.word(code::NUMBER),
            Self::Dynamic => hash.word(code::DYNAMIC),
            Self::List(element) => element.hash(hash.word(code::LIST)),
            Self::Set(element) => element.hash(hash.word(code::SET)),
            Self::Map(element) => element.hash(hash.word(code::MAP)),
            Self::Tuple(elements) => {
                let mut hash = hash.word(code::TUPLE).word(elements.len() as u64);
                iterate!(first in elements => {
                    hash = first.hash(hash);
                });
                hash
            }
            Self::Object(table) if !table.has_struct() => hash
                .word(code::OBJECT)
                .word(table.rows.len() as u64)
                .word(table.carry()),
            Self::Object(table) => of_instance(
                hash.word(code::OBJECT).text(table.rust_name),
                table.instance,
            ),
            Self::Json => hash.word(code::JSON),
            Self::Union(union) => {
                of_instance(hash.word(code::UNION).text(union.rust_name), union.instance)
            }
        }
    }
}

const fn of_instance(hash: Hash, instance: u64) -> Hash {
    if instance == 0 {
        hash
    } else {
        hash.word(instance)
    }
}

/// The number of the types and numbers that the parameters of a struct or enum stand for. It is
/// never 0.
#[doc(hidden)]
#[must_use]
pub const fn instance(types: &[&TypeInfo], numbers: &[u64]) -> u64 {
    let mut hash = Hash::new();
    iterate!(first in types => {
        hash = hash.word(first.word);
    });
    iterate!(first in numbers => {
        hash = hash.word(*first);
    });
    hash.finish() | 1
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
            // The type says which objects they are, so only the kind counts here.
            Takes::Objects(_) => hash.word(facts | 0x14),
            Takes::Tuples(elements) => {
                hash = hash.word(facts | 0x18).word(elements.len() as u64);
                iterate!(first in elements => {
                    hash = mixed(hash, first);
                });
                hash
            }
        };
        hash = hash.word(level.limit);
        if level.integer != 0
            && let Some(range) = level.range()
        {
            hash = hash
                .word(0x40 | level.without_zero as u64)
                .text(range.name());
        }
        if let Some(keys) = level.keys {
            hash = mixed(hash.word(0x20), keys);
        }
        holds = level.elements;
    }
    hash
}

/// Refuses, at compile time, what only documents have, and nested objects with blocks in an
/// attribute.
#[doc(hidden)]
#[track_caller]
pub const fn check_attribute(info: &TypeInfo) {
    if info.holds.is_of_documents {
        only_documents(&info.stored).panic();
    }
    let Some((table, _)) = info.objects() else {
        return;
    };
    iterate!(row in table.rows => {
        assert!(
            !row.info.holds.is_of_documents,
            "a field of this struct has a type that Terraform has no form for: only a struct that derives `Document` can hold it [U0006]"
        );
        assert!(
            !row.is_block(),
            "this nested object has blocks, so it can only be a block itself: mark the field `#[block]`"
        );
    });
}

/// Refuses, at compile time, a type that only documents hold, by its name, with what to write in
/// its place.
#[doc(hidden)]
#[track_caller]
pub const fn check_attribute_of(info: &TypeInfo, name: &str, help: &str) {
    if info.holds.is_of_documents {
        of_terraform(name).text(help).panic();
    }
    check_attribute(info);
}

const fn of_terraform(name: &str) -> Message {
    Message::new()
        .text("`")
        .text(name)
        .text("` cannot be stored as an attribute: Terraform has no type for it [U0006]\nhelp: ")
}

/// The refusal of what only documents hold.
const fn only_documents(stored: &Stored) -> Message {
    match stored {
        Stored::List(element) | Stored::Set(element) | Stored::Map(element) => only_documents(element),
        Stored::Object(table) => of_terraform(short(table.rust_name)).text("derive `Object` in place of `Document`"),
        Stored::Union(table) => of_terraform(short(table.rust_name))
            .text("derive `StringEnum` if no variant has data, or write a struct with an `Option` for each variant"),
        Stored::Bool | Stored::String | Stored::Number | Stored::Dynamic | Stored::Tuple(_) | Stored::Json => {
            Message::new().text(ONLY_DOCUMENTS)
        }
    }
}

/// The struct's own name, of its name with modules.
pub(crate) const fn short(rust_name: &'static str) -> &'static str {
    let mut modules = rust_name.as_bytes();
    while let [before @ .., last] = modules {
        if *last == b':' {
            break;
        }
        modules = before;
    }
    rust_name.split_at(modules.len()).1
}

pub(super) const ONLY_DOCUMENTS: &str = "this cannot be stored as an attribute: Terraform has no type for it [U0006]\n\
     help: a map has `String` as its key; any other type is stored as a string with `#[attribute(as_string)]`, or in a form of yours with \
     `#[attribute(with = module)]`\n\
     note: a struct that derives `Document` can hold it";

/// Refuses a type that holds objects in which the provider says something, at compile time: the
/// plan of what holds them would not show it.
#[doc(hidden)]
#[track_caller]
pub const fn check_planned(info: &TypeInfo) {
    let Some((table, _)) = info.objects() else {
        return;
    };
    iterate!(row in table.rows => {
        if row.flags & super::flags::COMPUTED != 0 {
            Message::refuse(
                "this holds a struct whose `{}` is computed, so that it needs a plan, too\nhelp: write `plan` in the field's `#[attribute(…)]` or `#[block(…)]`, and in the struct's `#[object(…)]`",
                &[row.field()],
            );
        }
        check_planned(row.info);
    });
}

// Tables may refer to each other in great numbers, and a reader of the output wants to know which
// it is.
impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Table").field(&self.rust_name).finish()
    }
}

__debug_parts! {
    Row |self| {
        name: self.name,
        stored: self.info.stored,
    }
}

impl fmt::Debug for Stored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Self::Object(table) = self {
            f.debug_tuple("Object").field(table).finish()
        } else {
            write!(f, "{}", self.to_type())
        }
    }
}
