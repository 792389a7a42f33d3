//! Secrets of the values at hand: kept out of diagnostics and of the log.

use std::sync::Arc;

use tokio::sync::mpsc;
use tonic::Status;
use upstate::schema::{Block, Schema, Type};
use upstate::upgrade::Step;
use upstate::{ResourceDefinition, Value};

use super::Service;
use super::messages::{Answer, Given, Question};
use super::methods::{Subject, subject};
use crate::beside;
use crate::log::{self, Hidden};
use crate::proto::{DynamicValue, MoveResourceStateRequest, RawState};
use crate::secrets::Secrets;
use crate::wire::value::from_wire;

/// The schema and the type of values.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kind<'s> {
    pub(super) block: &'s Block,
    pub(super) ty: &'s Type,
}

impl<'s> Kind<'s> {
    pub(super) fn of(schema: &'s Schema, ty: &'s Type) -> Self {
        let block = schema.block();
        Self { block, ty }
    }
}

/// The receiver of a stream of answers, which gets them without what is secret.
#[derive(Debug)]
pub(super) struct Events<A> {
    to: mpsc::Sender<Result<A, Status>>,
    pub(super) secrets: Arc<Secrets>,
}

impl<A: Answer> Events<A> {
    /// Sends an answer. If nobody receives it any more, nothing happens.
    pub(super) async fn send(&self, mut answer: A) {
        self.secrets.redact(answer.texts());
        // An error means that the host is gone, which does not end the work that reports.
        let _ = self.to.send(Ok(answer)).await;
    }

    /// Waits until nobody receives answers any more.
    pub(super) async fn closed(&self) {
        self.to.closed().await;
    }
}

impl Service {
    /// Answers a request: what is secret is kept out of the log meanwhile, and taken out of the
    /// answer. All requests take this path, so that no function that answers one has to think of
    /// it.
    pub(crate) async fn redacted<Q: Question, A: Answer>(
        &self,
        method: &str,
        request: &Q,
        answering: impl Future<Output = A>,
    ) -> A {
        let _hidden = self.hide(method, request);
        let mut answer = answering.await;
        self.redact(method, request, &mut answer);
        answer.finish();
        answer
    }

    fn redact(&self, method: &str, request: &impl Question, answer: &mut impl Answer) {
        let texts = answer.texts();
        // Most answers have none, and then the values are not read.
        if !texts.is_empty() {
            self.secrets(method, request).redact(texts);
        }
    }

    /// The receiver of the answers to a request.
    pub(super) fn events<A>(
        &self,
        method: &str,
        request: &impl Question,
        to: mpsc::Sender<Result<A, Status>>,
    ) -> Events<A> {
        Events {
            to,
            secrets: Arc::new(self.secrets(method, request)),
        }
    }

    /// Keeps what is secret in a request out of the log, for as long as the answer lives.
    #[must_use]
    pub(super) fn hide(&self, method: &str, request: &impl Question) -> Option<Hidden> {
        if !log::is_on() {
            return None;
        }
        let secrets = self.secrets(method, request);
        (!secrets.is_empty()).then(|| Hidden::new(Arc::new(secrets)))
    }

    /// The secrets of a request and of the configuration.
    fn secrets(&self, method: &str, request: &impl Question) -> Secrets {
        let name = request.name();
        let mut secrets = match request.given() {
            Given::Nothing => Secrets::default(),
            Given::Configuration(config) => self.config_secrets(config),
            Given::Values(values) => secrets_in(self.kind_of(method, name), values),
            // No schema is of a version below the first one, so that all are looked at.
            Given::Stored { version, state } => {
                self.secrets_of_stored(name, u64::try_from(version).unwrap_or_default(), state)
            }
            Given::Moved { request } => self.secrets_of_moved(request),
        };
        if let Some(configured) = self.configured() {
            secrets.extend(&configured.secrets);
        }
        secrets
    }

    /// The schema and the type of the values in requests of a method.
    fn kind_of(&self, method: &str, name: &str) -> Option<Kind<'_>> {
        let Subject::Type(kind, _) = subject(method) else {
            return None;
        };
        match kind {
            beside::Kind::Resource => self.kind(name),
            beside::Kind::DataSource => self.data_source(name).ok().map(|(_, kind)| kind),
            beside::Kind::EphemeralResource => self.ephemeral(name).ok().map(|(_, kind)| kind),
            beside::Kind::ListResource => self.list_resource(name).ok().map(|(_, kind)| kind),
            beside::Kind::Action => self.action(name).ok().map(|(_, kind)| kind),
            beside::Kind::Function => None,
        }
    }

    /// The schemas that stored state of a type may have had.
    fn schemas_from(&self, type_name: &str, version: u64) -> Vec<&Block> {
        let Some(definition) = self.0.parts.registry.get(type_name) else {
            return Vec::new();
        };
        let prior = definition
            .prior_schemas()
            .into_iter()
            .filter(|prior| prior.version >= version)
            .map(|prior| prior.block);
        prior.chain([definition.schema().block()]).collect()
    }

    /// The secrets of stored state.
    fn secrets_of_stored(
        &self,
        type_name: &str,
        version: u64,
        stored: Option<&RawState>,
    ) -> Secrets {
        secrets_as(&self.schemas_from(type_name, version), stored)
    }

    /// The secrets of the state that a move brings: in all that its source may have been, and in
    /// each attribute with the name of a secret one of this type.
    fn secrets_of_moved(&self, request: &MoveResourceStateRequest) -> Secrets {
        let (source, target) = (&request.source_type_name, &request.target_type_name);
        let mut schemas = self.schemas_from(target, 0);
        schemas.extend(self.schemas_from(source, 0));
        let moves = self
            .0
            .parts
            .registry
            .get(target)
            .map(ResourceDefinition::moves)
            .unwrap_or_default();
        for from in moves.iter().filter(|from| from.type_name() == source) {
            add_schemas(from.step(), &mut schemas);
        }
        secrets_as(&schemas, request.source_state.as_ref())
    }
}

/// The secrets of these values.
pub(super) fn secrets_in<'v>(
    kind: Option<Kind<'_>>,
    values: impl IntoIterator<Item = &'v DynamicValue>,
) -> Secrets {
    let mut secrets = Secrets::default();
    if let Some(Kind { block, ty }) = kind.filter(|kind| kind.block.has_secret()) {
        for value in values
            .into_iter()
            .filter_map(|value| from_wire(Some(value), ty, "value").ok())
        {
            secrets.add(block, &value);
        }
    }
    secrets
}

/// Adds the schema that an upgrader or a move reads, and those that lead to it.
fn add_schemas(step: &Step, schemas: &mut Vec<&Block>) {
    // Each model is of an earlier version than the one before, so this ends.
    if let Some(model) = step.prior() {
        schemas.push(model.schema().block());
        model
            .steps()
            .iter()
            .for_each(|before| add_schemas(before, schemas));
    }
}

/// The secrets of stored state, read as each of these schemas.
fn secrets_as(schemas: &[&Block], stored: Option<&RawState>) -> Secrets {
    let mut secrets = Secrets::default();
    let Some(stored) = stored else { return secrets };
    for block in schemas {
        let flat = stored
            .json
            .is_empty()
            .then(|| Value::from_flatmap(&stored.flatmap, &block.implied_type()).ok());
        let value = flat.unwrap_or_else(|| Value::from_any_json(&stored.json).ok());
        secrets.add(block, &value.unwrap_or_default());
    }
    secrets
}
