//! One piece of work for the engine, from what is stored to the answer.

use super::context::{Clients, Limits, Notes, UpgradeContext};
use super::definition::ResourceDefinition;
use super::dynamic;
use super::panics::{Payload, panicked};
use super::raw_state::RawState;
use super::refusal::instance_id;
use super::request::{MoveRequest, UpgradeRequest, UpgradeResponse};
use super::subject::Subject;
use crate::codec::Encoding;
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::value::Value;

/// What is brought to what, and with what means.
pub(super) struct Job<'a> {
    pub(super) subject: Subject,
    /// Of the resource; an identity's definition has a name of its own.
    pub(super) type_name: &'a str,
    /// What it is brought to.
    pub(super) definition: &'a ResourceDefinition,
    pub(super) stored: u64,
    pub(super) raw: RawState<'a>,
    pub(super) encoding: Encoding,
    pub(super) limits: Limits<'a>,
    pub(super) clients: &'a Clients,
    pub(super) moved: Option<&'a MoveRequest<'a>>,
}

impl<'a> Job<'a> {
    pub(super) fn new(definition: &'a ResourceDefinition, request: &UpgradeRequest<'a>, clients: &'a Clients) -> Self {
        Self {
            subject: Subject::State,
            type_name: definition.type_name(),
            definition,
            stored: request.version(),
            raw: request.raw_state().unwrap_or(RawState::Empty),
            encoding: request.encoding(),
            limits: request.limits(),
            clients,
            moved: None,
        }
    }

    /// The identity of `resource`, which has one of this definition.
    pub(super) fn of_identity(
        resource: &'a ResourceDefinition,
        identity: &'a ResourceDefinition,
        request: &UpgradeRequest<'a>,
        clients: &'a Clients,
    ) -> Self {
        Self { subject: Subject::Identity, type_name: resource.type_name(), ..Self::new(identity, request, clients) }
    }

    /// State of another type that becomes one of this definition.
    pub(super) fn of_move(definition: &'a ResourceDefinition, request: &'a MoveRequest<'a>, clients: &'a Clients) -> Self {
        Self { subject: Subject::Moved, moved: Some(request), ..Self::new(definition, request.source(), clients) }
    }

    pub(super) fn context(&self) -> UpgradeContext<'a> {
        let context = UpgradeContext::new(self.type_name, self.stored, self.definition.version()).reading(self.raw);
        let context = context.about(self.subject).within(self.limits).with_clients(self.clients);
        match self.moved {
            Some(request) => context.moving(request),
            None => context,
        }
    }

    /// Room for the answer: a little more than what is stored.
    pub(super) fn output(&self) -> Vec<u8> {
        Vec::with_capacity(self.raw.json().map_or(0, |json| json.len() + json.len() / 4 + 64))
    }

    /// The answer, from what the work came to.
    pub(super) fn answer(
        &self,
        result: Result<Result<(), Diagnostics>, Payload>,
        mut context: UpgradeContext<'_>,
        out: Vec<u8>,
    ) -> UpgradeResponse {
        let identity = match (&result, context.take_identity()) {
            (Ok(Ok(())), Some(identity)) => match self.encoded_identity(identity, &context) {
                Ok(identity) => Some(identity),
                Err(errors) => return self.answer(Ok(Err(errors)), context, Vec::new()),
            },
            _ => None,
        };
        let Notes { warnings: mut diagnostics, dropped, discarded } = context.into_notes();
        let errors = match result {
            Ok(Ok(())) => {
                let diagnostics = if diagnostics.is_empty() { diagnostics } else { self.told(diagnostics) };
                return UpgradeResponse { state: Some(out), identity, diagnostics, dropped, discarded };
            }
            Ok(Err(errors)) => errors,
            Err(payload) => panicked(payload, self.definition.has_sensitive(), self.subject).into(),
        };
        diagnostics.append(errors);
        if self.subject != Subject::State {
            diagnostics.head_texts(self.subject.cannot_upgrade());
        }
        if !diagnostics.has_errors() {
            let noun = self.subject.noun();
            diagnostics.push(Diagnostic::error(
                self.subject.missing(),
                format!(
                    "The upgrade returned neither {} {noun} nor an error. \
                     This is a mistake in the upgrade; the stored {noun} is left as it was.",
                    if self.subject == Subject::Identity { "an" } else { "a" }
                ),
            ));
        }
        self.refused(diagnostics)
    }

    /// The identity that a move gives its state.
    #[cold]
    fn encoded_identity(&self, identity: Value, context: &UpgradeContext<'_>) -> Result<Vec<u8>, Diagnostics> {
        let Some(definition) = self.definition.identity() else {
            return Err(Diagnostic::error(
                "Unexpected Move State Response",
                format!(
                    "The move returned an identity, but {} has none. This is a mistake in the move; the stored state is left as it was.",
                    self.type_name
                ),
            )
            .into());
        };
        let mut out = Vec::new();
        dynamic::finish_value(identity, definition.schema(), context, self.encoding, &mut out)?;
        Ok(out)
    }

    /// The answer when there is none.
    #[cold]
    pub(super) fn refused(&self, diagnostics: impl Into<Diagnostics>) -> UpgradeResponse {
        UpgradeResponse::failed(self.told(diagnostics.into()))
    }

    /// Adds to each diagnostic which state it is about.
    #[cold]
    fn told(&self, mut diagnostics: Diagnostics) -> Diagnostics {
        let (stored, current) = (self.stored, self.definition.version());
        let what = match self.moved {
            None => format!("Resource type {}", self.type_name),
            Some(request) => format!("Move from {} to {}", request.source_type_name(), self.type_name),
        };
        let of = if self.subject == Subject::Identity { ", identity" } else { "" };
        let id = if self.definition.hides("id") { None } else { instance_id(self.raw) };
        let id = id.map(|id| format!(", id {id}")).unwrap_or_default();
        let about = format!("{what}{of}, stored at schema version {stored}, current version {current}{id}.");
        diagnostics.add_paragraph(&about);
        diagnostics
    }
}
