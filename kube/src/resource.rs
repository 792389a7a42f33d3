//! The trait that the derive implements.

use upstate::{CurrentModel, Document, Resource, ResourceDefinition};

use crate::crd::{CustomResourceDefinition, Webhook};
use crate::error::CrdError;
use crate::facts::Facts;
use crate::model::Model;

/// The spec of a custom resource: a document with `#[kube(…)]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a custom resource",
    label = "not a custom resource",
    note = "add `#[kube(group = \"…\", kind = \"…\", version(0 = \"v1\", storage))]` to a struct that derives `upstate::Document`"
)]
pub trait CustomResource: CurrentModel {
    /// Its names and versions.
    const FACTS: &'static Facts;
    /// The document that is its status, or [`NoStatus`].
    type Status: Resource;
    /// The owner of its objects, as a type: [`scope::Namespaced`] or [`scope::Cluster`].
    type Scope: scope::Scope;
    /// The document that is its status.
    #[doc(hidden)]
    const STATUS: Option<&'static ResourceDefinition> = if Self::FACTS.status {
        Some(<Self::Status as Resource>::DEFINITION)
    } else {
        None
    };
    /// The version of that document.
    #[doc(hidden)]
    const STATUS_VERSION: Option<u64> = if Self::FACTS.status {
        Some(<Self::Status as Resource>::VERSION)
    } else {
        None
    };

    /// The definition of a custom resource whose versions have one shape, so that nothing converts
    /// them.
    ///
    /// # Errors
    /// Versions differ, or Kubernetes cannot describe one of them.
    fn crd() -> Result<CustomResourceDefinition, CrdError> {
        CustomResourceDefinition::new(&model::<Self>()?, None)
    }

    /// The definition of a custom resource whose versions a webhook converts.
    ///
    /// # Errors
    /// Kubernetes cannot describe a version, or call the webhook, or an older version can hold no
    /// object of the current one.
    fn crd_with(webhook: &Webhook) -> Result<CustomResourceDefinition, CrdError> {
        CustomResourceDefinition::new(&model::<Self>()?, Some(webhook))
    }
}

/// The status of a custom resource that has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Document)]
#[document(type_name = "upstate.no_status")]
pub struct NoStatus {}

/// The owners of objects, as types.
pub mod scope {
    /// A [`Scope`](crate::Scope) as a type: one of those that are here.
    pub trait Scope {}

    /// Objects that have a namespace.
    #[derive(Debug, Clone, Copy)]
    pub struct Namespaced;

    /// Objects that are the cluster's.
    #[derive(Debug, Clone, Copy)]
    pub struct Cluster;

    impl Scope for Namespaced {}
    impl Scope for Cluster {}
}

/// The model of a custom resource.
pub(crate) fn model<T: CustomResource>() -> Result<Model, CrdError> {
    Model::new(T::FACTS, T::DEFINITION, T::STATUS)
}
