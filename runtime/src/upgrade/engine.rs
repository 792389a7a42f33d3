//! Runs upgrades from stored bytes to stored bytes.

use super::context::{Clients, UpgradeContext};
use super::decode::decode_model;
use super::definition::ResourceDefinition;
use super::future::{BoxFuture, Guarded};
use super::history::{History, routed};
use super::job::Job;
use super::operators::{read_value, reads_leniently, value_of};
use super::panics::guarded;
use super::raw_state::RawState;
use super::refusal::{no_state, no_such_shape, refusal};
use super::request::{UpgradeRequest, UpgradeResponse};
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::resource::Resource;
use crate::schema::Members;
use crate::value::Value;

/// Answers `request` for a resource with this definition.
pub(crate) fn run(definition: &ResourceDefinition, request: &UpgradeRequest<'_>, clients: &Clients) -> UpgradeResponse {
    let job = Job::new(definition, request, clients);
    if let Some(refused) = refused(&job, request) {
        return refused;
    }
    upgrade(&job)
}

/// The same, awaiting where an edge on the way does.
pub(crate) async fn run_async(
    definition: &ResourceDefinition,
    request: &UpgradeRequest<'_>,
    clients: &Clients,
) -> UpgradeResponse {
    let job = Job::new(definition, request, clients);
    if let Some(refused) = refused(&job, request) {
        return refused;
    }
    upgrade_async(&job).await
}

/// Why there is nothing to be done, if so.
#[inline]
fn refused(job: &Job<'_>, request: &UpgradeRequest<'_>) -> Option<UpgradeResponse> {
    if request.raw_state().is_some() && job.definition.reaches(job.stored) { None } else { Some(refuse(job, request)) }
}

#[cold]
fn refuse(job: &Job<'_>, request: &UpgradeRequest<'_>) -> UpgradeResponse {
    match request.raw_state() {
        None => job.refused(no_state(job)),
        Some(_) => job.refused(refusal(job.definition, job.stored, job)),
    }
}

fn upgrade(job: &Job<'_>) -> UpgradeResponse {
    let (mut context, mut out) = (job.context(), job.output());
    let result = guarded(|| job.definition.upgrade(job.stored, job.raw, &mut context, job.encoding, &mut out));
    job.answer(result, context, out)
}

async fn upgrade_async(job: &Job<'_>) -> UpgradeResponse {
    let limits = job.context();
    let (mut context, mut out) = (job.context(), job.output());
    let Some(work) = job.definition.upgrade_async(job.stored, job.raw, &mut context, job.encoding, &mut out) else {
        return upgrade(job);
    };
    let result = Guarded::new(work, || limits.check()).await;
    job.answer(result, context, out)
}

/// Brings state stored at `version` to the model `T`, through prior models if need be.
pub(crate) fn upgrade_model<T: Resource>(
    version: u64,
    raw: RawState<'_>,
    context: &mut UpgradeContext<'_>,
) -> Result<T, Diagnostics> {
    if version == T::VERSION {
        return decode_model(raw, context);
    }
    match choose(T::HISTORY, T::ROUTES, version, raw, context).map(|index| T::EDGES.get(index)) {
        Ok(Some(edge)) => edge.upgrade(version, raw, context),
        Ok(None) => Err(no_edge(version, T::HISTORY, context)),
        Err(errors) => Err(errors),
    }
}

/// The same, awaiting where an edge on the way does.
pub(super) fn upgrade_model_async<'a, T: Resource>(
    version: u64,
    raw: RawState<'a>,
    context: &'a mut UpgradeContext<'_>,
) -> BoxFuture<'a, Result<T, Diagnostics>> {
    if version == T::VERSION {
        return Box::pin(async move { decode_model(raw, context) });
    }
    match choose(T::HISTORY, T::ROUTES, version, raw, context).map(|index| T::EDGES.get(index)) {
        Ok(Some(edge)) => edge.upgrade_async(version, raw, context),
        Ok(None) => Box::pin(async move { Err(no_edge(version, T::HISTORY, context)) }),
        Err(errors) => Box::pin(async move { Err(errors) }),
    }
}

/// Brings state stored at `version` to the model `T`, as a value of its schema.
pub(super) fn upgrade_to_value<T: Resource>(
    version: u64,
    raw: RawState<'_>,
    context: &mut UpgradeContext<'_>,
) -> Result<Value, Diagnostics> {
    if version == T::VERSION {
        if const { reads_leniently(Members::of::<T>()) } {
            return value_of(&decode_model::<T>(raw, context)?, context);
        }
        return read_value(raw, T::SCHEMA, context);
    }
    match choose(T::HISTORY, T::ROUTES, version, raw, context).map(|index| T::EDGES.get(index)) {
        Ok(Some(edge)) => edge.upgrade_to_value(version, raw, context),
        Ok(None) => Err(no_edge(version, T::HISTORY, context)),
        Err(errors) => Err(errors),
    }
}

/// The same, awaiting where an edge on the way does.
pub(super) fn upgrade_to_value_async<'a, T: Resource>(
    version: u64,
    raw: RawState<'a>,
    context: &'a mut UpgradeContext<'_>,
) -> BoxFuture<'a, Result<Value, Diagnostics>> {
    Box::pin(async move {
        if version == T::VERSION {
            return upgrade_to_value::<T>(version, raw, context);
        }
        let model = upgrade_model_async::<T>(version, raw, context).await?;
        value_of(&model, context)
    })
}

/// The index of the edge that this state takes; one that does not exist if there is none.
fn choose(
    history: &'static History,
    routes: &'static [u16],
    version: u64,
    raw: RawState<'_>,
    context: &UpgradeContext<'_>,
) -> Result<usize, Diagnostics> {
    let Some(index) = routed(routes, history.oldest(), version) else { return Ok(usize::MAX) };
    match history.steps().get(index) {
        Some(step) if step.condition().is_some() && step.contains(version) => choose_shape(history, version, raw, context),
        _ => Ok(index),
    }
}

/// Of several edges for one version, the first whose condition holds.
#[cold]
fn choose_shape(
    history: &'static History,
    version: u64,
    raw: RawState<'_>,
    context: &UpgradeContext<'_>,
) -> Result<usize, Diagnostics> {
    for (index, step) in history.steps().iter().enumerate().filter(|(_, step)| step.contains(version)) {
        let holds = match step.condition() {
            Some(when) => when.holds(raw).map_err(|error| super::decode::unreadable_state(&error, version, context.subject()))?,
            None => true,
        };
        if holds {
            return Ok(index);
        }
    }
    Err(no_such_shape(history, version, context.subject()))
}

#[cold]
fn no_edge(version: u64, history: &History, context: &UpgradeContext<'_>) -> Diagnostics {
    Diagnostic::error(
        context.subject().cannot_upgrade(),
        format!("There is no upgrade from schema version {version} to {}.", history.version()),
    )
    .into()
}
