//! `convert(…, lowercase)`: a string in small letters.

use std::borrow::Cow;

use super::super::scalar::{Makes, Scalar};
use super::signature::{Back, Convert, Kind, Result, Signature};
use crate::upgrade::verdict::Weight;

pub(super) struct Lowercase;

impl Convert for Lowercase {
    const SIGNATURES: &'static [Signature] = &[Signature {
        from: Kind::Text,
        to: Kind::Text,
        lost: Some("which letters were capitals"),
        refused: None,
        back: &[(Weight::Lost, "capital letters")],
    }];
    const BACK: Back = Back::Same;

    fn of_text(text: &str) -> Result<'_> {
        // Each letter by itself, as in Go: otherwise a final `Σ` would become another letter than
        // the others, and `İ` two.
        let small = |letter: char| letter.to_lowercase().next().unwrap_or(letter);
        Ok(Makes::Scalar(Scalar::Text(
            if text.chars().all(|letter| small(letter) == letter) {
                Cow::Borrowed(text)
            } else {
                Cow::Owned(text.chars().map(small).collect())
            },
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_letter_becomes_small_by_itself() {
        for (text, expected) in [
            ("", ""),
            ("Host-7.EXAMPLE", "host-7.example"),
            ("ΣΑΣ", "σασ"),
            ("İI", "ii"),
            ("ß", "ß"),
        ] {
            let Ok(Makes::Scalar(Scalar::Text(small))) = Lowercase::of_text(text) else {
                panic!("{text}")
            };
            assert_eq!(small, expected);
            assert_eq!(
                matches!(small, Cow::Borrowed(_)),
                text == expected,
                "{text}"
            );
        }
    }
}
