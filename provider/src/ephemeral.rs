//! The trait for authors of an ephemeral resource.

use std::fmt;
use std::future::{Future, ready};
use std::time::SystemTime;

use upstate::__internal::HasTerraformTypes;
use upstate::{CurrentModel, Diagnostics};

use crate::context::Context;
use crate::diagnostics;
use crate::plan::ResourceConfig;

/// A model that Terraform opens with an `ephemeral` block, uses while it runs, and stores nowhere:
/// a token, a password, a tunnel.
///
/// Terraform 1.10 or later. The model is `stateless`, as that of a data source: what the provider
/// makes is `computed`. What has to be known again in [`renew`](Self::renew) and
/// [`close`](Self::close) is kept in [`Context::private_mut`]. What `renew` changes there reaches
/// the next `renew`; `close` may get what `open` kept (Terraform 1.15 does that).
///
/// ```
/// use std::time::{Duration, SystemTime};
///
/// use upstate::{Diagnostics, Resource};
/// use upstate_provider::{Context, EphemeralResource, Opened};
///
/// /// A token for one run.
/// #[derive(Resource)]
/// #[resource(type_name = "example_token", stateless)]
/// struct Token {
///     /// What the token is for.
///     scope: String,
///     /// The token.
///     #[attribute(computed, sensitive)]
///     value: String,
/// }
///
/// impl EphemeralResource for Token {
///     type Client = ();
///
///     async fn open(config: Self, context: &mut Context<()>) -> Result<Opened<Self>, Diagnostics> {
///         context.private_mut().set("token", "t-1");
///         let token = Opened::new(Token { value: "t-1".to_owned(), ..config });
///         Ok(token.renew_at(SystemTime::now() + Duration::from_mins(10)))
///     }
///
///     async fn renew(context: &mut Context<()>) -> Result<Option<SystemTime>, Diagnostics> {
///         assert_eq!(context.private().get("token"), Some(&b"t-1"[..]));
///         Ok(Some(SystemTime::now() + Duration::from_mins(10)))
///     }
///
///     async fn close(context: &mut Context<()>) -> Result<(), Diagnostics> {
///         context.private_mut().remove("token");
///         Ok(())
///     }
/// }
/// # #[derive(upstate::Object)]
/// # struct Config {}
/// # let provider = upstate_provider::Provider::new("example.com/me/example", async |_: Config| Ok(()));
/// let provider = provider.with_ephemeral_resource::<Token>();
/// # provider.check().unwrap();
/// ```
pub trait EphemeralResource:
    CurrentModel<Plan: Send, Values: HasTerraformTypes> + Send + Sync
{
    /// The client that the provider's configuration makes. Cloned for each call.
    type Client: Clone + Send + Sync + 'static;

    /// Makes what the configuration asks for. A computed field of `config` is `None` if it is an
    /// `Option`, and otherwise an empty value, which the function replaces. A model that says
    /// `plan` gets its configuration as a type of its own, `TokenPlan`, in which computed fields
    /// have no value, so that none can be forgotten.
    fn open(
        config: Self::Plan,
        context: &mut Context<Self::Client>,
    ) -> impl Future<Output = Result<Opened<Self>, Diagnostics>> + Send;

    /// Renews the resource at the time that `open` or the last `renew` named, and returns the next
    /// such time, if there is one. The default refuses.
    fn renew(
        context: &mut Context<Self::Client>,
    ) -> impl Future<Output = Result<Option<SystemTime>, Diagnostics>> + Send {
        let _ = context;
        ready(Err(diagnostics::no_renewal(Self::TYPE_NAME).into()))
    }

    /// Closes the resource when Terraform no longer needs it. The default does nothing.
    fn close(
        context: &mut Context<Self::Client>,
    ) -> impl Future<Output = Result<(), Diagnostics>> + Send {
        let _ = context;
        ready(Ok(()))
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

/// An ephemeral resource that is open.
pub struct Opened<T> {
    pub(crate) model: T,
    pub(crate) renew_at: Option<SystemTime>,
}

impl<T> Opened<T> {
    /// One that needs no renewal.
    pub fn new(model: T) -> Self {
        Self {
            model,
            renew_at: None,
        }
    }

    /// Asks Terraform to renew it at this time, or a little later.
    #[must_use]
    pub fn renew_at(mut self, time: SystemTime) -> Self {
        self.renew_at = Some(time);
        self
    }
}

/// Says when, not what: it may be a secret.
impl<T> fmt::Debug for Opened<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Opened")
            .field("renew_at", &self.renew_at)
            .finish_non_exhaustive()
    }
}
