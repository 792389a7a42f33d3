//! Facts of a custom resource, which the derive writes and the runtime keeps beside the document's
//! shape.

pub(crate) use upstate::__internal::custom_resource::Maturity;
#[doc(inline)]
pub use upstate::__internal::custom_resource::{
    Column, Deprecated, Facts, Rule, Scale, Scope, Version,
};

/// Refuses, at compile time, a status with other versions than the spec.
#[doc(hidden)]
#[track_caller]
pub const fn check_status(status: Option<u64>, spec: u64) {
    if let Some(version) = status {
        assert!(
            version == 0 || version == spec,
            "the status has its own versions, and Kubernetes has one version for a whole object\nhelp: give the status the `version` of the spec, or 0 if it never changed"
        );
    }
}
