//! The schemas that a provider serves besides resources: nothing of them is stored under a schema
//! version, and users' configurations depend on them.

use std::borrow::Cow;

use crate::schema::{Schema, Type};
use crate::upgrade::resource::CurrentModel;

/// A kind of thing that a provider serves besides resources.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ServedKind {
    /// The configuration of the provider.
    Provider,
    /// The `provider_meta` block of modules.
    ProviderMeta,
    /// A data source.
    DataSource,
    /// An ephemeral resource.
    EphemeralResource,
    /// The configuration of a list resource.
    ListResource,
    /// An action.
    Action,
    /// A function.
    Function,
}

impl ServedKind {
    /// Its name: `provider`, `provider_meta`, `data`, `ephemeral`, `list`, `action`, `function`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Provider => "provider",
            Self::ProviderMeta => "provider_meta",
            Self::DataSource => "data",
            Self::EphemeralResource => "ephemeral",
            Self::ListResource => "list",
            Self::Action => "action",
            Self::Function => "function",
        }
    }
}

/// A schema that a provider serves besides its resources, so that releases can be compared: a data
/// source, a function, its configuration.
///
/// ```
/// use upstate::registry::{Served, ServedKind};
/// use upstate::{Registry, Resource};
///
/// #[derive(Resource)]
/// #[resource(type_name = "example_depth", stateless)]
/// struct Depth {
///     quay: String,
///     #[attribute(computed)]
///     metres: f64,
/// }
///
/// let mut registry = Registry::new();
/// registry.serve(Served::model::<Depth>(ServedKind::DataSource));
/// let served: Vec<String> = registry.served().map(Served::address).collect();
/// assert_eq!(served, ["data.example_depth"]);
/// ```
#[derive(Debug, Clone)]
pub struct Served {
    kind: ServedKind,
    name: Cow<'static, str>,
    schema: &'static Schema,
    signature: Option<Signature>,
}

/// The parameters of a function, and the type of its result.
#[derive(Debug, Clone, PartialEq)]
pub struct Signature {
    /// The attributes of its schema that are its parameters, in the order of a call.
    pub parameters: Vec<String>,
    /// True if the last parameter, a list, takes any number of arguments.
    pub variadic: bool,
    /// The type of what it gives.
    pub result: Type,
}

impl Served {
    /// A schema under the name that configurations use; the configuration of a provider has the
    /// name "".
    #[must_use]
    pub fn new(
        kind: ServedKind,
        name: impl Into<Cow<'static, str>>,
        schema: &'static Schema,
    ) -> Self {
        Self {
            kind,
            name: name.into(),
            schema,
            signature: None,
        }
    }

    /// The schema of a model, under its type name.
    #[must_use]
    pub fn model<T: CurrentModel>(kind: ServedKind) -> Self {
        Self::new(kind, T::TYPE_NAME, T::schema())
    }

    /// A function, whose parameters are the attributes of a schema.
    #[must_use]
    pub fn function(
        name: impl Into<Cow<'static, str>>,
        parameters: &'static Schema,
        signature: Signature,
    ) -> Self {
        Self {
            signature: Some(signature),
            ..Self::new(ServedKind::Function, name, parameters)
        }
    }

    /// The kind of what is served.
    pub const fn kind(&self) -> ServedKind {
        self.kind
    }

    /// The name that configurations use.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its attributes and blocks; of a function, its parameters.
    pub const fn schema(&self) -> &'static Schema {
        self.schema
    }

    /// The parameters and the type of the result, if it is a function.
    pub const fn signature(&self) -> Option<&Signature> {
        self.signature.as_ref()
    }

    /// Its kind and name, as configurations and locks have them: `data.example_depth`,
    /// `function.join`; `provider` has no name.
    pub fn address(&self) -> String {
        match self.kind {
            ServedKind::Provider | ServedKind::ProviderMeta => self.kind.name().to_owned(),
            ServedKind::DataSource
            | ServedKind::EphemeralResource
            | ServedKind::ListResource
            | ServedKind::Action
            | ServedKind::Function => format!("{}.{}", self.kind.name(), self.name),
        }
    }
}
