//! Bodies that clients are sent.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http_body::{Body as _, Frame, SizeHint};
use http_body_util::BodyExt as _;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout_at};

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
        let (send, pieces) = mpsc::channel(1);
        let left = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        tokio::spawn(feed(room, bytes, send));
        Body::new(Pieces { pieces, left })
    }
}

/// Hands a body over, as fast as the client takes it. A protocol that has no place for it does not
/// ask, so its time is watched here.
async fn feed(room: Room, bytes: Bytes, pieces: mpsc::Sender<Bytes>) {
    let began = Instant::now();
    let mut taken = 0;
    for piece in bytes.chunks(BLOCK) {
        // A copy: a part of the whole would keep the whole in memory.
        let copy = Bytes::copy_from_slice(piece);
        if !matches!(
            timeout_at(began + allowed(taken), pieces.send(copy)).await,
            Ok(Ok(()))
        ) {
            break;
        }
        taken += u64::try_from(piece.len()).unwrap_or(u64::MAX);
    }
    drop(room);
}

/// The pieces of a body.
struct Pieces {
    pieces: mpsc::Receiver<Bytes>,
    left: u64,
}

impl http_body::Body for Pieces {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        match self.pieces.poll_recv(cx) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(Some(piece)) => {
                self.left = self
                    .left
                    .saturating_sub(u64::try_from(piece.len()).unwrap_or(u64::MAX));
                Poll::Ready(Some(Ok(Frame::data(piece))))
            }
            Poll::Ready(None) if self.left > 0 => Poll::Ready(Some(Err(io::Error::new(
                io::ErrorKind::TimedOut,
                "the client took the answer too slowly",
            )))),
            Poll::Ready(None) => Poll::Ready(None),
        }
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
