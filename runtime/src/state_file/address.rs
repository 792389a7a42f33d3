//! How a person names one instance in a state file.

use std::borrow::Cow;
use std::fmt;

use super::parse::Mode;
use crate::path::Printable;

/// The address of an instance, such as `module.app["eu"].aws_instance.web[0]`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Address<'t> {
    pub(super) module: Cow<'t, str>,
    pub(super) mode: Mode,
    pub(super) type_name: Cow<'t, str>,
    pub(super) name: Cow<'t, str>,
    pub(super) key: InstanceKey<'t>,
    pub(super) deposed: Cow<'t, str>,
}

/// What tells the instances of one resource apart.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum InstanceKey<'t> {
    None,
    Int(Cow<'t, str>),
    Text(Cow<'t, str>),
}

impl fmt::Display for Address<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.module.is_empty() {
            write!(f, "{}.", Printable(&self.module))?;
        }
        if self.mode == Mode::Data {
            f.write_str("data.")?;
        }
        write!(f, "{}.{}", Printable(&self.type_name), Printable(&self.name))?;
        match &self.key {
            InstanceKey::None => {}
            InstanceKey::Int(index) => write!(f, "[{index}]")?,
            InstanceKey::Text(key) => write!(f, "[{key:?}]")?,
        }
        if !self.deposed.is_empty() {
            write!(f, " (deposed {})", Printable(&self.deposed))?;
        }
        Ok(())
    }
}
