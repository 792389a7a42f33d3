//! Moves by closures: tried in order, the first that makes something counts.

use super::context::UpgradeContext;
use super::dynamic::{ClosureMover, Dynamic, MoverSource, UpgradedState, read_json};
use super::engine;
use super::job::Job;
use super::moves::{is_provider, no_source};
use super::panics::guarded;
use super::raw_state::RawState;
use super::request::{MoveRequest, UpgradeRequest, UpgradeResponse};
use crate::codec::UnknownAttributes;
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::schema::Schema;
use crate::value::Value;

impl ClosureMover {
    fn is_for(&self, request: &MoveRequest<'_>) -> bool {
        let of_type = self
            .type_name
            .as_deref()
            .is_none_or(|name| name == request.source_type_name());
        of_type && is_provider(self.provider.as_deref(), request.provider_address())
    }

    /// The state that the mover makes of the source state, if it makes any.
    fn run(
        &self,
        request: &MoveRequest<'_>,
        raw: RawState<'_>,
        context: &mut UpgradeContext<'_>,
    ) -> Result<Option<UpgradedState>, Diagnostics> {
        context.check()?;
        let source = match &self.source {
            MoverSource::Raw => None,
            // The reference takes a schema that does not fit for a source that is not meant.
            MoverSource::Schema(prior) => raw
                .json()
                .and_then(|json| read_json(json, prior, context).ok()),
            MoverSource::Definition(definition) => {
                let upgrade = UpgradeRequest::new(
                    definition.type_name(),
                    request.source_version(),
                    Some(raw),
                );
                let upgrade = upgrade.within(request.source().limits());
                let upgraded = engine::run(definition, &upgrade, context.clients());
                for warning in upgraded
                    .diagnostics()
                    .iter()
                    .filter(|_| upgraded.state().is_some())
                {
                    context.warn(warning.clone());
                }
                context.note_of_source(&upgraded);
                let json = upgraded.into_result()?;
                let ty = definition.schema().implied_type();
                Some(
                    Value::from_json(&json, &ty, UnknownAttributes::Deny)
                        .map_err(|error| error.problem())?,
                )
            }
        };
        Ok(
            (self.run)(source, context)?
                .filter(|state| *state != UpgradedState::Value(Value::Null)),
        )
    }
}

/// Tries the movers in order. The diagnostics are those of the mover that decided; all warnings if
/// none did.
pub(super) fn run_movers(
    dynamic: &Dynamic,
    schema: &Schema,
    job: &Job<'_>,
    request: &MoveRequest<'_>,
) -> UpgradeResponse {
    let mut skipped = job.context();
    for mover in dynamic
        .movers()
        .iter()
        .filter(|mover| mover.is_for(request))
    {
        let (mut context, mut out) = (job.context(), job.output());
        let result = guarded(
            || match mover.run(request, job.scope.raw(), &mut context)? {
                Some(state) => dynamic
                    .finish_move(
                        state,
                        schema,
                        &context,
                        job.scope.request.encoding(),
                        &mut out,
                    )
                    .map(|()| true),
                None => Ok(false),
            },
        );
        match result {
            Ok(Ok(false)) => {
                let warnings = context.into_notes().warnings;
                warnings
                    .into_iter()
                    .for_each(|warning| skipped.warn(warning));
            }
            Ok(Ok(true)) => return job.answer(Ok(Ok(())), context, out),
            Ok(Err(errors)) => return job.answer(Ok(Err(errors)), context, out),
            Err(payload) => return job.answer(Err(payload), context, out),
        }
    }
    let known: Vec<String> = dynamic.movers().iter().map(described).collect();
    let none: Diagnostic = no_source(&known, request, &skipped);
    job.answer(Ok(Err(none.into())), skipped, Vec::new())
}

fn described(mover: &ClosureMover) -> String {
    let of_type = mover
        .type_name
        .as_deref()
        .unwrap_or("types that its movers accept");
    match &mover.provider {
        Some(provider) => format!("{of_type} of provider {provider}"),
        None => of_type.to_owned(),
    }
}
