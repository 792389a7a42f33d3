//! The facts about the Rust side of an attribute that go beyond the schema. Two schemas that differ
//! only here are equal.

use crate::message::{iterate, same};
use std::any::Any;
use std::panic::Location;
use upstate_words::hash::key;

use super::table::{Table, TypeInfo};
use super::{Attribute, IntegerRange};
use crate::codec::DecodeError;
use crate::codec::json::Reader;

/// The place at which a struct is written; nothing if that is not known.
#[doc(hidden)]
pub(crate) type DefinedAt = Option<&'static Location<'static>>;

/// The place of the code that calls this.
#[doc(hidden)]
#[must_use]
#[track_caller]
pub const fn here() -> DefinedAt {
    Some(Location::caller())
}

/// The values of a type that the Rust type behind an attribute takes.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own, and none follows from another"
)]
pub(crate) struct Holds {
    pub(crate) nullable: bool,
    pub(crate) takes: Takes,
    pub(crate) elements: Option<&'static Holds>,
    /// The keys of a map, where not every string is one.
    pub(crate) keys: Option<&'static Holds>,
    /// It also reads stored forms that are none of the attribute's type.
    pub(crate) lenient: bool,
    /// Only documents have it, itself or as elements: Terraform has no type for it.
    pub(crate) is_of_documents: bool,
    /// The number of the scalars that are taken, itself or as elements; 0 if all of their type are.
    pub(crate) limit: u64,
    /// The form of the scalars that are taken, such as `ipv4`; empty if they have none, or if it is
    /// not known.
    pub(crate) format: &'static str,
    /// The integer type whose numbers are taken, by its bits, where Terraform has none: below 0 if
    /// it has a sign, and 0 if there is none. Schemas say nothing of such a range, and older locks
    /// neither.
    pub(crate) integer: i16,
    /// True if 0 is not one of those numbers.
    pub(crate) without_zero: bool,
    /// The values that the function of an author's own type is given.
    pub(crate) given: Option<&'static Holds>,
    /// Reads a scalar as the Rust type does, where that alone knows which of a form it takes.
    pub(crate) decodes: Option<Decodes>,
}

/// Reads a value as a Rust type does, for its mistake alone.
pub(crate) type Decodes = fn(&mut Reader<'_>) -> Result<(), DecodeError>;

/// The values that a scalar, an object or a tuple takes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Takes {
    /// Every value of the attribute's type.
    Anything,
    /// Whole numbers of a range.
    Integers { min: i128, max: i128 },
    /// The numbers that a 64-bit float holds.
    Floats,
    /// These strings.
    Texts(&'static [&'static str]),
    /// The values that an author's own type takes.
    OwnType,
    /// Objects of this shape.
    Objects(&'static Table),
    /// Tuples whose elements take this.
    Tuples(&'static [&'static Holds]),
}

impl Holds {
    /// Every value of the attribute's type except null.
    pub(crate) const ANYTHING: Self = Self {
        nullable: false,
        takes: Takes::Anything,
        elements: None,
        keys: None,
        lenient: false,
        is_of_documents: false,
        limit: 0,
        format: "",
        integer: 0,
        without_zero: false,
        given: None,
        decodes: None,
    };

    /// Only these strings; `texts_key` is the sum of their keys.
    #[must_use]
    pub(crate) const fn texts(texts: &'static [&'static str], texts_key: u64) -> Self {
        Self {
            limit: texts_key,
            ..Self::of(Takes::Texts(texts))
        }
    }

    /// Whole numbers of an integer type.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "such types have at most 64 bits"
    )]
    #[expect(clippy::cast_sign_loss, reason = "the most of a type is positive")]
    pub(crate) const fn integers(min: i128, max: i128) -> Self {
        Self {
            limit: (max as u64) << 1 | (min < 0) as u64,
            ..Self::of(Takes::Integers { min, max })
        }
    }

    /// Numbers, of which the proofs know that they are those of an integer type, by its name.
    pub(crate) const fn integers_of(name: &'static str) -> Self {
        Self {
            integer: match IntegerRange::of_type(name.as_bytes()) {
                Some(range) => range.bits(),
                None => 0,
            },
            ..Self::ANYTHING
        }
    }

    /// The whole numbers that are taken, where that is known.
    pub(crate) const fn range(&self) -> Option<IntegerRange> {
        match self.takes {
            Takes::Integers { min, max } => Some(IntegerRange::new(min, max)),
            Takes::Anything
            | Takes::Floats
            | Takes::Texts(_)
            | Takes::OwnType
            | Takes::Objects(_)
            | Takes::Tuples(_) => match IntegerRange::of_bits(self.integer) {
                Some(range) => Some(range.leaving_out_zero(self.without_zero)),
                None => None,
            },
        }
    }

    /// The name that a lock has for the integers that are taken, where Terraform has no type for
    /// them.
    pub(crate) const fn integer_of_documents(&self) -> Option<&'static str> {
        match IntegerRange::of_bits(self.integer) {
            Some(range) => range.leaving_out_zero(self.without_zero).of_documents(),
            None => None,
        }
    }

    /// Only scalars of one form, which the type that reads them knows.
    pub(crate) const fn formatted(format: &'static str, takes: Takes) -> Self {
        Self {
            limit: key(format),
            format,
            ..Self::of(takes)
        }
    }

    /// These, of which only the type with this decoder knows which it takes.
    pub(crate) const fn decoded_by(self, decodes: Decodes) -> Self {
        Self {
            decodes: Some(decodes),
            ..self
        }
    }

    pub(crate) const fn of(takes: Takes) -> Self {
        Self {
            takes,
            ..Self::ANYTHING
        }
    }

    pub(crate) const fn elements_of(elements: &'static Self) -> Self {
        let Self {
            lenient,
            is_of_documents,
            limit,
            ..
        } = *elements;
        Self {
            elements: Some(elements),
            lenient,
            is_of_documents,
            limit,
            ..Self::ANYTHING
        }
    }

    pub(crate) const fn tuples_of(elements: &'static [&'static Self]) -> Self {
        let (mut lenient, mut is_of_documents) = (false, false);
        let mut index = 0;
        while index < elements.len() {
            // Const evaluation has no iterators, so a loop counts the index.
            #[expect(
                clippy::indexing_slicing,
                reason = "the compiler reports a wrong index"
            )]
            let element = elements[index];
            lenient = lenient || element.lenient;
            is_of_documents = is_of_documents || element.is_of_documents;
            index += 1;
        }
        Self {
            lenient,
            is_of_documents,
            ..Self::of(Takes::Tuples(elements))
        }
    }

    pub(crate) const fn or_null(self) -> Self {
        Self {
            nullable: true,
            ..self
        }
    }

    pub(crate) const fn leniently(self) -> Self {
        Self {
            lenient: true,
            ..self
        }
    }

    pub(crate) const fn of_documents(self) -> Self {
        Self {
            is_of_documents: true,
            ..self
        }
    }
}

/// The stored values that a field takes, itself or as elements, of all that its attribute's type
/// has.
#[derive(Debug, Clone, Copy)]
pub enum Taken {
    /// Whole numbers of a range.
    Integers {
        /// The least.
        min: i128,
        /// The greatest.
        max: i128,
    },
    /// These strings.
    Strings(&'static [&'static str]),
    /// Those of a form, by its name: `char`, `date`, `date-time`, `duration`, `f32`, `ip`, `ipv4`,
    /// `ipv6`, `local-date-time`, `month`, `own` (what an author's own type reads), `socket`,
    /// `socket-v4`, `socket-v6`, `span`, `time`, `uri`, `uuid`, `weekday`, `zoned-date-time`; of
    /// integers that only documents have, that of the type, such as `u128`, `NonZeroU8` or
    /// `AtomicU8`.
    Format(&'static str),
}

impl Holds {
    pub(super) fn taken(&self) -> Option<Taken> {
        if self.integer != 0 {
            return self.integer_of_documents().map(Taken::Format);
        }
        match self.takes {
            Takes::Integers { min, max } => Some(Taken::Integers { min, max }),
            Takes::Texts(texts) => Some(Taken::Strings(texts)),
            Takes::Floats | Takes::OwnType if !self.format.is_empty() => {
                Some(Taken::Format(self.format))
            }
            Takes::Anything
            | Takes::Floats
            | Takes::OwnType
            | Takes::Objects(_)
            | Takes::Tuples(_) => self.elements?.taken(),
        }
    }
}

impl Attribute {
    /// The stored values that the attribute's field takes, if those are fewer than its type has: a
    /// range of whole numbers, certain strings, or those of a form.
    #[doc(hidden)]
    pub fn taken(&self) -> Option<Taken> {
        self.aside().holds.taken()
    }
}

/// The Rust side of an attribute.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Aside {
    /// The name of its field, if that differs from its name in state.
    pub(crate) field: Option<&'static str>,
    /// The values that its field takes.
    pub(crate) holds: Holds,
    /// Its Rust type.
    pub(super) info: Option<&'static TypeInfo>,
}

impl Aside {
    /// The Rust side of an attribute without a Rust type.
    pub(crate) const NONE: Self = Self {
        field: None,
        holds: Holds::ANYTHING.or_null(),
        info: None,
    };
}

impl PartialEq for Aside {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// The upgrader that makes a nested object of what it was before; the one of a shape without a
/// struct makes objects of the later shape from its own, and that shape may be a struct that knows
/// nothing of it. The operators are for upgrades, which are above schemas, so what they are is not
/// known here.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct ObjectUpgrader {
    /// The name of the other shape.
    pub(crate) other_name: &'static str,
    /// The number of the types that the parameters of the other shape stand for.
    pub(crate) other_instance: u64,
    /// The member that its operators leave to `rekey`. A reference to a static of its own: the
    /// table that holds the upgrader is read for it.
    pub(crate) left_over: &'static LeftOver,
    /// Behind a function: operators may name fields of the struct that they make, whose table tells
    /// of them.
    pub(crate) operators: fn() -> &'static (dyn Any + Send + Sync),
}

/// The one member of nested objects that the operators of their upgrader neither take nor make.
/// Nothing is lost where `rekey` makes it the key of the map that holds them, or makes it of that
/// key; so it is where the objects are held that decides on it.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub enum LeftOver {
    /// All members are accounted for.
    Nothing,
    /// The upgrader does not compile, and its own proofs say why.
    Refused,
    /// A scalar that the earlier objects have, and nothing takes.
    Earlier(&'static str),
    /// A string that the later objects have, and nothing makes.
    Later(&'static str),
}

/// The Rust side of nested objects.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Origin {
    /// The struct; empty if there is none.
    pub(crate) rust_name: &'static str,
    /// The number of the types that the struct's parameters stand for: with others it is another
    /// struct.
    pub(crate) instance: u64,
    /// The upgraders from earlier structs; without a struct, those to the later shape.
    pub(crate) upgraders: &'static [ObjectUpgrader],
    /// The place at which the struct is written.
    pub(crate) defined_at: DefinedAt,
}

impl Origin {
    /// The Rust side of objects without a Rust type.
    pub(crate) const NONE: Self = Self {
        rust_name: "",
        instance: 0,
        upgraders: &[],
        defined_at: None,
    };

    /// True if both are the same struct, and there is one: in const evaluation, where strings are
    /// compared byte by byte.
    pub(crate) const fn is_struct_of(self, other: Self) -> bool {
        !self.rust_name.is_empty()
            && self.instance == other.instance
            && same(self.rust_name, other.rust_name)
    }

    /// Leaves out upgraders, but for those of values that come from earlier structs.
    const fn own(self) -> &'static [ObjectUpgrader] {
        if self.defined_at.is_some() {
            self.upgraders
        } else {
            &[]
        }
    }

    /// The upgraders that a shape without a struct has to later ones.
    pub(crate) const fn onward(self) -> &'static [ObjectUpgrader] {
        if self.defined_at.is_none() {
            self.upgraders
        } else {
            &[]
        }
    }

    /// The upgrader of objects of an earlier shape to those of this one, if that takes operators.
    pub(crate) const fn upgrader_from(self, prior: Self) -> Option<&'static ObjectUpgrader> {
        match find(self.own(), prior) {
            Some(upgrader) => Some(upgrader),
            None => find(prior.onward(), self),
        }
    }
}

const fn find(
    upgraders: &'static [ObjectUpgrader],
    other: Origin,
) -> Option<&'static ObjectUpgrader> {
    let Origin {
        rust_name,
        instance,
        ..
    } = other;
    iterate!(one in upgraders => {
        if !rust_name.is_empty()
            && one.other_instance == instance
            && same(one.other_name, rust_name)
        {
            return Some(one);
        }
    });
    None
}

impl PartialEq for Origin {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
