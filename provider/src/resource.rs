//! What the author of a resource writes.

use std::future::{Future, ready};

use upstate::{CurrentModel, Diagnostic, Diagnostics};

use crate::context::Context;
use crate::plan::{self, GeneratedConfig, Planned, ResourceConfig};

/// A model that Terraform can create, read, update and delete.
///
/// The functions get whole models. In the plan of a creation or an update, a computed attribute that is not known yet is `None` if its
/// field is an `Option`, and otherwise an empty value, which the function replaces; a string that it forgets to replace is refused.
/// Write-only attributes hold the user's values, in `create` and `update` only.
///
/// Errors are [`Diagnostics`], into which a `String` converts with `?`. A panic becomes a diagnostic.
pub trait ManagedResource: CurrentModel + Send + Sync {
    /// What the provider's configuration makes, and its resources and their upgrades share. Cloned for each call.
    type Client: Clone + Send + Sync + 'static;

    /// Computed attributes that keep their value when the resource is updated. All others are shown as not known.
    ///
    /// One inside of nested objects or blocks is named with dots, `"rules.id"`, for every element of a list, a set or a map. An element of a list
    /// is what was at its index before; one of a map, under its key; one of a set, with the same configured values.
    const STABLE: &'static [&'static str] = &["id"];

    /// Makes what is planned, and answers what it then is.
    fn create(plan: Self, context: &mut Context<Self::Client>) -> impl Future<Output = Result<Self, Diagnostics>> + Send;

    /// Answers what is there now; `None` if it is gone.
    fn read(state: Self, context: &mut Context<Self::Client>) -> impl Future<Output = Result<Option<Self>, Diagnostics>> + Send;

    /// Changes what is there to what is planned, and answers what it then is.
    fn update(
        plan: Self,
        prior: Self,
        context: &mut Context<Self::Client>,
    ) -> impl Future<Output = Result<Self, Diagnostics>> + Send;

    /// Deletes what is there. What is gone already is deleted.
    fn delete(state: Self, context: &mut Context<Self::Client>) -> impl Future<Output = Result<(), Diagnostics>> + Send;

    /// The attribute that the id of an import is the value of, if [`read`](Self::read) finds a resource by that one alone. Import by
    /// identity then finds it by the attributes that are called like those of the identity.
    const IMPORT_ID: Option<&'static str> = None;

    /// Finds what `terraform import` names; `None` if there is no such thing. Unless this is written, it is refused, or reads what
    /// [`IMPORT_ID`](Self::IMPORT_ID) says: `read` is then given a state in which nothing else is set (`None` where the field is an
    /// `Option`, and otherwise an empty value), and answers it whole.
    fn import(id: &str, context: &mut Context<Self::Client>) -> impl Future<Output = Result<Option<Self>, Diagnostics>> + Send {
        let named = Self::IMPORT_ID.map(|attribute| plan::named::<Self>([(attribute.to_owned(), id.into())]));
        async move {
            if let Some(state) = named {
                return Self::read(state?, context).await;
            }
            let detail = format!("Resources of type {} can't be imported.", Self::TYPE_NAME);
            Err(Diagnostic::error("Resource Import Not Implemented", detail).into())
        }
    }

    /// Looks at a plan, adjusts what is computed in it, or refuses it.
    fn modify_plan(
        plan: &mut Planned<Self>,
        context: &mut Context<Self::Client>,
    ) -> impl Future<Output = Result<(), Diagnostics>> + Send {
        let _ = (plan, context);
        ready(Ok(()))
    }

    /// Adjusts the configuration that Terraform writes for a resource that was imported or found, with `-generate-config-out`. Leaves it
    /// as it is unless this is written: all of the state that a user could have written.
    fn generate_config(config: &mut GeneratedConfig<Self>) {
        let _ = config;
    }

    /// Checks what the user wrote, beyond what the model's types say. There is no client yet.
    ///
    /// # Errors
    /// What is wrong, with the path of the attribute.
    fn validate(config: &ResourceConfig<Self>) -> Result<(), Diagnostics> {
        let _ = config;
        Ok(())
    }
}

/// A resource that has an identity: what tells it from all others of its type, beside its state.
///
/// Its model names the identity's, `#[resource(identity = ThingIdentity, …)]`; register it with
/// [`Provider::with_identified`](crate::Provider::with_identified).
///
/// ```
/// use upstate::{Diagnostics, Resource};
/// use upstate_provider::{Context, IdentifiedResource, ManagedResource};
///
/// #[derive(Resource)]
/// #[resource(type_name = "example_greeting", version = 0, identity = GreetingIdentity)]
/// struct Greeting {
///     name: String,
/// }
///
/// #[derive(Resource)]
/// #[resource(type_name = "example_greeting_identity", version = 0)]
/// struct GreetingIdentity {
///     name: String,
/// }
///
/// impl IdentifiedResource for Greeting {
///     type Identity = GreetingIdentity;
///
///     fn identity(&self) -> GreetingIdentity {
///         GreetingIdentity { name: self.name.clone() }
///     }
///
///     async fn import_identity(identity: GreetingIdentity, _: &mut Context<()>) -> Result<Option<Self>, Diagnostics> {
///         Ok(Some(Greeting { name: identity.name }))
///     }
/// }
/// # impl ManagedResource for Greeting {
/// #     type Client = ();
/// #     async fn create(plan: Self, _: &mut Context<()>) -> Result<Self, Diagnostics> { Ok(plan) }
/// #     async fn read(state: Self, _: &mut Context<()>) -> Result<Option<Self>, Diagnostics> { Ok(Some(state)) }
/// #     async fn update(plan: Self, _: Self, _: &mut Context<()>) -> Result<Self, Diagnostics> { Ok(plan) }
/// #     async fn delete(_: Self, _: &mut Context<()>) -> Result<(), Diagnostics> { Ok(()) }
/// # }
/// ```
pub trait IdentifiedResource: ManagedResource {
    /// The model of the identity, with a history of its own. Required attributes are those that an import needs.
    type Identity: CurrentModel + Send;

    /// The identity of a resource.
    fn identity(&self) -> Self::Identity;

    /// Finds what an `import` block names by its identity; `None` if there is no such thing. Unless this is written, it is refused, or
    /// reads what [`IMPORT_ID`](ManagedResource::IMPORT_ID) says.
    fn import_identity(
        identity: Self::Identity,
        context: &mut Context<Self::Client>,
    ) -> impl Future<Output = Result<Option<Self>, Diagnostics>> + Send {
        let named = Self::IMPORT_ID.map(|_| plan::named_by::<Self, Self::Identity>(&identity));
        async move {
            if let Some(state) = named {
                return Self::read(state?, context).await;
            }
            let detail = format!("Resources of type {} can't be imported by identity; import them by id.", Self::TYPE_NAME);
            Err(Diagnostic::error("Resource Import Not Implemented", detail).into())
        }
    }
}
