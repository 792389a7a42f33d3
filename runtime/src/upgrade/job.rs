//! One piece of work for the engine, from what is stored to the answer.

use super::context::{Clients, Destination, Notes, Scope, UpgradeContext};
use super::definition::ResourceDefinition;
use super::dynamic;
use super::panics::{Payload, panicked};
use super::refusal::instance_id;
use super::request::{More, MoveRequest, UpgradeRequest, UpgradeResponse};
use super::subject::Subject;
use crate::diagnostics::{Diagnostic, DiagnosticCode, Diagnostics};
use crate::value::Value;

/// An upgrade to do: what is brought to what, and with what means.
pub(super) struct Job<'a> {
    pub(super) scope: Scope<'a>,
    /// The definition that the upgrade leads to.
    pub(super) definition: &'a ResourceDefinition,
}

/// The outcome of an upgrade: success, errors, or what a panic left.
pub(super) type Outcome = Result<Result<(), Diagnostics>, Payload>;

impl<'a> Job<'a> {
    pub(super) fn new(
        definition: &'a ResourceDefinition,
        request: &'a UpgradeRequest<'a>,
        clients: &'a Clients,
    ) -> Self {
        let (type_name, current) = (definition.type_name(), definition.version());
        let model = definition
            .history()
            .map(|history| history as &dyn Destination);
        Self {
            scope: Scope {
                request,
                type_name,
                current,
                model,
                subject: definition.subject(),
                clients,
                moved: None,
            },
            definition,
        }
    }

    /// The identity of `resource`, which has one of this definition.
    pub(super) fn of_identity(
        resource: &'a ResourceDefinition,
        identity: &'a ResourceDefinition,
        request: &'a UpgradeRequest<'a>,
        clients: &'a Clients,
    ) -> Self {
        let mut job = Self::new(identity, request, clients);
        job.scope.subject = Subject::Identity;
        job.scope.type_name = resource.type_name();
        job
    }

    /// State of another type that becomes one of this definition.
    pub(super) fn of_move(
        definition: &'a ResourceDefinition,
        request: &'a MoveRequest<'a>,
        clients: &'a Clients,
    ) -> Self {
        let mut job = Self::new(definition, request.source(), clients);
        job.scope.subject = Subject::Moved;
        job.scope.moved = Some(request);
        job
    }

    pub(super) fn context(&self) -> UpgradeContext<'_> {
        UpgradeContext::new(&self.scope)
    }

    /// Room for the answer.
    pub(super) fn output(&self) -> Vec<u8> {
        Vec::with_capacity(self.scope.raw().room())
    }

    /// The answer, from what the work came to.
    pub(super) fn answer(
        &self,
        outcome: Outcome,
        context: UpgradeContext<'_>,
        out: Vec<u8>,
    ) -> UpgradeResponse {
        self.answer_with(outcome, context.into_boxed_notes(), out)
    }

    pub(super) fn answer_with(
        &self,
        outcome: Outcome,
        notes: Option<Box<Notes>>,
        out: Vec<u8>,
    ) -> UpgradeResponse {
        let notes = notes.map(|notes| *notes).unwrap_or_default();
        let Notes {
            warnings: mut diagnostics,
            undefined,
            losses,
            dropped,
            identity,
            private,
            ..
        } = notes;
        let outcome = match (outcome, identity) {
            (Ok(Ok(())), Some(identity)) => Ok(self.encoded_identity(identity).map(Some)),
            (outcome, _) => outcome.map(|result| result.map(|()| None)),
        };
        let errors = match outcome {
            Ok(Ok(identity)) => {
                let diagnostics = if diagnostics.is_empty() {
                    diagnostics
                } else {
                    self.reported(diagnostics)
                };
                return UpgradeResponse::with(
                    out,
                    More {
                        identity,
                        private,
                        diagnostics,
                        undefined,
                        losses,
                        dropped,
                    },
                );
            }
            Ok(Err(errors)) => errors,
            Err(payload) => {
                panicked(payload, self.definition.has_secret(), self.scope.subject).into()
            }
        };
        diagnostics.append(errors);
        let subject = self.scope.subject;
        if subject != Subject::State {
            diagnostics.head_texts(subject.cannot_upgrade());
        }
        if !diagnostics.has_errors() {
            let noun = subject.noun();
            let detail = format!(
                "The upgrader returned neither {} {noun} nor an error. The stored {noun} is unchanged.",
                if subject == Subject::Identity {
                    "an"
                } else {
                    "a"
                }
            );
            diagnostics.push(Diagnostic::bug(subject.missing(), detail));
        }
        self.refused(diagnostics)
    }

    /// The identity that a move gives its state.
    #[cold]
    fn encoded_identity(&self, identity: Value) -> Result<Vec<u8>, Diagnostics> {
        let Some(definition) = self.definition.identity() else {
            return Err(Diagnostic::error(
                "Unexpected Move State Response",
                format!("The move returned an identity, but {} has none. The stored state is unchanged.", self.scope.type_name),
            )
            .coded(DiagnosticCode::Bug)
            .with_remedy("This is a bug in the move: report it to the authors.")
            .into());
        };
        let mut out = Vec::new();
        dynamic::finish_value(
            identity,
            definition.schema(),
            &self.context(),
            self.scope.request.encoding(),
            &mut out,
        )?;
        Ok(out)
    }

    /// The answer when there is none.
    #[cold]
    pub(super) fn refused(&self, diagnostics: impl Into<Diagnostics>) -> UpgradeResponse {
        UpgradeResponse::failed(self.reported(diagnostics.into()))
    }

    /// Adds to each diagnostic which state it is about.
    #[cold]
    fn reported(&self, mut diagnostics: Diagnostics) -> Diagnostics {
        let (stored, current) = (self.scope.stored(), self.definition.version());
        let what = match self.scope.moved {
            None => format!("{} {}", self.scope.subject.kind(), self.scope.type_name),
            Some(request) => format!(
                "Move from {} to {}",
                request.source_type_name(),
                self.scope.type_name
            ),
        };
        let of = if self.scope.subject == Subject::Identity {
            ", identity"
        } else {
            ""
        };
        let id = if self.definition.hides_id(stored) {
            None
        } else {
            instance_id(self.scope.raw())
        };
        let id = id.map(|id| format!(", id {id}")).unwrap_or_default();
        let noun = self.scope.subject.noun();
        diagnostics.head_again(
            Subject::State.cannot_upgrade(),
            self.scope.subject.cannot_upgrade(),
        );
        diagnostics.frame_texts(&match self.scope.moved {
            None => format!("The upgrade from schema version {stored} refused this {noun}"),
            Some(request) => format!(
                "The move from {} refused this {noun}",
                request.source_type_name()
            ),
        });
        let about = format!(
            "{what}{of}, stored at schema version {stored}, current version {current}{id}."
        );
        diagnostics.add_paragraph(&about);
        diagnostics
    }
}
