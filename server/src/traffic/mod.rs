//! Bodies that come and go, and where they come from: within limits of size, time and memory.

mod client;
mod coming;
mod going;

pub use client::{Caller, Client, Network, PRINCIPAL, Peer, TrustedProxies};
pub use coming::Held;
pub use going::Accounted;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::rules::{Refusal, RefusalKind};

/// The time for the next bytes, in either direction.
const IDLE: Duration = Duration::from_secs(30);

/// The least number of bytes a second of a transfer, once it takes longer than [`IDLE`]: a few that
/// come or go slowly enough would hold the memory that others wait for.
const SLOWEST: u64 = 8 << 10;

/// The longest time that work waits for memory which other work gives back.
const PATIENCE: Duration = Duration::from_secs(3);

/// The longest time between the look-up of a principal and its write without another look-up.
pub(crate) const AT_ONCE: Duration = Duration::from_millis(100);

/// The unit in which memory is counted, and in which it is given back. What fits in one needs no
/// room on its way out.
pub(crate) const BLOCK: usize = 64 << 10;

/// The time for a transfer that has moved so many bytes until it moves more.
pub fn allowed(bytes: u64) -> Duration {
    IDLE + Duration::from_secs(bytes / SLOWEST)
}

/// The memory for all bodies of one direction at the same time.
#[derive(Debug)]
pub struct Budget {
    blocks: Arc<Semaphore>,
    all: usize,
    /// Says that there is none left.
    busy: &'static str,
}

/// Memory that a body has, until this is dropped.
#[derive(Debug)]
pub struct Room {
    blocks: OwnedSemaphorePermit,
    /// The number of bytes that fit in.
    bytes: usize,
}

impl Budget {
    /// For bodies that come.
    pub fn coming(bytes: usize) -> Self {
        Self::new(
            bytes,
            "The server is reading as many large bodies as its memory allows; try again",
        )
    }

    /// For bodies that go.
    pub fn going(bytes: usize) -> Self {
        Self::new(
            bytes,
            "The server is sending as many large bodies as its memory allows; try again",
        )
    }

    /// For states that are read.
    pub fn parsing(bytes: usize) -> Self {
        Self::new(
            bytes,
            "The server is reading as many states as its memory allows; try again",
        )
    }

    fn new(bytes: usize, busy: &'static str) -> Self {
        let all = (bytes / BLOCK).clamp(1, Semaphore::MAX_PERMITS);
        Self {
            blocks: Arc::new(Semaphore::new(all)),
            all,
            busy,
        }
    }

    /// Room for so many bytes. Nobody waits for it: a body that waited would hold what others wait
    /// for.
    ///
    /// # Errors
    /// If there is none now.
    pub fn room(&self, bytes: usize) -> Result<Room, Refusal> {
        let (blocks, bytes) = self.blocks_of(bytes);
        let taken = Arc::clone(&self.blocks).try_acquire_many_owned(blocks);
        let busy = |_| Refusal::new(RefusalKind::Unavailable, self.busy);
        Ok(Room {
            blocks: taken.map_err(busy)?,
            bytes,
        })
    }

    /// Room for so many bytes, which is waited for a moment: for work that is short, and asks for
    /// no more room before it ends.
    ///
    /// # Errors
    /// If there is none soon.
    pub async fn room_soon(&self, bytes: usize) -> Result<Room, Refusal> {
        let (blocks, bytes) = self.blocks_of(bytes);
        let taken = timeout(
            PATIENCE,
            Arc::clone(&self.blocks).acquire_many_owned(blocks),
        )
        .await;
        match taken {
            Ok(Ok(blocks)) => Ok(Room { blocks, bytes }),
            Ok(Err(_)) | Err(_) => Err(Refusal::new(RefusalKind::Unavailable, self.busy)),
        }
    }

    /// The number of blocks for so many bytes, and how many bytes fit in. More than there is would
    /// never have room, so it has all of it for itself.
    fn blocks_of(&self, bytes: usize) -> (u32, usize) {
        let count = bytes.div_ceil(BLOCK).max(1);
        (
            u32::try_from(count.min(self.all)).unwrap_or(u32::MAX),
            count.saturating_mul(BLOCK),
        )
    }

    /// Makes `room` large enough for so many bytes in all.
    ///
    /// # Errors
    /// If there is not so much more now.
    pub fn enlarge(&self, room: &mut Room, bytes: usize) -> Result<(), Refusal> {
        if let Some(more) = bytes.checked_sub(room.bytes).filter(|more| *more > 0) {
            let more = self.room(more)?;
            room.blocks.merge(more.blocks);
            room.bytes += more.bytes;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn room_that_is_given_back_soon_is_waited_for() {
        let budget = Budget::parsing(1 << 20);
        let held = budget.room(1 << 20).expect("all of the room");
        let refusal = budget.room_soon(1).await.expect_err("no room");
        assert_eq!(
            (refusal.kind, &*refusal.detail),
            (RefusalKind::Unavailable, budget.busy)
        );
        let (room, ()) = tokio::join!(budget.room_soon(2 << 20), async {
            tokio::time::sleep(PATIENCE / 2).await;
            drop(held);
        });
        room.expect("all of the room, for what is larger");
    }
}
