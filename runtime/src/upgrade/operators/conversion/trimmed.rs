//! `convert(…, trimmed)`: a string without the white space around it.

use std::borrow::Cow;

use super::super::scalar::{Makes, Scalar};
use super::signature::{Back, Convert, Kind, Result, Signature};
use crate::upgrade::verdict::Weight;

pub(super) struct Trimmed;

impl Convert for Trimmed {
    const SIGNATURES: &'static [Signature] = &[Signature {
        from: Kind::Text,
        to: Kind::Text,
        lost: Some("the white space around the string"),
        refused: None,
        back: &[(Weight::Lost, "white space around the string")],
    }];
    const BACK: Back = Back::Same;

    fn of_text(text: &str) -> Result<'_> {
        Ok(Makes::Scalar(Scalar::Text(Cow::Borrowed(text.trim()))))
    }
}
