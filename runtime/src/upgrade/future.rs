//! Futures, as far as upgrades need them: there is no async runtime here, the caller of an
//! asynchronous upgrade has one.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use super::panics::{Payload, guarded};
use crate::diagnostics::Diagnostics;

/// A future on the heap that may move between threads.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The future of an asynchronous upgrade function, with its error as diagnostics.
///
/// ```
/// use upstate::upgrade::{BoxFuture, boxed};
/// use upstate::{Diagnostics, UpgradeContext, Value};
///
/// async fn look_up(prior: Value, context: &mut UpgradeContext<'_>) -> Result<Value, String> {
///     Err(format!("nothing is known about {}", context.type_name()))
/// }
///
/// fn upgrade<'a>(prior: Value, context: &'a mut UpgradeContext<'_>) -> BoxFuture<'a, Result<Value, Diagnostics>> {
///     boxed(look_up(prior, context))
/// }
/// ```
pub fn boxed<'a, T, E: Into<Diagnostics>>(
    future: impl Future<Output = Result<T, E>> + Send + 'a,
) -> BoxFuture<'a, Result<T, Diagnostics>> {
    Box::pin(async move { future.await.map_err(Into::into) })
}

/// The answer of an author's `async fn`, which is a future.
#[diagnostic::on_unimplemented(
    message = "`async` is for an `async fn`, and this function returns `{Self}`",
    label = "not an `async fn`",
    note = "remove `async` here, or write `async fn` there"
)]
pub trait AsyncAnswer: Sized {
    /// The future.
    #[must_use]
    fn awaited(self) -> Self {
        self
    }
}

#[diagnostic::do_not_recommend]
impl<F: Future> AsyncAnswer for F {}

/// A future of user code: its panics are caught, and it is asked before each poll whether to go on.
pub(super) struct Guarded<'a, T, F> {
    /// Gone once it is done, or has panicked.
    future: Option<BoxFuture<'a, Result<T, Diagnostics>>>,
    check: F,
}

impl<'a, T, F> Guarded<'a, T, F> {
    pub(super) fn new(future: BoxFuture<'a, Result<T, Diagnostics>>, check: F) -> Self {
        Self {
            future: Some(future),
            check,
        }
    }
}

impl<T, F: Fn() -> Result<(), Diagnostics> + Unpin> Future for Guarded<'_, T, F> {
    type Output = Result<Result<T, Diagnostics>, Payload>;

    fn poll(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        let Some(future) = this.future.as_mut() else {
            return Poll::Pending;
        };
        let polled = match (this.check)() {
            Ok(()) => guarded(|| future.as_mut().poll(task)),
            Err(stopped) => Ok(Poll::Ready(Err(stopped))),
        };
        let done = match polled {
            Ok(Poll::Pending) => return Poll::Pending,
            Ok(Poll::Ready(result)) => Ok(result),
            Err(payload) => Err(payload),
        };
        // A future that panicked is never polled again; what it holds may panic once more when it
        // goes.
        let future = this.future.take();
        Poll::Ready(guarded(move || drop(future)).and(done))
    }
}
