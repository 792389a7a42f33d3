//! Bodies that clients send.

use axum::body::Body;
use axum::http::HeaderMap;
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt as _;
use tokio::time::{Instant, timeout};

use super::{AT_ONCE, BLOCK, Budget, IDLE, Room, SLOWEST, allowed};
use crate::rules::{Refusal, RefusalKind};

/// A body in memory.
#[derive(Debug)]
pub struct Held {
    /// The body.
    pub bytes: Bytes,
    /// True if it came so slowly that its sender may have lost a permission meanwhile.
    pub took_long: bool,
    _room: Room,
}

impl Budget {
    /// Reads a body of at most `limit` bytes.
    ///
    /// # Errors
    /// If it is larger, comes too slowly, is cut off, or there is no room for it.
    pub async fn read(
        &self,
        headers: &HeaderMap,
        mut body: Body,
        limit: usize,
    ) -> Result<Held, Refusal> {
        let too_large = |found: String| {
            let detail =
                format!("The body has {found} bytes, and {limit} are the most that is taken here");
            Refusal::new(RefusalKind::TooLarge, detail)
        };
        let bad = |detail: String| Refusal::new(RefusalKind::BadRequest, detail);
        let declared = headers
            .get("content-length")
            .and_then(|value| value.to_str().ok())
            .and_then(|text| text.parse().ok());
        if let Some(length) = declared.filter(|length: &usize| *length > limit) {
            return Err(too_large(length.to_string()));
        }
        let mut room = self.room(declared.unwrap_or(BLOCK))?;
        let mut bytes = BytesMut::with_capacity(declared.unwrap_or_default());
        let began = Instant::now();
        loop {
            let frame = match timeout(IDLE, body.frame()).await {
                Err(_) => {
                    let seconds = IDLE.as_secs();
                    return Err(bad(format!(
                        "The body stopped for {seconds} seconds before its end; nothing was stored"
                    )));
                }
                Ok(None) => break,
                Ok(Some(Err(error))) => {
                    return Err(bad(format!(
                        "The body could not be read to its end, and nothing was stored: {error}"
                    )));
                }
                Ok(Some(Ok(frame))) => frame,
            };
            let Some(data) = frame.data_ref() else {
                continue;
            };
            if bytes.len() + data.len() > limit {
                return Err(too_large(format!("more than {limit}")));
            }
            self.enlarge(&mut room, bytes.len() + data.len())?;
            bytes.extend_from_slice(data);
            if began.elapsed() > allowed(u64::try_from(bytes.len()).unwrap_or(u64::MAX)) {
                return Err(bad(format!(
                    "The body came slower than {SLOWEST} bytes a second; nothing was stored"
                )));
            }
        }
        Ok(Held {
            bytes: bytes.freeze(),
            took_long: began.elapsed() > AT_ONCE,
            _room: room,
        })
    }
}
