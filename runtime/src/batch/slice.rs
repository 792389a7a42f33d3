//! Items that are all there: each thread, the calling one too, takes the next few when it is done
//! with its last.

use std::hint::black_box;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use super::pool::{Outcome, isolated, next_size};
use super::{Batch, Progress, Undone};
use crate::upgrade::CancellationToken;

/// Outcomes of items next to each other, and the position of the first.
type Run<O> = (usize, Vec<Outcome<O>>);

/// Does `work` on every item until the batch is stopped; the outcomes are in the order of the
/// items.
pub(super) fn run<I: Sync, O: Send>(
    mut batch: Batch<'_>,
    items: &[I],
    work: impl Fn(&I) -> O + Sync,
    failed: impl Fn(&O) -> bool + Sync,
) -> Vec<Outcome<O>> {
    let threads = batch
        .threads
        .or_else(|| thread::available_parallelism().ok())
        .map_or(1, NonZeroUsize::get);
    // A thread that has nothing to do need not begin.
    let threads = threads.min(items.len()).max(1);
    let (stop, cancellation) = (batch.stop, batch.cancellation);
    let stopped = || {
        stop.is_some_and(|stop| stop()) || cancellation.is_some_and(CancellationToken::is_cancelled)
    };
    let shared = Shared {
        items,
        threads,
        next: AtomicUsize::new(0),
        finished: Mutex::new(Finished {
            runs: Vec::new(),
            done: 0,
            failed: 0,
        }),
    };
    let attempt = |item: &I| {
        if stopped() {
            Err(Undone::Cancelled)
        } else {
            isolated(&work, item)
        }
    };
    let mut reported = 0;
    let busy = |report: &mut dyn FnMut(Progress)| shared.take_turns(&attempt, &failed, report);
    thread::scope(|scope| {
        for _ in 1..threads {
            // The system may refuse more threads; those that run do the work then.
            let body = || busy(&mut |_| {});
            if thread::Builder::new()
                .name("upstate-batch".to_owned())
                .spawn_scoped(scope, body)
                .is_err()
            {
                break;
            }
        }
        // If telling panics, nobody begins another item.
        let _end = End(&shared.next, items.len());
        busy(&mut |progress| {
            if progress.done > reported {
                reported = progress.done;
                batch.report(progress);
            }
        });
    });
    let progress = shared.progress();
    if progress.done > reported {
        batch.report(progress);
    }
    let Finished { mut runs, .. } = shared
        .finished
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    runs.sort_unstable_by_key(|(start, _)| *start);
    let mut outcomes = Vec::with_capacity(items.len());
    for (_, run) in runs {
        outcomes.extend(run);
    }
    outcomes.resize_with(items.len(), || Err(Undone::Cancelled));
    outcomes
}

/// Makes room for the answers of a turn. glibc gives a thread that is not the first only the pages
/// that are asked for, with a call of the system for each answer; what was freed at the end of its
/// memory it keeps, up to 128 KB.
fn make_room() {
    const ROOM: usize = 96 << 10;
    drop(black_box(Vec::<u8>::with_capacity(ROOM)));
}

/// Sets the first item that no thread has taken, when it is dropped.
struct End<'n>(&'n AtomicUsize, usize);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(self.1, Ordering::Relaxed);
    }
}

/// The items and the state that the threads share.
struct Shared<'i, I, O> {
    items: &'i [I],
    threads: usize,
    /// The first item that no thread has taken.
    next: AtomicUsize,
    finished: Mutex<Finished<O>>,
}

/// The outcomes of the work that has been done so far, and their counts.
struct Finished<O> {
    runs: Vec<Run<O>>,
    done: usize,
    failed: usize,
}

impl<I, O> Shared<'_, I, O> {
    /// Works on items until there are no more, and tells how far all threads are.
    fn take_turns(
        &self,
        attempt: &dyn Fn(&I) -> Outcome<O>,
        failed: &dyn Fn(&O) -> bool,
        report: &mut dyn FnMut(Progress),
    ) {
        let mut size = 1;
        while let Some((start, items)) = self.take(size) {
            make_room();
            let begun = Instant::now();
            let run: Vec<Outcome<O>> = items.iter().map(attempt).collect();
            size = next_size(items.len(), begun.elapsed());
            let counts = run
                .iter()
                .filter(|outcome| !matches!(outcome, Err(Undone::Cancelled)));
            let (done, wrong) = counts.fold((0, 0), |(done, wrong), outcome| {
                (
                    done + 1,
                    wrong + usize::from(outcome.as_ref().map_or(true, failed)),
                )
            });
            let mut finished = self.finished();
            finished.done += done;
            finished.failed += wrong;
            finished.runs.push((start, run));
            drop(finished);
            report(self.progress());
        }
    }

    /// The next items, about so many, but never so many that others have nothing to do.
    fn take(&self, size: usize) -> Option<(usize, &[I])> {
        let left = self
            .items
            .len()
            .saturating_sub(self.next.load(Ordering::Relaxed));
        let size = size.min((left / (2 * self.threads)).max(1));
        let start = self
            .next
            .fetch_add(size, Ordering::Relaxed)
            .min(self.items.len());
        let end = (start + size).min(self.items.len());
        self.items
            .get(start..end)
            .filter(|items| !items.is_empty())
            .map(|items| (start, items))
    }

    fn finished(&self) -> MutexGuard<'_, Finished<O>> {
        // Nothing panics while it is held, so what a poisoned lock holds is complete and can be
        // used.
        self.finished.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn progress(&self) -> Progress {
        let finished = self.finished();
        Progress {
            done: finished.done,
            failed: finished.failed,
            total: Some(self.items.len()),
        }
    }
}
