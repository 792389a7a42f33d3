//! The comparison of a model with what the lock says was released, which the compiler makes.
//!
//! The derive writes what it read in the lock beside the model; [`check_locked`] compares numbers,
//! and only where they differ looks for the first attribute that does. The lock itself, as a
//! library, is the crate `upstate-compat`.

mod aliases;
mod check;
mod contents;
mod exists;
mod fingerprint;
mod flattened;
mod inside;
mod locked;
mod notation;
mod operator;
mod proposal;
mod rekeyed;
mod released_type;
mod rules;
mod rust_type;
mod text;
mod untagged;
mod values;
mod variants;

pub(crate) use fingerprint::shape_of;
pub(crate) use rust_type::{type_of, type_of_values};

pub use check::{
    check_difference, check_field_locked, check_locked, check_operand, differs, fingerprint,
    is_numbered,
};
pub use rules::check_rule;
