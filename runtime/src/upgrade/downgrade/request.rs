//! The request for a downgrade, and its answer.

use std::fmt;

use super::loss::Loss;
use crate::diagnostics::{Diagnostic, DiagnosticCode, Diagnostics};
use crate::upgrade::request::{More, UpgradeResponse};

/// A stored state that is to be taken back to what an earlier version of its type stores.
#[derive(Clone, Copy)]
pub struct DowngradeRequest<'a> {
    type_name: &'a str,
    version: u64,
    to: u64,
    raw_state: &'a [u8],
    allow_loss: bool,
    shape: Option<usize>,
}

impl<'a> DowngradeRequest<'a> {
    /// JSON of the resource `type_name`, stored at the current schema version `version`, to be
    /// taken back to the version `to`.
    #[must_use]
    pub fn json(type_name: &'a str, version: u64, to: u64, raw_state: &'a [u8]) -> Self {
        Self {
            type_name,
            version,
            to,
            raw_state,
            allow_loss: false,
            shape: None,
        }
    }

    /// Answers with a state although the older version cannot hold all of it, if `allow` is true;
    /// otherwise such a state is refused.
    #[must_use]
    pub fn allow_loss(mut self, allow: bool) -> Self {
        self.allow_loss = allow;
        self
    }

    /// Chooses the shape of the state, of several that were stored under the version that it is
    /// taken back to: its place among
    /// [`ResourceDefinition::prior_schemas_of`](crate::ResourceDefinition::prior_schemas_of) that
    /// version. Without it, a state that more than one of them can hold is refused: a release that
    /// stored another shape would not read it.
    ///
    /// ```
    /// use upstate::upgrade::DowngradeRequest;
    /// use upstate::{Registry, Resource};
    ///
    /// #[derive(Resource)]
    /// #[resource(type_name = "example_site", version = 1)]
    /// #[upgrade_from(0 => 1, when = has("zone"), rename(zone => area))]
    /// #[upgrade_from(0 => 1, when = has("location"), rename(location => area))]
    /// struct Site { area: Option<String> }
    ///
    /// let registry = Registry::new().with::<Site>();
    /// let request = DowngradeRequest::json("example_site", 1, 0, br#"{"area":"eu"}"#);
    /// assert!(registry.downgrade(&request).state().is_none());
    /// assert_eq!(registry.downgrade(&request.shape(1)).state(), Some(br#"{"location":"eu"}"#.as_slice()));
    /// ```
    #[must_use]
    pub fn shape(mut self, place: usize) -> Self {
        self.shape = Some(place);
        self
    }

    /// The shape that is asked for.
    pub(super) fn wanted_shape(&self) -> Option<usize> {
        self.shape
    }

    /// The resource's type name.
    pub fn type_name(&self) -> &'a str {
        self.type_name
    }

    /// The schema version that the state was stored with.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The schema version that it is taken back to.
    pub fn to(&self) -> u64 {
        self.to
    }

    /// The stored state, as JSON.
    pub fn raw_state(&self) -> &'a [u8] {
        self.raw_state
    }
}

/// Says how long the state is, not what it holds: stored values may be secrets.
impl fmt::Debug for DowngradeRequest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DowngradeRequest")
            .field("type_name", &self.type_name)
            .field("version", &self.version)
            .field("to", &self.to)
            .field("state_bytes", &self.raw_state.len())
            .field("allow_loss", &self.allow_loss)
            .field("shape", &self.shape)
            .finish()
    }
}

/// The answer to a [`DowngradeRequest`]: a complete state of the older version, or errors; and what
/// that version cannot hold, either way.
#[derive(Clone, PartialEq, Eq)]
pub struct DowngradeResponse {
    state: Option<Vec<u8>>,
    losses: Vec<Loss>,
    diagnostics: Diagnostics,
}

impl DowngradeResponse {
    /// An answer without a state, for code that answers requests in place of a registry.
    pub fn failed(diagnostics: impl Into<Diagnostics>) -> Self {
        Self {
            state: None,
            losses: Vec::new(),
            diagnostics: diagnostics.into(),
        }
    }

    /// The answer with a state, unless it loses what must not be lost.
    pub(super) fn of(
        state: Vec<u8>,
        losses: Vec<Loss>,
        mut diagnostics: Diagnostics,
        request: &DowngradeRequest<'_>,
    ) -> Self {
        let is_refused = !losses.is_empty() && !request.allow_loss;
        for loss in &losses {
            let detail = format!("Version {} cannot hold {}.", request.to, loss.description());
            let diagnostic = if is_refused {
                Diagnostic::error("Downgrade Would Lose a Value", detail)
            } else {
                Diagnostic::warning("Value Lost", detail)
            };
            diagnostics.push(
                diagnostic
                    .coded(DiagnosticCode::WouldLose)
                    .at(loss.path().clone()),
            );
        }
        Self {
            state: (!is_refused).then_some(state),
            losses,
            diagnostics,
        }
    }

    /// The response, its diagnostics without what was added to them.
    pub(super) fn without_paragraphs(mut self) -> Self {
        let mut plain = Diagnostics::new();
        for diagnostic in &self.diagnostics {
            let detail = diagnostic.detail().split("\n\n").next().unwrap_or_default();
            plain.push(diagnostic.with_texts(diagnostic.summary(), detail, str::to_owned));
        }
        self.diagnostics = plain;
        self
    }

    /// Adds to each diagnostic which state it is about.
    pub(super) fn head_again(&mut self, from: &str, to: &str) {
        self.diagnostics.head_again(from, to);
    }

    pub(super) fn about(&mut self, about: impl FnOnce() -> String) {
        if !self.diagnostics.is_empty() {
            self.diagnostics.add_paragraph(&about());
        }
    }

    /// JSON of the older version: every attribute of its schema, names sorted. `None` if there are
    /// errors.
    pub fn state(&self) -> Option<&[u8]> {
        self.state.as_deref()
    }

    /// The values that the older version cannot hold: they would be others, or gone, if its state
    /// were upgraded again. They are named whether or not the request allows them.
    pub fn losses(&self) -> &[Loss] {
        &self.losses
    }

    /// Errors if there is no state, and warnings: one for each loss that was allowed.
    pub fn diagnostics(&self) -> &Diagnostics {
        &self.diagnostics
    }

    /// The state or the errors.
    ///
    /// # Errors
    /// The diagnostics, if the downgrade failed.
    pub fn into_result(self) -> Result<Vec<u8>, Diagnostics> {
        self.state.ok_or(self.diagnostics)
    }
}

/// For code that is written for upgrades: the state, or the errors; warnings say what is lost.
impl From<DowngradeResponse> for UpgradeResponse {
    fn from(response: DowngradeResponse) -> Self {
        let DowngradeResponse {
            state,
            losses: _,
            diagnostics,
        } = response;
        match state {
            Some(state) => Self::with(
                state,
                More {
                    diagnostics,
                    ..More::default()
                },
            ),
            None => Self::failed(diagnostics),
        }
    }
}

/// Says how long the state is, not what it holds: stored values may be secrets.
impl fmt::Debug for DowngradeResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DowngradeResponse")
            .field("state_bytes", &self.state.as_ref().map(Vec::len))
            .field(
                "losses",
                &self.losses.iter().map(Loss::path).collect::<Vec<_>>(),
            )
            .field("diagnostics", &self.diagnostics)
            .finish()
    }
}
