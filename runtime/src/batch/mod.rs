//! Many upgrades at once, over all cores.
//!
//! What comes out, and in which order, does not depend on how many threads work on it: answers come
//! in the order of the requests, and one that fails or panics leaves the others alone.
//!
//! ```
//! use upstate::{Registry, Resource, UpgradeRequest, batch::Batch};
//!
//! #[derive(Resource)]
//! #[resource(type_name = "example_note", version = 1)]
//! #[upgrade_from(0, model = NoteV0)]
//! struct Note { title: String }
//!
//! #[derive(Resource)]
//! #[resource(type_name = "example_note", version = 0)]
//! struct NoteV0 { name: String }
//!
//! impl From<NoteV0> for Note {
//!     fn from(prior: NoteV0) -> Self {
//!         Note { title: prior.name }
//!     }
//! }
//!
//! let registry = Registry::new().with::<Note>();
//! let stored = [r#"{"name":"a"}"#, r#"{"name":7}"#, r#"{"name":[]}"#];
//! let requests = stored.map(|json| UpgradeRequest::json("example_note", 0, json.as_bytes()));
//! let responses = Batch::new().upgrade(&registry, &requests);
//! assert_eq!(responses[1].state(), Some(br#"{"title":"7"}"#.as_slice()));
//! assert!(responses[2].diagnostics().has_errors());
//! ```
//!
//! [`Batch::map`] does the same with any work over a slice, [`Batch::stream`] over an iterator of
//! any length in bounded memory.

mod pool;
mod slice;

use std::error::Error;
use std::fmt;
use std::num::NonZeroUsize;

use crate::diagnostics::{Diagnostic, DiagnosticCode};
use crate::registry::Registry;
use crate::upgrade::{CancellationToken, UpgradeRequest, UpgradeResponse};

/// The settings of a batch: the number of threads, the progress callback, and when to stop. Make
/// one for each run.
#[derive(Default)]
#[must_use = "a batch does nothing until it is given work"]
pub struct Batch<'a> {
    threads: Option<NonZeroUsize>,
    progress: Option<Box<dyn FnMut(Progress) + 'a>>,
    stop: Option<&'a (dyn Fn() -> bool + Sync)>,
    cancellation: Option<&'a CancellationToken>,
}

/// The progress of a batch, in numbers of items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// The number of finished items, failed ones included.
    pub done: usize,
    /// The number of finished items that failed.
    pub failed: usize,
    /// The number of all items, if that is known beforehand.
    pub total: Option<usize>,
}

/// The reason why there is no answer for an item of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Undone {
    /// The batch was stopped before the item's turn.
    Cancelled,
    /// The work panicked. What it said is not kept, because it might hold what was stored.
    Panicked,
}

impl fmt::Display for Undone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cancelled => "the batch was stopped before its turn",
            Self::Panicked => "the work on it panicked",
        })
    }
}

impl Error for Undone {}

impl<'a> Batch<'a> {
    /// A batch over all cores, without a callback, that runs to its end.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the number of threads; 1 means the calling thread alone.
    pub fn threads(mut self, threads: NonZeroUsize) -> Self {
        self.threads = Some(threads);
        self
    }

    /// Reports progress to `report`: on the calling thread, with counts that only grow, the last
    /// time when all items are done.
    pub fn on_progress(mut self, report: impl FnMut(Progress) + 'a) -> Self {
        self.progress = Some(Box::new(report));
        self
    }

    /// Stops the batch as soon as `stop` returns true. It is asked before each item, from any
    /// thread. Items in progress are finished; items that had no turn are [`Undone::Cancelled`].
    ///
    /// ```
    /// use std::time::{Duration, Instant};
    /// use upstate::batch::{Batch, Undone};
    ///
    /// let deadline = Instant::now();
    /// let late = || Instant::now() >= deadline;
    /// assert_eq!(Batch::new().stop_when(&late).map(&[1, 2], |n| n + 1), [Err(Undone::Cancelled); 2]);
    /// ```
    pub fn stop_when(mut self, stop: &'a (dyn Fn() -> bool + Sync)) -> Self {
        self.stop = Some(stop);
        self
    }

    /// Stops the batch when `cancellation` is cancelled. Upgrades in progress stop before their
    /// next upgrader.
    pub fn with_cancellation(mut self, cancellation: &'a CancellationToken) -> Self {
        self.cancellation = Some(cancellation);
        self
    }

    /// Upgrades every request; the answers come in the order of the requests.
    ///
    /// A request without a turn is answered with a diagnostic, as one is whose upgrade fails or
    /// panics.
    pub fn upgrade(
        self,
        registry: &Registry,
        requests: &[UpgradeRequest<'_>],
    ) -> Vec<UpgradeResponse> {
        let failed = |response: &UpgradeResponse| response.state().is_none();
        let cancellation = self.cancellation;
        let upgrade = |request: &UpgradeRequest<'_>| match cancellation {
            Some(cancellation) => registry.upgrade(&request.with_cancellation(cancellation)),
            None => registry.upgrade(request),
        };
        let outcomes = self.collect(requests, upgrade, failed);
        outcomes
            .into_iter()
            .zip(requests)
            .map(|(outcome, request)| outcome.unwrap_or_else(|why| undone(why, request)))
            .collect()
    }

    /// Does `work` on every item; what it gives comes in the order of the items.
    ///
    /// ```
    /// use upstate::batch::{Batch, Undone};
    ///
    /// let outcomes = Batch::new().map(&["1", "x", "3"], |text| text.parse::<u8>().expect("a number"));
    /// assert_eq!(outcomes, [Ok(1), Err(Undone::Panicked), Ok(3)]);
    /// ```
    pub fn map<I: Sync, O: Send>(
        self,
        items: &[I],
        work: impl Fn(&I) -> O + Sync,
    ) -> Vec<Result<O, Undone>> {
        self.collect(items, work, |_| false)
    }

    /// Does `work` on every item and hands item and outcome to `take`, in the order of the items,
    /// while later ones are still worked on. Only so many items are in memory as keep the threads
    /// busy.
    ///
    /// Both the iterator and `take` run on the calling thread. Says how far it came: when the batch
    /// is stopped, the rest of the items is not asked for.
    ///
    /// ```
    /// use upstate::batch::Batch;
    ///
    /// let mut total = 0;
    /// let progress = Batch::new().stream(1..=1000_u64, |n| n * n, |_, square| total += square.unwrap_or(0));
    /// assert_eq!((progress.done, total), (1000, 333_833_500));
    /// ```
    pub fn stream<I: Send, O: Send>(
        self,
        items: impl IntoIterator<Item = I>,
        work: impl Fn(&I) -> O + Sync,
        take: impl FnMut(I, Result<O, Undone>),
    ) -> Progress {
        pool::run(self, items.into_iter(), work, |_| false, take)
    }

    fn collect<I: Sync, O: Send>(
        self,
        items: &[I],
        work: impl Fn(&I) -> O + Sync,
        failed: impl Fn(&O) -> bool + Sync,
    ) -> Vec<Result<O, Undone>> {
        slice::run(self, items, work, failed)
    }

    fn report(&mut self, progress: Progress) {
        if let Some(report) = &mut self.progress {
            report(progress);
        }
    }
}

#[cold]
fn undone(why: Undone, request: &UpgradeRequest<'_>) -> UpgradeResponse {
    let (summary, code) = match why {
        Undone::Cancelled => ("Upgrade Cancelled", DiagnosticCode::Stopped),
        Undone::Panicked => ("Upgrade Panicked", DiagnosticCode::Bug),
    };
    let detail = format!(
        "The state was not upgraded: {why}. The stored state is unchanged.\n\nResource type {}, stored at schema version {}.",
        request.type_name(),
        request.version()
    );
    UpgradeResponse::failed(Diagnostic::error(summary, detail).coded(code))
}

__debug_parts! {
    Batch<'_> |self| {
        threads: self.threads,
    }
}
