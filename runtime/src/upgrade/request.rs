//! The requests to the engine, and its answers.

use std::collections::BTreeMap;
use std::time::Instant;

use super::found::FoundMembers;
use super::limits::{CancellationToken, Limits};
use super::losses::Losses;
use super::raw_state::RawState;
use super::undefined::Undefined;
use crate::codec::Encoding;
use crate::diagnostics::Diagnostics;
use crate::path::AttributePath;

/// A stored state that is to be brought to the current version of its type.
#[derive(Debug, Clone, Copy)]
pub struct UpgradeRequest<'a> {
    type_name: &'a str,
    version: u64,
    raw_state: Option<RawState<'a>>,
    encoding: Encoding,
    limits: Limits<'a>,
    found: Option<&'a FoundMembers<'a>>,
}

impl<'a> UpgradeRequest<'a> {
    /// State of the resource `type_name`, stored at schema version `version`. `None` means that
    /// there is none, which is always refused. JSON of no bytes and a flat map of no keys are
    /// [`RawState::Empty`].
    #[must_use]
    pub fn new(type_name: &'a str, version: u64, raw_state: Option<RawState<'a>>) -> Self {
        let raw_state = raw_state.map(RawState::or_empty);
        Self {
            type_name,
            version,
            raw_state,
            encoding: Encoding::Json,
            limits: Limits::default(),
            found: None,
        }
    }

    /// JSON of the resource `type_name`, stored at schema version `version`.
    #[must_use]
    pub fn json(type_name: &'a str, version: u64, json: &'a [u8]) -> Self {
        Self::new(type_name, version, Some(RawState::Json(json)))
    }

    /// Flat state of the resource `type_name`, stored at schema version `version` by Terraform 0.11
    /// or before.
    #[must_use]
    pub fn flatmap(type_name: &'a str, version: u64, map: &'a BTreeMap<String, String>) -> Self {
        Self::new(type_name, version, Some(RawState::Flatmap(map)))
    }

    /// Sets the encoding of the answer; the default is JSON.
    #[must_use]
    pub fn with_encoding(mut self, encoding: Encoding) -> Self {
        self.encoding = encoding;
        self
    }

    /// Refuses the request if `cancellation` is cancelled before it is done.
    #[must_use]
    pub fn with_cancellation(mut self, cancellation: &'a CancellationToken) -> Self {
        self.limits.cancellation = Some(cancellation);
        self
    }

    /// Refuses the request if it is not done by `deadline`. Checked before each upgrader of a
    /// chain, and by upgrades themselves.
    #[must_use]
    pub fn with_deadline(mut self, deadline: Instant) -> Self {
        self.limits.deadline = Some(deadline);
        self
    }

    /// Adds the members of the stored document, so that they need not be found once more.
    #[doc(hidden)]
    #[must_use]
    pub fn with_found(mut self, found: Option<&'a FoundMembers<'a>>) -> Self {
        self.found = found;
        self
    }

    pub(super) fn found(&self) -> Option<&'a FoundMembers<'a>> {
        self.found
    }

    pub(super) fn within(mut self, limits: Limits<'a>) -> Self {
        self.limits = limits;
        self
    }

    /// The resource's type name.
    pub fn type_name(&self) -> &'a str {
        self.type_name
    }

    /// The schema version it was stored with.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The stored state.
    pub fn raw_state(&self) -> Option<RawState<'a>> {
        self.raw_state
    }

    pub(super) fn encoding(&self) -> Encoding {
        self.encoding
    }

    #[inline]
    pub(super) fn is_limited(&self) -> bool {
        self.limits.cancellation.is_some() || self.limits.deadline.is_some()
    }

    pub(super) fn limits(&self) -> Limits<'a> {
        self.limits
    }
}

/// A stored state of one type that is to become state of another.
#[derive(Debug, Clone, Copy)]
pub struct MoveRequest<'a> {
    type_name: &'a str,
    source: UpgradeRequest<'a>,
    provider_address: &'a str,
    private: &'a [u8],
    identity: Option<(u64, RawState<'a>)>,
}

impl<'a> MoveRequest<'a> {
    /// A request to move the state in `source` to the resource `type_name`. The encoding of the
    /// answer and what stops the move are those of `source`.
    #[must_use]
    pub fn new(type_name: &'a str, source: UpgradeRequest<'a>) -> Self {
        Self {
            type_name,
            source,
            provider_address: "",
            private: &[],
            identity: None,
        }
    }

    /// Sets the address of the source's provider, such as `registry.terraform.io/acme/harbour`.
    #[must_use]
    pub fn from_provider(mut self, address: &'a str) -> Self {
        self.provider_address = address;
        self
    }

    /// Adds the source provider's private data.
    #[must_use]
    pub fn with_private(mut self, private: &'a [u8]) -> Self {
        self.private = private;
        self
    }

    /// Adds the identity stored with the source state, and the version of its schema.
    #[must_use]
    pub fn with_identity(mut self, version: u64, identity: RawState<'a>) -> Self {
        self.identity = Some((version, identity));
        self
    }

    /// The type name of the resource that the state becomes.
    pub fn type_name(&self) -> &'a str {
        self.type_name
    }

    /// The type name of the resource that the state comes from.
    pub fn source_type_name(&self) -> &'a str {
        self.source.type_name
    }

    /// The address of the provider that stored the state; empty if it was not given.
    pub fn provider_address(&self) -> &'a str {
        self.provider_address
    }

    /// The schema version of the source type that the state was stored with.
    pub fn source_version(&self) -> u64 {
        self.source.version
    }

    /// The stored state of the source.
    pub fn source_state(&self) -> Option<RawState<'a>> {
        self.source.raw_state
    }

    /// The source provider's private data. It is not moved.
    pub fn private(&self) -> &'a [u8] {
        self.private
    }

    /// The source state's identity, with the version of its schema.
    pub fn identity(&self) -> Option<(u64, RawState<'a>)> {
        self.identity
    }

    pub(super) fn source(&self) -> &UpgradeRequest<'a> {
        &self.source
    }
}

/// The answer to an [`UpgradeRequest`] or a [`MoveRequest`]: a complete state of the current
/// version, or errors; warnings either way.
#[derive(Clone, PartialEq, Eq)]
pub struct UpgradeResponse {
    state: Option<Vec<u8>>,
    /// Most answers are just a state.
    more: Option<Box<More>>,
}

/// The contents of an answer besides a state.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct More {
    pub(super) identity: Option<Vec<u8>>,
    pub(super) private: Option<Vec<u8>>,
    pub(super) diagnostics: Diagnostics,
    pub(super) undefined: Undefined,
    pub(super) losses: Losses,
    pub(super) dropped: Vec<DroppedValue>,
}

/// A stored value that a `drop` operator removed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DroppedValue {
    /// The path of the value in the stored state.
    pub path: AttributePath,
    /// The reason that the operator gives.
    pub reason: &'static str,
}

__debug_parts! {
    /// Says how long the state is, not what it holds: stored values may be secrets.
    UpgradeResponse |self| {
        state_bytes: self.state.as_ref().map(Vec::len),
        diagnostics: self.diagnostics(),
        undefined: self.undefined(),
        dropped: self.dropped(),
    }
}

impl UpgradeResponse {
    #[inline]
    pub(super) fn of(state: Vec<u8>) -> Self {
        Self {
            state: Some(state),
            more: None,
        }
    }

    pub(super) fn with(state: Vec<u8>, more: More) -> Self {
        let more = (more != More::default()).then(|| Box::new(more));
        Self {
            state: Some(state),
            more,
        }
    }

    /// An answer without a state, for code that answers requests in place of a registry.
    pub fn failed(diagnostics: impl Into<Diagnostics>) -> Self {
        Self {
            state: None,
            more: Some(Box::new(More {
                diagnostics: diagnostics.into(),
                ..More::default()
            })),
        }
    }

    /// The contents of the answer besides a state, if any.
    pub(super) fn into_more(self) -> Option<Box<More>> {
        self.more
    }

    /// The upgraded state in the encoding asked for, compact JSON if none was: every attribute of
    /// the current schema, names sorted. `None` if there are errors.
    pub fn state(&self) -> Option<&[u8]> {
        self.state.as_deref()
    }

    /// The identity that a move gave the state, in the same encoding.
    pub fn identity(&self) -> Option<&[u8]> {
        self.more.as_ref()?.identity.as_deref()
    }

    /// The private data that a move gave the state.
    pub fn private(&self) -> Option<&[u8]> {
        self.more.as_ref()?.private.as_deref()
    }

    /// Errors if there is no state, and warnings.
    pub fn diagnostics(&self) -> &Diagnostics {
        static NONE: Diagnostics = Diagnostics::new();
        self.more.as_ref().map_or(&NONE, |more| &more.diagnostics)
    }

    /// Paths of stored attributes that the schema of the stored version does not define. As in the
    /// reference, they are not part of the upgraded state. The first 10,000 are named, and of further
    /// ones the first of each name, while there are fewer names than that;
    /// [`undefined_count`](Self::undefined_count) counts all of them.
    pub fn undefined(&self) -> &[AttributePath] {
        self.more
            .as_ref()
            .map_or(&[], |more| more.undefined.shown())
    }

    /// The number of stored attributes that the schema of the stored version does not define.
    pub fn undefined_count(&self) -> usize {
        self.more.as_ref().map_or(0, |more| more.undefined.count())
    }

    /// Those stored attributes, with their whole paths for who keeps them.
    #[doc(hidden)]
    pub fn undefined_values(&self) -> Undefined {
        self.more
            .as_ref()
            .map(|more| more.undefined.clone())
            .unwrap_or_default()
    }

    /// The number of stored numbers and dates that the state has with fewer digits or parts, and of
    /// stored maps with a key that is there more than once. Warnings name the first ten of each
    /// kind.
    pub fn loss_count(&self) -> usize {
        self.more.as_ref().map_or(0, |more| more.losses.count())
    }

    /// Those values, with their whole paths for who looks for them.
    #[doc(hidden)]
    pub fn losses(&self) -> Losses {
        self.more
            .as_ref()
            .map(|more| more.losses.clone())
            .unwrap_or_default()
    }

    /// Stored values that a `drop` operator removed, with the reason given there.
    pub fn dropped(&self) -> &[DroppedValue] {
        self.more.as_ref().map_or(&[], |more| &more.dropped)
    }

    /// The state or the errors. Warnings of a success are dropped.
    ///
    /// # Errors
    /// The diagnostics, if the upgrade failed.
    #[inline]
    pub fn into_result(self) -> Result<Vec<u8>, Diagnostics> {
        match self.more {
            None => self.state.ok_or_else(Diagnostics::default),
            Some(more) => result_of(self.state, *more),
        }
    }
}

/// The state, or why there is none: apart, because most answers have nothing more to drop.
#[inline(never)]
fn result_of(state: Option<Vec<u8>>, more: More) -> Result<Vec<u8>, Diagnostics> {
    state.ok_or(more.diagnostics)
}
