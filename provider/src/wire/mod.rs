//! Between the protocol's messages and the runtime's types.

pub(crate) mod diagnostics;
pub(crate) mod schema;
pub(crate) mod value;
