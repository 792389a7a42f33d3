//! The trait for authors of a resource.

use std::future::{Future, ready};

use upstate::__internal::HasTerraformTypes;
use upstate::{AttributeNames, CurrentModel, Diagnostics};

use crate::context::Context;
use crate::diagnostics;
use crate::plan::{self, Filled, Fillers, GeneratedConfig, Named, Planned, ResourceConfig};

/// A model that Terraform can create, read, update and delete.
///
/// The functions get whole models. In the plan of a creation or an update, a computed attribute
/// that is not known yet is `None` if its field is an `Option`, and otherwise a value that nothing
/// real has, which the function replaces; what it forgets is refused. A field whose type has no
/// value to spare (a bool, an enum, an integer of 8 or 16 bits) has to be an `Option` if it is
/// computed. Write-only attributes hold the user's values, in `create` and `update` only.
///
/// A stored null in a field that is not an `Option`, as providers in Go may have left it, is also
/// such a value in `read`, `update` and `delete`; it stays null unless `read` answers something
/// else.
///
/// A model that says `#[resource(plan)]` has a plan of its own type, in which what the provider
/// says is [`Computed`](upstate::Computed): known, or not. Nothing in it only fills a place, and
/// the model cannot be made without what is computed, in nested objects too.
///
/// ```
/// use upstate::{Diagnostics, Resource};
/// use upstate_provider::{Context, ManagedResource};
///
/// #[derive(Resource)]
/// #[resource(type_name = "example_greeting", version = 0, plan)]
/// struct Greeting {
///     #[attribute(computed)]
///     id: String,
///     #[attribute(computed)]
///     loud: bool,
///     name: String,
/// }
///
/// impl ManagedResource for Greeting {
///     type Client = ();
///
///     async fn create(plan: GreetingPlan, _: &mut Context<()>) -> Result<Self, Diagnostics> {
///         let id = plan.id.unwrap_or_else(|| format!("hello-{}", plan.name));
///         Ok(Greeting { id, loud: plan.name.ends_with('!'), name: plan.name })
///     }
///
///     async fn update(plan: GreetingPlan, prior: Self, context: &mut Context<()>) -> Result<Self, Diagnostics> {
///         Self::create(plan, context).await
///     }
///
///     async fn read(state: Self, _: &mut Context<()>) -> Result<Option<Self>, Diagnostics> {
///         Ok(Some(state))
///     }
///
///     async fn delete(_: Self, _: &mut Context<()>) -> Result<(), Diagnostics> {
///         Ok(())
///     }
/// }
/// ```
///
/// Errors are [`Diagnostics`], into which a `String` converts with `?`. A panic becomes a
/// diagnostic.
pub trait ManagedResource:
    CurrentModel<Plan: Send, Values: HasTerraformTypes> + Send + Sync
{
    /// The client that the provider's configuration makes, and that its resources and their
    /// upgrades share. Cloned for each call.
    type Client: Clone + Send + Sync + 'static;

    /// Computed attributes that keep their value when the resource is updated. A plan shows all
    /// others as not known.
    ///
    /// Dots lead into nested objects and blocks, and into every element of a list, set or map:
    /// `"rules.id"`. Elements are matched with the prior ones by index in a list, by key in a map,
    /// and by their configured values in a set.
    const STABLE: &'static [&'static str] = &["id"];

    /// More of them, as paths that the compiler checks: `&[Thing::PATHS.rules.id.names()]`, for a
    /// model that says `plan` or `paths`.
    const STABLE_PATHS: &'static [AttributeNames] = &[];

    /// Attributes that are stored, and for each the write-only one beside it that stores nothing:
    /// `&[("password", "password_wo")]`, with dots as in [`STABLE`](Self::STABLE). Terraform warns
    /// who sets the first, if it is 1.11 or later.
    const PREFER_WRITE_ONLY: &'static [(&'static str, &'static str)] = &[];

    /// Creates the planned resource, and returns it with everything that is computed. `Self::Plan`
    /// is `Self`, or `ThingPlan` for a `Thing` that says `plan`.
    fn create(
        plan: Self::Plan,
        context: &mut Context<Self::Client>,
    ) -> impl Future<Output = Result<Self, Diagnostics>> + Send;

    /// Returns the resource as it is now; `None` if it is gone.
    fn read(
        state: Self,
        context: &mut Context<Self::Client>,
    ) -> impl Future<Output = Result<Option<Self>, Diagnostics>> + Send;

    /// Changes the resource to what is planned, and returns it with everything that is computed.
    fn update(
        plan: Self::Plan,
        prior: Self,
        context: &mut Context<Self::Client>,
    ) -> impl Future<Output = Result<Self, Diagnostics>> + Send;

    /// Deletes the resource. A resource that is gone already is not an error.
    fn delete(
        state: Self,
        context: &mut Context<Self::Client>,
    ) -> impl Future<Output = Result<(), Diagnostics>> + Send;

    /// The attribute that gets the id of `terraform import`, if [`read`](Self::read) finds a
    /// resource by that attribute alone. Import by identity then sets the attributes that have the
    /// names of those of the identity.
    const IMPORT_ID: Option<&'static str> = None;

    /// Finds the resource that `terraform import` names; `None` if it does not exist. The default
    /// refuses the import. With [`IMPORT_ID`](Self::IMPORT_ID), it calls `read` with a state in
    /// which only that attribute is set (others are `None` where the field is an `Option`, and
    /// otherwise a value that nothing real has), and `read` returns the whole resource. Where a
    /// bool or an enum could have been left as it was, `read` is called again with another one.
    fn import(
        id: &str,
        context: &mut Context<Self::Client>,
    ) -> impl Future<Output = Result<Option<Self>, Diagnostics>> + Send {
        let named = Self::IMPORT_ID.map(|attribute| plan::by_id(attribute, id));
        async move {
            if let Some(named) = named {
                return read_named(&named, context).await;
            }
            Err(diagnostics::no_import(Self::TYPE_NAME).into())
        }
    }

    /// Adjusts the computed attributes of a plan, or refuses the plan. The default does neither.
    fn modify_plan(
        plan: &mut Planned<Self>,
        context: &mut Context<Self::Client>,
    ) -> impl Future<Output = Result<(), Diagnostics>> + Send {
        let _ = (plan, context);
        ready(Ok(()))
    }

    /// Adjusts the configuration that Terraform writes for an imported or listed resource with
    /// `-generate-config-out`. The default changes nothing: the configuration has every attribute
    /// of the state that a user can set.
    fn generate_config(config: &mut GeneratedConfig<Self>) {
        let _ = config;
    }

    /// Checks what the types of the model cannot say about the user's configuration. It runs before
    /// the provider is configured, so there is no client.
    ///
    /// # Errors
    /// The mistake, with the path of the attribute.
    fn validate(config: &ResourceConfig<Self>) -> Result<(), Diagnostics> {
        let _ = config;
        Ok(())
    }
}

/// Reads a resource of which no more is known than what an import names.
async fn read_named<R: ManagedResource>(
    named: &Named,
    context: &mut Context<R::Client>,
) -> Result<Option<R>, Diagnostics> {
    let Filled { model, value, .. } = plan::named::<R>(named, Fillers::Marked)?;
    let Some(found) = R::read(model, context).await? else {
        return Ok(None);
    };
    if !plan::may_stand_in(&found, &value)? {
        return Ok(Some(found));
    }
    // A bool may be false, or nobody set it: asked again with true, the answer tells.
    let other = plan::named::<R>(named, Fillers::Others)?;
    let Some(again) = R::read(other.model, context).await? else {
        return Ok(None);
    };
    match plan::never_set([&found, &again], [&value, &other.value])? {
        Some(path) => Err(diagnostics::not_set_by_read(path).into()),
        None => Ok(Some(found)),
    }
}

/// A resource with an identity, which tells it from all others of its type and is kept next to its
/// state.
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
    /// The model of the identity, with a history of its own. Required attributes are those that an
    /// import needs.
    type Identity: CurrentModel + Send;

    /// True if the identity of an object may change while it is there. Where it may not, an update
    /// or a read that finds another is an error: the provider looks at another object.
    const MUTABLE_IDENTITY: bool = false;

    /// The identity of a resource.
    fn identity(&self) -> Self::Identity;

    /// Finds the resource that an `import` block names by its identity; `None` if it does not
    /// exist. The default refuses the import, or reads as [`IMPORT_ID`](ManagedResource::IMPORT_ID)
    /// says.
    fn import_identity(
        identity: Self::Identity,
        context: &mut Context<Self::Client>,
    ) -> impl Future<Output = Result<Option<Self>, Diagnostics>> + Send {
        let named = Self::IMPORT_ID.map(|_| plan::by_identity(&identity));
        async move {
            if let Some(named) = named {
                return read_named(&named?, context).await;
            }
            Err(diagnostics::no_import_by_identity(Self::TYPE_NAME).into())
        }
    }
}
