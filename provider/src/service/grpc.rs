//! Between tonic, which speaks gRPC, and functions that answer one request.

use std::future::{Ready, ready};
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll};

use http::{Request, Response};
use prost::Message;
use tokio::sync::{mpsc, watch};
use tokio_stream::Stream;
use tokio_stream::wrappers::ReceiverStream;
use tonic::body::Body;
use tonic::codec::{BufferSettings, Codec};
use tonic::server::{Grpc, ServerStreamingService, StreamingService, UnaryService};
use tonic::{Status, Streaming};
use tonic_prost::{ProstDecoder, ProstEncoder};

use crate::caught::catch;
use crate::erased::BoxFuture;
use crate::proto::Empty;
use crate::proto::plugin::{ConnInfo, StdioData};

/// The largest message taken or sent, as in the reference.
pub(crate) const MAX_MESSAGE: usize = 256 << 20;

pub(super) fn unimplemented(path: &str) -> Response<Body> {
    Status::unimplemented(format!("this provider has no {path}")).into_http()
}

/// The size at which a buffer for a message begins. Most messages are smaller, and what is larger
/// than 1,032 bytes glibc neither gives nor takes back from a list of the thread.
const BUFFER: usize = 1 << 10;

/// The size from which on messages of a stream are sent without waiting for more: that of tonic.
const ENOUGH: usize = 32 << 10;

/// Answers and questions as tonic reads and writes them, with small buffers.
#[derive(Debug)]
pub(super) struct Messages<Answer, Question>(PhantomData<fn() -> (Answer, Question)>);

impl<Answer, Question> Codec for Messages<Answer, Question>
where
    Answer: Message + 'static,
    Question: Message + Default + 'static,
{
    type Encode = Answer;
    type Decode = Question;
    type Encoder = ProstEncoder<Answer>;
    type Decoder = ProstDecoder<Question>;

    fn encoder(&mut self) -> Self::Encoder {
        ProstEncoder::new(BufferSettings::new(BUFFER, ENOUGH))
    }

    fn decoder(&mut self) -> Self::Decoder {
        ProstDecoder::new(BufferSettings::new(BUFFER, ENOUGH))
    }
}

pub(super) fn grpc<Answer, Question>() -> Grpc<Messages<Answer, Question>>
where
    Answer: Message + Default + 'static,
    Question: Message + Default + 'static,
{
    Grpc::new(Messages(PhantomData))
        .max_decoding_message_size(MAX_MESSAGE)
        .max_encoding_message_size(MAX_MESSAGE)
}

/// Answers a request that is one message with one message.
///
/// In a box, because it is large: what awaits one of some thirty of these would be as large, and is
/// moved several times before it is polled.
pub(super) fn unary<'a, B, Question, Answer, Answering>(
    request: Request<B>,
    answer: impl FnOnce(Question) -> Answering + Send + 'a,
) -> BoxFuture<'a, Response<Body>>
where
    B: http_body::Body + Send + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>> + Send,
    Question: Message + Default + 'static,
    Answer: Message + Default + 'static,
    Answering: Future<Output = Answer> + Send + 'a,
{
    Box::pin(async move {
        grpc::<Answer, Question>()
            .unary(Once(Some(answer)), request)
            .await
    })
}

/// A function that answers one request.
struct Once<F>(Option<F>);

impl<F, Question, Answer, Answering> UnaryService<Question> for Once<F>
where
    F: FnOnce(Question) -> Answering,
    Answering: Future<Output = Answer> + Send,
{
    type Response = Answer;
    type Future = Answered<Answering>;

    fn call(&mut self, request: tonic::Request<Question>) -> Self::Future {
        Answered(
            self.0
                .take()
                .map(|answer| Box::pin(answer(request.into_inner()))),
        )
    }
}

/// The answer to come.
struct Answered<Answering>(Option<Pin<Box<Answering>>>);

impl<Answer, Answering: Future<Output = Answer>> Future for Answered<Answering> {
    type Output = Result<tonic::Response<Answer>, Status>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        // What answers is polled no more once it panicked, and asked for one answer only.
        let Some(answering) = &mut self.0 else {
            return Poll::Ready(Err(panicked()));
        };
        let Some(poll) = catch(false, || answering.as_mut().poll(context)) else {
            self.0 = None;
            return Poll::Ready(Err(panicked()));
        };
        poll.map(|answer| Ok(tonic::Response::new(answer)))
    }
}

/// Answers a request that is one message with as many as the function sends, until it drops what it
/// sends to.
pub(super) fn streaming<'a, B, Question, Answer>(
    request: Request<B>,
    answer: impl FnOnce(Question) -> mpsc::Receiver<Result<Answer, Status>> + Send + 'a,
) -> BoxFuture<'a, Response<Body>>
where
    B: http_body::Body + Send + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>> + Send,
    Question: Message + Default + 'static,
    Answer: Message + Default + 'static,
{
    Box::pin(async move {
        grpc::<Answer, Question>()
            .server_streaming(Once(Some(answer)), request)
            .await
    })
}

impl<F, Question, Answer> ServerStreamingService<Question> for Once<F>
where
    F: FnOnce(Question) -> mpsc::Receiver<Result<Answer, Status>>,
    Answer: Send + 'static,
{
    type Response = Answer;
    type ResponseStream = ReceiverStream<Result<Answer, Status>>;
    type Future = Ready<Result<tonic::Response<Self::ResponseStream>, Status>>;

    fn call(&mut self, request: tonic::Request<Question>) -> Self::Future {
        // A service is made for one request, so `take` finds the function.
        let answers = self.0.take().map(|answer| answer(request.into_inner()));
        ready(
            answers
                .map(|answers| tonic::Response::new(ReceiverStream::new(answers)))
                .ok_or_else(panicked),
        )
    }
}

/// The response to a request whose handler panicked.
pub(super) fn panicked() -> Status {
    Status::internal("the provider panicked; its log has the place")
}

/// A service that says nothing until the process ends.
pub(super) struct Silence(pub(super) watch::Receiver<bool>);

/// The stream of nothing.
pub(super) struct Nothing<T> {
    end: BoxFuture<'static, ()>,
    answer: PhantomData<fn() -> T>,
}

impl Silence {
    fn stream<T>(&self) -> Nothing<T> {
        let mut shutdown = self.0.clone();
        let end = Box::pin(async move {
            // An error means that the server is gone, which is the end too.
            let _ = shutdown.wait_for(|down| *down).await;
        });
        Nothing {
            end,
            answer: PhantomData,
        }
    }
}

impl<T> Stream for Nothing<T> {
    type Item = Result<T, Status>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.end.as_mut().poll(context).map(|()| None)
    }
}

impl ServerStreamingService<Empty> for Silence {
    type Response = StdioData;
    type ResponseStream = Nothing<StdioData>;
    type Future = Ready<Result<tonic::Response<Self::ResponseStream>, Status>>;

    fn call(&mut self, _: tonic::Request<Empty>) -> Self::Future {
        ready(Ok(tonic::Response::new(self.stream())))
    }
}

impl StreamingService<ConnInfo> for Silence {
    type Response = ConnInfo;
    type ResponseStream = Nothing<ConnInfo>;
    type Future = Ready<Result<tonic::Response<Self::ResponseStream>, Status>>;

    fn call(&mut self, _: tonic::Request<Streaming<ConnInfo>>) -> Self::Future {
        ready(Ok(tonic::Response::new(self.stream())))
    }
}
