//! The threads of an author's code: on threads that may be blocked, beside the one that serves; and
//! what has been quick so far, on that one.

use std::convert::Infallible;
use std::fmt;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::{mpsc, oneshot};
use tracing::Instrument;
use upstate::Diagnostics;

use super::Service;
use super::lead::{Call, Made, Pace, answer, make};

use crate::diagnostics;
use crate::erased::BoxFuture;

/// The number of calls of an author's code at once; more wait. Terraform asks for ten at once
/// unless `-parallelism` says otherwise.
const MAX_CALLS: usize = 4096;

/// The time for a call to end by itself when the user wants to stop. One that blocks is left alone
/// then.
const GRACE: Duration = Duration::from_millis(250);

/// Threads for calls that may block.
///
/// They are not the runtime's own threads for blocking work: calls that wait for such work would
/// take the threads it needs.
pub(super) struct Threads(Option<Runtime>);

impl Threads {
    pub(super) fn new() -> Self {
        Self(
            Builder::new_current_thread()
                .thread_name("call")
                .max_blocking_threads(MAX_CALLS)
                .build()
                .ok(),
        )
    }

    /// Makes a call on a thread of its own.
    fn make<T: Send + 'static>(
        &self,
        authors: &Handle,
        pace: Option<Arc<Pace>>,
        call: impl Future<Output = T> + Send + 'static,
        to: oneshot::Sender<thread::Result<T>>,
    ) {
        let inside = authors.clone();
        let call = move || drop(to.send(make(&inside, pace.as_deref(), call)));
        match &self.0 {
            Some(threads) => drop(threads.spawn_blocking(call)),
            // Without threads of its own it runs on the author's.
            None => drop(authors.spawn_blocking(call)),
        }
    }
}

/// The threads on which a server makes calls.
#[derive(Debug)]
pub(super) struct Places {
    /// The runtime of the author's code.
    authors: Handle,
    /// The thread that serves, for calls that have been quick so far.
    lead: mpsc::WeakUnboundedSender<Call>,
}

impl Drop for Threads {
    fn drop(&mut self) {
        if let Some(threads) = self.0.take() {
            threads.shutdown_background();
        }
    }
}

impl fmt::Debug for Threads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Threads").finish_non_exhaustive()
    }
}

impl Service {
    /// The author's code runs in that runtime from now on, and what has been quick so far on the
    /// thread that serves.
    pub(crate) fn make_calls_in(&self, authors: Handle, lead: mpsc::WeakUnboundedSender<Call>) {
        // `set` fails only if it was called before, and a service has one server.
        let _ = self.0.places.set(Places { authors, lead });
    }

    /// Begins a call: on the thread that serves if calls of its pace have been quick so far, and
    /// otherwise on one of its own.
    fn begin<T: Send + 'static>(
        &self,
        pace: Option<&Arc<Pace>>,
        call: impl Future<Output = T> + Send + 'static,
    ) -> Made<T> {
        // The call takes the span with it, so that what it logs on another thread belongs to the
        // request.
        let call = call.in_current_span();
        let places = self.0.places.get();
        let authors = places.map_or_else(Handle::current, |places| places.authors.clone());
        if let Some(pace) = pace.filter(|pace| pace.is_quick())
            && let Some(lead) = places.and_then(|places| places.lead.upgrade())
        {
            let (service, again, same) = (self.clone(), authors.clone(), Arc::clone(pace));
            let (call, made) = Call::new(authors, Arc::clone(pace), call, move |call, to| {
                service.0.threads.make(&again, Some(same), call, to);
            });
            // Nobody takes it where the server has ended, and nobody waits for it.
            drop(lead.send(call));
            return made;
        }
        let (to, made) = oneshot::channel();
        self.0.threads.make(&authors, pace.cloned(), call, to);
        made
    }

    /// Runs a call to its end, even if nobody waits for it any more. A panic in it goes on here.
    pub(super) fn to_the_end<T: Send + 'static>(
        &self,
        call: impl Future<Output = T> + Send + 'static,
    ) -> impl Future<Output = T> + Send {
        let call = boxed(call);
        async move { answer(self.begin(None, call)).await }
    }

    /// Runs a call as long as somebody waits for it and the user does not want to stop; nothing if
    /// it was left alone then.
    ///
    /// A call that awaits ends where it awaits; one that blocks ends when it ends, and nobody hears
    /// of it.
    pub(super) fn until_stopped<T: Send + 'static>(
        &self,
        pace: Option<&Arc<Pace>>,
        call: impl Future<Output = T> + Send + 'static,
    ) -> impl Future<Output = Option<T>> + Send {
        let call = boxed(call);
        async move {
            // Dropped with the future that waits for the call.
            let (_waiting, left) = oneshot::channel::<Infallible>();
            let stop = self.stop_since_now();
            let call = async move {
                tokio::select! {
                    biased;
                    answer = call => Some(answer),
                    _ = left => None,
                }
            };
            let mut call = std::pin::pin!(answer(self.begin(pace, call)));
            tokio::select! {
                biased;
                answer = &mut call => return answer,
                () = stop.requested() => {}
            }
            tokio::time::timeout(GRACE, call).await.ok().flatten()
        }
    }

    /// Runs a call until it ends or the user stops it, which is an error here.
    pub(super) fn or_stopped<T: Send + 'static>(
        &self,
        what: &'static str,
        pace: Option<&Arc<Pace>>,
        call: impl Future<Output = Result<T, Diagnostics>> + Send + 'static,
    ) -> impl Future<Output = Result<T, Diagnostics>> + Send {
        let answer = self.until_stopped(pace, call);
        async move {
            answer
                .await
                .unwrap_or_else(|| Err(diagnostics::cancelled(what).into()))
        }
    }
}

/// A call that moves cheaply: it is large, and passes through several hands before it is polled.
fn boxed<T>(call: impl Future<Output = T> + Send + 'static) -> BoxFuture<'static, T> {
    Box::pin(call)
}
