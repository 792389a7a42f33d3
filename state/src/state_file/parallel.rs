//! Work in pieces on several threads, with its results in order.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::{Condvar, Mutex, PoisonError};

/// How many pieces may be done or in work before the first of them is taken, for each thread.
const AHEAD: usize = 4;

struct Progress<T> {
    /// The piece that is begun next.
    next: usize,
    /// The piece that is taken next.
    wanted: usize,
    done: BTreeMap<usize, T>,
    stopped: bool,
}

/// Runs `work` for each of `count` pieces on `threads` threads, and gives the results to `take` in order, on this thread.
///
/// Work does not run far ahead of `take`, so that little memory is held. Stops at the first error of `take`.
pub(super) fn in_order<T: Send, E>(
    count: usize,
    threads: NonZeroUsize,
    work: impl Fn(usize) -> T + Sync,
    mut take: impl FnMut(T) -> Result<(), E>,
) -> Result<(), E> {
    let threads = threads.get().min(count);
    if threads <= 1 {
        return (0..count).try_for_each(|piece| take(work(piece)));
    }
    let progress = Mutex::new(Progress { next: 0, wanted: 0, done: BTreeMap::new(), stopped: false });
    let changed = Condvar::new();
    let lock = || progress.lock().unwrap_or_else(PoisonError::into_inner);
    // Whoever leaves early, also by a panic, lets the others end.
    let stop_at_end = || {
        StopAtEnd(|| {
            lock().stopped = true;
            changed.notify_all();
        })
    };
    let worker = || {
        let stop = stop_at_end();
        loop {
            let piece = {
                let mut state = lock();
                while state.next < count && state.next >= state.wanted + threads * AHEAD && !state.stopped {
                    state = changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                }
                if state.next >= count || state.stopped {
                    std::mem::forget(stop);
                    return;
                }
                state.next += 1;
                state.next - 1
            };
            let result = work(piece);
            lock().done.insert(piece, result);
            changed.notify_all();
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(worker);
        }
        let _stop = stop_at_end();
        for piece in 0..count {
            let result = {
                let mut state = lock();
                loop {
                    if let Some(result) = state.done.remove(&piece) {
                        state.wanted = piece + 1;
                        break result;
                    }
                    if state.stopped {
                        // A worker has panicked; leaving the scope says so.
                        return Ok(());
                    }
                    state = changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                }
            };
            changed.notify_all();
            take(result)?;
        }
        Ok(())
    })
}

struct StopAtEnd<F: Fn()>(F);

impl<F: Fn()> Drop for StopAtEnd<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn results_come_in_order_whatever_the_number_of_threads() {
        for threads in [1, 2, 3, 16] {
            let mut got = Vec::new();
            let running = AtomicUsize::new(0);
            let work = |piece: usize| {
                running.fetch_add(1, Ordering::Relaxed);
                if piece.is_multiple_of(7) {
                    std::thread::sleep(std::time::Duration::from_micros(200));
                }
                piece
            };
            let take = |piece| {
                let ahead = running.load(Ordering::Relaxed) - piece;
                assert!(ahead <= threads * (AHEAD + 1) + 1, "{ahead}");
                got.push(piece);
                Ok::<(), ()>(())
            };
            in_order(200, NonZeroUsize::new(threads).unwrap(), work, take).unwrap();
            assert_eq!(got, (0..200).collect::<Vec<_>>());
        }
    }

    #[test]
    fn an_error_ends_it() {
        let take = |piece| if piece == 5 { Err(piece) } else { Ok(()) };
        assert_eq!(in_order(1_000_000_000, NonZeroUsize::new(4).unwrap(), |piece| piece, take), Err(5));
    }

    #[test]
    fn a_panic_ends_it() {
        let result = std::panic::catch_unwind(|| {
            let work = |piece| if piece == 5 { panic!("on purpose") } else { piece };
            in_order(1_000, NonZeroUsize::new(2).unwrap(), work, |_| Ok::<(), ()>(()))
        });
        assert!(result.is_err());
    }
}
