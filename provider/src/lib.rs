//! Serves versioned resource models as a Terraform or `OpenTofu` provider.

mod caught;
mod context;
mod erased;
mod plan;
mod private;
mod proto;
mod provider;
mod resource;
mod serve;
mod service;
mod wire;

pub use context::Context;
pub use plan::{Change, Planned, ResourceConfig};
pub use private::Private;
pub use provider::Provider;
pub use resource::{IdentifiedResource, ManagedResource, MoveSource};
pub use serve::Reattached;
