//! The trait for authors of a list resource.

use std::fmt;
use std::future::Future;
use std::ops::ControlFlow;

use tokio::sync::mpsc;
use upstate::__internal::HasTerraformTypes;
use upstate::{CurrentModel, Diagnostics, EncodeError, Object};

use crate::context::Context;
use crate::plan::ResourceConfig;
use crate::resource::{IdentifiedResource, ManagedResource};

/// Finds resources of one type that are there, whether Terraform manages them or not: what a `list`
/// block of `terraform query` shows.
///
/// Terraform 1.14 or later. The model is what users write in the block's `config`, and has the type
/// name of the resource that is listed; `stateless`, nothing in it is `computed`.
///
/// ```
/// use upstate::{Diagnostics, Resource};
/// use upstate_provider::{Context, Found, IdentifiedResource, ListResource, ManagedResource};
///
/// # #[derive(Resource)]
/// # #[resource(type_name = "example_boat", version = 0, identity = BoatIdentity)]
/// # struct Boat { name: String }
/// # #[derive(Resource)]
/// # #[resource(type_name = "example_boat_identity", version = 0)]
/// # struct BoatIdentity { name: String }
/// # impl ManagedResource for Boat {
/// #     type Client = ();
/// #     async fn create(plan: Self, _: &mut Context<()>) -> Result<Self, Diagnostics> { Ok(plan) }
/// #     async fn read(state: Self, _: &mut Context<()>) -> Result<Option<Self>, Diagnostics> { Ok(Some(state)) }
/// #     async fn update(plan: Self, _: Self, _: &mut Context<()>) -> Result<Self, Diagnostics> { Ok(plan) }
/// #     async fn delete(_: Self, _: &mut Context<()>) -> Result<(), Diagnostics> { Ok(()) }
/// # }
/// # impl IdentifiedResource for Boat {
/// #     type Identity = BoatIdentity;
/// #     fn identity(&self) -> BoatIdentity { BoatIdentity { name: self.name.clone() } }
/// # }
/// /// Boats whose name begins like this.
/// #[derive(Resource)]
/// #[resource(type_name = "example_boat", stateless)]
/// struct Boats {
///     prefix: Option<String>,
/// }
///
/// impl ListResource for Boats {
///     type Resource = Boat;
///
///     async fn list(config: Self, found: &mut Found<Boat>, _context: &mut Context<()>) -> Result<(), Diagnostics> {
///         let prefix = config.prefix.unwrap_or_default();
///         for name in ["ada", "bea"].into_iter().filter(|name| name.starts_with(&prefix)) {
///             if found.add(&Boat { name: name.to_owned() }, name).await.is_break() {
///                 break;
///             }
///         }
///         Ok(())
///     }
/// }
/// # #[derive(upstate::Object)]
/// # struct Config {}
/// # let provider = upstate_provider::Provider::new("example.com/me/example", async |_: Config| Ok(()));
/// let provider = provider.with_identified::<Boat>().with_list_resource::<Boats>();
/// # provider.check().unwrap();
/// ```
pub trait ListResource: CurrentModel<Values: HasTerraformTypes> + Send + Sync {
    /// The resource that is listed. It is registered too, and has the same type name.
    type Resource: IdentifiedResource;

    /// Finds what the configuration asks for, and adds each to `found` as soon as it is known:
    /// Terraform shows it then, and stops asking when it has enough.
    fn list(
        config: Self,
        found: &mut Found<Self::Resource>,
        context: &mut Context<<Self::Resource as ManagedResource>::Client>,
    ) -> impl Future<Output = Result<(), Diagnostics>> + Send;

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

/// Takes what a list finds, and passes it on to Terraform.
pub struct Found<R: IdentifiedResource> {
    to: mpsc::Sender<Entry>,
    whole: bool,
    limit: u64,
    added: u64,
    error: Option<EncodeError>,
    identity: fn(&R) -> R::Identity,
}

/// One resource that was found, as `MessagePack`.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) identity: Vec<u8>,
    pub(crate) display_name: String,
    pub(crate) resource: Option<Vec<u8>>,
}

/// Terraform's request to a list.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted {
    /// The whole resources, not their identities alone.
    pub(crate) whole: bool,
    /// The greatest number.
    pub(crate) limit: u64,
}

impl<R: IdentifiedResource> Found<R> {
    pub(crate) fn new(to: mpsc::Sender<Entry>, wanted: Wanted) -> Self {
        let Wanted { whole, limit } = wanted;
        Self {
            to,
            whole,
            limit,
            added: 0,
            error: None,
            identity: R::identity,
        }
    }

    /// True if Terraform wants whole resources. Otherwise it needs their identities alone, and
    /// [`add_identity`](Self::add_identity) may save a call.
    pub fn wants_resources(&self) -> bool {
        self.whole
    }

    /// The number that Terraform still takes.
    pub fn limit(&self) -> u64 {
        self.limit - self.added
    }

    /// Adds a resource under a name that users know it by. `Break` says that no more are needed.
    pub async fn add(&mut self, resource: &R, display_name: impl Into<String>) -> ControlFlow<()> {
        let whole = self
            .whole
            .then(|| upstate::to_msgpack(resource))
            .transpose();
        let identity = (self.identity)(resource);
        self.push(&identity, display_name.into(), whole).await
    }

    /// Adds a resource of which no more than the identity is known. If Terraform wants whole
    /// resources, it does not see its attributes, and writes no configuration for it.
    pub async fn add_identity(
        &mut self,
        identity: &R::Identity,
        display_name: impl Into<String>,
    ) -> ControlFlow<()> {
        self.push(identity, display_name.into(), Ok(None)).await
    }

    async fn push(
        &mut self,
        identity: &R::Identity,
        display_name: String,
        resource: Result<Option<Vec<u8>>, EncodeError>,
    ) -> ControlFlow<()> {
        if self.limit() == 0 || self.error.is_some() {
            return ControlFlow::Break(());
        }
        match resource.and_then(|resource| {
            Ok(Entry {
                identity: encoded(identity)?,
                display_name,
                resource,
            })
        }) {
            Ok(entry) => {
                if self.to.send(entry).await.is_err() {
                    return ControlFlow::Break(());
                }
                self.added += 1;
            }
            Err(error) => self.error = Some(error),
        }
        if self.limit() == 0 || self.error.is_some() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    /// The reason why an added item could not be passed on.
    pub(crate) fn into_error(self) -> Option<EncodeError> {
        self.error
    }
}

fn encoded<T: Object>(model: &T) -> Result<Vec<u8>, EncodeError> {
    upstate::to_msgpack(model)
}

/// Says how many, not which: they may hold secrets.
impl<R: IdentifiedResource> fmt::Debug for Found<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Found")
            .field("added", &self.added)
            .field("limit", &self.limit)
            .finish_non_exhaustive()
    }
}
