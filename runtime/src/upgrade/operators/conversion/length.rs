//! `convert(…, length)`: the number of bytes of a string.

use super::super::scalar::{Makes, Scalar};
use super::signature::{Back, Convert, Kind, Result, Signature};
use crate::upgrade::verdict::Weight;
use crate::value::Number;

pub(super) struct Length;

impl Convert for Length {
    const SIGNATURES: &'static [Signature] = &[Signature {
        from: Kind::Text,
        to: Kind::Number,
        lost: Some("the string, of which only the length is kept"),
        refused: None,
        back: &[(
            Weight::Impossible,
            "a length does not tell which string it was of",
        )],
    }];
    const BACK: Back = Back::Impossible;

    fn of_text(text: &str) -> Result<'_> {
        Ok(Makes::Scalar(Scalar::Number(Number::from(
            u64::try_from(text.len()).unwrap_or(u64::MAX),
        ))))
    }
}
