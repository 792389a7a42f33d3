//! Runs upgrades from stored bytes to stored bytes.

use super::context::{Clients, Notes, Scope, UpgradeContext};
use super::declared::read_value;
use super::declared::value_of;
use super::declared::value_of_json;
use super::decode::decode_model;
use super::definition::{ResourceDefinition, Source};
use super::dynamic::{Dynamic, run_movers};
use super::functions::is_unsupported;
use super::future::{BoxFuture, Guarded};
use super::history::{History, Route, routed};
use super::job::{Came, Job};
use super::model::{Model, ModelPlace, Output, Typed, nothing_made};
use super::moves::{ModelMoves, choose as choose_source, no_source};
use super::panics::guarded;
use super::raw_state::RawState;
use super::refusal::{no_state, no_such_shape, refusal};
use super::request::{More, MoveRequest, UpgradeRequest, UpgradeResponse};
use super::upgrader::AnyUpgrader;
use crate::codec::{Encoding, Written};
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::path::AttributePath;
use crate::resource::Resource;
use crate::value::Value;

/// Answers `request` for a resource with this definition.
#[inline(always)]
#[expect(clippy::inline_always, reason = "measured: a call for each request")]
pub(crate) fn run(definition: &ResourceDefinition, request: &UpgradeRequest<'_>, clients: &Clients) -> UpgradeResponse {
    upgrade_inlined(&Job::new(definition, request, clients), request)
}

/// Appends the answer to `out`, written so. If there is none, `out` is as it was.
pub(super) fn run_into(
    definition: &ResourceDefinition,
    request: &UpgradeRequest<'_>,
    clients: &Clients,
    written: Written<'_>,
    out: &mut Vec<u8>,
) -> Result<Option<Box<More>>, Diagnostics> {
    let job = Job::new(definition, request, clients);
    let mut context = job.context();
    let start = out.len();
    let scope = &job.scope;
    let response = match begin(&job, request, &mut context) {
        Ok(()) => {
            let came = guarded(|| definition.upgrade_as(scope.stored(), scope.raw(), &mut context, written, out));
            note_unwritten(&job, &came, &mut context);
            match (came, context.into_boxed_notes()) {
                (Ok(Ok(())), None) => return Ok(None),
                (came, notes) => answer(&job, came, notes, Vec::new()),
            }
        }
        Err(refused) => job.answer(refused, context, Vec::new()),
    };
    if response.state().is_none() {
        out.truncate(start);
        return Err(response.into_result().err().unwrap_or_default());
    }
    Ok(response.into_more())
}

/// Answers as above, awaiting where an upgrader on the route does.
pub(crate) async fn run_async(
    definition: &ResourceDefinition,
    request: &UpgradeRequest<'_>,
    clients: &Clients,
) -> UpgradeResponse {
    upgrade_async(&Job::new(definition, request, clients), request).await
}

/// Answers `request` about the identity of a resource with this definition.
pub(crate) fn run_identity(definition: &ResourceDefinition, request: &UpgradeRequest<'_>, clients: &Clients) -> UpgradeResponse {
    match identity_job(definition, request, clients) {
        Ok(job) => upgrade(&job, request),
        Err(refused) => refused,
    }
}

/// Answers as above, awaiting where an upgrader on the route does.
pub(crate) async fn run_identity_async(
    definition: &ResourceDefinition,
    request: &UpgradeRequest<'_>,
    clients: &Clients,
) -> UpgradeResponse {
    match identity_job(definition, request, clients) {
        Ok(job) => upgrade_async(&job, request).await,
        Err(refused) => refused,
    }
}

fn identity_job<'a>(
    definition: &'a ResourceDefinition,
    request: &'a UpgradeRequest<'a>,
    clients: &'a Clients,
) -> Result<Job<'a>, UpgradeResponse> {
    let Some(identity) = definition.identity() else {
        return Err(UpgradeResponse::failed(no_identity(definition, "Unable to Create Empty Identity", "upgraded")));
    };
    let job = Job::of_identity(definition, identity, request, clients);
    if request.version() == identity.version() {
        let detail = "The stored identity is of the current version already, so there is nothing to upgrade. \
                      This is a bug in the calling program, not in the identity.";
        return Err(job.refused(Diagnostic::error("Unexpected Identity Upgrade Request", detail)));
    }
    Ok(job)
}

/// Why nothing can be `done` to a stored identity.
#[cold]
pub(super) fn no_identity(definition: &ResourceDefinition, summary: &str, done: &str) -> Diagnostic {
    let detail = format!(
        "{} has no identity in this release, so a stored one can't be {done}. Use the release that stored it, or a later one.",
        definition.type_name()
    );
    Diagnostic::error(summary, detail)
}

/// Answers a request to make state of another type into state of a resource with this definition.
pub(crate) fn run_move(definition: &ResourceDefinition, request: &MoveRequest<'_>, clients: &Clients) -> UpgradeResponse {
    let job = Job::of_move(definition, request, clients);
    match choose_move(&job, request) {
        Ok((index, moves)) => run_chosen(&job, index, moves),
        Err(answer) => answer,
    }
}

/// Answers as above, awaiting where an upgrader on the route does.
pub(crate) async fn run_move_async(
    definition: &ResourceDefinition,
    request: &MoveRequest<'_>,
    clients: &Clients,
) -> UpgradeResponse {
    let job = Job::of_move(definition, request, clients);
    let (index, moves) = match choose_move(&job, request) {
        Ok(chosen) => chosen,
        Err(answer) => return answer,
    };
    let Some(run) = moves.run_async else { return run_chosen(&job, index, moves) };
    let limits = job.context();
    let (mut context, mut out) = (job.context(), job.output());
    let work = run(index, job.scope.stored(), job.scope.raw(), &mut context, job.scope.request.encoding(), &mut out);
    let result = Guarded::new(work, || limits.check()).await;
    job.answer(result, context, out)
}

fn run_chosen(job: &Job<'_>, index: usize, moves: ModelMoves) -> UpgradeResponse {
    let (mut context, mut out) = (job.context(), job.output());
    let result =
        guarded(|| (moves.run)(index, job.scope.stored(), job.scope.raw(), &mut context, job.scope.request.encoding(), &mut out));
    job.answer(result, context, out)
}

/// Which move of a model is meant; otherwise the answer.
fn choose_move(job: &Job<'_>, request: &MoveRequest<'_>) -> Result<(usize, ModelMoves), UpgradeResponse> {
    if request.source_state().is_none() {
        return Err(job.refused(no_state(job)));
    }
    let context = job.context();
    match job.definition.source() {
        Source::Dynamic(dynamic) if !dynamic.movers().is_empty() => {
            Err(run_movers(dynamic, job.definition.schema(), job, request))
        }
        Source::Model { moves: Some(moves), .. } => {
            // A condition may be code of the user.
            match guarded(|| choose_source(&(moves.sources)(), request, job.scope.raw(), &context)) {
                Ok(Ok(index)) => Ok((index, *moves)),
                Ok(Err(errors)) => Err(job.answer(Ok(Err(errors)), context, Vec::new())),
                Err(payload) => Err(job.answer(Err(payload), context, Vec::new())),
            }
        }
        Source::Model { .. } | Source::Dynamic(_) => Err(job.refused(no_source(&[], request, &context))),
    }
}

#[inline(never)]
pub(super) fn upgrade(job: &Job<'_>, request: &UpgradeRequest<'_>) -> UpgradeResponse {
    upgrade_inlined(job, request)
}

/// Upgrades where most requests pass.
#[inline(always)]
#[expect(clippy::inline_always, reason = "measured: a call for each request")]
fn upgrade_inlined(job: &Job<'_>, request: &UpgradeRequest<'_>) -> UpgradeResponse {
    let mut context = job.context();
    match begin(job, request, &mut context) {
        Ok(()) => upgrade_now(job, context),
        Err(refused) => job.answer(refused, context, Vec::new()),
    }
}

#[inline(always)]
#[expect(clippy::inline_always, reason = "measured: a call for each request")]
fn upgrade_now(job: &Job<'_>, mut context: UpgradeContext<'_>) -> UpgradeResponse {
    // Room is made once it is known how much, and when.
    let (scope, mut out) = (&job.scope, Vec::new());
    let came =
        guarded(|| job.definition.upgrade(scope.stored(), scope.raw(), &mut context, job.scope.request.encoding(), &mut out));
    note_unwritten(job, &came, &mut context);
    // One by one: what holds nothing need not be dropped.
    if let Ok(Ok(())) = came {
        return match context.into_boxed_notes() {
            None => UpgradeResponse::of(out),
            notes => job.answer_with(Ok(Ok(())), notes, out),
        };
    }
    answer(job, came, context.into_boxed_notes(), out)
}

pub(super) async fn upgrade_async(job: &Job<'_>, request: &UpgradeRequest<'_>) -> UpgradeResponse {
    let mut context = job.context();
    if let Err(refused) = begin(job, request, &mut context) {
        return job.answer(refused, context, Vec::new());
    }
    if !job.definition.awaits() {
        return upgrade_now(job, context);
    }
    let (limits, mut out) = (job.context(), job.output());
    let work =
        job.definition.upgrade_async(job.scope.stored(), job.scope.raw(), &mut context, job.scope.request.encoding(), &mut out);
    let came = Guarded::new(work, || limits.check()).await;
    note_unwritten(job, &came, &mut context);
    answer(job, came, context.into_boxed_notes(), out)
}

/// Notes the stored values that an upgrade left out because their attributes are write-only.
#[inline]
fn note_unwritten(job: &Job<'_>, came: &Came, context: &mut UpgradeContext<'_>) {
    if matches!(came, Ok(Ok(()))) && job.definition.writes_only() {
        context.note_unwritten(job.definition.unwritten(job.scope.stored(), job.scope.raw()));
    }
}

/// Whether the resource is ready for the upgrade; otherwise what is wrong.
#[inline]
fn begin(job: &Job<'_>, request: &UpgradeRequest<'_>, context: &mut UpgradeContext<'_>) -> Result<(), Came> {
    match job.definition.source() {
        // Whether there is a way is found out on it.
        Source::Model { .. } if request.raw_state().is_some() => Ok(()),
        Source::Model { .. } => Err(Ok(Err(no_state(job).into()))),
        Source::Dynamic(dynamic) => begin_dynamic(job, dynamic, request, context),
    }
}

fn begin_dynamic(
    job: &Job<'_>,
    dynamic: &Dynamic,
    request: &UpgradeRequest<'_>,
    context: &mut UpgradeContext<'_>,
) -> Result<(), Came> {
    if request.raw_state().is_none() {
        return Err(Ok(Err(no_state(job).into())));
    }
    if job.scope.stored() != job.definition.version() {
        match guarded(|| dynamic.configure(context)) {
            Ok(Ok(())) => {}
            came => return Err(came),
        }
    }
    if job.definition.takes(job.scope.stored(), job.scope.raw()) {
        return Ok(());
    }
    Err(Ok(Err(refusal(job.definition, job.scope.stored(), job).into())))
}

/// The answer where there is none, or something beside it: of a version that has no way up, why.
#[cold]
fn answer(job: &Job<'_>, came: Came, notes: Option<Box<Notes>>, out: Vec<u8>) -> UpgradeResponse {
    let stored = job.scope.stored();
    match came {
        Ok(Err(_)) if !job.definition.takes(stored, job.scope.raw()) => {
            job.answer_with(Ok(Err(refusal(job.definition, stored, job).into())), notes, out)
        }
        came => job.answer_with(came, notes, out),
    }
}

/// Brings JSON stored at `version` to the model `T`, with what the upgrade reports. A version without an upgrade is refused as a registry refuses it.
pub(crate) fn upgrade_stored<T: Resource>(version: u64, json: &[u8]) -> Result<(T, Notes), Diagnostics> {
    let request = UpgradeRequest::json(T::TYPE_NAME, version, json);
    let job = Job::new(T::DEFINITION, &request, &[]);
    let mut context = job.context();
    match upgrade_model(version, job.scope.raw(), &mut context) {
        Ok(model) => Ok((model, context.into_notes())),
        Err(_) if !T::DEFINITION.takes(version, job.scope.raw()) => Err(refusal(T::DEFINITION, version, &job).into()),
        Err(errors) => Err(errors),
    }
}

/// Brings state stored at `version` to the model `T`, through prior models if need be.
pub(crate) fn upgrade_model<T: Resource>(
    version: u64,
    raw: RawState<'_>,
    context: &mut UpgradeContext<'_>,
) -> Result<T, Diagnostics> {
    let mut place = None::<T>;
    match (bring(Typed::of::<T>(), version, raw, context, &mut place), place) {
        (Ok(()), Some(model)) => Ok(model),
        (Ok(()), None) => Err(nothing_made()),
        (Err(errors), _) => Err(errors),
    }
}

/// Upgrades to any model, which is put into `place`.
#[inline(never)]
pub(super) fn bring(
    typed: &Typed,
    version: u64,
    raw: RawState<'_>,
    context: &mut UpgradeContext<'_>,
    place: &mut ModelPlace,
) -> Result<(), Diagnostics> {
    bring_inlined(typed, version, raw, context, place)
}

/// Upgrades where every state passes.
#[inline(always)]
#[expect(clippy::inline_always, reason = "measured: a call for each upgrader of a route")]
fn bring_inlined(
    typed: &Typed,
    version: u64,
    raw: RawState<'_>,
    context: &mut UpgradeContext<'_>,
    place: &mut ModelPlace,
) -> Result<(), Diagnostics> {
    let model = typed.model;
    if version == model.version() {
        return decode_model(typed, raw, context, place);
    }
    match model.choose(version, raw, context) {
        Ok(upgrader) => upgrader.upgrade(typed, version, raw, context, place),
        Err(refused) => bring_migrated(typed, version, raw, context, place, refused),
    }
}

/// Upgrades flat state that is older than the first upgrader, if the author wrote a function for it; `refused` otherwise.
#[cold]
fn bring_migrated(
    typed: &Typed,
    version: u64,
    raw: RawState<'_>,
    context: &mut UpgradeContext<'_>,
    place: &mut ModelPlace,
    refused: Diagnostics,
) -> Result<(), Diagnostics> {
    let history = typed.model.history;
    let state = history.migrated(version, raw, context, refused)?;
    let brought = bring(typed, history.oldest(), RawState::Flatmap(&state), context, place);
    brought.map_err(|errors| history.told_of_migration(version, errors))
}

/// Upgrades to a prior model, before its author's upgrader is called.
pub(super) fn bring_prior(
    typed: &Typed,
    version: u64,
    raw: RawState<'_>,
    context: &mut UpgradeContext<'_>,
    place: &mut ModelPlace,
) -> Result<(), Diagnostics> {
    bring_inlined(typed, version, raw, context, place)?;
    context.check()
}

/// Brings state stored at `version` to the model and writes that.
pub(super) fn upgrade_and_encode(
    typed: &Typed,
    version: u64,
    raw: RawState<'_>,
    context: &mut UpgradeContext<'_>,
    output: &mut Output<'_>,
) -> Result<(), Diagnostics> {
    (typed.write)(&mut |place| bring_inlined(typed, version, raw, context, place), output)
}

/// Reads state of the current version, for which no upgrade is run: the model, warnings, and where something is not part of it. What
/// cannot be read is the engine's to explain.
pub fn read_current<T: Resource>(json: &[u8]) -> Option<(T, Diagnostics, Vec<AttributePath>)> {
    let raw = RawState::Json(json);
    let request = UpgradeRequest::new(T::TYPE_NAME, T::VERSION, Some(raw));
    let scope = Scope::new(&request, T::VERSION).to_model(T::HISTORY);
    let mut context = UpgradeContext::new(&scope);
    let model = upgrade_model(T::VERSION, raw, &mut context).ok()?;
    let notes = context.into_notes();
    Some((model, notes.warnings, notes.undefined))
}

/// Brings state stored at `version` to the model `T`, awaiting where an upgrader on the way does.
pub(super) fn upgrade_model_async<'a, T: Resource>(
    version: u64,
    raw: RawState<'a>,
    context: &'a mut UpgradeContext<'_>,
) -> BoxFuture<'a, Result<T, Diagnostics>> {
    if version == T::VERSION {
        return Box::pin(async move { upgrade_model(version, raw, context) });
    }
    match choose(T::HISTORY, T::ROUTES, version, raw, context).map(|index| T::UPGRADERS.get(index)) {
        Ok(Some(upgrader)) => upgrader.upgrade_async(version, raw, context),
        Ok(None) => Box::pin(async move {
            let refused = no_upgrader(version, T::HISTORY, context);
            let state = T::HISTORY.migrated(version, raw, context, refused)?;
            let brought = upgrade_model_async(T::HISTORY.oldest(), RawState::Flatmap(&state), context).await;
            brought.map_err(|errors| T::HISTORY.told_of_migration(version, errors))
        }),
        Err(errors) => Box::pin(async move { Err(errors) }),
    }
}

/// Brings state stored at `version` to the model, as a value of its schema.
pub(super) fn upgrade_to_value(
    model: &'static Model,
    version: u64,
    raw: RawState<'_>,
    context: &mut UpgradeContext<'_>,
) -> Result<Value, Diagnostics> {
    let upgrader = if version == model.version() {
        if !model.table().reads_leniently() {
            return read_value(raw, model.schema(), context);
        }
        None
    } else {
        let upgrader = match model.choose(version, raw, context) {
            Ok(upgrader) => upgrader,
            Err(refused) => {
                let state = model.history.migrated(version, raw, context, refused)?;
                let made = upgrade_to_value(model, model.history.oldest(), RawState::Flatmap(&state), context);
                return made.map_err(|errors| model.history.told_of_migration(version, errors));
            }
        };
        if let Some(declared) = upgrader.operators() {
            return declared.upgrade(upgrader.step().model_version(version), raw, model.schema(), context);
        }
        Some(upgrader)
    };
    let Some(typed) = model.typed else {
        // What makes no model is refused.
        return Err(upgrader.map_or_else(nothing_made, |upgrader| is_unsupported(upgrader.step(), context)));
    };
    let typed = typed();
    let mut json = Vec::new();
    let mut output = Output::new(Encoding::Json, raw.room(), &mut json);
    (typed.write)(&mut |place| bring(typed, version, raw, context, place), &mut output)?;
    value_of_json(&json, model.schema(), context)
}

/// What is wrong at these paths with the model, to which state stored at an earlier version was brought.
#[cold]
pub(super) fn blame_upgraded(
    model: &'static Model,
    version: u64,
    raw: RawState<'_>,
    suspects: &[AttributePath],
    context: &mut UpgradeContext<'_>,
) -> Option<Diagnostics> {
    let upgrader = model.choose(version, raw, context).ok()?;
    let stored = (upgrader.step().model_version(version), raw);
    upgrader.operators()?.blame_answer(stored, model.schema(), model.judge, suspects, context)
}

/// Does what [`upgrade_to_value`] does, awaiting where an upgrader on the route does.
pub(super) fn upgrade_to_value_async<'a, T: Resource>(
    version: u64,
    raw: RawState<'a>,
    context: &'a mut UpgradeContext<'_>,
) -> BoxFuture<'a, Result<Value, Diagnostics>> {
    Box::pin(async move {
        if version == T::VERSION {
            return upgrade_to_value(Model::of::<T>(), version, raw, context);
        }
        let model = upgrade_model_async::<T>(version, raw, context).await?;
        value_of(&model, context)
    })
}

impl Model {
    /// The upgrader that this state takes.
    #[inline]
    fn choose(&self, version: u64, raw: RawState<'_>, context: &UpgradeContext<'_>) -> Result<&'static AnyUpgrader, Diagnostics> {
        let index = choose(self.history, self.routes, version, raw, context)?;
        (self.upgrader)(index).ok_or_else(|| no_upgrader(version, self.history, context))
    }
}

/// The index of the upgrader that this state takes; one that does not exist if there is none.
#[inline]
pub(super) fn choose(
    history: &'static History,
    routes: &'static [u16],
    version: u64,
    raw: RawState<'_>,
    context: &UpgradeContext<'_>,
) -> Result<usize, Diagnostics> {
    match routed(routes, history.oldest(), version) {
        Route::Upgrader(index) => Ok(index),
        Route::None => Ok(usize::MAX),
        Route::Conditional => choose_shape(history, version, raw, context),
    }
}

/// Of several upgraders for one version, the first whose condition holds. Of a state for which none does, nulls count: Terraform stores one for each
/// attribute that has no value.
#[cold]
pub(super) fn choose_shape(
    history: &'static History,
    version: u64,
    raw: RawState<'_>,
    context: &UpgradeContext<'_>,
) -> Result<usize, Diagnostics> {
    for null_counts in [false, true] {
        for (index, step) in history.steps().iter().enumerate().filter(|(_, step)| step.contains(version)) {
            let holds = match step.condition() {
                Some(when) => {
                    let unreadable = |error| super::decode::unreadable_state(&error, version, context.subject());
                    when.holds(raw, null_counts).map_err(unreadable)?
                }
                None => true,
            };
            if holds {
                return Ok(index);
            }
        }
    }
    Err(no_such_shape(history, version, context.subject()))
}

#[cold]
pub(super) fn no_upgrader(version: u64, history: &History, context: &UpgradeContext<'_>) -> Diagnostics {
    Diagnostic::error(
        context.subject().cannot_upgrade(),
        format!("There is no upgrade from schema version {version} to {}.", history.version()),
    )
    .into()
}
