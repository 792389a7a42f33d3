//! The parts of a conversion, which each of them has in its own file.

use super::super::scalar::{Makes, Refusal};
use crate::schema::Type;
use crate::upgrade::verdict::Weight;
use crate::value::Number;

pub(super) type Result<'v> = std::result::Result<Makes<'static, 'v>, Refusal<'static>>;

/// A conversion.
pub(super) trait Convert {
    /// The result for each type that it takes. Of a value whose type is not known, the first says
    /// what is lost, and the last what is lost on a downgrade.
    const SIGNATURES: &'static [Signature];
    /// The letters that a string may begin with of which it makes something; any if there are none.
    const STARTS: &'static [u8] = b"";
    /// The inverse.
    const BACK: Back;

    /// Converts a string.
    fn of_text(text: &str) -> Result<'_>;

    /// Converts a number.
    fn of_number(_: &Number) -> Result<'static> {
        Err(Refusal::NotText)
    }
}

/// The result for one type.
pub(in super::super) struct Signature {
    pub(in super::super) from: Kind,
    pub(in super::super) to: Kind,
    /// The part of the value that it does not keep.
    pub(super) lost: Option<&'static str>,
    /// The values that it refuses.
    pub(super) refused: Option<&'static str>,
    /// The values that its inverse does not keep, or refuses.
    pub(super) back: &'static [(Weight, &'static str)],
}

/// The type of a scalar that is converted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Kind {
    Text,
    Number,
}

/// The inverse of a conversion.
#[derive(Clone, Copy)]
pub(super) enum Back {
    /// There is none.
    Impossible,
    /// The value as it is.
    Same,
    /// The conversion itself, which goes in both directions.
    Itself,
}

impl Kind {
    pub(super) const fn is(self, ty: &Type) -> bool {
        matches!(
            (self, ty),
            (Self::Text, Type::String) | (Self::Number, Type::Number)
        )
    }

    pub(super) const fn ty(self) -> Type {
        match self {
            Self::Text => Type::String,
            Self::Number => Type::Number,
        }
    }
}
