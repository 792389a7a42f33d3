//! One piece of work for the engine, from what is stored to the answer.

use super::context::{Clients, Limits, Notes, UpgradeContext};
use super::definition::ResourceDefinition;
use super::panics::{Payload, panicked};
use super::raw_state::RawState;
use super::refusal::instance_id;
use super::request::{MoveRequest, UpgradeRequest, UpgradeResponse};
use super::subject::Subject;
use crate::codec::Encoding;
use crate::diagnostics::{Diagnostic, Diagnostics};

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

    pub(super) fn context(&self) -> UpgradeContext<'a> {
        let context = UpgradeContext::new(self.type_name, self.stored, self.definition.version());
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
        context: UpgradeContext<'_>,
        out: Vec<u8>,
    ) -> UpgradeResponse {
        let Notes { warnings: mut diagnostics, dropped, discarded } = context.into_notes();
        let errors = match result {
            Ok(Ok(())) => {
                let diagnostics = if diagnostics.is_empty() { diagnostics } else { self.told(diagnostics) };
                return UpgradeResponse { state: Some(out), identity: None, diagnostics, dropped, discarded };
            }
            Ok(Err(errors)) => errors,
            Err(payload) => panicked(payload, self.definition.has_sensitive(), self.subject).into(),
        };
        diagnostics.append(errors);
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

    /// The answer when there is none.
    #[cold]
    pub(super) fn refused(&self, diagnostics: impl Into<Diagnostics>) -> UpgradeResponse {
        UpgradeResponse::failed(self.told(diagnostics.into()))
    }

    /// Adds to each diagnostic which state it is about.
    #[cold]
    fn told(&self, mut diagnostics: Diagnostics) -> Diagnostics {
        let (stored, current) = (self.stored, self.definition.version());
        let mut about = match self.moved {
            None => format!("Resource type {}", self.type_name),
            Some(request) => format!("Move from {} to {}", request.source_type_name(), self.type_name),
        };
        if self.subject == Subject::Identity {
            about.push_str(", identity");
        }
        about.push_str(&format!(", stored at schema version {stored}, current version {current}"));
        if !self.definition.hides("id")
            && let Some(id) = instance_id(self.raw)
        {
            about.push_str(", id ");
            about.push_str(&id);
        }
        about.push('.');
        diagnostics.add_paragraph(&about);
        diagnostics
    }
}
