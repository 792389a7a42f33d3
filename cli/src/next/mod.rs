//! The next version of a changed model: what the compiler proposes, written into the source.
//!
//! The derive compares each model with the lock while it is compiled, with the types that only the
//! compiler knows, and its error holds the operators that are missing. So the compiler is asked,
//! and its answer goes into the file that it names; nothing is compared here.

mod compiler;
mod edit;
mod proposal;

pub(crate) use self::compiler::{Answer, Found, ask};
pub(crate) use self::edit::edit;
pub(crate) use self::proposal::{Kind, remains};
