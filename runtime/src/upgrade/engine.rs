//! Runs upgrades from stored bytes to stored bytes.

use super::called::Called;
use super::context::{Clients, Notes, UpgradeContext};
use super::definition::{ResourceDefinition, Source};
use super::dynamic::Dynamic;
use super::future::{BoxFuture, Guarded};
use super::job::{Job, Outcome};
use super::model::{Output, Typed, nothing_made};
use super::movers::run_movers;
use super::moves::{ModelMoves, choose as choose_source, no_source};
use super::panics::guarded;
use super::raw_state::{RawState, make_room};
use super::reach::{bring, upgrade_and_encode, upgrade_model};
use super::refusal::{no_state, refusal};
use super::request::{More, MoveRequest, UpgradeRequest, UpgradeResponse};
use super::resource::Resource;
use super::undefined::Undefined;
use crate::codec::json::indented;
use crate::codec::{Encoding, Written};
use crate::diagnostics::{Diagnostic, DiagnosticCode, Diagnostics};

/// Answers `request` for a resource with this definition.
#[inline(always)]
#[expect(clippy::inline_always, reason = "measured: a call for each request")]
pub(crate) fn run(
    definition: &ResourceDefinition,
    request: &UpgradeRequest<'_>,
    clients: &Clients,
) -> UpgradeResponse {
    upgrade_inlined(&Job::new(definition, request, clients), request)
}

/// Appends the answer to `out`, written so. If there is none, `out` is as it was. No function of
/// what was `called` is called again.
pub(super) fn run_into(
    definition: &ResourceDefinition,
    request: &UpgradeRequest<'_>,
    clients: &Clients,
    called: Option<Box<Called>>,
    written: Written<'_>,
    out: &mut Vec<u8>,
) -> Result<Option<Box<More>>, Diagnostics> {
    let job = Job::new(definition, request, clients);
    let mut context = job.context().with_called(called);
    let start = out.len();
    let scope = &job.scope;
    let response = match begin(&job, request, &mut context) {
        Ok(()) => {
            let outcome = guarded(|| {
                definition.upgrade_as(scope.stored(), scope.raw(), &mut context, written, out)
            });
            note_unwritten(&job, &outcome, &mut context);
            match (outcome, context.into_boxed_notes()) {
                (Ok(Ok(())), None) => return Ok(None),
                (outcome, notes) => answer(&job, outcome, notes, Vec::new()),
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
pub(crate) fn run_identity(
    definition: &ResourceDefinition,
    request: &UpgradeRequest<'_>,
    clients: &Clients,
) -> UpgradeResponse {
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
        return Err(UpgradeResponse::failed(no_identity(
            definition,
            "Unable to Create Empty Identity",
            "upgraded",
        )));
    };
    let job = Job::of_identity(definition, identity, request, clients);
    if request.version() == identity.version() {
        let detail = "The stored identity is of the current version already, so there is nothing to upgrade.";
        let current = Diagnostic::error("Unexpected Identity Upgrade Request", detail)
            .coded(DiagnosticCode::NoUpgrade)
            .with_remedy("This is a bug in the calling program, not in the identity.");
        return Err(job.refused(current));
    }
    Ok(job)
}

/// The reason that nothing can be `done` to a stored identity: the resource has none in this
/// release.
#[cold]
pub(super) fn no_identity(
    definition: &ResourceDefinition,
    summary: &str,
    done: &str,
) -> Diagnostic {
    let detail = format!(
        "{} has no identity in this release, so a stored one can't be {done}.",
        definition.type_name()
    );
    Diagnostic::error(summary, detail)
        .coded(DiagnosticCode::UnknownType)
        .with_remedy("Use the release that stored it, or a later one.")
}

/// Answers a request to make state of another type into state of a resource with this definition.
pub(crate) fn run_move(
    definition: &ResourceDefinition,
    request: &MoveRequest<'_>,
    clients: &Clients,
) -> UpgradeResponse {
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
    let Some(run) = moves.run_async else {
        return run_chosen(&job, index, moves);
    };
    let limits = job.context();
    let (mut context, mut out) = (job.context(), job.output());
    let work = run(
        index,
        job.scope.stored(),
        job.scope.raw(),
        &mut context,
        job.scope.request.encoding(),
        &mut out,
    );
    let result = Guarded::new(work, || limits.check()).await;
    job.answer(result, context, out)
}

fn run_chosen(job: &Job<'_>, index: usize, moves: ModelMoves) -> UpgradeResponse {
    let (mut context, mut out) = (job.context(), job.output());
    let result = guarded(|| {
        (moves.run)(
            index,
            job.scope.stored(),
            job.scope.raw(),
            &mut context,
            job.scope.request.encoding(),
            &mut out,
        )
    });
    job.answer(result, context, out)
}

/// The index of the move that the request means, with the moves of the model; otherwise the answer.
fn choose_move(
    job: &Job<'_>,
    request: &MoveRequest<'_>,
) -> Result<(usize, ModelMoves), UpgradeResponse> {
    if request.source_state().is_none() {
        return Err(job.refused(no_state(&job.scope)));
    }
    let context = job.context();
    match job.definition.source() {
        Source::Dynamic(dynamic) if !dynamic.movers().is_empty() => {
            Err(run_movers(dynamic, job.definition.schema(), job, request))
        }
        Source::Model {
            moves: Some(moves), ..
        } => {
            // A condition may be code of the user.
            match guarded(|| choose_source(&(moves.sources)(), request, job.scope.raw(), &context))
            {
                Ok(Ok(index)) => Ok((index, *moves)),
                Ok(Err(errors)) => Err(job.answer(Ok(Err(errors)), context, Vec::new())),
                Err(payload) => Err(job.answer(Err(payload), context, Vec::new())),
            }
        }
        Source::Model { .. } | Source::Dynamic(_) => {
            Err(job.refused(no_source(&[], request, &context)))
        }
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
    let outcome = guarded(|| {
        job.definition.upgrade(
            scope.stored(),
            scope.raw(),
            &mut context,
            job.scope.request.encoding(),
            &mut out,
        )
    });
    note_unwritten(job, &outcome, &mut context);
    // Taken apart to the end, because what is known to hold nothing need not be dropped.
    let failed = match outcome {
        Ok(Ok(())) => {
            return match context.into_boxed_notes() {
                None => UpgradeResponse::of(out),
                Some(notes) => job.answer_with(Ok(Ok(())), Some(notes), out),
            };
        }
        Ok(Err(errors)) => Ok(Err(errors)),
        Err(payload) => Err(payload),
    };
    answer(job, failed, context.into_boxed_notes(), out)
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
    let work = job.definition.upgrade_async(
        job.scope.stored(),
        job.scope.raw(),
        &mut context,
        job.scope.request.encoding(),
        &mut out,
    );
    let outcome = Guarded::new(work, || limits.check()).await;
    note_unwritten(job, &outcome, &mut context);
    answer(job, outcome, context.into_boxed_notes(), out)
}

/// Notes the stored values that an upgrade left out because their attributes are write-only.
#[inline]
fn note_unwritten(job: &Job<'_>, outcome: &Outcome, context: &mut UpgradeContext<'_>) {
    if matches!(outcome, Ok(Ok(()))) && job.definition.writes_only() {
        context.note_unwritten(
            job.definition
                .unwritten(job.scope.stored(), job.scope.raw()),
        );
    }
}

/// Succeeds if the resource is ready for the upgrade; otherwise the error says what is wrong.
#[inline]
fn begin(
    job: &Job<'_>,
    request: &UpgradeRequest<'_>,
    context: &mut UpgradeContext<'_>,
) -> Result<(), Outcome> {
    match job.definition.source() {
        // No route is looked for yet, because the upgrade finds out on its way whether there is
        // one.
        Source::Model { .. } if request.raw_state().is_some() => Ok(()),
        Source::Model { .. } => Err(Ok(Err(no_state(&job.scope).into()))),
        Source::Dynamic(dynamic) => begin_dynamic(job, dynamic, request, context),
    }
}

fn begin_dynamic(
    job: &Job<'_>,
    dynamic: &Dynamic,
    request: &UpgradeRequest<'_>,
    context: &mut UpgradeContext<'_>,
) -> Result<(), Outcome> {
    if request.raw_state().is_none() {
        return Err(Ok(Err(no_state(&job.scope).into())));
    }
    if job.scope.stored() != job.definition.version() {
        match guarded(|| dynamic.configure(context)) {
            Ok(Ok(())) => {}
            outcome => return Err(outcome),
        }
    }
    if job.definition.takes(job.scope.stored(), job.scope.raw()) {
        return Ok(());
    }
    Err(Ok(Err(refusal(job.definition, &job.scope).into())))
}

/// The answer where there is none, or something beside it: of a version that has no way up, why.
#[cold]
fn answer(
    job: &Job<'_>,
    outcome: Outcome,
    notes: Option<Box<Notes>>,
    out: Vec<u8>,
) -> UpgradeResponse {
    let stored = job.scope.stored();
    match outcome {
        Ok(Err(_)) if !job.definition.takes(stored, job.scope.raw()) => job.answer_with(
            Ok(Err(refusal(job.definition, &job.scope).into())),
            notes,
            out,
        ),
        outcome => job.answer_with(outcome, notes, out),
    }
}

/// Brings JSON stored at `version` to the model `T`, with what the upgrade reports. A version
/// without an upgrade is refused as a registry refuses it.
pub(crate) fn upgrade_stored<T: Resource>(
    version: u64,
    json: &[u8],
) -> Result<(T, Notes), Diagnostics> {
    let request = UpgradeRequest::json(T::TYPE_NAME, version, json);
    let job = Job::new(T::DEFINITION, &request, &[]);
    let mut context = job.context();
    match upgrade_model(version, job.scope.raw(), &mut context) {
        Ok(model) => Ok((model, context.into_notes())),
        Err(_) if !T::DEFINITION.takes(version, job.scope.raw()) => {
            Err(refusal(T::DEFINITION, &job.scope).into())
        }
        Err(errors) => Err(errors),
    }
}

/// The knowledge of a document that was read: warnings, and where something is not part of it.
pub type ReadDocument = Result<(Diagnostics, Undefined), Diagnostics>;

/// Reads a document of any version as the engine upgrades it, without writing the model and reading
/// that again, and puts the model into `place`. Nothing for the state of a resource that is of an
/// earlier version or cannot be read, which is left to the engine.
pub fn read_document<T: Resource>(
    request: &UpgradeRequest<'_>,
    place: &mut Option<T>,
) -> Option<ReadDocument> {
    let version = request.version();
    let is_document = T::HISTORY.table().document.is_some();
    if !is_document && version != T::VERSION {
        return None;
    }
    let job = Job::new(T::DEFINITION, request, &[]);
    // Because a document says what it holds that is not read, and not what an operator ends.
    let mut context = job.context().without_dropped();
    let outcome = guarded(|| {
        bring(
            Typed::of::<T>(),
            version,
            job.scope.raw(),
            &mut context,
            place,
        )
    });
    let outcome = match outcome {
        Ok(Ok(())) if place.is_none() => Ok(Err(nothing_made())),
        outcome => outcome,
    };
    let is_read = matches!(outcome, Ok(Ok(())));
    if !is_read && !is_document {
        return None;
    }
    let notes = context.into_boxed_notes();
    if is_read && notes.is_none() {
        return Some(Ok((Diagnostics::new(), Undefined::default())));
    }
    let response = answer(&job, outcome, notes, Vec::new());
    Some(if is_read {
        Ok((response.diagnostics().clone(), response.undefined_values()))
    } else {
        Err(response.into_result().err().unwrap_or_default())
    })
}

impl ResourceDefinition {
    /// Brings `raw`, stored at `version`, to the current schema and appends it to `out`.
    #[inline]
    fn upgrade(
        &self,
        version: u64,
        raw: RawState<'_>,
        context: &mut UpgradeContext<'_>,
        encoding: Encoding,
        out: &mut Vec<u8>,
    ) -> Result<(), Diagnostics> {
        match &self.source {
            Source::Model {
                fast_routes: Some(fast),
                ..
            } if fast.upgrade(version, raw, context, encoding, out) => Ok(()),
            Source::Model { typed, .. } => upgrade_and_encode(
                typed,
                version,
                raw,
                context,
                &mut Output::new(encoding, raw.room(), out),
            ),
            Source::Dynamic(dynamic) => {
                make_room(out, raw.room());
                dynamic.upgrade(self.schema(), version, raw, context, encoding, out)
            }
        }
    }

    /// Upgrades as [`upgrade`](Self::upgrade) does, and appends what is written so.
    fn upgrade_as(
        &self,
        version: u64,
        raw: RawState<'_>,
        context: &mut UpgradeContext<'_>,
        written: Written<'_>,
        out: &mut Vec<u8>,
    ) -> Result<(), Diagnostics> {
        let layout = match written {
            Written::In(encoding) => return self.upgrade(version, raw, context, encoding, out),
            Written::LaidOut(layout) => layout,
        };
        if let Source::Model {
            typed, fast_routes, ..
        } = &self.source
            && !fast_routes
                .as_ref()
                .is_some_and(|fast| fast.may_take(version))
        {
            return upgrade_and_encode(
                typed,
                version,
                raw,
                context,
                &mut Output {
                    written,
                    room: raw.room(),
                    out,
                },
            );
        }
        let mut json = Vec::new();
        self.upgrade(version, raw, context, Encoding::Json, &mut json)?;
        match std::str::from_utf8(&json) {
            Ok(compact) => indented(compact, layout, out),
            // JSON is UTF-8 text, so this does not happen.
            Err(_) => out.extend_from_slice(&json),
        }
        Ok(())
    }

    /// Upgrades as [`upgrade`](Self::upgrade) does, awaiting where an upgrader on the route does.
    fn upgrade_async<'a>(
        &'a self,
        version: u64,
        raw: RawState<'a>,
        context: &'a mut UpgradeContext<'_>,
        encoding: Encoding,
        out: &'a mut Vec<u8>,
    ) -> BoxFuture<'a, Result<(), Diagnostics>> {
        match &self.source {
            Source::Model {
                upgrade_async: Some(upgrade),
                ..
            } => upgrade(version, raw, context, encoding, out),
            Source::Model { .. } => {
                Box::pin(async move { self.upgrade(version, raw, context, encoding, out) })
            }
            Source::Dynamic(dynamic) => {
                Box::pin(dynamic.upgrade_async(self.schema(), version, raw, context, encoding, out))
            }
        }
    }
}
