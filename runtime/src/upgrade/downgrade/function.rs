//! An author's function for the way back.

use std::fmt;
use std::marker::PhantomData;

use crate::codec::{Encoding, UnknownAttributes, encode_object};
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::upgrade::context::UpgradeContext;
use crate::upgrade::declared::PriorVersion;
use crate::upgrade::decode::decode_json;
use crate::upgrade::encode::not_encodable;
use crate::upgrade::functions::ModelAnswer;
use crate::upgrade::model::{Downgrade, Model, Upgrader};
use crate::upgrade::resource::Resource;

/// Downgrades the model `T` to its prior model `P` through a function.
pub struct DowngradeWith<T, P, R> {
    function: fn(T) -> R,
    makes: PhantomData<fn() -> P>,
}

impl<T: Resource, P: Resource, R: ModelAnswer<P>> DowngradeWith<T, P, R> {
    /// Wraps the function.
    #[must_use]
    pub const fn new(function: fn(T) -> R) -> Self {
        Self { function, makes: PhantomData }
    }
}

impl<T, P, R> fmt::Debug for DowngradeWith<T, P, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DowngradeWith")
    }
}

impl<T: Resource, P: Resource, R: ModelAnswer<P>> Downgrade for DowngradeWith<T, P, R> {
    fn downgrade(&self, json: &[u8], context: &mut UpgradeContext<'_>) -> Result<Vec<u8>, Diagnostics> {
        context.check()?;
        let model: T = decode_json(json, UnknownAttributes::Ignore).map_err(|error| {
            let problem = error.problem();
            Diagnostic::error(super::SUMMARY, format!("The function cannot take the state: {problem}."))
        })?;
        let prior = (self.function)(model).into_model()?;
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
    pub const fn downgraded_by<P: Resource, R: ModelAnswer<P>>(mut self, with: &'static DowngradeWith<T, P, R>) -> Self
    where
        T: Resource,
    {
        self.any.back = Some(with);
        self.any.step = self.any.step.with_downgrade();
        self
    }
}
