//! The limits of an upgrade: cancellation and deadline.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Stops upgrades in progress: before the next upgrader of a chain, and asynchronous ones when they
/// would go on after waiting.
///
/// Clones share one state; any thread may call [`cancel`](Self::cancel).
///
/// ```
/// # use upstate::upgrade::CancellationToken;
/// # use upstate::{Registry, UpgradeRequest};
/// let cancellation = CancellationToken::new();
/// let request = UpgradeRequest::json("example_thing", 0, b"{}").with_cancellation(&cancellation);
/// cancellation.cancel();
/// assert!(Registry::new().upgrade(&request).diagnostics().has_errors());
/// ```
#[derive(Debug, Clone, Default)]
pub struct CancellationToken(Arc<AtomicBool>);

impl CancellationToken {
    /// A token that is not cancelled.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Cancels every upgrade whose request names this token or a clone of it.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// True if it was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// The limits within which an upgrade must end.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Limits<'a> {
    pub(super) cancellation: Option<&'a CancellationToken>,
    pub(super) deadline: Option<Instant>,
}
