//! Runs upgrades backwards: from state of the current version to what an earlier version stores.
//!
//! A downgrade is a guess that is checked. Each upgrader on the way is undone, by the inverses of
//! its operators or by its author's function, and what comes out is upgraded again by the same
//! engine that will upgrade it one day. Where that differs from the state that was to be
//! downgraded, the older version cannot hold something, and that is named. Nothing is lost that is
//! not named, whatever an inverse does.

mod document;
mod function;
mod loss;
mod request;
mod untouched;

use super::choose::choose_shape;
use super::context::{Clients, Destination, Scope, UpgradeContext};
use super::declared::PriorVersion;
use super::definition::{ResourceDefinition, Source};
use super::engine::{no_identity, upgrade, upgrade_async};
use super::history::{Step, UpgraderKind};
use super::job::Job;
use super::model::AnyUpgrader;
use super::operators::{Dropped, is_needed};
use super::panics::{guarded, panicked};
use super::raw_state::RawState;
use super::reach::{counted, unfit, unread};
use super::refusal::{instance_id, known_upgrades};
use super::request::{UpgradeRequest, UpgradeResponse};
use super::subject::Subject;
use super::values::json_of;
use crate::codec::json::Reader;
use crate::codec::{Encoding, UnknownAttributes};
use crate::diagnostics::{Diagnostic, DiagnosticCode, Diagnostics, RESTORE, Severity};
use crate::path::{AttributePath, PathStep};
use crate::schema::Node;
use crate::schema::table::Table;
use crate::value::{Unknown, Value};

pub use function::{DowngradeFunction, DowngradeWith};
pub use loss::Loss;
use loss::losses;
pub use request::{DowngradeRequest, DowngradeResponse};
use untouched::{Apart, WayBack};

const SUMMARY: &str = Subject::State.cannot_downgrade();

/// Answers `request` for a resource with this definition.
pub(crate) fn run(
    definition: &ResourceDefinition,
    request: &DowngradeRequest<'_>,
    clients: &Clients,
) -> DowngradeResponse {
    Task::of_state(definition, request, clients).run()
}

/// Answers as above, awaiting where the upgrade that checks the result does.
pub(crate) async fn run_async(
    definition: &ResourceDefinition,
    request: &DowngradeRequest<'_>,
    clients: &Clients,
) -> DowngradeResponse {
    Task::of_state(definition, request, clients)
        .run_async()
        .await
}

/// Answers `request` about the identity of a resource with this definition.
pub(crate) fn run_identity(
    definition: &ResourceDefinition,
    request: &DowngradeRequest<'_>,
    clients: &Clients,
) -> DowngradeResponse {
    match Task::of_identity(definition, request, clients) {
        Ok(task) => task.run(),
        Err(refused) => refused,
    }
}

/// Answers as above, awaiting where the upgrade that checks the result does.
pub(crate) async fn run_identity_async(
    definition: &ResourceDefinition,
    request: &DowngradeRequest<'_>,
    clients: &Clients,
) -> DowngradeResponse {
    match Task::of_identity(definition, request, clients) {
        Ok(task) => task.run_async().await,
        Err(refused) => refused,
    }
}

/// Takes JSON of the current version back to the version that is wanted, for a caller that upgrades
/// the result again and compares: nothing here does. JSON that the engine itself wrote
/// `is_canonical`, and need not be read as the model does.
///
/// # Errors
/// The older version cannot hold it, or stored several shapes.
pub fn take_back(
    definition: &ResourceDefinition,
    request: &DowngradeRequest<'_>,
    is_canonical: bool,
) -> Result<Vec<u8>, Diagnostics> {
    let task = Task {
        is_checked: false,
        ..Task::of_state(definition, request, &[])
    };
    let made = task
        .guarded_make(is_canonical)
        .map_err(|refused| refused.into_result().err().unwrap_or_default())?;
    let mut candidates = made.candidates.into_iter();
    if let (Some(Candidate { state, .. }), None) = (candidates.next(), candidates.next()) {
        return Ok(state);
    }
    let detail = format!("Version {} stored several shapes.", request.to());
    Err(Diagnostic::error(SUMMARY, detail)
        .coded(DiagnosticCode::UnknownShape)
        .into())
}

/// The state that is taken back, and the means for it.
#[derive(Clone, Copy)]
struct Task<'a> {
    resource: &'a ResourceDefinition,
    /// That of the resource, or of its identity.
    definition: &'a ResourceDefinition,
    subject: Subject,
    request: &'a DowngradeRequest<'a>,
    clients: &'a Clients,
    /// True if what is made is upgraded again here, and compared with the whole.
    is_checked: bool,
}

impl<'a> Task<'a> {
    fn of_state(
        definition: &'a ResourceDefinition,
        request: &'a DowngradeRequest<'a>,
        clients: &'a Clients,
    ) -> Self {
        Self {
            resource: definition,
            definition,
            subject: definition.subject(),
            request,
            clients,
            is_checked: true,
        }
    }

    fn of_identity(
        resource: &'a ResourceDefinition,
        request: &'a DowngradeRequest<'a>,
        clients: &'a Clients,
    ) -> Result<Self, DowngradeResponse> {
        let Some(definition) = resource.identity() else {
            let summary = Subject::Identity.cannot_downgrade();
            return Err(DowngradeResponse::failed(no_identity(
                resource,
                summary,
                "downgraded",
            )));
        };
        Ok(Self {
            resource,
            definition,
            subject: Subject::Identity,
            request,
            clients,
            is_checked: true,
        })
    }

    fn run(self) -> DowngradeResponse {
        let to = self.request.to();
        let response = match self.guarded_make(false) {
            Ok(made) => {
                let answer = |candidate: &Candidate| {
                    let again = candidate.request(self.request);
                    let again = upgrade(&self.job(&again), &again);
                    let awaits = self
                        .definition
                        .history()
                        .is_some_and(|history| history.awaits_from(to));
                    if again.state().is_none() && awaits {
                        self.cannot_await()
                    } else {
                        made.checked(candidate, &again, self)
                    }
                };
                let answers = made.candidates.iter().map(answer).collect();
                made.decided(answers, self)
            }
            Err(response) => response,
        };
        self.reported(response)
    }

    async fn run_async(self) -> DowngradeResponse {
        let response = match self.guarded_make(false) {
            Ok(made) => {
                let mut answers = Vec::with_capacity(made.candidates.len());
                for candidate in &made.candidates {
                    let again = candidate.request(self.request);
                    let job = self.job(&again);
                    answers.push(made.checked(candidate, &upgrade_async(&job, &again).await, self));
                }
                made.decided(answers, self)
            }
            Err(response) => response,
        };
        self.reported(response)
    }

    #[cold]
    fn cannot_await(self) -> DowngradeResponse {
        let (noun, to) = (self.subject.noun(), self.request.to());
        let call = match self.subject {
            Subject::State | Subject::Moved | Subject::Document => "Registry::downgrade_async",
            Subject::Identity => "Registry::downgrade_identity_async",
        };
        let detail = format!(
            "The upgrade of {noun} from version {to} awaits: it may ask a service. A downgrade is checked by upgrading its result \
             again, and here nothing can be awaited."
        );
        DowngradeResponse::failed(
            Diagnostic::error(self.subject.cannot_downgrade(), detail)
                .coded(DiagnosticCode::Asynchronous)
                .with_remedy(format!("Ask for it with `{call}`.")),
        )
    }

    /// An upgrade of what is taken back.
    fn job<'j>(self, request: &'j UpgradeRequest<'j>) -> Job<'j>
    where
        'a: 'j,
    {
        match self.subject {
            Subject::State | Subject::Moved | Subject::Document => {
                Job::new(self.definition, request, self.clients)
            }
            Subject::Identity => {
                Job::of_identity(self.resource, self.definition, request, self.clients)
            }
        }
    }

    #[cold]
    fn refused(self, detail: String) -> DowngradeResponse {
        DowngradeResponse::failed(
            Diagnostic::error(self.subject.cannot_downgrade(), detail)
                .coded(DiagnosticCode::NoUpgrade),
        )
    }

    /// Adds to each diagnostic what it is about.
    fn reported(self, mut response: DowngradeResponse) -> DowngradeResponse {
        let Self {
            resource,
            definition,
            subject,
            request,
            ..
        } = self;
        response.head_again(SUMMARY, subject.cannot_downgrade());
        response.about(|| {
            let id = if definition.hides_id(request.version()) {
                None
            } else {
                instance_id(RawState::Json(request.raw_state()))
            };
            let id = id.map(|id| format!(", id {id}")).unwrap_or_default();
            let of = if subject == Subject::Identity {
                ", identity"
            } else {
                ""
            };
            format!(
                "{} {}{of}, stored at schema version {}, to be downgraded to version {}{id}.",
                subject.kind(),
                resource.type_name(),
                request.version(),
                request.to()
            )
        });
        response
    }

    fn guarded_make(self, is_canonical: bool) -> Result<Made, DowngradeResponse> {
        guarded(|| self.make(is_canonical)).unwrap_or_else(|payload| {
            Err(DowngradeResponse::failed(panicked(
                payload,
                self.definition.has_secret(),
                self.subject,
            )))
        })
    }

    fn make(self, is_canonical: bool) -> Result<Made, DowngradeResponse> {
        let Self {
            definition,
            subject,
            request,
            clients,
            ..
        } = self;
        let (current, to, noun) = (definition.version(), request.to(), subject.noun());
        if request.version() > current {
            return Err(self.refused(format!(
                "A later release stored the {noun}, at schema version {}; this release knows versions up to {current}. Downgrade it with the \
                 release that stored it, or a later one.",
                request.version()
            )));
        }
        if request.version() != current {
            let (one, remedy) = match subject {
                Subject::State | Subject::Moved => (noun, "Upgrade it first."),
                Subject::Document => ("a document", "Upgrade it first."),
                Subject::Identity => (noun, "Apply with this release first, which upgrades it."),
            };
            return Err(self.refused(format!(
                "The {noun} was stored at schema version {}; a downgrade begins with {one} of the current version, which is {current}. {remedy}",
                request.version()
            )));
        }
        if to > current {
            return Err(self.refused(format!(
                "Version {to} is later than the current version {current}."
            )));
        }
        let Source::Model { typed, .. } = definition.source() else {
            return Err(self.refused(format!(
                "The type was made at run time from functions, which cannot be undone. {RESTORE}"
            )));
        };
        if !definition.reaches(to) {
            let (noun, known) = (subject.opening(), known_upgrades(definition));
            return Err(self.refused(format!(
                "{noun} of version {to} has no upgrade to version {current}, so there is none to undo; {known}. {RESTORE}"
            )));
        }
        let stored = UpgradeRequest::json(request.type_name(), current, request.raw_state());
        // State that the engine wrote is as this would write it again.
        let read = if is_canonical {
            UpgradeResponse::of(Vec::new())
        } else {
            upgrade(&self.job(&stored), &stored)
        };
        let state = if is_canonical {
            Some(request.raw_state())
        } else {
            read.state()
        };
        let Some(state) = state else {
            return Err(DowngradeResponse::failed(read.diagnostics().clone()).without_paragraphs());
        };
        let (table, reached) = (typed.model.table(), PriorVersion::Model(typed.model));
        let way = if self.is_checked {
            None
        } else {
            WayBack::to(to, reached)
        };
        let apart = way.and_then(|way| Apart::of(state, table, &way));
        let Some(value) = value_of(apart.as_ref().map_or(state, |apart| &apart.rest), table) else {
            let detail = format!("The {noun} cannot be read by the model that wrote it.");
            let problem = Diagnostic::error(subject.cannot_downgrade(), detail);
            return Err(DowngradeResponse::failed(
                problem.with_remedy("This is a mistake in upstate: report it there."),
            ));
        };
        let model = definition
            .history()
            .map(|history| history as &dyn Destination);
        let scope = Scope {
            model,
            subject,
            clients,
            ..Scope::new(&stored, to)
        };
        let mut context = UpgradeContext::new(&scope);
        let goal = Goal {
            to,
            wanted: request.wanted_shape(),
            is_checked: self.is_checked,
        };
        let mut candidates = walk(reached, &value, goal, &mut context)
            .map_err(|errors| DowngradeResponse::failed(retitled(&errors, subject)))?;
        if let Some(apart) = apart {
            for candidate in &mut candidates {
                apart.put_back(&mut candidate.state);
            }
        }
        let unwritten = read
            .dropped()
            .iter()
            .map(|dropped| Loss::secret(&dropped.path));
        let unnamed = read.undefined_count() - read.undefined().len();
        let unnamed = (unnamed > 0).then(|| Loss::unnamed(unnamed));
        let lost = read
            .undefined()
            .iter()
            .map(Loss::undefined)
            .chain(unwritten)
            .chain(unnamed)
            .collect();
        Ok(Made {
            candidates,
            value,
            table,
            lost,
            warnings: read.diagnostics().clone(),
        })
    }
}

/// The result of a downgrade, before it is checked.
struct Made {
    /// States of the older version; several if it stored several shapes.
    candidates: Vec<Candidate>,
    /// The state that it was made of.
    value: Value,
    table: &'static Table,
    /// The stored values that are not in `value`.
    lost: Vec<Loss>,
    warnings: Diagnostics,
}

/// State of the older version, in one of its shapes.
struct Candidate {
    state: Vec<u8>,
    /// The words that distinguish the shape; empty if it is the only one.
    shape: String,
}

impl Candidate {
    /// To upgrade it again.
    fn request<'a>(&'a self, request: &DowngradeRequest<'a>) -> UpgradeRequest<'a> {
        UpgradeRequest::json(request.type_name(), request.to(), &self.state)
    }
}

impl Made {
    /// The answer, of one for each candidate: the shape that holds the state, if there is one and
    /// no other does.
    fn decided(&self, answers: Vec<DowngradeResponse>, task: Task<'_>) -> DowngradeResponse {
        let whole =
            |answer: &DowngradeResponse| answer.state().is_some() && answer.losses().is_empty();
        let held =
            |answer: &DowngradeResponse| answer.state().is_some() || !answer.losses().is_empty();
        let is_whole = answers.iter().any(whole);
        let mut best: Vec<(&str, DowngradeResponse)> = Vec::new();
        let mut refused = None;
        for (candidate, answer) in self.candidates.iter().zip(answers) {
            if if is_whole {
                whole(&answer)
            } else {
                held(&answer)
            } {
                best.push((&candidate.shape, answer));
            } else {
                refused.get_or_insert(answer);
            }
        }
        let alike = best
            .windows(2)
            .all(|pair| matches!(pair, [(_, one), (_, other)] if one.state() == other.state()));
        match best.pop() {
            Some((_, answer)) if best.is_empty() || alike && is_whole => answer,
            Some((shape, _)) => {
                let shapes: Vec<&str> = best
                    .iter()
                    .map(|(shape, _)| *shape)
                    .chain([shape])
                    .collect();
                task.refused(format!(
                    "Version {} stored several shapes, and more than one of them can hold this {}: {}. A release that stored another one would \
                     not read it. Say which is meant: `--shape {}=ATTRIBUTE` on the command line, `DowngradeRequest::shape` in a program.",
                    task.request.to(),
                    task.subject.noun(),
                    shapes.join("; "),
                    task.request.type_name()
                ))
            }
            None => refused.unwrap_or_else(|| {
                task.refused(format!(
                    "No upgrade leads from version {}.",
                    task.request.to()
                ))
            }),
        }
    }

    /// The answer, from what an upgrade made of a candidate.
    fn checked(
        &self,
        candidate: &Candidate,
        again: &UpgradeResponse,
        task: Task<'_>,
    ) -> DowngradeResponse {
        let Some(upgraded) = again.state().and_then(|state| value_of(state, self.table)) else {
            let details: Vec<&str> = again
                .diagnostics()
                .iter()
                .filter(|diagnostic| diagnostic.severity() == Severity::Error)
                .map(|diagnostic| diagnostic.detail().split("\n\n").next().unwrap_or_default())
                .collect();
            return task.refused(format!(
                "Version {} cannot hold this {}: what would be stored there cannot be upgraded again. {}",
                task.request.to(),
                task.subject.noun(),
                details.join(" ")
            ));
        };
        let mut lost = self.lost.clone();
        lost.extend(losses(
            self.value.clone(),
            upgraded,
            self.table.schema().block().members(),
            &|name| task.definition.hides(name),
        ));
        DowngradeResponse::of(
            candidate.state.clone(),
            lost,
            self.warnings.clone(),
            task.request,
        )
    }
}

/// The version that a value is taken back to.
#[derive(Clone, Copy)]
struct Goal {
    to: u64,
    /// The place of its shape that is wanted, if it stored several.
    wanted: Option<usize>,
    /// True if its release must read what is made.
    is_checked: bool,
}

/// Takes a value of a reached version back to state of the version that is the goal: one for each
/// shape that this version stored, or for the one that is wanted.
fn walk(
    reached: PriorVersion,
    value: &Value,
    goal: Goal,
    context: &mut UpgradeContext<'_>,
) -> Result<Vec<Candidate>, Diagnostics> {
    let (Goal { to, wanted, .. }, history) = (goal, reached.history());
    if history.version() == to {
        return Ok(vec![Candidate {
            state: encoded(value, reached.table())?,
            shape: String::new(),
        }]);
    }
    let mut own: Vec<usize> = (0..)
        .zip(history.steps())
        .filter(|(_, step)| step.contains(to))
        .map(|(index, _)| index)
        .collect();
    let shapes = own.len();
    match wanted {
        _ if own.is_empty() => own.extend(history.route(to)),
        Some(wanted) => {
            // Only upgraders with a schema count, because `DowngradeRequest::shape` is a place
            // among the schemas.
            let has_schema = |step: &Step| {
                step.prior().is_some() || matches!(step.written_as(), UpgraderKind::Unchanged)
            };
            let known = own
                .iter()
                .filter(|index| history.steps().get(**index).is_some_and(has_schema));
            let Some(index) = known.clone().nth(wanted).copied() else {
                let known = known.count();
                let detail = format!(
                    "Version {to} stored {known} shapes, so there is none at place {wanted}, counted from 0."
                );
                return Err(Diagnostic::error(SUMMARY, detail)
                    .coded(DiagnosticCode::UnknownShape)
                    .into());
            };
            own = vec![index];
        }
        None => {}
    }
    let (mut made, mut refused) = (Vec::new(), None);
    for index in own {
        let Some((upgrader, step)) = reached.upgrader(index).zip(history.steps().get(index)) else {
            continue;
        };
        match undone(reached, upgrader, step, value, goal, context) {
            Ok(candidates) if shapes < 2 => return Ok(candidates),
            Ok(candidates) => {
                for Candidate { state, .. } in candidates {
                    // State must be taken for the shape that it has.
                    match choose_shape(history, to, RawState::Json(&state), context) {
                        Ok(chosen) if chosen == index => made.push(Candidate {
                            state,
                            shape: named(step),
                        }),
                        Ok(_) => drop(refused.get_or_insert(no_such_shape(step, to))),
                        Err(errors) => drop(refused.get_or_insert(errors)),
                    }
                }
            }
            Err(errors) if shapes > 1 => drop(refused.get_or_insert(errors)),
            Err(errors) => return Err(errors),
        }
    }
    if !made.is_empty() {
        return Ok(made);
    }
    Err(refused.unwrap_or_else(|| {
        Diagnostic::error(SUMMARY, format!("No upgrade leads from version {to}."))
            .coded(DiagnosticCode::NoUpgrade)
            .into()
    }))
}

/// The words that distinguish the shape that an upgrader takes.
fn named(step: &Step) -> String {
    step.condition().map_or_else(
        || "the one where no condition holds".to_owned(),
        |when| format!("where {when}"),
    )
}

/// Takes a value back through one upgrader, and on to the goal.
fn undone(
    reached: PriorVersion,
    upgrader: &'static AnyUpgrader,
    step: &Step,
    value: &Value,
    goal: Goal,
    context: &mut UpgradeContext<'_>,
) -> Result<Vec<Candidate>, Diagnostics> {
    let table = reached.table();
    let (prior, made) = match (step.written_as(), upgrader.operators(), upgrader.back()) {
        (UpgraderKind::Unchanged, ..) => return only(value, reached, &[], goal),
        (_, Some(declared), _) => {
            let Some(prior) = declared.prior_version() else {
                return Err(impossible(step, "its stored shape is not declared"));
            };
            let mut made = declared.undo(value, table.schema(), context)?;
            if table.document.is_some() {
                document::keep(value, table, &mut made, prior.table());
                if goal.is_checked {
                    document::cut_variants(&mut made, prior.table());
                }
            }
            (prior, made)
        }
        (_, None, Some(back)) => {
            let json = encoded(value, table)?;
            let prior = back.prior();
            let made = back.downgrade(&json, context)?;
            let value = value_of(&made, prior.table())
                .ok_or_else(|| impossible(step, "the function returned no state"))?;
            (prior, value)
        }
        (UpgraderKind::Unsupported | UpgraderKind::NeverReleased, ..) => {
            return Err(impossible(step, "it has no upgrade"));
        }
        (
            UpgraderKind::Conversion
            | UpgraderKind::Function
            | UpgraderKind::Raw
            | UpgraderKind::Operators(_),
            None,
            None,
        ) => {
            let problem = impossible(step, "the upgrade is a function without an inverse");
            return Err(problem.restored(
                "For the authors: `downgrade = path` names the inverse of the function.",
            ));
        }
    };
    let drops = upgrader
        .operators()
        .map_or(&[][..], |declared| declared.operators.drops);
    let made = settled(made, prior, drops, context)?;
    if step.contains(goal.to) {
        only(&made, prior, drops, goal)
    } else {
        walk(prior, &made, goal, context)
    }
}

/// The only state of the version that is the goal. A document that its release could not read is
/// refused here; other state was refused before.
fn only(
    made: &Value,
    reached: PriorVersion,
    drops: &[Dropped],
    goal: Goal,
) -> Result<Vec<Candidate>, Diagnostics> {
    let table = reached.table();
    let state = encoded(made, table)?;
    if goal.is_checked && table.document.is_some() {
        let (mut problems, left_out) = unread(&state, table, reached.judge());
        let lacking = |dropped: &Dropped| lacking(dropped, made, table);
        for (problem, path) in drops.iter().filter_map(lacking) {
            if problems.iter().all(|(_, known)| *known != path) {
                problems.push((problem, path));
            }
        }
        refuse_unread((problems, left_out), made, reached, drops)?;
    }
    Ok(vec![Candidate {
        state,
        shape: String::new(),
    }])
}

/// The member that a document of this table lacks, though it must be there, since the upgrade drops
/// it and nothing puts it back.
fn lacking(
    dropped: &Dropped,
    made: &Value,
    table: &'static Table,
) -> Option<(String, AttributePath)> {
    let [name] = dropped.path else { return None };
    let Some(Node::Attribute(attribute)) = table.schema().block().members().get(name) else {
        return None;
    };
    let is_there = made.as_map()?.contains_key(*name);
    (!is_there && is_needed(attribute, true)).then(|| {
        let path = AttributePath::new().attribute(*name);
        ("it is absent, but must be there".to_owned(), path)
    })
}

/// A value with all that the reached version's schema says of it; refused if a release of that
/// version could not read it.
fn settled(
    mut made: Value,
    reached: PriorVersion,
    drops: &[Dropped],
    context: &mut UpgradeContext<'_>,
) -> Result<Value, Diagnostics> {
    let (table, version) = (reached.table(), reached.history().version());
    let schema = table.schema();
    context.check()?;
    // Absent members of a document must stay absent here. Its values are judged once it is written,
    // because a version on the way need not hold them.
    if table.document.is_some() {
        return Ok(made);
    }
    schema.block().settle(&mut made);
    let members = schema.block().members();
    if let Err(error) = made.conform(&schema.implied_type(), Unknown::Refuse) {
        let visible = members.visible(error.path().steps()).len;
        let path = error.path().clone().truncated(visible);
        let detail = format!(
            "Version {version} cannot hold the stored value: {} (at {path} of version {version}).",
            error.problem()
        );
        return Err(Diagnostic::error(SUMMARY, detail)
            .coded(DiagnosticCode::Refused)
            .at(path)
            .into());
    }
    let problems = unfit(&made, schema, reached.judge());
    refuse_unread(problems, &made, reached, drops)?;
    Ok(made)
}

/// Refuses a value of the reached version if a release of it could not read it, for these reasons,
/// each with its path, and so many more.
fn refuse_unread(
    (problems, left_out): (Vec<(String, AttributePath)>, usize),
    made: &Value,
    reached: PriorVersion,
    drops: &[Dropped],
) -> Result<(), Diagnostics> {
    let version = reached.history().version();
    let mut errors = Diagnostics::new();
    for (problem, path) in problems {
        let is_null = made.get(&path).is_none_or(Value::is_null);
        let is_dropped = drops.iter().any(|dropped| {
            let names = path.steps().iter().filter_map(|step| match step {
                PathStep::Attribute(name) => Some(&**name),
                PathStep::Key(_) | PathStep::Index(_) | PathStep::Element(_) => None,
            });
            names.eq(dropped.path.iter().copied())
        });
        let mut detail = if is_null {
            format!("`{path}` of version {version} always has a value, and nothing tells which.")
        } else {
            format!(
                "Version {version} cannot hold the stored value: {problem} (at {path} of version {version})."
            )
        };
        if is_dropped {
            detail.push_str(" The upgrade drops it.");
        }
        let mut error = Diagnostic::error(SUMMARY, detail)
            .coded(DiagnosticCode::Refused)
            .at(path);
        if is_dropped {
            error = error.with_remedy(RESTORE).for_authors(
                "For the authors: `drop(…, back = value)` says what a downgrade puts there.",
            );
        }
        errors.push(error);
    }
    if left_out > 0 {
        let error = Diagnostic::error(SUMMARY, counted(left_out));
        errors.push(error.coded(DiagnosticCode::Refused));
    }
    if errors.has_errors() {
        Err(errors)
    } else {
        Ok(())
    }
}

fn encoded(value: &Value, table: &'static Table) -> Result<Vec<u8>, Diagnostics> {
    let schema = table.schema();
    if table.document.is_some() {
        return json_of(value, table).map_err(|error| {
            Diagnostic::error(SUMMARY, error.to_string())
                .coded(DiagnosticCode::Refused)
                .into()
        });
    }
    value
        .encode(&schema.implied_type(), Encoding::Json)
        .map_err(|error| {
            let path = error
                .path()
                .clone()
                .truncated(schema.block().members().visible(error.path().steps()).len);
            Diagnostic::error(SUMMARY, format!("{} (at {path}).", error.problem()))
                .coded(DiagnosticCode::Refused)
                .at(path)
                .into()
        })
}

fn value_of(json: &[u8], table: &'static Table) -> Option<Value> {
    if table.document.is_some() {
        return Reader::from_bytes(json)
            .and_then(|mut reader| Value::read_document(&mut reader, table))
            .ok();
    }
    Value::from_json(
        json,
        &table.schema().implied_type(),
        UnknownAttributes::Deny,
    )
    .ok()
}

fn impossible(step: &Step, why: &str) -> Diagnostics {
    Diagnostic::error(
        SUMMARY,
        format!(
            "Nothing can be taken back to version {}: {why}.",
            step.from()
        ),
    )
    .coded(DiagnosticCode::NoUpgrade)
    .into()
}

fn no_such_shape(step: &Step, to: u64) -> Diagnostics {
    let when = step
        .condition()
        .map(|when| format!(" where {when}"))
        .unwrap_or_default();
    Diagnostic::error(
        SUMMARY,
        format!("The state is not one that version {to} stored{when}."),
    )
    .coded(DiagnosticCode::UnknownShape)
    .into()
}

/// Puts the errors under the heading of a downgrade.
fn retitled(errors: &Diagnostics, subject: Subject) -> Diagnostics {
    let mut all = Diagnostics::new();
    for error in errors {
        all.push(error.with_texts(subject.cannot_downgrade(), error.detail(), str::to_owned));
    }
    all
}
