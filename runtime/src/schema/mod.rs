//! Schemas: the shape of a stored resource at one schema version.
//!
//! One set of types serves the tables that the derive writes as constants and the schemas built at
//! run time; [`Shared`] makes that possible.

mod aside;
mod attribute;
mod block;
mod checks;
mod facts;
mod form;
mod inside;
mod json;
mod lookup;
mod notation;
mod range;
mod shared;
#[cfg(feature = "kube")]
mod structural;
pub(crate) mod table;
mod types;

pub(crate) use aside::Takes;
pub(crate) use aside::{Aside, Origin};
pub(crate) use aside::{Decodes, DefinedAt, Holds};
#[doc(hidden)]
pub use aside::{LeftOver, ObjectUpgrader, Taken, here};
pub use attribute::{Attribute, DefaultValue, Nested, Presence, Shape};
pub use block::{Block, NestedBlock, Schema};
pub use checks::Check;
#[doc(hidden)]
pub use facts::{About, Decide, Fact, MakeSchema, Paths, parts, stated};
pub use facts::{Deprecated, GroupKind, Tier};
#[doc(hidden)]
pub use form::{Form, MemberForm, ObjectForm, UnionForm, Values};
#[doc(hidden)]
pub use inside::Inside;
pub use notation::TypeNotationError;
pub(crate) use range::IntegerRange;
pub use shared::Shared;
#[cfg(feature = "kube")]
#[doc(hidden)]
pub use structural::{
    check_int_or_string, check_list_type, check_map_type, check_nullable, check_own_schema,
    check_structural,
};
pub(crate) use types::FieldHolds;
pub use types::{Field, Type, UnionType};
pub use upstate_words::Tagging;
pub use upstate_words::lock::Nesting;

#[doc(hidden)]
pub use attribute::flags;
pub(crate) use lookup::Node;
#[doc(hidden)]
pub use lookup::{Members, Visible};

// They have a hidden name here for the compiler's messages, as `codec::FieldType` has; `path`, which
// would be their place, is below `paths`.
#[doc(hidden)]
pub use crate::paths::{Closed, OneValue, Open};
