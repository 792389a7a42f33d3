//! A body that its handler did not read. hyper closes a connection on which some of a body is still
//! to come when its request is answered, so that the next request would find it closed.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::http::{HeaderMap, header};
use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use http_body_util::{BodyExt as _, Limited};
use hyper::body::Incoming;
use tokio::sync::oneshot;
use tokio::time::timeout;

/// The most bytes that are read of a body that nobody asked for.
const MOST: usize = 64 << 10;

/// The time for the rest of such a body.
const REST: Duration = Duration::from_secs(5);

/// The body of a request, handed back by its handler if that did not read it whole.
pub(super) struct Lent {
    body: Option<Incoming>,
    back: Option<oneshot::Sender<Incoming>>,
}

/// The place to which a body comes back.
pub(super) struct Returned {
    back: oneshot::Receiver<Incoming>,
    expects: bool,
}

/// Lends a body to a handler.
pub(super) fn lend(headers: &HeaderMap, body: Incoming) -> (Lent, Returned) {
    let (sender, back) = oneshot::channel();
    let lent = Lent {
        body: Some(body),
        back: Some(sender),
    };
    // Such a body is left, because reading asks the client to send what it holds back.
    (
        lent,
        Returned {
            back,
            expects: headers.contains_key(header::EXPECT),
        },
    )
}

impl Returned {
    /// Reads the rest of a short body beside the answer. False if the length says that too much is
    /// still to come, or if the client waits to be asked for it: the connection ends then.
    pub(super) fn read(mut self) -> bool {
        let Ok(body) = self.back.try_recv() else {
            return true;
        };
        if self.expects || body.size_hint().lower() > MOST as u64 {
            return false;
        }
        tokio::spawn(timeout(REST, Limited::new(body, MOST).collect()));
        true
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if let (Some(body), Some(back)) = (self.body.take(), self.back.take())
            && !body.is_end_stream()
        {
            let _ = back.send(body);
        }
    }
}

impl Body for Lent {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let frame = self
            .body
            .as_mut()
            .map_or(Poll::Ready(None), |body| Pin::new(body).poll_frame(cx));
        // It does not go back, because nothing more comes after its end or an error.
        if matches!(frame, Poll::Ready(None | Some(Err(_)))) {
            self.body = None;
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body
            .as_ref()
            .map_or_else(|| SizeHint::with_exact(0), Body::size_hint)
    }
}
