//! Secrets of the values at hand: kept out of diagnostics and of the log.

use std::sync::Arc;

use upstate::schema::{Block, Type};
use upstate::upgrade::Step;
use upstate::{Diagnostics, ResourceDefinition, Value};

use super::Service;
use crate::log::{self, Hidden};
use crate::proto::{self, DynamicValue, MoveResourceStateRequest, RawState};
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

    /// Hides the values of stored state that a function was given.
    pub(super) fn redacted_of_stored(
        &self,
        secrets: impl FnOnce() -> Secrets,
        diagnostics: Diagnostics,
    ) -> Vec<proto::Diagnostic> {
        let mut told = self.told(None, [], diagnostics);
        if !told.is_empty() {
            secrets().blot(&mut told);
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
    pub(super) fn hide_stored(&self, secrets: impl FnOnce() -> Secrets) -> Option<Hidden> {
        if !log::is_on() {
            return None;
        }
        let mut secrets = secrets();
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
        secrets_as(&self.schemas_from(type_name, version), stored)
    }

    /// The secrets of the state that a move brings: in all that its source may have been, and in what this type calls the same.
    pub(super) fn secrets_of_moved(&self, request: &MoveResourceStateRequest) -> Secrets {
        let (source, target) = (&request.source_type_name, &request.target_type_name);
        let mut schemas = self.schemas_from(target, 0);
        schemas.extend(self.schemas_from(source, 0));
        let moves = self.0.parts.registry.get(target).map(ResourceDefinition::moves).unwrap_or_default();
        for from in moves.iter().filter(|from| from.type_name() == source) {
            add_schemas(from.step(), &mut schemas);
        }
        secrets_as(&schemas, request.source_state.as_ref())
    }
}

/// Adds the schema that an upgrader or a move reads, and those that lead to it.
fn add_schemas(step: &Step, schemas: &mut Vec<&Block>) {
    // Each model is of an earlier version than the one before, so this ends.
    if let Some(model) = step.via() {
        schemas.push(model.schema().block());
        model.steps().iter().for_each(|before| add_schemas(before, schemas));
    }
}

/// The secrets of stored state, read as each of these schemas.
fn secrets_as(schemas: &[&Block], stored: Option<&RawState>) -> Secrets {
    let mut secrets = Secrets::default();
    let Some(stored) = stored else { return secrets };
    for block in schemas {
        let flat = stored.json.is_empty().then(|| Value::from_flatmap(&stored.flatmap, &block.implied_type()).ok());
        let value = flat.unwrap_or_else(|| Value::from_any_json(&stored.json).ok());
        secrets.add(block, &value.unwrap_or_default());
    }
    secrets
}
