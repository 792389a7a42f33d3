//! Threads that take chunks of items, and the calling thread that hands them out and puts the
//! outcomes back in order.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use super::{Batch, Progress, Undone};
use crate::upgrade::CancellationToken;

/// The time for which a thread should be busy with what is handed to it at once: long beside
/// handing over, short beside a person's patience.
const BUSY: Duration = Duration::from_micros(500);
/// The most items handed to a thread at once.
const LARGEST_CHUNK: usize = 1024;
/// The number of chunks for each thread that may be handed out and not taken back yet.
const CHUNKS_AHEAD: usize = 4;

pub(super) type Outcome<O> = Result<O, Undone>;

/// Items with the position of their chunk among all chunks.
type Chunk<I> = (usize, Vec<I>);
/// Runs the items, and returns the outcomes and how long they took.
type DoneChunk<I, O> = (usize, Vec<(I, Outcome<O>)>, Duration);

/// Does `work` on every item until the batch is stopped and hands each to `take` with its outcome,
/// in order.
pub(super) fn run<I: Send, O: Send>(
    mut batch: Batch<'_>,
    mut items: impl Iterator<Item = I>,
    work: impl Fn(&I) -> O + Sync,
    failed: impl Fn(&O) -> bool,
    mut take: impl FnMut(I, Outcome<O>),
) -> Progress {
    let threads = batch
        .threads
        .or_else(|| thread::available_parallelism().ok())
        .map_or(1, NonZeroUsize::get);
    let (fewest, most) = items.size_hint();
    let total = most.filter(|most| *most == fewest);
    // A thread that has nothing to do need not begin.
    let threads = total.map_or(threads, |total| threads.min(total));
    let mut progress = Progress {
        done: 0,
        failed: 0,
        total,
    };
    let (stop, cancellation) = (batch.stop, batch.cancellation);
    let stopped = || {
        stop.is_some_and(|stop| stop()) || cancellation.is_some_and(CancellationToken::is_cancelled)
    };
    let attempt = |item: &I| {
        if stopped() {
            Err(Undone::Cancelled)
        } else {
            isolated(&work, item)
        }
    };
    let mut hand_over = |item: I, outcome: Outcome<O>, progress: &mut Progress| {
        if !matches!(outcome, Err(Undone::Cancelled)) {
            progress.done += 1;
            progress.failed += usize::from(outcome.as_ref().map_or(true, &failed));
        }
        take(item, outcome);
    };

    thread::scope(|scope| {
        // Dropped when this closure ends, however it ends; that is what ends the threads.
        let (chunks, waiting) = mpsc::channel::<Chunk<I>>();
        let (finish, finished) = mpsc::channel::<DoneChunk<I, O>>();
        let waiting = Arc::new(Mutex::new(waiting));
        let mut running = 0;
        while threads > 1 && running < threads {
            let (waiting, finish, attempt) = (Arc::clone(&waiting), finish.clone(), &attempt);
            let body = move || {
                while let Some((position, items)) = next(&waiting) {
                    let begun = Instant::now();
                    let done = items.into_iter().map(|item| {
                        let outcome = attempt(&item);
                        (item, outcome)
                    });
                    let done = done.collect();
                    if finish.send((position, done, begun.elapsed())).is_err() {
                        return;
                    }
                }
            };
            // The system may refuse more threads; those that run do the work then.
            if thread::Builder::new()
                .name("upstate-batch".to_owned())
                .spawn_scoped(scope, body)
                .is_err()
            {
                break;
            }
            running += 1;
        }
        drop(finish);

        if running == 0 {
            while !stopped()
                && let Some(item) = items.next()
            {
                let outcome = attempt(&item);
                hand_over(item, outcome, &mut progress);
                batch.report(progress);
            }
            return progress;
        }
        let (mut sent, mut taken) = (0, 0);
        let mut early = BTreeMap::new();
        let mut size = 1;
        let mut exhausted = false;
        loop {
            while !exhausted && sent - taken < CHUNKS_AHEAD * running && !stopped() {
                let size = size.min(fair_share(&items, running));
                let chunk: Vec<I> = items.by_ref().take(size).collect();
                exhausted = chunk.len() < size;
                if !chunk.is_empty() && chunks.send((sent, chunk)).is_ok() {
                    sent += 1;
                }
            }
            if sent == taken {
                return progress;
            }
            // Threads end only when they are asked to, so an answer comes for every chunk.
            let Ok((position, done, busy)) = finished.recv() else {
                return progress;
            };
            size = next_size(done.len(), busy);
            early.insert(position, done);
            while let Some(done) = early.remove(&taken) {
                taken += 1;
                for (item, outcome) in done {
                    hand_over(item, outcome, &mut progress);
                }
                batch.report(progress);
            }
        }
    })
}

/// The number of items of the next chunk, when `items` of them kept a thread busy for `busy`: as
/// many as keep it busy for [`BUSY`], but never more than twice as many, or than [`LARGEST_CHUNK`].
/// The sizes of the chunks that are under way do not matter: they may be others.
pub(super) fn next_size(items: usize, busy: Duration) -> usize {
    let wanted = BUSY.as_nanos() * items as u128 / busy.as_nanos().max(1);
    usize::try_from(wanted)
        .unwrap_or(usize::MAX)
        .min(items * 2)
        .clamp(1, LARGEST_CHUNK)
}

fn next<I>(waiting: &Mutex<mpsc::Receiver<Chunk<I>>>) -> Option<Chunk<I>> {
    // Nothing panics while it is held, and a receiver has no state that could be half changed.
    waiting
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .recv()
        .ok()
}

/// The number of the items that are left which a thread may be given at once, so that none has work
/// when all others have none; no limit if it is not known how many are left.
fn fair_share<I>(items: &impl Iterator<Item = I>, threads: usize) -> usize {
    match items.size_hint() {
        (fewest, Some(most)) if fewest == most => (fewest / (2 * threads)).max(1),
        _ => usize::MAX,
    }
}

/// Runs `work` on the item; a panic in it becomes [`Undone::Panicked`].
pub(super) fn isolated<I, O>(work: &impl Fn(&I) -> O, item: &I) -> Outcome<O> {
    // The author answers for all that the work shares with other items: a panic in it does no more
    // harm than one in a thread.
    catch_unwind(AssertUnwindSafe(|| work(item))).map_err(|payload| {
        // A payload may itself panic when it is dropped, and is then never dropped.
        if let Err(again) = catch_unwind(AssertUnwindSafe(move || drop(payload))) {
            std::mem::forget(again);
        }
        Undone::Panicked
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_grow_slowly_and_fit_the_work() {
        assert_eq!(next_size(1, Duration::from_micros(1)), 2);
        assert_eq!(next_size(1, Duration::ZERO), 2);
        assert_eq!(next_size(20, Duration::from_micros(400)), 25);
        assert_eq!(next_size(20, Duration::from_millis(4)), 2);
        assert_eq!(next_size(1, Duration::from_secs(1)), 1);
        assert_eq!(next_size(1000, Duration::from_nanos(1)), LARGEST_CHUNK);
        // Many small chunks that come back at once make the next one no larger than one of them
        // does.
        assert_eq!(
            (0..100)
                .map(|_| next_size(1, Duration::from_micros(5)))
                .max(),
            Some(2)
        );
    }
}
