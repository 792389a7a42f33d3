//! The trait for authors of a data source.

use std::future::Future;

use upstate::__internal::HasTerraformTypes;
use upstate::{CurrentModel, Diagnostics};

use crate::context::Context;
use crate::plan::ResourceConfig;

/// A model that Terraform can read with a `data` block.
///
/// The model is `stateless`: Terraform reads a data source again each time, so there are no
/// versions. Attributes of the user are required or optional, those that the provider finds are
/// `computed`. A resource may have the same type name.
///
/// ```
/// use upstate::{Diagnostics, Resource};
/// use upstate_provider::{Context, DataSource};
///
/// /// How deep the water is.
/// #[derive(Resource)]
/// #[resource(type_name = "example_depth", stateless)]
/// struct Depth {
///     /// Where.
///     quay: String,
///     /// In metres.
///     #[attribute(computed)]
///     metres: f64,
/// }
///
/// impl DataSource for Depth {
///     type Client = ();
///
///     async fn read(config: Self, _context: &mut Context<()>) -> Result<Self, Diagnostics> {
///         Ok(Depth { metres: 12.5, ..config })
///     }
/// }
/// # #[derive(upstate::Object)]
/// # struct Config {}
/// # let provider = upstate_provider::Provider::new("example.com/me/example", async |_: Config| Ok(()));
/// let provider = provider.with_data_source::<Depth>();
/// # provider.check().unwrap();
/// ```
pub trait DataSource: CurrentModel<Plan: Send, Values: HasTerraformTypes> + Send + Sync {
    /// The client that the provider's configuration makes. Cloned for each call.
    type Client: Clone + Send + Sync + 'static;

    /// Finds what the configuration asks for, and returns the whole model. A computed field of
    /// `config` is `None` if it is an `Option`, and otherwise an empty value, which the function
    /// replaces. A model that says `plan` gets its configuration as a type of its own, `DepthPlan`,
    /// in which computed fields have no value, so that none can be forgotten.
    ///
    /// Return an error if nothing is found: a data source cannot say that there is nothing.
    fn read(
        config: Self::Plan,
        context: &mut Context<Self::Client>,
    ) -> impl Future<Output = Result<Self, Diagnostics>> + Send;

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
