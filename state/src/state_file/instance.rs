//! The accessors of an instance.

use std::collections::BTreeMap;

use upstate::AttributePath;

use super::address::{Address, Mode};
use super::parse::{Attributes, Instance};
use super::record::{Known, Record, base64_decode, dependencies, flat_map, sensitive_paths};
use super::scan::Scanner;

impl<'t> Instance<'t> {
    /// The address by which a person names the instance.
    pub fn address(&self) -> &Address<'t> {
        &self.address
    }

    /// The resource's type name.
    pub fn type_name(&self) -> &str {
        self.address.type_name()
    }

    /// The mode: the instance is of a resource or of a data source.
    pub fn mode(&self) -> Mode {
        self.address.mode()
    }

    /// The schema version it was stored with.
    pub fn schema_version(&self) -> u64 {
        self.schema_version
    }

    /// The provider's configuration that it belongs to, in its full form, such as
    /// `provider["registry.terraform.io/hashicorp/aws"].west`.
    pub fn provider(&self) -> &str {
        &self.provider
    }

    /// The attributes as they are stored, byte for byte; an empty object if there are none, nothing
    /// if they are in the flat form.
    pub fn attributes(&self) -> Option<&'t str> {
        match &self.attributes {
            Attributes::Json(slot) => self.text.get(slot.range.clone()),
            Attributes::Flat(_) => None,
            Attributes::Missing { .. } => Some("{}"),
        }
    }

    /// The attributes in the flat form of Terraform 0.11, if they are stored so.
    pub fn attributes_flat(&self) -> Option<BTreeMap<String, String>> {
        match &self.attributes {
            Attributes::Flat(slot) => Some(flat_map(
                self.text.get(slot.range.clone()).unwrap_or_default(),
            )),
            Attributes::Json(_) | Attributes::Missing { .. } => None,
        }
    }

    /// True if Terraform will replace the instance at the next apply.
    pub fn is_tainted(&self) -> bool {
        self.record().is_some_and(|record| record.tainted)
    }

    /// The paths of the values that the configuration marks as sensitive.
    pub fn sensitive_attributes(&self) -> Vec<AttributePath> {
        let mut paths = Vec::new();
        if let Some(range) = self.sensitive.as_deref() {
            // It was read before, without a problem.
            let text = self.text.get(range.clone()).unwrap_or_default();
            let _ = sensitive_paths(&mut Scanner::new(text), |path| paths.push(path));
        }
        paths
    }

    /// The version of the identity's schema.
    pub fn identity_schema_version(&self) -> u64 {
        self.identity_version
    }

    /// The identity as it is stored, if there is one.
    pub fn identity(&self) -> Option<&'t str> {
        let slot = self.record()?.identity.slot?;
        self.object().get(slot.range)
    }

    /// The provider's private data, if there is any.
    pub fn private(&self) -> Option<Vec<u8>> {
        let range = self.record()?.private?;
        let text = Scanner::new(self.object().get(range)?)
            .text("`private`")
            .ok()?
            .0;
        let mut bytes = Vec::new();
        base64_decode(&text, &mut bytes)?;
        Some(bytes)
    }

    /// The resources that it depends on.
    pub fn dependencies(&self) -> Vec<String> {
        let mut addresses = Vec::new();
        if let Some(range) = self.record().and_then(|record| record.dependencies) {
            let text = self.object().get(range).unwrap_or_default();
            let _ = dependencies(&mut Scanner::new(text), |address| addresses.push(address));
        }
        addresses
    }

    /// The text of the whole instance.
    pub(super) fn object(&self) -> &'t str {
        self.text.get(self.range.clone()).unwrap_or_default()
    }

    /// Everything about it, with ranges of [`object`](Self::object). It was read before, so there
    /// is always one.
    pub(super) fn record(&self) -> Option<Record<'t>> {
        Record::read(&mut Scanner::new(self.object()), &mut Known::default())
            .ok()
            .flatten()
    }
}
