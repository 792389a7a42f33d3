//! The context of an upgrade function: its inputs, and its warnings.

use std::any::{Any, TypeId};
use std::collections::{BTreeSet, HashSet};
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Instant;

use super::called::Called;
use super::found::FoundMembers;
use super::future::BoxFuture;
use super::limits::CancellationToken;
use super::losses::Losses;
use super::raw_state::RawState;
use super::request::{DroppedValue, MoveRequest, UpgradeRequest, UpgradeResponse};
use super::subject::Subject;
use super::undefined::{Length, Undefined};
use crate::codec::{Encoding, Object, UnknownAttributes, encode_object};
use crate::diagnostics::{Diagnostic, DiagnosticCode, Diagnostics};
use crate::path::{AttributePath, Names, PathStep};
use crate::schema::Type;
use crate::value::Value;

/// The clients of a registry, by their type.
pub(crate) type Clients = [(TypeId, Arc<dyn Any + Send + Sync>)];

/// The model that an upgrade ends at, as far as messages ask for it.
pub(super) trait Destination: Sync {
    /// The attributes of state of `version` whose values become those of secret attributes, in that
    /// version or a later one.
    fn secret_sources(&self, version: u64) -> BTreeSet<Names>;

    /// Those whose values become, after that version, secret or a part of what holds a secret;
    /// nothing if that is not known, because a function may make a secret of any of them.
    fn later_secrets(&self, version: u64) -> Option<BTreeSet<Names>>;

    /// The oldest version that is read as it was stored. `migrate_state` brings flat state there
    /// that is older.
    fn oldest(&self) -> u64;

    /// True if the attribute `name` is secret in any version, or a part of it is.
    fn hides(&self, name: &str) -> bool;

    /// True if its values are those of documents, read by their rules.
    fn is_of_document(&self) -> bool;
}

/// The reason given for a stored value that ends because its attribute is write-only.
pub(super) const WRITE_ONLY: &str = "the attribute is write-only, so its value is never stored";

/// The subject of one upgrade, and the means that it may use.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'a> {
    pub(super) request: &'a UpgradeRequest<'a>,
    /// The type name of the resource that the upgrade ends at; an identity's definition and the
    /// source of a move have names of their own.
    pub(super) type_name: &'a str,
    pub(super) current: u64,
    /// The model that it ends at; none for a type made at run time.
    pub(super) model: Option<&'static dyn Destination>,
    pub(super) subject: Subject,
    pub(super) clients: &'a Clients,
    pub(super) moved: Option<&'a MoveRequest<'a>>,
}

impl<'a> Scope<'a> {
    /// An upgrade to version `current` of the type that the request names.
    pub(crate) fn new(request: &'a UpgradeRequest<'a>, current: u64) -> Self {
        let type_name = request.type_name();
        Self {
            request,
            type_name,
            current,
            model: None,
            subject: Subject::State,
            clients: &[],
            moved: None,
        }
    }

    pub(super) fn raw(&self) -> RawState<'a> {
        self.request.raw_state().unwrap_or(RawState::Empty)
    }

    pub(super) fn stored(&self) -> u64 {
        self.request.version()
    }
}

/// A function over one attribute's value, whose Rust types only it knows.
pub trait ValueFunction: Sync {
    /// The stored value of the prior attribute into that of the current one.
    fn call(
        &self,
        prior: Value,
        prior_type: Option<&Type>,
        context: &UpgradeContext<'_>,
    ) -> Result<Value, Diagnostics>;

    /// Calls it where its answer can be awaited; of a function that does not await, the answer is
    /// there at once.
    fn call_async<'a>(
        &self,
        prior: Value,
        prior_type: Option<&Type>,
        context: &'a UpgradeContext<'_>,
    ) -> BoxFuture<'a, Result<Value, Diagnostics>> {
        let answer = self.call(prior, prior_type, context);
        Box::pin(async move { answer })
    }

    /// The places in a stored value of what no schema defines and the function's Rust types do not
    /// take, each with true if an edit can keep it.
    fn not_taken(&self, prior: &Value, prior_type: Option<&Type>) -> Vec<(bool, Vec<PathStep>)>;
}

impl fmt::Debug for dyn ValueFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Function")
    }
}

/// The context of an upgrade function: the upgrade that it is part of, clients, and a place for
/// warnings.
pub struct UpgradeContext<'a> {
    scope: &'a Scope<'a>,
    /// Most upgrades leave none.
    notes: Option<Box<Notes>>,
    /// Only where a function was called.
    called: Option<Box<Called>>,
    /// True if nobody asks which values ended.
    leaves_dropped: bool,
}

/// The results of an upgrade besides a state.
#[derive(Default)]
pub(crate) struct Notes {
    pub(crate) warnings: Diagnostics,
    pub(crate) undefined: Undefined,
    pub(crate) losses: Losses,
    pub(crate) dropped: Vec<DroppedValue>,
    pub(crate) identity: Option<Value>,
    pub(crate) private: Option<Vec<u8>>,
    /// The number of strings of JSON with a repeated key that warnings name.
    repeating: usize,
    /// The questions of operators to functions that await; nothing where nothing can be awaited.
    questions: Option<Vec<Question>>,
}

/// A question of an operator to a function that awaits, with the answer once there is one.
pub(super) struct Question {
    function: &'static dyn ValueFunction,
    value: Value,
    ty: Option<Type>,
    answer: Option<Result<Value, Diagnostics>>,
}

impl<'a> UpgradeContext<'a> {
    pub(crate) fn new(scope: &'a Scope<'a>) -> Self {
        Self {
            scope,
            notes: None,
            called: None,
            leaves_dropped: false,
        }
    }

    /// This context, for an upgrade of which nobody asks which values ended.
    pub(super) fn without_dropped(self) -> Self {
        Self {
            leaves_dropped: true,
            ..self
        }
    }

    /// The type name of the resource, such as `example_thing`; of a move, that of the resource it
    /// ends at.
    pub fn type_name(&self) -> &str {
        self.scope.type_name
    }

    /// The schema version that the state was stored with.
    pub fn stored_version(&self) -> u64 {
        self.scope.stored()
    }

    /// The schema version that the upgrade ends at.
    pub fn current_version(&self) -> u64 {
        self.scope.current
    }

    /// The client of this type that was given to the [`Registry`](crate::Registry), if one was.
    pub fn client<C: Any>(&self) -> Option<&'a C> {
        let wanted = TypeId::of::<C>();
        self.scope
            .clients
            .iter()
            .find(|(id, _)| *id == wanted)
            .and_then(|(_, client)| client.downcast_ref())
    }

    /// The move that this upgrade is part of: where the state comes from.
    pub fn moved(&self) -> Option<&'a MoveRequest<'a>> {
        self.scope.moved
    }

    /// The stored state, unchanged, in every upgrader of a chain.
    pub fn raw_state(&self) -> RawState<'a> {
        self.scope.raw()
    }

    /// The members of `raw`, if it is the stored document and they were found beforehand.
    pub(super) fn found_in(&self, raw: RawState<'_>) -> Option<&'a FoundMembers<'a>> {
        let found = self.scope.request.found()?;
        let (stored, json) = (self.raw_state().json()?, raw.json()?);
        std::ptr::eq(stored, json).then_some(found)
    }

    /// Gives the state that a move makes its private data, which Terraform keeps beside it and
    /// shows to nobody: a JSON object of base64 strings. Unless it is given, the state begins
    /// without. [`moved`](Self::moved) has what the source kept.
    pub fn set_private(&mut self, private: impl Into<Vec<u8>>) {
        self.notes().private = Some(private.into());
    }

    /// Gives the state that a move makes its identity, by the identity schema of the resource. An
    /// error if that has none.
    pub fn set_identity(&mut self, identity: Value) {
        self.notes().identity = Some(identity);
    }

    /// Sets the identity from its model.
    ///
    /// # Errors
    /// A number in it is not finite.
    pub fn set_identity_model<I: Object>(&mut self, identity: &I) -> Result<(), Diagnostics> {
        let mut json = Vec::new();
        encode_object(identity, Encoding::Json, &mut json).map_err(|error| error.to_string())?;
        let ty = I::TABLE.schema().block().members().implied_type();
        self.notes().identity = Some(
            Value::from_json(&json, &ty, UnknownAttributes::Deny)
                .map_err(|error| error.problem())?,
        );
        Ok(())
    }

    /// The deadline of the upgrade.
    pub fn deadline(&self) -> Option<Instant> {
        self.scope.request.limits().deadline
    }

    /// True if the upgrade was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.scope
            .request
            .limits()
            .cancellation
            .is_some_and(CancellationToken::is_cancelled)
    }

    /// An error if the upgrade should stop. The engine asks before each upgrader; an upgrade that
    /// takes long may ask in between.
    ///
    /// # Errors
    /// The upgrade was cancelled, or its deadline passed.
    #[inline]
    pub fn check(&self) -> Result<(), Diagnostics> {
        if self.scope.request.is_limited() {
            self.check_limits()
        } else {
            Ok(())
        }
    }

    #[cold]
    fn check_limits(&self) -> Result<(), Diagnostics> {
        if self.is_cancelled() {
            return Err(self.scope.subject.cancelled().into());
        }
        match self.scope.request.limits().deadline {
            Some(deadline) if Instant::now() >= deadline => {
                Err(self.scope.subject.too_late().into())
            }
            _ => Ok(()),
        }
    }

    /// The answer of a function that does not await. Where an upgrade was tried before, it is the
    /// answer that the function gave then.
    pub(super) fn call(
        &mut self,
        function: &'static dyn ValueFunction,
        value: Value,
        ty: Option<Type>,
    ) -> Result<Value, Diagnostics> {
        let at = std::ptr::from_ref(function).cast::<()>().addr();
        if let Some(known) = self
            .called
            .as_mut()
            .and_then(|called| called.recall(at, &value, ty.as_ref()))
        {
            return known;
        }
        let answer = function.call(value.clone(), ty.as_ref(), self);
        self.called
            .get_or_insert_default()
            .note(at, value, ty, answer.clone());
        answer
    }

    /// Begins another attempt at the upgrade, for which no function is called again.
    #[inline]
    pub(super) fn start_over(&mut self) {
        if let Some(called) = &mut self.called {
            called.start_over();
        }
    }

    /// The calls of this upgrade, for a context in which it is tried again.
    pub(super) fn take_called(&mut self) -> Option<Box<Called>> {
        self.start_over();
        self.called.take()
    }

    /// Begins with the calls of another context.
    pub(super) fn with_called(self, called: Option<Box<Called>>) -> Self {
        Self { called, ..self }
    }

    /// The answer of a function that awaits, if there is one already; else it is asked for. The
    /// same question is asked once.
    pub(super) fn answer(
        &mut self,
        function: &'static dyn ValueFunction,
        value: &Value,
        ty: Option<Type>,
    ) -> Option<Result<Value, Diagnostics>> {
        let Some(questions) = self
            .notes
            .as_mut()
            .and_then(|notes| notes.questions.as_mut())
        else {
            return Some(Err(self.scope.subject.asynchronous().into()));
        };
        let place =
            |function: &'static dyn ValueFunction| std::ptr::from_ref(function).cast::<()>();
        let is_same = |question: &&Question| {
            place(question.function) == place(function) && question.value == *value
        };
        if let Some(known) = questions.iter().find(is_same) {
            return known.answer.clone();
        }
        questions.push(Question {
            function,
            value: value.clone(),
            ty,
            answer: None,
        });
        None
    }

    /// From now on, questions to functions that await are kept for
    /// [`await_answers`](Self::await_answers).
    pub(super) fn keep_questions(&mut self) {
        self.notes().questions.get_or_insert_default();
    }

    /// True if there are questions without an answer.
    pub(super) fn has_questions(&self) -> bool {
        let questions = self
            .notes
            .as_ref()
            .and_then(|notes| notes.questions.as_ref());
        questions
            .is_some_and(|questions| questions.iter().any(|question| question.answer.is_none()))
    }

    /// Awaits the answers that are missing, and says whether there were any.
    pub(super) async fn await_answers(&mut self) -> Result<bool, Diagnostics> {
        let questions = self.notes().questions.take().unwrap_or_default();
        let mut answered = Vec::with_capacity(questions.len());
        let mut any = false;
        for question in questions {
            if question.answer.is_some() {
                answered.push(question);
                continue;
            }
            any = true;
            self.check()?;
            let Question {
                function,
                value,
                ty,
                ..
            } = question;
            let answer = function.call_async(value.clone(), ty.as_ref(), self).await;
            answered.push(Question {
                function,
                value,
                ty,
                answer: Some(answer),
            });
        }
        self.notes().questions = Some(answered);
        Ok(any)
    }

    /// Forgets all questions; from now on, functions that await are refused.
    pub(super) fn forget_questions(&mut self) {
        if let Some(notes) = &mut self.notes {
            notes.questions = None;
        }
    }

    /// Adds a warning; it is shown when the upgrade succeeds and when it fails.
    pub fn warn(&mut self, warning: Diagnostic) {
        self.notes().warnings.push(warning);
    }

    pub(super) fn clients(&self) -> &'a Clients {
        self.scope.clients
    }

    pub(super) fn subject(&self) -> Subject {
        self.scope.subject
    }

    /// Notes that something stored there is not part of the schema it was stored with, and is
    /// therefore dropped; `visible` steps of its path may be shown.
    pub(super) fn note_undefined(&mut self, steps: &[PathStep], visible: usize) {
        self.notes().undefined.push(steps, visible);
    }

    /// Notes the same of a value in whose place another one is written, so that an edit cannot keep
    /// it.
    pub(super) fn note_unkept(&mut self, steps: &[PathStep], visible: usize) {
        self.notes().undefined.push_unkept(steps, visible);
    }

    /// Notes that an author's function does not take something stored there, because no field of its
    /// types has that name; `visible` steps of its path may be shown.
    pub(super) fn note_not_taken(&mut self, steps: &[PathStep], visible: usize, is_kept: bool) {
        let undefined = &mut self.notes().undefined;
        undefined.push_not_taken(steps, visible, is_kept);
    }

    /// Notes what the upgrade of the source state left out, kept in part and ended, of which this
    /// one's is made, before anything else is noted.
    pub(super) fn note_of_source(&mut self, upgraded: &UpgradeResponse) {
        if upgraded.undefined_count() > 0 {
            self.notes().undefined = upgraded.undefined_values();
        }
        if upgraded.loss_count() > 0 {
            self.notes().losses = upgraded.losses();
        }
        for DroppedValue { path, reason } in upgraded.dropped() {
            self.note_dropped(path.clone(), reason);
        }
    }

    /// Notes that a member of a document ends there that no field of its version stored, because
    /// another one has its name now.
    pub(super) fn note_replaced(&mut self, place: &AttributePath) {
        self.notes().undefined.push_replaced(place);
    }

    /// Notes that this many stored values are kept in part, of which these places are known.
    pub(super) fn note_losses(
        &mut self,
        code: DiagnosticCode,
        places: Vec<AttributePath>,
        count: usize,
    ) {
        self.notes().losses.push(code, places, count);
    }

    /// Warns that the JSON in the string stored there has a key more than once, of which the last
    /// value becomes a part of a document.
    #[cold]
    pub(super) fn warn_of_repeated_key(&mut self, path: AttributePath) {
        /// The further ones have one warning, because there may be millions.
        const SHOWN: usize = 10;
        self.note_losses(DiagnosticCode::Repeated, vec![path.clone()], 1);
        let warning = |detail: String| {
            Diagnostic::warning("Repeated Map Key", detail).coded(DiagnosticCode::Repeated)
        };
        if self.notes().repeating >= SHOWN {
            let detail = "The JSON in more stored strings has a key more than once; the last value of it is kept.";
            self.warn(warning(detail.to_owned()));
            return;
        }
        self.notes().repeating += 1;
        let detail = format!(
            "The JSON in the stored string {path} has a key more than once; the last value is kept."
        );
        self.warn(warning(detail).at(path));
    }

    /// Notes that the value stored there ends with this upgrade, as its author declared.
    pub(super) fn note_dropped(&mut self, path: AttributePath, reason: &'static str) {
        if !self.leaves_dropped {
            self.notes().dropped.push(DroppedValue { path, reason });
        }
    }

    /// Notes the same of a member of the outermost object.
    pub(super) fn note_dropped_member(&mut self, name: &'static str, reason: &'static str) {
        if !self.leaves_dropped {
            self.note_dropped(AttributePath::new().attribute(name), reason);
        }
    }

    /// Notes that the values stored there end because their attributes are write-only, unless their
    /// author declared that they end.
    pub(super) fn note_unwritten(&mut self, paths: Vec<AttributePath>) {
        if paths.is_empty() {
            return;
        }
        let known: HashSet<String> = self
            .notes()
            .dropped
            .iter()
            .map(|dropped| dropped.path.to_string())
            .collect();
        for path in paths
            .into_iter()
            .filter(|path| !known.contains(&path.to_string()))
        {
            self.note_dropped(path, WRITE_ONLY);
        }
    }

    /// The model that the upgrade ends at, if it tells which values of the stored state are secret:
    /// a type made at run time does not, nor one that state of another type becomes, nor any of what
    /// a function migrated.
    pub(super) fn knows_secrets(&self) -> Option<&'static dyn Destination> {
        let Scope { model, subject, .. } = &self.scope;
        model.filter(|model| *subject != Subject::Moved && self.scope.stored() >= model.oldest())
    }

    /// The attributes of state of `version` whose values become those of secret attributes up to
    /// the model that is asked for.
    #[cold]
    pub(super) fn secret_sources(&self, version: u64) -> BTreeSet<Names> {
        self.scope
            .model
            .map(|model| model.secret_sources(version))
            .unwrap_or_default()
    }

    /// The attributes of state of `version` whose values may become secret on the way to the model
    /// that is asked for; nothing if it is not known which these are, as for state of another type.
    #[cold]
    pub(super) fn later_secrets(&self, version: u64) -> Option<BTreeSet<Names>> {
        if self.scope.subject == Subject::Moved {
            return None;
        }
        match self.scope.model {
            Some(model) => model.later_secrets(version),
            // Nothing, because types made at run time show no value where they are read.
            None => Some(BTreeSet::new()),
        }
    }

    /// True if values are those of a document, read by the rules of documents: a float is not an
    /// integer there.
    pub(super) fn is_of_document(&self) -> bool {
        self.scope.model.is_some_and(Destination::is_of_document)
    }

    /// Notes as [`note_dropped`](Self::note_dropped) does, so many places behind what was noted
    /// then.
    pub(super) fn note_dropped_at(
        &mut self,
        noted: Noted,
        position: usize,
        path: AttributePath,
        reason: &'static str,
    ) {
        if self.leaves_dropped {
            return;
        }
        let dropped = &mut self.notes().dropped;
        dropped.insert(
            (noted.dropped + position).min(dropped.len()),
            DroppedValue { path, reason },
        );
    }

    /// The numbers of notes so far, which `forget` goes back to.
    #[inline]
    pub(super) fn noted(&self) -> Noted {
        match &self.notes {
            None => Noted::default(),
            Some(notes) => {
                let Notes {
                    warnings,
                    undefined,
                    losses,
                    dropped,
                    repeating,
                    ..
                } = &**notes;
                let (undefined, losses) = (undefined.length(), losses.length());
                Noted {
                    warnings: warnings.len(),
                    undefined,
                    losses,
                    dropped: dropped.len(),
                    repeating: *repeating,
                }
            }
        }
    }

    /// Forgets what has been noted since.
    pub(super) fn forget(&mut self, noted: Noted) {
        if let Some(notes) = &mut self.notes {
            notes.warnings.truncate(noted.warnings);
            notes.undefined.truncate(noted.undefined);
            notes.losses.truncate(noted.losses);
            notes.dropped.truncate(noted.dropped);
            notes.repeating = noted.repeating;
        }
    }

    pub(crate) fn into_notes(self) -> Notes {
        self.notes.map(|notes| *notes).unwrap_or_default()
    }

    /// The notes as they are; usually there are none.
    #[inline]
    pub(super) fn into_boxed_notes(self) -> Option<Box<Notes>> {
        self.notes
    }

    fn notes(&mut self) -> &mut Notes {
        self.notes.get_or_insert_default()
    }
}

/// The numbers of warnings, undefined attributes, losses and dropped values that an upgrade has
/// left so far.
#[derive(Clone, Copy, Default)]
pub(super) struct Noted {
    warnings: usize,
    undefined: Length,
    losses: (usize, usize),
    dropped: usize,
    repeating: usize,
}

/// The form of a function that takes the context as `&mut UpgradeContext`, and answers `R`.
#[derive(Debug)]
pub struct MutableContext<R>(PhantomData<R>);

/// The form of a function that takes the context as `&UpgradeContext`, and answers `R`.
#[derive(Debug)]
pub struct SharedContext<R>(PhantomData<R>);

__debug_parts! {
    UpgradeContext<'_> |self| {
        type_name: self.scope.type_name,
        stored_version: self.scope.stored(),
        current_version: self.scope.current,
    }
}
