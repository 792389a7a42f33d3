//! Secrets of the values at hand: kept out of diagnostics and of the log.

use std::sync::Arc;

use upstate::schema::{Block, Type};
use upstate::{Diagnostics, Value};

use super::Service;
use crate::log::{self, Hidden};
use crate::proto::{self, DynamicValue, RawState};
use crate::secrets::Secrets;
use crate::wire::diagnostics::to_wire;
use crate::wire::value::from_wire;

/// The schema and the type of values.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kind<'s> {
    pub(super) block: &'s Block,
    pub(super) ty: &'s Type,
}

impl Service {
    /// The secrets of the configuration and of these values.
    pub(super) fn secrets_in<const N: usize>(&self, kind: Option<Kind<'_>>, given: [Option<&DynamicValue>; N]) -> Secrets {
        let mut secrets = Secrets::default();
        if let Some(Kind { block, ty }) = kind.filter(|kind| kind.block.has_secret()) {
            for value in given.into_iter().filter_map(|value| from_wire(value, ty, "value").ok()) {
                secrets.add(block, &value);
            }
        }
        if let Some(configured) = self.configured() {
            secrets.extend(&configured.secrets);
        }
        secrets
    }

    /// The diagnostics of an author's function as the protocol has them, without what is secret in the values that it was given.
    pub(super) fn told<const N: usize>(
        &self,
        kind: Option<Kind<'_>>,
        given: [Option<&DynamicValue>; N],
        diagnostics: Diagnostics,
    ) -> Vec<proto::Diagnostic> {
        let mut told = to_wire(diagnostics);
        if !told.is_empty() {
            self.secrets_in(kind, given).blot(&mut told);
        }
        told
    }

    /// Hides the values of stored state that a function was given, as every schema of the type from `version` on may have had them.
    pub(super) fn told_of_stored(
        &self,
        type_name: &str,
        version: u64,
        stored: Option<&RawState>,
        diagnostics: Diagnostics,
    ) -> Vec<proto::Diagnostic> {
        let mut told = self.told(None, [], diagnostics);
        if !told.is_empty() {
            self.secrets_of_stored(type_name, version, stored).blot(&mut told);
        }
        told
    }

    /// Keeps what is secret in these values out of the log, for as long as the answer lives.
    #[must_use]
    pub(super) fn hide<const N: usize>(&self, kind: Option<Kind<'_>>, given: [Option<&DynamicValue>; N]) -> Option<Hidden> {
        if !log::is_on() {
            return None;
        }
        let secrets = self.secrets_in(kind, given);
        (!secrets.is_empty()).then(|| Hidden::new(Arc::new(secrets)))
    }

    /// Adds the values of stored state.
    #[must_use]
    pub(super) fn hide_stored(&self, type_name: &str, version: u64, stored: Option<&RawState>) -> Option<Hidden> {
        if !log::is_on() {
            return None;
        }
        let mut secrets = self.secrets_of_stored(type_name, version, stored);
        secrets.extend(&self.secrets_in(None, []));
        (!secrets.is_empty()).then(|| Hidden::new(Arc::new(secrets)))
    }

    /// The schemas that stored state of a type may have had.
    fn schemas_from(&self, type_name: &str, version: u64) -> Vec<&Block> {
        let Some(definition) = self.0.parts.registry.get(type_name) else { return Vec::new() };
        let prior = definition.prior_schemas().into_iter().filter(|prior| prior.version >= version).map(|prior| prior.block);
        prior.chain([definition.schema().block()]).collect()
    }

    /// The secrets of stored state.
    pub(super) fn secrets_of_stored(&self, type_name: &str, version: u64, stored: Option<&RawState>) -> Secrets {
        let mut secrets = Secrets::default();
        let Some(stored) = stored else { return secrets };
        for block in self.schemas_from(type_name, version) {
            let flat = stored.json.is_empty().then(|| Value::from_flatmap(&stored.flatmap, &block.implied_type()).ok());
            let value = flat.unwrap_or_else(|| Value::from_any_json(&stored.json).ok());
            secrets.add(block, &value.unwrap_or_default());
        }
        secrets
    }
}
