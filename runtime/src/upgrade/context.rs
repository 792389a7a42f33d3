//! What an upgrade function is told, and can tell.

use std::any::{Any, TypeId};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::raw_state::RawState;
use super::request::MoveRequest;
use super::subject::Subject;
use crate::codec::{Encoding, Object, Undefined, encode_object};
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::path::AttributePath;
use crate::schema::Members;
use crate::value::Value;

/// Stops upgrades that are going on: between the steps of a chain, and asynchronous ones whenever they would go on after waiting.
///
/// Clones are one and the same; any thread may call [`cancel`](Self::cancel).
///
/// ```
/// # use upstate::{Cancellation, Registry, UpgradeRequest};
/// let cancellation = Cancellation::new();
/// let request = UpgradeRequest::json("example_thing", 0, b"{}").cancelled_by(&cancellation);
/// cancellation.cancel();
/// assert!(Registry::new().upgrade(&request).diagnostics().has_errors());
/// ```
#[derive(Debug, Clone, Default)]
pub struct Cancellation(Arc<AtomicBool>);

impl Cancellation {
    /// One that nothing has been cancelled by yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Cancels every upgrade whose request names this or a clone of it.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Whether it was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// When an upgrade is to stop before it is done.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Limits<'a> {
    pub(super) cancellation: Option<&'a Cancellation>,
    pub(super) deadline: Option<Instant>,
}

/// The clients of a registry, by their type.
pub(crate) type Clients = [(TypeId, Arc<dyn Any + Send + Sync>)];

/// What an upgrade function knows about the upgrade it is part of, and where it leaves warnings.
pub struct UpgradeContext<'a> {
    type_name: &'a str,
    stored_version: u64,
    current_version: u64,
    subject: Subject,
    limits: Limits<'a>,
    clients: &'a Clients,
    moved: Option<&'a MoveRequest<'a>>,
    raw_state: RawState<'a>,
    identity: Option<Value>,
    warnings: Diagnostics,
    dropped: Vec<AttributePath>,
    discarded: Vec<(AttributePath, &'static str)>,
}

impl<'a> UpgradeContext<'a> {
    pub(crate) fn new(type_name: &'a str, stored_version: u64, current_version: u64) -> Self {
        Self {
            type_name,
            stored_version,
            current_version,
            subject: Subject::State,
            limits: Limits::default(),
            clients: &[],
            moved: None,
            raw_state: RawState::Empty,
            identity: None,
            warnings: Diagnostics::new(),
            dropped: Vec::new(),
            discarded: Vec::new(),
        }
    }

    pub(crate) fn reading(mut self, raw_state: RawState<'a>) -> Self {
        self.raw_state = raw_state;
        self
    }

    pub(super) fn about(mut self, subject: Subject) -> Self {
        self.subject = subject;
        self
    }

    pub(super) fn within(mut self, limits: Limits<'a>) -> Self {
        self.limits = limits;
        self
    }

    pub(super) fn with_clients(mut self, clients: &'a Clients) -> Self {
        self.clients = clients;
        self
    }

    pub(super) fn moving(mut self, request: &'a MoveRequest<'a>) -> Self {
        self.moved = Some(request);
        self
    }

    /// The type name of the resource, such as `example_thing`; of a move, that of the resource it ends at.
    pub fn type_name(&self) -> &str {
        self.type_name
    }

    /// The schema version that the state was stored with.
    pub fn stored_version(&self) -> u64 {
        self.stored_version
    }

    /// The schema version that the upgrade ends at.
    pub fn current_version(&self) -> u64 {
        self.current_version
    }

    /// The client of this type that was given to the [`Registry`](crate::Registry), if one was.
    pub fn client<C: Any>(&self) -> Option<&'a C> {
        let wanted = TypeId::of::<C>();
        self.clients.iter().find(|(id, _)| *id == wanted).and_then(|(_, client)| client.downcast_ref())
    }

    /// The move that this upgrade is part of: where the state comes from.
    pub fn moved(&self) -> Option<&'a MoveRequest<'a>> {
        self.moved
    }

    /// What is stored, as it is. An upgrade in the middle of a chain sees the same.
    pub fn raw_state(&self) -> RawState<'a> {
        self.raw_state
    }

    /// Gives the state that a move makes its identity, by the identity schema of the resource. An error if that has none.
    pub fn set_identity(&mut self, identity: Value) {
        self.identity = Some(identity);
    }

    /// The same from the model of the identity.
    ///
    /// # Errors
    /// A number in it is not finite.
    pub fn set_identity_model<I: Object>(&mut self, identity: &I) -> Result<(), Diagnostics> {
        let mut json = Vec::new();
        encode_object(identity, Encoding::Json, &mut json).map_err(|error| error.to_string())?;
        let ty = Members::of::<I>().implied_type();
        self.identity = Some(Value::from_json(&json, &ty, Undefined::Refuse).map_err(|error| error.problem())?);
        Ok(())
    }

    /// When the upgrade is to be done at the latest.
    pub fn deadline(&self) -> Option<Instant> {
        self.limits.deadline
    }

    /// Whether the upgrade was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.limits.cancellation.is_some_and(Cancellation::is_cancelled)
    }

    /// Whether to go on. The engine asks before each step; an upgrade that takes long may ask in between.
    ///
    /// # Errors
    /// The upgrade was cancelled, or its deadline passed.
    #[inline]
    pub fn check(&self) -> Result<(), Diagnostics> {
        if self.limits.cancellation.is_none() && self.limits.deadline.is_none() { Ok(()) } else { self.check_limits() }
    }

    #[cold]
    fn check_limits(&self) -> Result<(), Diagnostics> {
        if self.is_cancelled() {
            return Err(self.subject.cancelled().into());
        }
        match self.limits.deadline {
            Some(deadline) if Instant::now() >= deadline => Err(self.subject.too_late().into()),
            _ => Ok(()),
        }
    }

    /// Leaves a warning; it is shown when the upgrade succeeds and when it fails.
    pub fn warn(&mut self, warning: Diagnostic) {
        self.warnings.push(warning);
    }

    pub(super) fn take_identity(&mut self) -> Option<Value> {
        self.identity.take()
    }

    pub(super) fn clients(&self) -> &'a Clients {
        self.clients
    }

    pub(super) fn subject(&self) -> Subject {
        self.subject
    }

    /// Notes that something stored there is not part of the schema it was stored with, and is therefore dropped.
    pub(super) fn note_dropped(&mut self, path: AttributePath) {
        self.dropped.push(path);
    }

    /// Notes that the value stored there ends with this upgrade, as its author declared.
    pub(super) fn note_discarded(&mut self, path: AttributePath, reason: &'static str) {
        self.discarded.push((path, reason));
    }

    /// How much has been noted, to go back to.
    pub(super) fn noted(&self) -> Noted {
        Noted { warnings: self.warnings.len(), dropped: self.dropped.len(), discarded: self.discarded.len() }
    }

    /// Forgets what has been noted since.
    pub(super) fn forget(&mut self, noted: Noted) {
        self.warnings.truncate(noted.warnings);
        self.dropped.truncate(noted.dropped);
        self.discarded.truncate(noted.discarded);
    }

    pub(crate) fn into_notes(self) -> Notes {
        Notes { warnings: self.warnings, dropped: self.dropped, discarded: self.discarded }
    }
}

/// How much an upgrade has left so far.
#[derive(Clone, Copy)]
pub(super) struct Noted {
    warnings: usize,
    dropped: usize,
    discarded: usize,
}

/// What an upgrade left besides a state.
pub(crate) struct Notes {
    pub(crate) warnings: Diagnostics,
    pub(crate) dropped: Vec<AttributePath>,
    pub(crate) discarded: Vec<(AttributePath, &'static str)>,
}

impl fmt::Debug for UpgradeContext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UpgradeContext")
            .field("type_name", &self.type_name)
            .field("stored_version", &self.stored_version)
            .field("current_version", &self.current_version)
            .finish_non_exhaustive()
    }
}
