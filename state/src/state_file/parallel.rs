//! Pieces of a file on several threads, with their results in order.
//!
//! The calling thread reads the input and writes the output, since neither can be shared; the
//! pieces between are independent, so any thread takes the next. Results come in the order of the
//! pieces, which makes the output that of one thread. Two things bound the memory: a thread does
//! not begin a piece far ahead of the one that is written next, so that a slow disk stops the work;
//! and [`Buffers`] lends each finished piece's buffer to a later one. Without that every piece asks
//! the system for fresh pages on one thread and returns them on another, which costs more processor
//! time the more threads there are. A panic in a piece becomes an error, because an output with a
//! hole must not pass for a file.

use std::io;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use upstate::batch::{Batch, Undone};

/// Buffers shared by the threads that fill them and the one that empties them.
#[derive(Default)]
pub(super) struct Buffers(Mutex<Vec<Vec<u8>>>);

impl Buffers {
    /// The capacity above which a buffer is freed, so that one long line does not hold its memory
    /// for the whole run.
    const LONGEST: usize = 1 << 20;

    /// An empty buffer.
    pub(super) fn take(&self) -> Vec<u8> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop()
            .unwrap_or_default()
    }

    pub(super) fn give_back(&self, mut buffer: Vec<u8>) {
        if buffer.capacity() <= Self::LONGEST {
            buffer.clear();
            self.0
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(buffer);
        }
    }
}

/// Runs `work` for each of the pieces on `threads` threads, and passes them and the results to
/// `take` in order. Both the iterator and `take` run on this thread.
///
/// Work does not run far ahead of `take`, so that little memory is held. Stops at the first error
/// of `take`.
///
/// # Errors
/// The error of `take`, or one that says that the work on a piece panicked.
pub(super) fn in_order<P: Send, T: Send>(
    pieces: impl Iterator<Item = P>,
    threads: NonZeroUsize,
    work: impl Fn(&P) -> T + Sync,
    mut take: impl FnMut(P, T) -> io::Result<()>,
) -> io::Result<()> {
    let stopped = AtomicBool::new(false);
    let stop = || stopped.load(Ordering::Relaxed);
    let mut result = Ok(());
    Batch::new()
        .threads(threads)
        .stop_when(&stop)
        .stream(pieces, work, |piece, outcome| {
            if result.is_err() {
                return;
            }
            result = match outcome {
                Ok(result) => take(piece, result),
                Err(Undone::Panicked) => {
                    Err(io::Error::other("the work on a part of the file panicked"))
                }
                // Only an error stops the batch, and that one is in `result`.
                Err(_) => return,
            };
            stopped.store(result.is_err(), Ordering::Relaxed);
        });
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    #[test]
    fn results_come_in_order_and_little_runs_ahead_of_them() {
        for threads in [1, 2, 3, 16] {
            let mut got = Vec::new();
            let running = AtomicUsize::new(0);
            let work = |piece: &usize| {
                let piece = *piece;
                running.fetch_add(1, Ordering::Relaxed);
                std::thread::sleep(std::time::Duration::from_micros(
                    if piece.is_multiple_of(7) { 2_000 } else { 600 },
                ));
                piece
            };
            let take = |_, piece| {
                got.push(piece);
                // Pieces that take so long are handed out one at a time, so that work stays close
                // to the output.
                assert!(
                    running.load(Ordering::Relaxed) - piece <= threads * 16,
                    "{piece}"
                );
                Ok(())
            };
            in_order(0..200, NonZeroUsize::new(threads).unwrap(), work, take).unwrap();
            assert_eq!(got, (0..200).collect::<Vec<_>>());
        }
    }

    /// Small pieces are handed out many at a time, but not more than little memory holds.
    #[test]
    fn little_runs_ahead_of_short_work_either() {
        let running = AtomicUsize::new(0);
        let work = |piece: &usize| {
            let piece = *piece;
            running.fetch_add(1, Ordering::Relaxed);
            let begun = std::time::Instant::now();
            while begun.elapsed() < std::time::Duration::from_micros(50) {}
            piece
        };
        let mut furthest = 0;
        let take = |_, piece| {
            furthest = furthest.max(running.load(Ordering::Relaxed) - piece);
            Ok(())
        };
        in_order(0..4_000, NonZeroUsize::new(2).unwrap(), work, take).unwrap();
        assert!(
            furthest <= 200,
            "{furthest} pieces of 50 microseconds ran ahead"
        );
    }

    #[test]
    fn an_error_ends_it() {
        for threads in [1, 4] {
            let mut taken = 0;
            let take = |_, piece| {
                taken += 1;
                if piece == 5 {
                    Err(io::Error::other("full"))
                } else {
                    Ok(())
                }
            };
            let error = in_order(
                0..1_000_000_000,
                NonZeroUsize::new(threads).unwrap(),
                |piece| *piece,
                take,
            )
            .unwrap_err();
            assert_eq!((error.to_string().as_str(), taken), ("full", 6));
        }
    }

    #[test]
    fn a_panic_ends_it_with_an_error() {
        let mut taken = Vec::new();
        let work = |piece: &usize| {
            if *piece == 5 {
                panic!("on purpose")
            } else {
                *piece
            }
        };
        let take = |_, piece| {
            taken.push(piece);
            Ok(())
        };
        let error = in_order(0..1_000, NonZeroUsize::new(2).unwrap(), work, take).unwrap_err();
        assert_eq!(error.to_string(), "the work on a part of the file panicked");
        assert_eq!(taken, [0, 1, 2, 3, 4]);
    }
}
