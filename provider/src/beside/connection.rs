//! The connection to the program, and messages on it as they are.

use std::future::ready;

use bytes::{BufMut as _, Bytes, BytesMut};
use http::{HeaderMap, Request, Response};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Incoming;
use hyper::client::conn::http2::{Builder, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use prost::Message;
use tokio::io::{AsyncRead, AsyncWrite};
use tonic::body::Body;
use tonic::{Code, Status};

/// The largest message taken, as in the reference.
const MAX_MESSAGE: usize = 256 << 20;

/// The length of what gRPC puts before a message: if it is compressed, and its length.
const PREFIX: usize = 5;

/// An open connection.
#[derive(Debug, Clone)]
pub(super) struct Connection(SendRequest<Full<Bytes>>);

impl Connection {
    pub(super) async fn open(
        stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    ) -> Result<Self, hyper::Error> {
        let window = u32::try_from(MAX_MESSAGE / 4).unwrap_or(u32::MAX);
        let (sender, connection) = Builder::new(TokioExecutor::new())
            .timer(TokioTimer::new())
            .initial_stream_window_size(window)
            .initial_connection_window_size(window)
            .max_frame_size(1 << 20)
            .handshake(TokioIo::new(stream))
            .await?;
        // Nobody waits for its end, because the calls see it.
        tokio::spawn(connection);
        Ok(Self(sender))
    }

    /// Sends a message to a method such as `/tfplugin6.Provider/ReadResource`, with the headers of
    /// another request.
    pub(super) async fn send(
        &self,
        method: &str,
        headers: Option<&HeaderMap>,
        message: Bytes,
    ) -> Result<Response<Incoming>, Status> {
        let mut request = Request::post(format!("http://localhost{method}"));
        if let Some(copied) = request.headers_mut() {
            copied.extend(
                headers
                    .into_iter()
                    .flatten()
                    .map(|(name, value)| (name.clone(), value.clone())),
            );
            copied.insert(
                "content-type",
                http::HeaderValue::from_static("application/grpc"),
            );
            copied.insert("te", http::HeaderValue::from_static("trailers"));
            copied.remove("host");
            copied.remove("content-length");
        }
        let request = request
            .body(Full::new(message))
            .map_err(|error| Status::internal(error.to_string()))?;
        let mut sender = self.0.clone();
        sender.ready().await.map_err(broken)?;
        sender.send_request(request).await.map_err(broken)
    }

    /// Calls a method; the response is a message still to be decoded.
    pub(super) async fn call(
        &self,
        method: &str,
        question: &impl Message,
    ) -> Result<Bytes, Status> {
        let (parts, body) = self
            .send(method, None, framed(question))
            .await?
            .into_parts();
        let whole = collected(body).await?;
        for of in [Some(&parts.headers), whole.trailers.as_ref()]
            .into_iter()
            .flatten()
        {
            match Status::from_header_map(of) {
                Some(status) if status.code() != Code::Ok => return Err(status),
                Some(_) | None => {}
            }
        }
        message_of(&whole.bytes)
            .ok_or_else(|| Status::internal("the response is not a message of gRPC"))
    }
}

/// A body to its end.
#[derive(Debug)]
pub(crate) struct Whole {
    pub(crate) bytes: Bytes,
    trailers: Option<HeaderMap>,
}

impl Whole {
    pub(super) fn into_body(self) -> Body {
        Body::new(Full::new(self.bytes).with_trailers(ready(self.trailers.map(Ok))))
    }
}

/// Reads a body to its end.
pub(crate) async fn collected<B>(body: B) -> Result<Whole, Status>
where
    B: http_body::Body,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let collected = Limited::new(body, MAX_MESSAGE + PREFIX)
        .collect()
        .await
        .map_err(broken)?;
    let trailers = collected.trailers().cloned();
    Ok(Whole {
        bytes: collected.to_bytes(),
        trailers,
    })
}

/// A response of one message.
pub(crate) fn answered(message: &impl Message) -> Response<Body> {
    let mut trailers = HeaderMap::new();
    trailers.insert("grpc-status", http::HeaderValue::from_static("0"));
    let mut response = Response::new(
        Whole {
            bytes: framed(message),
            trailers: Some(trailers),
        }
        .into_body(),
    );
    response.headers_mut().insert(
        "content-type",
        http::HeaderValue::from_static("application/grpc"),
    );
    response
}

fn broken(error: impl std::fmt::Display) -> Status {
    Status::unavailable(error.to_string())
}

/// A message as gRPC sends it.
pub(super) fn framed(message: &impl Message) -> Bytes {
    let length = message.encoded_len();
    let mut bytes = BytesMut::with_capacity(PREFIX + length);
    bytes.put_u8(0);
    bytes.put_u32(u32::try_from(length).unwrap_or(u32::MAX));
    // The buffer grows, so that it is never too small.
    let _ = message.encode(&mut bytes);
    bytes.freeze()
}

/// The first message of a body, without its prefix; none if it is compressed or not whole.
pub(crate) fn message_of(body: &Bytes) -> Option<Bytes> {
    let end = end_of_first(body)?;
    Some(body.slice(PREFIX..end))
}

/// Takes the first message of what has come of a body so far, as above.
pub(super) fn next_message(bytes: &mut BytesMut) -> Option<Bytes> {
    let end = end_of_first(bytes)?;
    Some(bytes.split_to(end).freeze().slice(PREFIX..))
}

/// The end of the first message, if all of it is there.
fn end_of_first(bytes: &[u8]) -> Option<usize> {
    let (prefix, rest) = bytes.split_first_chunk::<PREFIX>()?;
    let [0, length @ ..] = *prefix else {
        return None;
    };
    let length = usize::try_from(u32::from_be_bytes(length)).ok()?;
    (rest.len() >= length).then(|| PREFIX + length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_taken_when_they_are_whole() {
        let both = [&b"\0\0\0\0\x02ab"[..], b"\0\0\0\0\x01c"].concat();
        let mut bytes = BytesMut::new();
        let mut found = Vec::new();
        for byte in &both {
            bytes.put_u8(*byte);
            found.extend(next_message(&mut bytes));
        }
        assert_eq!(
            (found, bytes.len()),
            (vec![Bytes::from_static(b"ab"), Bytes::from_static(b"c")], 0)
        );
        assert_eq!(
            message_of(&Bytes::from(both)),
            Some(Bytes::from_static(b"ab"))
        );
        for odd in [
            &b""[..],
            b"\0\0\0\0",
            b"\0\0\0\0\x03ab",
            b"\x01\0\0\0\x01a",
            b"\0\xff\xff\xff\xffa",
        ] {
            assert_eq!(message_of(&Bytes::from_static(odd)), None, "{odd:?}");
        }
    }
}
