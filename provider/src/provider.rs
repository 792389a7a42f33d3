//! A provider: its configuration, its client, and what it serves.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::process::ExitCode;
use std::sync::Arc;

use upstate::registry::{Served, ServedKind};
use upstate::schema::{Schema, Type};
use upstate::{Diagnostics, Object, Registry, ResourceDefinition, Value};

use crate::action::Action;
use crate::beside::Beside;
use crate::configuration::Configuration;
use crate::data_source::DataSource;
use crate::ephemeral::EphemeralResource;
use crate::erased::action::{Acting, ErasedAction};
use crate::erased::data_source::{ErasedDataSource, Source};
use crate::erased::ephemeral::{Ephemeral, ErasedEphemeral};
use crate::erased::list_resource::{ErasedList, Listing};
use crate::erased::{
    Anonymous, AnyClient, BoxFuture, Erased, Identified, Identify, Managed, checked,
};
use crate::function::{AnyFunction, Function, same};
use crate::list_resource::ListResource;
use crate::plan::{self, Fillers, ResourceConfig, Why};
use crate::resource::{IdentifiedResource, ManagedResource};

/// A provider whose configuration makes a client of type `C`, which its resources share.
///
/// It is a registry of resource types plus what Terraform can do with them.
pub struct Provider<C> {
    pub(crate) parts: Parts,
    client: PhantomData<fn() -> C>,
}

/// A provider without its client's type.
pub(crate) struct Parts {
    pub(crate) address: String,
    pub(crate) config_schema: &'static Schema,
    pub(crate) configure: Configure,
    pub(crate) meta_schema: Option<&'static Schema>,
    pub(crate) registry: Registry,
    pub(crate) resources: BTreeMap<&'static str, Box<dyn Erased>>,
    pub(crate) data_sources: BTreeMap<&'static str, Box<dyn ErasedDataSource>>,
    pub(crate) ephemeral_resources: BTreeMap<&'static str, Box<dyn ErasedEphemeral>>,
    pub(crate) list_resources: BTreeMap<&'static str, Box<dyn ErasedList>>,
    pub(crate) actions: BTreeMap<&'static str, Box<dyn ErasedAction>>,
    pub(crate) functions: BTreeMap<&'static str, AnyFunction>,
    /// Types whose upgrades are not those of their model.
    pub(crate) by_hand: BTreeSet<String>,
    /// Names that two of one kind have: the later took the place of the earlier one.
    pub(crate) twice: BTreeSet<String>,
    /// True if a function validates another type than that of the provider's configuration.
    pub(crate) validates_another: bool,
    /// The headings under which a registry lists types, by the names of the types.
    pub(crate) subcategories: BTreeMap<String, String>,
    /// The provider that serves what this one does not.
    pub(crate) beside: Option<Beside>,
    /// Runs the commands that the program has besides those of this crate.
    pub(crate) commands: Option<Box<Commands>>,
    share: fn(Registry, &AnyClient) -> Registry,
}

/// Runs a command line, with the registry.
type Commands = dyn FnOnce(Registry) -> ExitCode + Send + Sync;

/// Checks a configuration, or makes the client of one.
pub(crate) struct Configure {
    pub(crate) check: Box<CheckConfig>,
    pub(crate) make: Box<Make>,
}

/// Checks a configuration of a type.
type CheckConfig = dyn Fn(&Value, &Type) -> Diagnostics + Send + Sync;

/// Makes a client of a configuration, its type and the version of Terraform.
type Make =
    dyn Fn(Value, Type, String) -> BoxFuture<'static, Result<AnyClient, Diagnostics>> + Send + Sync;

impl<C: Clone + Send + Sync + 'static> Provider<C> {
    /// A provider with this address, such as `registry.terraform.io/acme/harbor`, whose users write
    /// a configuration of type `Config`.
    ///
    /// `Config` derives [`Object`](derive@upstate::Object); a provider without configuration has
    /// one without fields. `configure` is called once in each process, before anything is planned.
    pub fn new<Config, F, Made>(address: impl Into<String>, configure: F) -> Self
    where
        Config: Object + Send + 'static,
        F: Fn(Config) -> Made + Send + Sync + 'static,
        Made: Future<Output = Result<C, Diagnostics>> + Send + 'static,
    {
        Self::configured_by(address, move |configuration: Configuration<Config>| {
            let made = configuration.model().map(&configure);
            async move { made?.await }
        })
    }

    /// A provider that needs to know which Terraform asks, or can work while parts of its
    /// configuration are not known yet.
    pub fn configured_by<Config, F, Made>(address: impl Into<String>, configure: F) -> Self
    where
        Config: Object + Send + 'static,
        F: Fn(Configuration<Config>) -> Made + Send + Sync + 'static,
        Made: Future<Output = Result<C, Diagnostics>> + Send + 'static,
    {
        let configure = Arc::new(configure);
        let make = move |value: Value,
                         ty: Type,
                         version: String|
              -> BoxFuture<'static, Result<AnyClient, Diagnostics>> {
            let configure = Arc::clone(&configure);
            Box::pin(async move {
                let configuration = Configuration::<Config>::new(value, ty, version);
                let misnamed = configuration.misnamed();
                let client = configure(configuration).await?;
                if let Some(mistake) = misnamed.report() {
                    return Err(Diagnostics::from(mistake));
                }
                Ok(Arc::new(client) as Arc<dyn Any + Send + Sync>)
            })
        };
        let config_schema = Schema::of::<Config>();
        let mut registry = Registry::new();
        registry.serve(Served::new(ServedKind::Provider, "", config_schema));
        let parts = Parts {
            address: address.into(),
            config_schema,
            configure: Configure {
                check: Box::new(check_config::<Config>),
                make: Box::new(make),
            },
            meta_schema: None,
            registry,
            resources: BTreeMap::new(),
            data_sources: BTreeMap::new(),
            ephemeral_resources: BTreeMap::new(),
            list_resources: BTreeMap::new(),
            actions: BTreeMap::new(),
            functions: BTreeMap::new(),
            by_hand: BTreeSet::new(),
            twice: BTreeSet::new(),
            validates_another: false,
            subcategories: BTreeMap::new(),
            beside: None,
            commands: None,
            share: share::<C>,
        };
        Self {
            parts,
            client: PhantomData,
        }
    }

    /// Adds the resource `R`. [`check`](Self::check) and [`serve`](Self::serve) refuse two
    /// resources of one type name.
    #[must_use]
    pub fn with<R: ManagedResource<Client = C>>(mut self) -> Self {
        const {
            assert!(
                R::IDENTITY.is_none(),
                "the model names an identity: implement `IdentifiedResource`, and register it `with_identified`"
            );
        }
        self.insert::<R, Anonymous>();
        self
    }

    /// Adds the resource `R`, which has an identity; see [`with`](Self::with).
    #[must_use]
    pub fn with_identified<R: IdentifiedResource<Client = C>>(mut self) -> Self {
        const {
            assert!(
                R::IDENTITY.is_some(),
                "the model names no identity: add `identity = …` to its `#[resource(…)]`"
            );
        }
        self.insert::<R, Identified>();
        self
    }

    /// Adds the data source `D`. [`check`](Self::check) and [`serve`](Self::serve) refuse two of
    /// one name.
    #[must_use]
    pub fn with_data_source<D: DataSource<Client = C>>(mut self) -> Self {
        let parts = &mut self.parts;
        let served = Served::model::<D>(ServedKind::DataSource);
        parts.registry.serve(served);
        let before = parts
            .data_sources
            .insert(D::TYPE_NAME, Box::new(Source::<D>::NEW));
        parts.note("data sources", D::TYPE_NAME, before.is_some());
        self
    }

    /// Adds the ephemeral resource `E`. [`check`](Self::check) and [`serve`](Self::serve) refuse
    /// two of one name.
    #[must_use]
    pub fn with_ephemeral_resource<E: EphemeralResource<Client = C>>(mut self) -> Self {
        let parts = &mut self.parts;
        let served = Served::model::<E>(ServedKind::EphemeralResource);
        parts.registry.serve(served);
        let before = parts
            .ephemeral_resources
            .insert(E::TYPE_NAME, Box::new(Ephemeral::<E>::NEW));
        parts.note("ephemeral resources", E::TYPE_NAME, before.is_some());
        self
    }

    /// Adds the list resource `L`. [`check`](Self::check) and [`serve`](Self::serve) refuse two of
    /// one name.
    #[must_use]
    pub fn with_list_resource<L>(mut self) -> Self
    where
        L: ListResource,
        L::Resource: ManagedResource<Client = C>,
    {
        const {
            assert!(
                same(L::TYPE_NAME, <L::Resource as upstate::Resource>::TYPE_NAME),
                "a list resource has the type name of the resource that it lists: write the same `type_name` in both"
            );
        }
        let parts = &mut self.parts;
        let served = Served::model::<L>(ServedKind::ListResource);
        parts.registry.serve(served);
        let before = parts
            .list_resources
            .insert(L::TYPE_NAME, Box::new(Listing::<L>::NEW));
        parts.note("list resources", L::TYPE_NAME, before.is_some());
        self
    }

    /// Adds the action `A`. [`check`](Self::check) and [`serve`](Self::serve) refuse two of one
    /// name.
    #[must_use]
    pub fn with_action<A: Action<Client = C>>(mut self) -> Self {
        let parts = &mut self.parts;
        let served = Served::model::<A>(ServedKind::Action);
        parts.registry.serve(served);
        let before = parts
            .actions
            .insert(A::TYPE_NAME, Box::new(Acting::<A>::NEW));
        parts.note("actions", A::TYPE_NAME, before.is_some());
        self
    }

    /// Adds the function `F`. [`check`](Self::check) and [`serve`](Self::serve) refuse two of one
    /// name.
    #[must_use]
    pub fn with_function<F: Function>(mut self) -> Self {
        let function = AnyFunction::of::<F>();
        self.parts.registry.serve(Served::function(
            F::TYPE_NAME,
            F::schema(),
            function.signature(),
        ));
        let before = self.parts.functions.insert(F::TYPE_NAME, function);
        self.parts.note("functions", F::TYPE_NAME, before.is_some());
        self
    }

    fn insert<R: ManagedResource<Client = C>, I: Identify<R>>(&mut self) {
        const {
            assert!(
                !R::STATELESS,
                "the model is `stateless`, and a resource is stored: remove `stateless` from its `#[resource(…)]`"
            );
        }
        if !self.parts.by_hand.contains(R::TYPE_NAME) {
            self.parts.registry.insert(R::DEFINITION.clone());
        }
        let before = self
            .parts
            .resources
            .insert(R::TYPE_NAME, Box::new(Managed::<R, I>::NEW));
        let is_other =
            before.is_some_and(|before| !before.definition().is_of_same_model(R::DEFINITION));
        self.parts.note("resources", R::TYPE_NAME, is_other);
    }

    /// Checks what types, checks and constraints of the configuration cannot say about it: what
    /// `validate` is for a resource. It runs before the provider is configured. Defaults are in its
    /// [`model`](ResourceConfig::model) alone, and parts of it may not be known yet. `Config` is
    /// the type that the provider was made with.
    ///
    /// ```
    /// use upstate::{Diagnostic, Diagnostics, Object};
    /// use upstate_provider::{Provider, ResourceConfig};
    ///
    /// #[derive(Object)]
    /// struct Config {
    ///     token: Option<String>,
    ///     token_file: Option<String>,
    /// }
    ///
    /// fn one_token(config: &ResourceConfig<Config>) -> Result<(), Diagnostics> {
    ///     if config.get("token").is_null() || config.get("token_file").is_null() {
    ///         return Ok(());
    ///     }
    ///     let both = Diagnostic::error("Two Tokens", "Set token or token_file, not both.");
    ///     Err(both.at("token_file".into()).into())
    /// }
    ///
    /// let provider = Provider::new("example.com/me/example", async |_: Config| Ok(())).validated_by(one_token);
    /// # provider.check().unwrap();
    /// ```
    #[must_use]
    pub fn validated_by<Config: Object + 'static>(
        mut self,
        validate: impl Fn(&ResourceConfig<Config>) -> Result<(), Diagnostics> + Send + Sync + 'static,
    ) -> Self {
        if !std::ptr::eq(self.parts.config_schema, Schema::of::<Config>()) {
            self.parts.validates_another = true;
            return self;
        }
        let before = self.parts.configure.check;
        self.parts.configure.check = Box::new(move |value, ty| {
            let mut diagnostics = before(value, ty);
            if !diagnostics.has_errors() {
                diagnostics.append(validated_config(value, ty, &validate));
            }
            diagnostics
        });
        self
    }

    /// Upgrades stored state of the definition's type by the definition instead of by the model's
    /// own upgraders: for upgraders that are made at run time. Its schema must be that of the
    /// model, and its answers must fit the model.
    #[must_use]
    pub fn upgraded_by(mut self, definition: ResourceDefinition) -> Self {
        self.parts.by_hand.insert(definition.type_name().to_owned());
        self.parts.registry.insert(definition);
        self
    }

    /// Sets the model of the `provider_meta` block, in which the author of a module writes facts
    /// for the provider, such as the name of the module, for statistics.
    /// [`Context::meta`](crate::Context::meta) has it where resources are read, planned and
    /// changed, and where data sources are read.
    ///
    /// ```
    /// # use upstate::Object;
    /// # use upstate_provider::Provider;
    /// # #[derive(Object)]
    /// # struct Config {}
    /// # fn provider() -> Provider<()> { Provider::new("example.com/me/example", async |_: Config| Ok(())) }
    /// #[derive(Object)]
    /// struct Meta {
    ///     module: Option<String>,
    /// }
    ///
    /// let provider = provider().with_meta::<Meta>();
    /// # provider.check().unwrap();
    /// ```
    #[must_use]
    pub fn with_meta<M: Object>(mut self) -> Self {
        let schema = Schema::of::<M>();
        self.parts
            .registry
            .serve(Served::new(ServedKind::ProviderMeta, "", schema));
        self.parts.meta_schema = Some(schema);
        self
    }

    /// Hands over to another provider what this one does not serve: a provider in Go moves to Rust
    /// one resource at a time.
    ///
    /// The program is a file beside this provider's own, speaks plugin protocol 5 or 6, and is
    /// started when Terraform needs it and ended with this one. A type that both serve is served by
    /// this one, and its upgraders read what the other one stored. Users write one configuration:
    /// the attributes of both, where one name has one type. The guide's chapter "A provider in Go,
    /// resource by resource" has the rest.
    ///
    /// ```no_run
    /// # use upstate::Object;
    /// # use upstate_provider::Provider;
    /// # #[derive(Object)]
    /// # struct Config {}
    /// # fn provider() -> Provider<()> { Provider::new("example.com/me/example", async |_: Config| Ok(())) }
    /// fn main() -> std::process::ExitCode {
    ///     provider().beside("terraform-provider-example-go").serve()
    /// }
    /// ```
    #[must_use]
    pub fn beside(mut self, program: impl Into<Beside>) -> Self {
        if self.parts.beside.replace(program.into()).is_some() {
            self.parts.twice.insert("programs are beside it".to_owned());
        }
        self
    }

    /// Gives the provider's program commands for the people who have it: `commands` runs those that
    /// [`serve`](Self::serve) does not know, with the [registry](Self::registry). Those of
    /// `upstate-cli` for stored state let an operator look at a state, and take it back to an
    /// earlier release, with nothing but the provider. Terraform starts the program without a
    /// command, and never meets them.
    ///
    /// ```no_run
    /// # use upstate::Object;
    /// # use upstate_provider::Provider;
    /// # #[derive(Object)]
    /// # struct Config {}
    /// # fn provider() -> Provider<()> { Provider::new("example.com/me/example", async |_: Config| Ok(())) }
    /// use upstate_cli::StateCommands;
    ///
    /// fn main() -> std::process::ExitCode {
    ///     // For `--to-release`: .lock(include_str!("../upstate.lock"))
    ///     provider().with_commands(|registry| StateCommands::new(registry).main()).serve()
    /// }
    /// ```
    #[must_use]
    pub fn with_commands(
        mut self,
        commands: impl FnOnce(Registry) -> ExitCode + Send + Sync + 'static,
    ) -> Self {
        self.parts.commands = Some(Box::new(commands));
        self
    }

    /// Puts the pages of types under a heading of the list that a [registry](crate::Docs) shows:
    /// all pages of these names, of the resource and of the data source. A type has one heading,
    /// the last that it is given.
    ///
    /// ```
    /// # use upstate::{Object, Resource};
    /// # use upstate_provider::Provider;
    /// # #[derive(Object)]
    /// # struct Config {}
    /// # #[derive(Resource)]
    /// # #[resource(type_name = "acme_boat")]
    /// # struct Boat {}
    /// # fn provider() -> Provider<()> { Provider::new("example.com/me/acme", async |_: Config| Ok(())) }
    /// let provider = provider().subcategory("Harbors", [Boat::TYPE_NAME, "acme_quay"]);
    /// ```
    #[must_use]
    pub fn subcategory<T: Into<String>>(
        mut self,
        heading: &str,
        types: impl IntoIterator<Item = T>,
    ) -> Self {
        self.parts
            .subcategories
            .extend(types.into_iter().map(|ty| (ty.into(), heading.to_owned())));
        self
    }

    /// Checks what Terraform would refuse, or stumble over, and the compiler does not see: schemas,
    /// identities, defaults, names.
    ///
    /// [`serve`](Self::serve) does it too, and answers Terraform with what is wrong. A test needs
    /// no Terraform:
    ///
    /// ```
    /// # use upstate::Object;
    /// # use upstate_provider::Provider;
    /// # #[derive(Object)]
    /// # struct Config {}
    /// # fn provider() -> Provider<()> { Provider::new("example.com/me/example", async |_: Config| Ok(())) }
    /// provider().check().unwrap();
    /// ```
    ///
    /// # Errors
    /// Everything that is wrong, each with the name of the resource and the attribute.
    pub fn check(&self) -> Result<(), Diagnostics> {
        let mut problems = self.parts.problems();
        if problems.is_empty() {
            problems = self.parts.unfillable();
        }
        if problems.is_empty() {
            Ok(())
        } else {
            Err(problems)
        }
    }

    /// The resource types of this provider, to upgrade states without Terraform; and what else it
    /// serves, so that the lock has all of it and `check` compares it with the last release.
    ///
    /// ```no_run
    /// # use upstate::Object;
    /// # use upstate_provider::Provider;
    /// # #[derive(Object)]
    /// # struct Config {}
    /// # fn provider() -> Provider<()> { Provider::new("example.com/me/example", async |_: Config| Ok(())) }
    /// fn main() -> std::process::ExitCode {
    ///     upstate_cli::main!(provider().registry().clone())
    /// }
    /// ```
    pub fn registry(&self) -> &Registry {
        &self.parts.registry
    }

    /// The provider's address, such as `registry.terraform.io/acme/harbor`.
    pub fn address(&self) -> &str {
        &self.parts.address
    }
}

impl<C> fmt::Debug for Provider<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Provider")
            .field("address", &self.parts.address)
            .field("resources", &self.parts.resources.keys())
            .field("data_sources", &self.parts.data_sources.keys())
            .field(
                "ephemeral_resources",
                &self.parts.ephemeral_resources.keys(),
            )
            .field("list_resources", &self.parts.list_resources.keys())
            .field("actions", &self.parts.actions.keys())
            .field("functions", &self.parts.functions.keys())
            .finish_non_exhaustive()
    }
}

impl Parts {
    /// Takes note of a name that another one of its kind has, if it does.
    fn note(&mut self, kind: &str, name: &str, is_twice: bool) {
        if is_twice {
            self.twice.insert(format!("{kind} are named {name}"));
        }
    }

    /// The registry with the client, for upgrades that ask for it.
    pub(crate) fn registry_with(&self, client: &AnyClient) -> Registry {
        (self.share)(self.registry.clone(), client)
    }

    /// True if any resource, in any version, or the configuration holds what must not be shown.
    pub(crate) fn has_secrets(&self) -> bool {
        let of = |definition: &ResourceDefinition| {
            definition.schema().block().has_secret()
                || definition
                    .prior_schemas()
                    .into_iter()
                    .any(|prior| prior.block.has_secret())
        };
        // What an ephemeral resource makes is not to be shown, and what a function is given may not
        // be either.
        !self.ephemeral_resources.is_empty()
            || !self.functions.is_empty()
            || self.beside.is_some()
            || self.config_schema.block().has_secret()
            || self
                .data_sources
                .values()
                .any(|source| source.schema().block().has_secret())
            || self
                .list_resources
                .values()
                .any(|list| list.schema().block().has_secret())
            || self
                .actions
                .values()
                .any(|action| action.schema().block().has_secret())
            || self.registry.definitions().any(of)
    }
}

/// A document is none of them, because it may hold what Terraform has no types for.
///
/// ```compile_fail
/// use upstate::{Diagnostics, Document};
/// use upstate_provider::{Context, DataSource};
///
/// #[derive(Document)]
/// #[document(type_name = "example_depth")]
/// struct Depth {
///     quay: String,
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
/// ```
#[cfg(doctest)]
struct DocumentAsDataSource;

fn share<C: Clone + Send + Sync + 'static>(registry: Registry, client: &AnyClient) -> Registry {
    match client.downcast_ref::<C>() {
        Some(client) => registry.with_client(client.clone()),
        None => registry,
    }
}

/// The diagnostics of an author's function about the provider's configuration.
fn validated_config<Config: Object>(
    value: &Value,
    ty: &Type,
    validate: &(dyn Fn(&ResourceConfig<Config>) -> Result<(), Diagnostics> + Send + Sync),
) -> Diagnostics {
    let config = ResourceConfig::<Config>::new(value.clone(), ty.clone());
    checked(&config, validate)
}

/// The diagnostics of what the user wrote: a default fits the model, and breaks no constraint.
fn check_config<Config: Object>(config: &Value, ty: &Type) -> Diagnostics {
    let schema = Schema::of::<Config>();
    let complete = match plan::with_defaults(schema.block(), config) {
        Ok(complete) => complete,
        Err(errors) => return errors,
    };
    match plan::fill::<Config>(&complete, ty, Fillers::Empty) {
        Err(unfit) if unfit.why != Why::NotKnown => unfit.diagnostics,
        _ => plan::broken(schema, config),
    }
}
