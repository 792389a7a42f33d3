//! All that a provider serves: resources, and all that configurations can name besides them.

use serde::Serialize;

use upstate::registry::ServedKind;

use crate::rule::Axis;
use crate::snapshot::ResourceSnapshot;

/// The kind of a document, as locks have it.
pub(crate) const DOCUMENT: &str = "document";

/// A kind of thing that a provider serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A resource, whose state is stored.
    #[default]
    Managed,
    /// A document, which a program stores without Terraform.
    Document,
    /// The configuration of the provider.
    Provider,
    /// The `provider_meta` block of modules.
    ProviderMeta,
    /// A data source.
    Data,
    /// An ephemeral resource.
    Ephemeral,
    /// The configuration of a list resource.
    List,
    /// An action.
    Action,
    /// A function.
    Function,
}

impl Kind {
    /// The kind that a snapshot says.
    pub fn of(resource: &ResourceSnapshot) -> Self {
        match resource.kind.as_deref() {
            Some(DOCUMENT) => Self::Document,
            Some("provider") => Self::Provider,
            Some("provider_meta") => Self::ProviderMeta,
            Some("data") => Self::Data,
            Some("ephemeral") => Self::Ephemeral,
            Some("list") => Self::List,
            Some("action") => Self::Action,
            Some("function") => Self::Function,
            _ => Self::Managed,
        }
    }

    /// Its name, as locks and outputs have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Managed => "managed",
            Self::Document => DOCUMENT,
            Self::Provider => ServedKind::Provider.name(),
            Self::ProviderMeta => ServedKind::ProviderMeta.name(),
            Self::Data => ServedKind::DataSource.name(),
            Self::Ephemeral => ServedKind::EphemeralResource.name(),
            Self::List => ServedKind::ListResource.name(),
            Self::Action => ServedKind::Action.name(),
            Self::Function => ServedKind::Function.name(),
        }
    }

    /// Its name in a heading.
    pub fn title(self) -> &'static str {
        match self {
            Self::Managed => "Resource",
            Self::Document => "Document",
            Self::Provider => "Provider",
            Self::ProviderMeta => "Provider meta",
            Self::Data => "Data source",
            Self::Ephemeral => "Ephemeral resource",
            Self::List => "List resource",
            Self::Action => "Action",
            Self::Function => "Function",
        }
    }

    /// True if what it holds is stored, under a schema version.
    pub fn is_stored(self) -> bool {
        matches!(self, Self::Managed | Self::Document)
    }

    /// True if there is one at the most, which configurations need not name.
    pub(crate) fn is_unnamed(self) -> bool {
        matches!(self, Self::Provider | Self::ProviderMeta)
    }

    /// True if expressions read its attributes.
    pub(crate) fn is_read(self) -> bool {
        matches!(self, Self::Managed | Self::Data | Self::Ephemeral)
    }

    /// True if a change of it can affect this axis.
    pub(crate) fn has(self, axis: Axis) -> bool {
        if self == Self::Document {
            return matches!(axis, Axis::State | Axis::Policy | Axis::Clients);
        }
        match axis {
            Axis::Config | Axis::Policy => true,
            Axis::State => self.is_stored(),
            Axis::Reference => self.is_read() || self == Self::Function,
            Axis::Clients => false,
            Axis::Plan => !matches!(self, Self::Ephemeral | Self::List),
        }
    }

    /// The name that configurations use, of the name that locks and findings use: `harbor_file` of
    /// `data.harbor_file`.
    pub fn bare(self, key: &str) -> &str {
        if self.is_stored() {
            return key;
        }
        key.strip_prefix(self.name())
            .and_then(|rest| rest.strip_prefix('.'))
            .unwrap_or(key)
    }

    /// The start of its block in a configuration.
    pub(crate) fn block(self, key: &str) -> String {
        let name = self.bare(key);
        match self {
            Self::Managed => format!("resource \"{name}\" \"x\""),
            Self::Document => name.to_owned(),
            Self::Data | Self::Ephemeral | Self::List | Self::Action => {
                format!("{} \"{name}\" \"x\"", self.name())
            }
            Self::Provider | Self::ProviderMeta => format!("{} \"…\"", self.name()),
            Self::Function => format!("provider::…::{name}"),
        }
    }

    /// True if attributes are written in a block `config` inside of its block.
    pub(crate) fn has_config_block(self) -> bool {
        matches!(self, Self::List | Self::Action)
    }

    /// An object of it as an expression names it.
    pub(crate) fn reference(self, key: &str) -> String {
        match self {
            Self::Data | Self::Ephemeral => format!("{}.{}.x", self.name(), self.bare(key)),
            Self::Document => key.to_owned(),
            Self::Managed
            | Self::Provider
            | Self::ProviderMeta
            | Self::List
            | Self::Action
            | Self::Function => {
                format!("{}.x", self.bare(key))
            }
        }
    }
}

impl From<ServedKind> for Kind {
    fn from(kind: ServedKind) -> Self {
        match kind {
            ServedKind::Provider => Self::Provider,
            ServedKind::ProviderMeta => Self::ProviderMeta,
            ServedKind::DataSource => Self::Data,
            ServedKind::EphemeralResource => Self::Ephemeral,
            ServedKind::ListResource => Self::List,
            ServedKind::Action => Self::Action,
            ServedKind::Function => Self::Function,
        }
    }
}
