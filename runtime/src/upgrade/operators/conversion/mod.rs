//! The conversions of scalars that have a name, a file each: what it takes and makes, its work, its
//! inverse and what neither keeps.
//!
//! `upstate_words::conversions` is the list of them. Const evaluation, the interpreter, the
//! compiled plan and verdicts ask here.

mod duration;
mod signature;

use self::signature::{Back, Convert, Result};
pub(super) use self::signature::{Kind, Signature};
use super::scalar::{Makes, Refusal, Seen};
use super::table::Conversion;
use crate::schema::Type;
use crate::upgrade::verdict::{Direction, Weight};

macro_rules! dispatch {
    ($($module:ident $variant:ident $word:literal $effect:ident;)*) => {
        $(mod $module;)*

        impl Conversion {
            /// The types that it takes, and the results.
            pub(super) const fn signatures(self) -> &'static [Signature] {
                match self {
                    $(Self::$variant => <$module::$variant as Convert>::SIGNATURES,)*
                }
            }

            /// The letters that a string may begin with of which it makes something; any if there
            /// are none.
            pub(super) const fn starts(self) -> &'static [u8] {
                match self {
                    $(Self::$variant => <$module::$variant as Convert>::STARTS,)*
                }
            }

            const fn back(self) -> Back {
                match self {
                    $(Self::$variant => <$module::$variant as Convert>::BACK,)*
                }
            }

            /// Converts a value.
            #[inline]
            pub(super) fn apply(self, value: Seen<'_>) -> Result<'_> {
                match value {
                    Seen::Null => Ok(Makes::Same),
                    Seen::Number(number) => match self {
                        $(Self::$variant => $module::$variant::of_number(number),)*
                    },
                    Seen::Text(text) => match self {
                        $(Self::$variant => $module::$variant::of_text(text),)*
                    },
                    Seen::Bool(_) | Seen::List { .. } | Seen::Map { .. } | Seen::Unknown => Err(Refusal::NotText),
                }
            }
        }
    };
}
upstate_words::conversions!(dispatch);

impl Conversion {
    /// The value before it; nothing if the value behind it does not say that.
    pub(super) fn undo(self, value: Seen<'_>) -> Option<Result<'_>> {
        match self.back() {
            Back::Impossible => None,
            Back::Itself => Some(self.apply(value)),
            Back::Same => Some(Ok(Makes::Same)),
        }
    }

    /// The result for a type, if it takes that.
    fn signature(self, from: Option<&Type>) -> Option<&'static Signature> {
        self.signatures()
            .iter()
            .find(|signature| from.is_some_and(|from| signature.from.is(from)))
    }

    /// The type of what it makes of a value of the type `from`, where both are known.
    pub(super) fn makes(self, from: Option<&Type>) -> Option<Type> {
        match (self.signature(from), self.signatures()) {
            (Some(signature), _) | (None, [signature]) => Some(signature.to.ty()),
            (None, _) => None,
        }
    }

    /// Reports the values that it refuses, and the part of a value that it does not keep.
    pub(super) fn judge_up(self, from: Option<&Type>, note: &mut dyn FnMut(Weight, &str)) {
        if let Some(signature) = self.signature(from).or_else(|| self.signatures().first()) {
            signature
                .refused
                .into_iter()
                .for_each(|what| note(Weight::Refused, what));
            signature
                .lost
                .into_iter()
                .for_each(|what| note(Weight::Lost, what));
        }
    }

    /// Reports the values that its inverse does not keep.
    pub(super) fn judge_down(self, from: Option<&Type>, path: &str, down: &mut Direction) {
        let signature = self.signature(from).or_else(|| self.signatures().last());
        for (weight, what) in signature.map_or(&[][..], |signature| signature.back) {
            down.note(*weight, path, what);
        }
    }
}
