//! Schema memory.

mod fingerprint;

pub(crate) use fingerprint::{Hash, fingerprint_of};
