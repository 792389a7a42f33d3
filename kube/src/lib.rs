//! Kubernetes custom resources in every version.
//!
//! The spec of a custom resource is a document: a struct that derives
//! [`Document`](upstate::Document), with the versions that came before it. `#[kube(…)]` says what
//! Kubernetes wants to know besides, and this crate writes the `CustomResourceDefinition` with a
//! schema for each version, and converts objects between them.
//!
//! ```
//! use upstate::Document;
//! use upstate_kube::{CustomResource, Webhook};
//!
//! /// A boat of the ferry.
//! #[derive(Debug, PartialEq, Document)]
//! #[document(type_name = "ferry.boat", version = 1)]
//! #[upgrade_from(0 => 1, nest(colour => paint))]
//! #[kube(group = "ferry.example.com", kind = "Boat", version(0 = "v1alpha1", deprecated), version(1 = "v1", storage))]
//! struct Boat { paint: Paint, length: Option<u32> }
//!
//! #[derive(Debug, PartialEq, Document)]
//! struct Paint { colour: String }
//!
//! let definition = Boat::crd_with(&Webhook::service("ferry", "webhook"))?;
//! assert!(definition.to_yaml().contains("name: boats.ferry.example.com"));
//! # Ok::<(), upstate_kube::CrdError>(())
//! ```
//!
#![doc = include_str!("../docs/kube.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod convert;
mod cost;
mod crd;
mod declared;
mod engine;
mod error;
mod facts;
mod held;
mod kept;
#[cfg(feature = "kube-rs")]
mod kube_rs;
mod model;
mod own_schema;
#[cfg(feature = "program")]
pub mod program;
mod resource;
mod review;
mod sample;
mod schema;
mod stored;
mod structural;
mod text;
mod value;
#[cfg(feature = "webhook")]
pub mod webhook;
mod wire;

pub use crd::{CustomResourceDefinition, Webhook};
pub use error::CrdError;
pub use facts::{Column, Deprecated, Facts, Rule, Scale, Scope, Version};
#[cfg(feature = "kube-rs")]
pub use kube_rs::{CustomObject, KubeScope};
// It has a hidden name here for the compiler's messages, as `upstate::codec::FieldType` has.
#[doc(hidden)]
pub use own_schema::OwnSchema;
pub use resource::{CustomResource, NoStatus, scope};
pub use review::{Answer, Converter, LARGEST_REVIEW, NotAReview};

/// Items for generated code. No part of the public interface: it changes without notice.
#[doc(hidden)]
pub mod __private {
    pub use crate::facts::check_status;
    pub use crate::own_schema::OwnSchema;
    pub use upstate::Resource;
}
