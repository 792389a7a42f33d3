//! Where an author's code runs: on threads that may be blocked, beside those that serve.

use std::convert::Infallible;
use std::fmt;
use std::panic::resume_unwind;
use std::time::Duration;

use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tracing::Instrument;
use upstate::{Diagnostic, Diagnostics};

use super::Service;

/// How many calls of an author's code run at once; more wait. Terraform asks for ten at once unless `-parallelism` says otherwise.
const MAX_CALLS: usize = 4096;

/// How long a call may take to end by itself when the user wants to stop. One that blocks is left alone then.
const GRACE: Duration = Duration::from_millis(250);

/// Threads for calls that may block.
///
/// They are not the runtime's own threads for blocking work: calls that wait for such work would take the threads it needs.
pub(super) struct Threads(Option<Runtime>);

impl Threads {
    pub(super) fn new() -> Self {
        Self(Builder::new_current_thread().thread_name("call").max_blocking_threads(MAX_CALLS).build().ok())
    }

    /// Runs a call on a thread of its own.
    fn run<T: Send + 'static>(&self, call: impl Future<Output = T> + Send + 'static) -> JoinHandle<T> {
        let server = Handle::current();
        // What it logs belongs to the request.
        let call = call.in_current_span();
        match &self.0 {
            Some(threads) => threads.spawn_blocking(move || server.block_on(call)),
            // Without threads of its own it runs where everything does.
            None => server.spawn(call),
        }
    }
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
    /// Runs a call to its end, even if nobody waits for it any more. A panic in it goes on here.
    pub(super) async fn to_the_end<T: Send + 'static>(&self, call: impl Future<Output = T> + Send + 'static) -> T {
        match self.0.threads.run(call).await {
            Ok(answer) => answer,
            Err(error) => match error.try_into_panic() {
                Ok(payload) => resume_unwind(payload),
                // The process ends.
                Err(_) => std::future::pending().await,
            },
        }
    }

    /// Runs a call as long as somebody waits for it and the user does not want to stop; nothing if it was left alone then.
    ///
    /// A call that awaits ends where it awaits; one that blocks ends when it ends, and nobody hears of it.
    pub(super) async fn until_stopped<T: Send + 'static>(&self, call: impl Future<Output = T> + Send + 'static) -> Option<T> {
        // Dropped with the future that waits for the call.
        let (_waiting, left) = oneshot::channel::<Infallible>();
        let stop = self.stop_since_now();
        let mut call = std::pin::pin!(self.to_the_end(async move {
            tokio::select! {
                biased;
                answer = call => Some(answer),
                _ = left => None,
            }
        }));
        tokio::select! {
            biased;
            answer = &mut call => return answer,
            () = stop.requested() => {}
        }
        tokio::time::timeout(GRACE, call).await.ok().flatten()
    }

    /// Runs a call until it ends or the user stops it, which is an error here.
    pub(super) async fn or_stopped<T: Send + 'static>(
        &self,
        what: &'static str,
        call: impl Future<Output = Result<T, Diagnostics>> + Send + 'static,
    ) -> Result<T, Diagnostics> {
        self.until_stopped(call).await.unwrap_or_else(|| {
            let detail = format!("Terraform is stopping, so the provider did not wait for {what} to end.");
            Err(Diagnostic::error("Operation Cancelled", detail).into())
        })
    }
}
