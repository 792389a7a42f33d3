//! The trait for authors of an action.

use std::fmt;
use std::future::{Future, ready};

use tokio::sync::mpsc;
use upstate::__internal::HasTerraformTypes;
use upstate::{CurrentModel, Diagnostics};

use crate::context::Context;
use crate::plan::ResourceConfig;

/// A model of something that Terraform can do and that leaves no state behind: restart a machine,
/// send a message, clear a cache.
///
/// Terraform 1.14 or later. Users write an `action` block, and either let a resource's `lifecycle`
/// trigger it or call it by name with `terraform apply -invoke`. The model is what they configure:
/// `stateless`, nothing in it is `computed`.
///
/// ```
/// use upstate::{Diagnostics, Resource};
/// use upstate_provider::{Action, Context, Progress};
///
/// /// Sounds the horn.
/// #[derive(Resource)]
/// #[resource(type_name = "example_horn", stateless)]
/// struct Horn {
///     /// How often.
///     times: u8,
/// }
///
/// impl Action for Horn {
///     type Client = ();
///
///     async fn invoke(config: Self, progress: &Progress, _context: &mut Context<()>) -> Result<(), Diagnostics> {
///         for time in 1..=config.times {
///             progress.report(format!("{time} of {}", config.times));
///         }
///         Ok(())
///     }
/// }
/// # #[derive(upstate::Object)]
/// # struct Config {}
/// # let provider = upstate_provider::Provider::new("example.com/me/example", async |_: Config| Ok(()));
/// let provider = provider.with_action::<Horn>();
/// # provider.check().unwrap();
/// ```
pub trait Action: CurrentModel<Values: HasTerraformTypes> + Send + Sync {
    /// The client that the provider's configuration makes. Cloned for each call.
    type Client: Clone + Send + Sync + 'static;

    /// Runs the action. Terraform shows each message for `progress` at once. The action runs to its
    /// end even if the user wants Terraform to stop; ask [`Context::is_stopping`] where it can end
    /// early.
    fn invoke(
        config: Self,
        progress: &Progress,
        context: &mut Context<Self::Client>,
    ) -> impl Future<Output = Result<(), Diagnostics>> + Send;

    /// Refuses the action while Terraform plans, or warns. Parts of the configuration may not be
    /// known yet. The default accepts everything.
    fn plan(
        config: &ResourceConfig<Self>,
        context: &mut Context<Self::Client>,
    ) -> impl Future<Output = Result<(), Diagnostics>> + Send {
        let _ = (config, context);
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

/// Tells the user how far an action is.
pub struct Progress(mpsc::UnboundedSender<String>);

impl Progress {
    pub(crate) fn new() -> (Self, mpsc::UnboundedReceiver<String>) {
        let (sender, receiver) = mpsc::unbounded_channel();
        (Self(sender), receiver)
    }

    /// Shows a message. Sensitive values of the configuration are taken out of it.
    pub fn report(&self, message: impl Into<String>) {
        // If nobody listens any more, nobody misses it.
        let _ = self.0.send(message.into());
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Progress").finish_non_exhaustive()
    }
}
