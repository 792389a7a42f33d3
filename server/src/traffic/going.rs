//! Bodies that clients are sent.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http_body::{Body as _, Frame, SizeHint};
use http_body_util::BodyExt as _;
use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep_until};

use super::{BLOCK, Budget, Room, allowed};
use crate::rules::Refusal;

/// An answer whose body has its room already.
#[derive(Debug, Clone, Copy)]
pub struct Accounted;

impl Budget {
    /// The answer, its body sent in pieces if it is large, and given up if the client does not take
    /// it.
    ///
    /// # Errors
    /// If there is no room for it.
    pub async fn answer(&self, mut response: Response) -> Result<Response, Refusal> {
        let size = response
            .body()
            .size_hint()
            .exact()
            .and_then(|size| usize::try_from(size).ok());
        if response.extensions_mut().remove::<Accounted>().is_some()
            || size.is_none_or(|size| size <= BLOCK)
        {
            return Ok(response);
        }
        let (parts, body) = response.into_parts();
        // It is in memory as a whole: nothing is waited for.
        let bytes = body
            .collect()
            .await
            .map(http_body_util::Collected::to_bytes)
            .unwrap_or_default();
        let room = self.room(bytes.len())?;
        Ok(Response::from_parts(parts, Self::pieces(room, bytes)))
    }

    /// A body that is sent in pieces and keeps its room until the last of them is taken, or the
    /// client is given up. One of a piece is sent as any small answer.
    pub fn pieces(room: Room, bytes: Bytes) -> Body {
        if bytes.len() <= BLOCK {
            return Body::from(bytes);
        }
        let left = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        let going = Arc::new(Mutex::new(Going {
            rest: Some((bytes, room)),
            taken: 0,
        }));
        let watched = tokio::spawn(watch(Arc::clone(&going))).abort_handle();
        Body::new(Pieces {
            going,
            left,
            watched,
        })
    }
}

/// A body on its way.
struct Going {
    /// The bytes that nobody has taken yet, with the room of all; nothing once the last is taken,
    /// or the client given up.
    rest: Option<(Bytes, Room)>,
    taken: u64,
}

impl Going {
    fn of(this: &Mutex<Self>) -> MutexGuard<'_, Self> {
        this.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Gives a client up that takes a body too slowly. A protocol that has no place for it does not
/// ask, so its time is watched beside it.
async fn watch(going: Arc<Mutex<Going>>) {
    let began = Instant::now();
    let mut taken = 0;
    loop {
        sleep_until(began + allowed(taken)).await;
        let mut going = Going::of(&going);
        if going.taken == taken {
            going.rest = None;
            return;
        }
        taken = going.taken;
    }
}

/// The pieces of a body.
struct Pieces {
    going: Arc<Mutex<Going>>,
    left: u64,
    watched: AbortHandle,
}

/// The room is given back at once, and not when the client's time would be over.
impl Drop for Pieces {
    fn drop(&mut self) {
        Going::of(&self.going).rest = None;
        self.watched.abort();
    }
}

impl http_body::Body for Pieces {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        if self.left == 0 {
            return Poll::Ready(None);
        }
        let mut going = Going::of(&self.going);
        let Some((rest, _)) = &mut going.rest else {
            return Poll::Ready(Some(Err(io::Error::new(
                io::ErrorKind::TimedOut,
                "the client took the answer too slowly",
            ))));
        };
        // A copy: a part of the whole would keep the whole in memory.
        let piece = Bytes::copy_from_slice(&rest.split_to(rest.len().min(BLOCK)));
        if rest.is_empty() {
            going.rest = None;
        }
        let size = u64::try_from(piece.len()).unwrap_or(u64::MAX);
        going.taken = going.taken.saturating_add(size);
        drop(going);
        self.left = self.left.saturating_sub(size);
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.left == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn body() -> Bytes {
        (0..1_000_000_u32)
            .map(|number| u8::try_from(number % 251).unwrap_or_default())
            .collect()
    }

    #[tokio::test(start_paused = true)]
    async fn a_large_answer_is_whole_and_gives_its_room_back() {
        let budget = Budget::going(2 << 20);
        let answer = budget
            .answer(Response::new(Body::from(body())))
            .await
            .expect("room");
        assert_eq!(answer.body().size_hint().exact(), Some(1_000_000));
        assert!(
            budget.room(2 << 20).is_err(),
            "the answer has a part of the room"
        );
        assert_eq!(
            answer
                .into_body()
                .collect()
                .await
                .expect("all of it")
                .to_bytes(),
            body()
        );
        tokio::task::yield_now().await;
        budget.room(2 << 20).expect("all of the room");
    }

    #[tokio::test(start_paused = true)]
    async fn an_abandoned_answer_gives_its_room_back() {
        let budget = Budget::going(2 << 20);
        let answer = budget
            .answer(Response::new(Body::from(body())))
            .await
            .expect("room");
        let refused = budget
            .answer(Response::new(Body::from(vec![0; 2 << 20])))
            .await
            .expect_err("no room");
        assert!(
            refused.detail.contains("sending as many large bodies"),
            "{refused}"
        );
        tokio::time::sleep(Duration::from_secs(40)).await;
        budget.room(2 << 20).expect("all of the room");
        let error = answer.into_body().collect().await.expect_err("cut off");
        assert!(error.to_string().contains("too slowly"), "{error}");
    }

    /// One that is larger than all the memory there is has it for itself.
    #[tokio::test(start_paused = true)]
    async fn an_answer_larger_than_all_room_is_whole() {
        let budget = Budget::going(128 << 10);
        let answer = budget
            .answer(Response::new(Body::from(body())))
            .await
            .expect("room");
        assert!(budget.room(1).is_err());
        assert_eq!(
            answer
                .into_body()
                .collect()
                .await
                .expect("all of it")
                .to_bytes(),
            body()
        );
    }

    /// A line of 20 KB a second is slow, and no attack.
    #[tokio::test(start_paused = true)]
    async fn an_answer_that_is_taken_slowly_is_whole() {
        let budget = Budget::going(2 << 20);
        let mut answer = budget
            .answer(Response::new(Body::from(body())))
            .await
            .expect("room")
            .into_body();
        let mut received = Vec::new();
        while let Some(piece) = answer.frame().await {
            received.extend_from_slice(&piece.expect("a piece").into_data().expect("bytes"));
            tokio::time::sleep(Duration::from_secs(3)).await;
        }
        assert_eq!(received, body());
    }
}
