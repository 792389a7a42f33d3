//! Panics of an author's code, kept from ending the process.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::Poll;

thread_local! {
    static SECRET: Cell<bool> = const { Cell::new(false) };
}

/// True if this thread runs code of an author that sees values which must not be shown.
pub(crate) fn sees_secrets() -> bool {
    SECRET.get()
}

/// Runs an author's code; `None` if it panics. `secret` says whether it sees values that must not
/// be shown.
pub(crate) fn catch<T>(secret: bool, run: impl FnOnce() -> T) -> Option<T> {
    let before = SECRET.replace(secret);
    // What panicked is not used again, so nobody sees what it left half done.
    let result = catch_unwind(AssertUnwindSafe(run));
    SECRET.set(before);
    match result {
        Ok(value) => Some(value),
        Err(payload) => {
            // What was thrown may itself panic when it is dropped; then it is left where it is.
            if let Err(again) = catch_unwind(AssertUnwindSafe(move || drop(payload))) {
                std::mem::forget(again);
            }
            None
        }
    }
}

/// Awaits a future, and catches its panic.
pub(crate) async fn catch_async<T>(secret: bool, future: impl Future<Output = T>) -> Option<T> {
    let mut future = std::pin::pin!(future);
    std::future::poll_fn(
        move |context| match catch(secret, || future.as_mut().poll(context)) {
            Some(poll) => poll.map(Some),
            None => Poll::Ready(None),
        },
    )
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_is_nothing_and_the_secret_ends_with_it() {
        assert_eq!(catch(true, sees_secrets), Some(true));
        assert_eq!(catch(true, || -> u8 { panic!("caught on purpose") }), None);
        assert!(!sees_secrets());
        let late = async {
            tokio::task::yield_now().await;
            assert!(sees_secrets(), "set again at each turn");
            panic!("caught on purpose");
        };
        assert_eq!(catch_async::<()>(true, late).await, None);
        assert_eq!(
            catch_async(false, async { sees_secrets() }).await,
            Some(false)
        );
    }
}
