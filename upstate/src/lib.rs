//! Versioned resource models: declare today's shape and every earlier one, and read whatever any
//! release wrote.
//!
//! A model is a struct that derives [`Resource`](derive@Resource). It says which schema version it
//! describes and which versions came before it, here each as a model of its own:
//!
//! ```
//! use upstate::Resource;
//!
//! /// A thing, as version 2 stores it.
//! #[derive(Debug, PartialEq, Resource)]
//! #[resource(type_name = "example_thing", version = 2)]
//! #[upgrade_from(0, model = ThingV0)]
//! #[upgrade_from(1, model = ThingV1)]
//! pub struct Thing {
//!     /// Assigned by the API.
//!     #[attribute(computed)]
//!     pub id: String,
//!     pub size: Option<i64>,
//! }
//!
//! #[derive(Resource)]
//! #[resource(type_name = "example_thing", version = 1, prior)]
//! pub struct ThingV1 { pub id: String, pub size: Option<String> }
//!
//! #[derive(Resource)]
//! #[resource(type_name = "example_thing", version = 0)]
//! pub struct ThingV0 { pub id: String }
//!
//! impl TryFrom<ThingV1> for Thing {
//!     type Error = String;
//!     fn try_from(prior: ThingV1) -> Result<Self, String> {
//!         let size = prior.size.map(|size| size.parse()).transpose().map_err(|_| "the size is not a number")?;
//!         Ok(Thing { id: prior.id, size })
//!     }
//! }
//!
//! impl From<ThingV0> for Thing {
//!     fn from(prior: ThingV0) -> Self {
//!         Thing { id: prior.id, size: None }
//!     }
//! }
//!
//! let thing: Thing = upstate::upgrade_json(1, br#"{"id": "a", "size": "7"}"#)?;
//! assert_eq!(thing, Thing { id: "a".into(), size: Some(7) });
//! # Ok::<(), upstate::Diagnostics>(())
//! ```
//!
//! The compiler proves that every stored version reaches the current one. [`Registry`] runs
//! upgrades without naming Rust types.
//!
//! | module | contents |
//! |---|---|
//! | the root | the derives and their traits, [`Registry`], requests and responses, diagnostics, [`Value`], reading and writing models |
//! | [`schema`] | the shape of a resource at one schema version, and building one at run time |
//! | [`upgrade`] | the upgraders of a model as data, moves, cancellation, definitions made of closures |
//! | [`batch`] | many upgrades over all cores |
//! | [`codec`] | encodings, and the errors of reading them |
//! | [`registry`] | what a provider serves besides resources, for the lock |
//! | [`path`], [`value`] | attribute paths and untyped values in detail |
//! | `testing` | fixtures and hostile inputs for your own tests |
//!
//! | feature | adds |
//! |---|---|
//! | `derive` (default) | the derives `Resource`, `Object` and `StringEnum` |
//! | `testing` | the module `testing` |
//!
//! The crate `upstate-state` runs upgrades on Terraform state files and on documents of your own,
//! `upstate-compat` compares two releases, `upstate-cli` gives a program subcommands,
//! `upstate-provider` serves Terraform.
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "derive")]
#[doc(inline)]
pub use upstate_macros::{AnyOf, Document, Object, Resource, StringEnum, Union};

// All else is in a crate of its own, which compiles beside the derives and what these are made
// with, so that a first build takes less time.
#[doc(inline)]
pub use upstate_runtime::*;
