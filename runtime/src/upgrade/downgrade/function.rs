//! An author's function for the way back.

use std::fmt;

use crate::codec::{Encoding, UnknownAttributes, encode_object};
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::upgrade::context::UpgradeContext;
use crate::upgrade::declared::PriorVersion;
use crate::upgrade::decode::decode_json;
use crate::upgrade::encode::not_encodable;
use crate::upgrade::model::{Downgrade, Model, Upgrader};
use crate::upgrade::resource::Resource;

/// Downgrades the model `T` to its prior model `P` through a function.
pub struct DowngradeWith<T, P, E>(pub fn(T) -> Result<P, E>);

impl<T, P, E> fmt::Debug for DowngradeWith<T, P, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DowngradeWith")
    }
}

impl<T: Resource, P: Resource, E: Into<Diagnostics>> Downgrade for DowngradeWith<T, P, E> {
    fn downgrade(&self, json: &[u8], context: &mut UpgradeContext<'_>) -> Result<Vec<u8>, Diagnostics> {
        context.check()?;
        let model: T = decode_json(json, UnknownAttributes::Ignore).map_err(|error| {
            let problem = error.problem();
            Diagnostic::error(super::SUMMARY, format!("The function cannot take the state: {problem}."))
        })?;
        let prior = (self.0)(model).map_err(Into::into)?;
        let mut out = Vec::new();
        encode_object(&prior, Encoding::Json, &mut out).map_err(not_encodable)?;
        Ok(out)
    }

    fn prior(&self) -> PriorVersion {
        PriorVersion::Model(Model::of::<P>())
    }
}

impl<T> Upgrader<T> {
    /// Adds the author's function for downgrades.
    #[must_use]
    pub const fn downgraded_by<P: Resource, E: Into<Diagnostics>>(mut self, with: &'static DowngradeWith<T, P, E>) -> Self
    where
        T: Resource,
    {
        self.any.back = Some(with);
        self.any.step = self.any.step.with_downgrade();
        self
    }
}
