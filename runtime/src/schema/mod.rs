//! Schemas: what a stored resource looks like at one schema version.
//!
//! The same types serve the tables that the derive writes as constants and schemas built at run time; [`Shared`] is what makes
//! that possible.

mod aside;
mod attribute;
mod block;
mod facts;
mod hashed;
mod json;
mod leniency;
mod lookup;
mod notation;
mod shared;
mod types;

pub(crate) use aside::Takes;
pub(crate) use aside::{Aside, Origin};
pub use aside::{DefinedAt, Holds, ObjectEdge, Taken, here};
pub use attribute::{Attribute, Nested, NestedTable, Nesting, Presence, Shape};
pub use block::{Block, NestedBlock, Schema};
pub use facts::{About, Deprecated, Fact, GroupKind, Tier};
pub use facts::{parts, said};
pub(crate) use leniency::reads_leniently;
pub use notation::TypeNotationError;
pub use shared::Shared;
pub(crate) use shared::constant;
pub use types::{Field, Type};

pub use attribute::flags;
pub use lookup::Members;
