//! The addresses by which a person names instances in a state file.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use upstate::path::Printable;

use super::names::QuotedKey;

/// The mode of a resource: Terraform manages it or only reads it. The variants are in the order in
/// which Terraform writes them.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// A data source. Never upgraded: Terraform reads it again.
    Data,
    /// A resource.
    Managed,
}

/// A resource or data source: what its instances have in common.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Resource<'t> {
    pub(super) module: Cow<'t, str>,
    pub(super) mode: Mode,
    pub(super) type_name: Cow<'t, str>,
    pub(super) name: Cow<'t, str>,
}

/// The address of an instance, such as `module.app["eu"].aws_instance.web[0]`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Address<'t> {
    pub(super) resource: Arc<Resource<'t>>,
    pub(super) key: InstanceKey<'t>,
    pub(super) deposed: Cow<'t, str>,
}

/// The key of an instance of a resource. In the order in which Terraform writes them.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum InstanceKey<'t> {
    /// The resource has one instance.
    None,
    /// An index, from `count`.
    Int(i64),
    /// A key, from `for_each`.
    Text(Cow<'t, str>),
}

impl<'t> Address<'t> {
    /// The path of the module instance; empty for the root module.
    pub fn module(&self) -> &str {
        &self.resource.module
    }

    /// The mode: the instance is of a resource or of a data source.
    pub fn mode(&self) -> Mode {
        self.resource.mode
    }

    /// The resource's type name.
    pub fn type_name(&self) -> &str {
        &self.resource.type_name
    }

    /// The resource's name.
    pub fn name(&self) -> &str {
        &self.resource.name
    }

    /// The key of the instance, which tells it apart from the resource's other instances.
    pub fn key(&self) -> &InstanceKey<'t> {
        &self.key
    }

    /// The key of an object that a newer one has taken the place of; empty for the current object.
    pub fn deposed(&self) -> &str {
        &self.deposed
    }
}

impl fmt::Display for Resource<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.module.is_empty() {
            write!(f, "{}.", Printable(&self.module))?;
        }
        if self.mode == Mode::Data {
            f.write_str("data.")?;
        }
        write!(
            f,
            "{}.{}",
            Printable(&self.type_name),
            Printable(&self.name)
        )
    }
}

impl fmt::Display for Address<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.resource)?;
        match &self.key {
            InstanceKey::None => {}
            InstanceKey::Int(index) => write!(f, "[{index}]")?,
            InstanceKey::Text(key) => write!(f, "[{}]", Printable(&QuotedKey(key).to_string()))?,
        }
        if !self.deposed.is_empty() {
            write!(f, " (deposed {})", Printable(&self.deposed))?;
        }
        Ok(())
    }
}
