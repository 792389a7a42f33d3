//! The compiler's messages about models, as editors want them: one mistake a message, with its
//! code, and with each help that can be typed as a change of the source.
//!
//! A derive can give the compiler one text a mistake, and constants can give it several in one
//! panic. Here that text is taken apart again. What the code in a help replaces follows from its
//! words and from the tokens around the error; a test types every help of every message and
//! compiles it.

mod advice;
mod cargo;
mod place;
mod problem;
mod render;
mod translate;

pub(crate) use self::cargo::{Foreign, Line, Messages, check};
pub(crate) use self::translate::{Translated, folded};
