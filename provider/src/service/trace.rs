//! The log of each request: under the names that providers of the Go framework use, so that one
//! search finds both.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use http::{Request, Response};
use tokio::sync::mpsc;
use tonic::body::Body;
use tracing::{Instrument, Span, debug, error, error_span, field, trace, warn};

use super::Service;
use super::grpc::{panicked, streaming, unary};
use super::hiding::Events;
use super::messages::{Answer, Question, texts};
use super::methods::{Subject, subject};
use crate::beside::Kind;
use crate::caught::catch_async;
use crate::proto::Diagnostic;

impl Service {
    /// Answers a request on the path that redacts, and logs it and its answer.
    pub(super) async fn rpc<B, Q, A, Answering>(
        &self,
        protocol: u8,
        request: Request<B>,
        answer: impl FnOnce(Q) -> Answering + Send,
    ) -> Response<Body>
    where
        B: http_body::Body + Send + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>> + Send,
        Q: Question,
        A: Answer,
        Answering: Future<Output = A> + Send,
    {
        let method = method_of(&request);
        let respond = |question: Q| {
            let span = self.span(protocol, &method, question.name());
            let answering = answer(question.clone());
            let method = method.as_str();
            let logged = async move {
                trace!(target: "upstate_provider", "Received request");
                let began = Instant::now();
                let answer = self.redacted(method, &question, answering).await;
                served(answer.diagnostics(), began.elapsed());
                answer
            };
            logged.instrument(span)
        };
        unary(request, respond).await
    }

    /// Logs a request that is answered with a stream, which the answering future sends; its value
    /// is the diagnostics that it sent.
    pub(super) async fn rpc_stream<B, Q, A, Answering>(
        &self,
        protocol: u8,
        request: Request<B>,
        answer: impl FnOnce(Q, Events<A>) -> Answering + Send,
    ) -> Response<Body>
    where
        B: http_body::Body + Send + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>> + Send,
        Q: Question,
        A: Answer,
        Answering: Future<Output = Vec<Diagnostic>> + Send + 'static,
    {
        let method = method_of(&request);
        let respond = |question: Q| {
            let span = self.span(protocol, &method, question.name());
            let (to, answers) = mpsc::channel(1);
            let hidden = self.hide(&method, &question);
            let events = self.events(&method, &question, to.clone());
            let secrets = Arc::clone(&events.secrets);
            let answering = answer(question, events);
            let logged = async move {
                let _hidden = hidden;
                trace!(target: "upstate_provider", "Received request");
                let began = Instant::now();
                match catch_async(false, answering).await {
                    Some(mut diagnostics) => {
                        secrets.redact(texts(&mut diagnostics));
                        served(&diagnostics, began.elapsed());
                    }
                    None => drop(to.send(Err(panicked())).await),
                }
            };
            tokio::spawn(logged.instrument(span));
            answers
        };
        streaming(request, respond).await
    }

    /// The span of a request. Everything that is logged meanwhile has its fields, so it is there at
    /// every level.
    fn span(&self, protocol: u8, method: &str, name: &str) -> Span {
        let span = error_span!(
            target: "upstate_provider",
            "rpc",
            tf_rpc = method,
            tf_proto_version = protocol,
            tf_provider_addr = self.address(),
            tf_req_id = field::Empty,
            tf_resource_type = field::Empty,
            tf_data_source_type = field::Empty,
            tf_ephemeral_resource_type = field::Empty,
            tf_list_resource_type = field::Empty,
            tf_action_type = field::Empty,
            tf_function_name = field::Empty,
        );
        if !span.is_disabled() {
            span.record("tf_req_id", request_id());
            if let Subject::Type(kind, _) = subject(method) {
                let named = match kind {
                    Kind::Resource => "tf_resource_type",
                    Kind::DataSource => "tf_data_source_type",
                    Kind::EphemeralResource => "tf_ephemeral_resource_type",
                    Kind::ListResource => "tf_list_resource_type",
                    Kind::Action => "tf_action_type",
                    Kind::Function => "tf_function_name",
                };
                span.record(named, name);
            }
        }
        span
    }
}

/// The name of the method that a request is for.
fn method_of<B>(request: &Request<B>) -> String {
    let path = request.uri().path();
    path.rsplit('/').next().unwrap_or_default().to_owned()
}

/// Tells this request from all others, of this process and of those before it.
fn request_id() -> String {
    static PROCESS: LazyLock<u64> =
        LazyLock::new(|| RandomState::new().hash_one(std::process::id()));
    static NEXT: AtomicU64 = AtomicU64::new(1);
    format!("{:016x}-{}", *PROCESS, NEXT.fetch_add(1, Ordering::Relaxed))
}

/// Logs what was answered. The diagnostics hold no secrets any more.
fn served(diagnostics: &[Diagnostic], took: Duration) {
    for Diagnostic {
        severity,
        summary,
        detail,
        ..
    } in diagnostics
    {
        let (diagnostic_summary, diagnostic_detail) = (summary.as_str(), detail.as_str());
        if is_error(*severity) {
            error!(target: "upstate_provider", diagnostic_summary, diagnostic_detail, "Response contains error diagnostic");
        } else {
            warn!(target: "upstate_provider", diagnostic_summary, diagnostic_detail, "Response contains warning diagnostic");
        }
    }
    let errors = diagnostics
        .iter()
        .filter(|diagnostic| is_error(diagnostic.severity))
        .count();
    debug!(
        target: "upstate_provider",
        tf_req_duration_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
        diagnostic_error_count = errors,
        diagnostic_warning_count = diagnostics.len() - errors,
        "Served request"
    );
}

fn is_error(severity: i32) -> bool {
    severity == 1
}
