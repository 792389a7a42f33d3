//! A connection whose client has to take what it is sent.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

use crate::traffic::allowed;

/// A stream that fails if what is written to it is not taken in time.
#[derive(Debug)]
pub(super) struct Watched<S> {
    stream: S,
    stretch: Option<Stretch>,
}

/// A time in which more was written than the client took.
#[derive(Debug)]
struct Stretch {
    began: Instant,
    taken: u64,
    timer: Pin<Box<Sleep>>,
}

impl<S: AsyncWrite + Unpin> Watched<S> {
    pub(super) const fn new(stream: S) -> Self {
        Self {
            stream,
            stretch: None,
        }
    }

    /// The result of a write, unless the client has taken too little for too long.
    fn watch<T>(
        &mut self,
        cx: &mut Context<'_>,
        written: Poll<io::Result<T>>,
        count: impl Fn(&T) -> usize,
    ) -> Poll<io::Result<T>> {
        if let Poll::Ready(Ok(done)) = &written {
            if let Some(stretch) = &mut self.stretch {
                stretch.taken = stretch
                    .taken
                    .saturating_add(u64::try_from(count(done)).unwrap_or(u64::MAX));
            }
            return written;
        }
        if written.is_ready() {
            return written;
        }
        let now = Instant::now();
        let stretch = self.stretch.get_or_insert_with(|| Stretch {
            began: now,
            taken: 0,
            timer: Box::pin(sleep_until(now + allowed(0))),
        });
        let due = stretch.began + allowed(stretch.taken);
        if stretch.timer.deadline() != due {
            stretch.timer.as_mut().reset(due);
        }
        ready!(stretch.timer.as_mut().poll(cx));
        Poll::Ready(Err(io::Error::new(
            io::ErrorKind::TimedOut,
            "the client reads the response too slowly",
        )))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Watched<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Watched<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.watch(cx, written, |count| *count)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, parts);
        self.watch(cx, written, |count| *count)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    /// All that was written was taken, so that the next stretch has its whole time.
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(cx);
        if matches!(flushed, Poll::Ready(Ok(()))) {
            self.stretch = None;
            return flushed;
        }
        self.watch(cx, flushed, |()| 0)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let shut = Pin::new(&mut self.stream).poll_shutdown(cx);
        self.watch(cx, shut, |()| 0)
    }
}
