//! Serves versioned resource models as a Terraform or `OpenTofu` provider.
//!
//! A model says what a resource looks like and how old states reach it; [`ManagedResource`] says
//! what Terraform can do with it; a [`Provider`] is all of them with a configuration. Nothing of
//! the plugin protocol is left to write, and nothing but Rust is needed to build one.
//!
//! ```no_run
//! use std::process::ExitCode;
//!
//! use upstate::{Diagnostics, Object, Resource};
//! use upstate_provider::{Context, ManagedResource, Provider};
//!
//! #[derive(Object)]
//! struct Config {}
//!
//! #[derive(Resource)]
//! #[resource(type_name = "example_greeting", version = 0)]
//! struct Greeting {
//!     #[attribute(computed)]
//!     id: String,
//!     name: String,
//! }
//!
//! impl ManagedResource for Greeting {
//!     type Client = ();
//!
//!     async fn create(plan: Self, _context: &mut Context<()>) -> Result<Self, Diagnostics> {
//!         Ok(Greeting { id: format!("hello-{}", plan.name), ..plan })
//!     }
//!
//!     async fn read(state: Self, _context: &mut Context<()>) -> Result<Option<Self>, Diagnostics> {
//!         Ok(Some(state))
//!     }
//!
//!     async fn update(plan: Self, _prior: Self, _context: &mut Context<()>) -> Result<Self, Diagnostics> {
//!         Ok(plan)
//!     }
//!
//!     async fn delete(_state: Self, _context: &mut Context<()>) -> Result<(), Diagnostics> {
//!         Ok(())
//!     }
//! }
//!
//! fn main() -> ExitCode {
//!     Provider::new("example.com/me/example", async |_: Config| Ok(())).with::<Greeting>().serve()
//! }
//! ```
//!
//! The guide's chapter "Your provider in Rust" goes from an empty folder to `terraform apply`.
#![cfg_attr(docsrs, feature(doc_cfg))]

/// Implements [`ManagedResource`] for models of tests that nobody applies: what is planned is
/// there, as planned.
#[cfg(test)]
macro_rules! echo {
    ($model:ty: $client:ty; $($more:tt)*) => {
        impl $crate::ManagedResource for $model {
            type Client = $client;
            $($more)*

            async fn create(plan: Self, _: &mut $crate::Context<$client>) -> Result<Self, upstate::Diagnostics> {
                Ok(plan)
            }

            async fn read(state: Self, _: &mut $crate::Context<$client>) -> Result<Option<Self>, upstate::Diagnostics> {
                Ok(Some(state))
            }

            async fn update(plan: Self, _: Self, _: &mut $crate::Context<$client>) -> Result<Self, upstate::Diagnostics> {
                Ok(plan)
            }

            async fn delete(_: Self, _: &mut $crate::Context<$client>) -> Result<(), upstate::Diagnostics> {
                Ok(())
            }
        }
    };
}

mod action;
mod beside;
mod caught;
mod check;
mod compare;
mod configuration;
mod context;
mod data_source;
mod diagnostics;
mod docs;
mod ephemeral;
mod erased;
mod function;
#[cfg(feature = "http-log")]
mod http_log;
mod kept;
mod list_resource;
mod log;
mod misnamed;
mod package;
mod plan;
mod private;
mod proto;
mod provider;
mod resource;
mod secrets;
mod serve;
mod service;
mod signals;
#[cfg(feature = "testing")]
pub mod testing;
mod timeouts;
mod tls;
mod wire;

pub use action::{Action, Progress};
pub use beside::Beside;
pub use configuration::Configuration;
pub use context::Context;
pub use data_source::DataSource;
pub use docs::Docs;
pub use ephemeral::{EphemeralResource, Opened};
pub use function::Function;
#[cfg(feature = "http-log")]
pub use http_log::{HttpExchange, HttpLog, LoggedHttp};
pub use list_resource::{Found, ListResource};
pub use plan::{Change, GeneratedConfig, Planned, ResourceConfig};
pub use private::Private;
pub use provider::Provider;
pub use resource::{IdentifiedResource, ManagedResource};
pub use serve::Reattached;
pub use timeouts::{Timeouts, within};
