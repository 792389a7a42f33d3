//! The log of each request: under the names that providers of the Go framework use, so that one search finds both.

use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use http::{Request, Response};
use prost::Message;
use tokio::sync::mpsc;
use tonic::Status;
use tonic::body::Body;
use tracing::{Instrument, Span, debug, error, error_span, field, trace, warn};

use super::Service;
use super::grpc::{panicked, streaming, unary};
use crate::caught::catch_async;
use crate::proto::action::{ActionRequest, PlanActionResponse};
use crate::proto::data_source::{
    CloseEphemeralResourceResponse, OpenEphemeralResourceRequest, OpenEphemeralResourceResponse, OpenedEphemeralResourceRequest,
    ReadDataSourceRequest, ReadDataSourceResponse, RenewEphemeralResourceResponse, ValidateConfigRequest, ValidateConfigResponse,
};
use crate::proto::function::{CallFunctionRequest, CallFunctionResponse, GetFunctionsResponse};
use crate::proto::list_resource::{GenerateResourceConfigRequest, GenerateResourceConfigResponse, ListResourceRequest};
use crate::proto::schema::{v5, v6};
use crate::proto::{
    ApplyResourceChangeRequest, ApplyResourceChangeResponse, ConfigureProviderRequest, ConfigureProviderResponse, Diagnostic,
    Empty, GetResourceIdentitySchemasResponse, ImportResourceStateRequest, ImportResourceStateResponse, MoveResourceStateRequest,
    MoveResourceStateResponse, PlanResourceChangeRequest, PlanResourceChangeResponse, ReadResourceRequest, ReadResourceResponse,
    StopProviderResponse, UpgradeResourceIdentityRequest, UpgradeResourceIdentityResponse, UpgradeResourceStateRequest,
    UpgradeResourceStateResponse, ValidateProviderConfigRequest, ValidateProviderConfigResponse, ValidateResourceConfigRequest,
    ValidateResourceConfigResponse,
};

/// The subject of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum About<'q> {
    Provider,
    Resource(&'q str),
    /// A data source, an ephemeral resource, a list resource or an action: the method says which.
    Other(&'q str),
    Function(&'q str),
}

/// A request, as far as the log wants to know it.
pub(super) trait Question: Message + Default + 'static {
    fn about(&self) -> About<'_> {
        About::Provider
    }
}

/// An answer, as far as the log wants to know it.
pub(super) trait Answer: Message + Default + 'static {
    fn diagnostics(&self) -> &[Diagnostic] {
        &[]
    }
}

macro_rules! questions {
    ($($message:ty => $about:expr),* $(,)?) => {$(
        impl Question for $message {
            fn about(&self) -> About<'_> {
                let about: fn(&Self) -> About<'_> = $about;
                about(self)
            }
        }
    )*};
}

macro_rules! answers {
    ($($message:ty),* $(,)?) => {$(
        impl Answer for $message {
            fn diagnostics(&self) -> &[Diagnostic] {
                &self.diagnostics
            }
        }
    )*};
}

questions! {
    Empty => |_| About::Provider,
    ValidateProviderConfigRequest => |_| About::Provider,
    ConfigureProviderRequest => |_| About::Provider,
    ValidateResourceConfigRequest => |it| About::Resource(&it.type_name),
    UpgradeResourceStateRequest => |it| About::Resource(&it.type_name),
    UpgradeResourceIdentityRequest => |it| About::Resource(&it.type_name),
    MoveResourceStateRequest => |it| About::Resource(&it.target_type_name),
    ReadResourceRequest => |it| About::Resource(&it.type_name),
    PlanResourceChangeRequest => |it| About::Resource(&it.type_name),
    ApplyResourceChangeRequest => |it| About::Resource(&it.type_name),
    ImportResourceStateRequest => |it| About::Resource(&it.type_name),
    ValidateConfigRequest => |it| About::Other(&it.type_name),
    ReadDataSourceRequest => |it| About::Other(&it.type_name),
    OpenEphemeralResourceRequest => |it| About::Other(&it.type_name),
    OpenedEphemeralResourceRequest => |it| About::Other(&it.type_name),
    ActionRequest => |it| About::Other(&it.action_type),
    ListResourceRequest => |it| About::Other(&it.type_name),
    GenerateResourceConfigRequest => |it| About::Resource(&it.type_name),
    CallFunctionRequest => |it| About::Function(&it.name),
}

answers! {
    v5::GetMetadataResponse, v6::GetMetadataResponse, v5::GetProviderSchemaResponse, v6::GetProviderSchemaResponse, GetResourceIdentitySchemasResponse,
    GetFunctionsResponse, ValidateProviderConfigResponse, ConfigureProviderResponse, ValidateResourceConfigResponse,
    UpgradeResourceStateResponse, UpgradeResourceIdentityResponse, MoveResourceStateResponse, ReadResourceResponse,
    PlanResourceChangeResponse, ApplyResourceChangeResponse, ImportResourceStateResponse, ValidateConfigResponse,
    ReadDataSourceResponse, OpenEphemeralResourceResponse, RenewEphemeralResourceResponse, CloseEphemeralResourceResponse,
    GenerateResourceConfigResponse, PlanActionResponse,
}

impl Answer for StopProviderResponse {}
impl Answer for CallFunctionResponse {}

impl Service {
    /// Answers a request, and logs that it came and what became of it.
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
        let method = request.uri().path().rsplit('/').next().unwrap_or_default().to_owned();
        let respond = |question: Q| {
            let span = self.span(protocol, &method, question.about());
            let answering = answer(question);
            let logged = async move {
                trace!(target: "upstate_provider", "Received request");
                let began = Instant::now();
                let answer = answering.await;
                served(answer.diagnostics(), began.elapsed());
                answer
            };
            logged.instrument(span)
        };
        unary(request, respond).await
    }

    /// Logs a request that is answered with a stream, which the answering future sends; its value is the diagnostics that it sent.
    pub(super) async fn rpc_stream<B, Q, A, Answering>(
        &self,
        protocol: u8,
        request: Request<B>,
        answer: impl FnOnce(Q, mpsc::Sender<Result<A, Status>>) -> Answering + Send,
    ) -> Response<Body>
    where
        B: http_body::Body + Send + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>> + Send,
        Q: Question,
        A: Message + Default + 'static,
        Answering: Future<Output = Vec<Diagnostic>> + Send + 'static,
    {
        let method = request.uri().path().rsplit('/').next().unwrap_or_default().to_owned();
        let respond = |question: Q| {
            let span = self.span(protocol, &method, question.about());
            let (to, answers) = mpsc::channel(1);
            let answering = answer(question, to.clone());
            let logged = async move {
                trace!(target: "upstate_provider", "Received request");
                let began = Instant::now();
                match catch_async(false, answering).await {
                    Some(told) => served(&told, began.elapsed()),
                    None => drop(to.send(Err(panicked())).await),
                }
            };
            tokio::spawn(logged.instrument(span));
            answers
        };
        streaming(request, respond).await
    }

    /// The span of a request. Everything that is logged meanwhile has its fields, so it is there at every level.
    fn span(&self, protocol: u8, method: &str, about: About<'_>) -> Span {
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
            match about {
                About::Provider => {}
                About::Resource(name) => drop(span.record("tf_resource_type", name)),
                About::Other(name) if method.contains("Ephemeral") => drop(span.record("tf_ephemeral_resource_type", name)),
                About::Other(name) if method.contains("List") => drop(span.record("tf_list_resource_type", name)),
                About::Other(name) if method.contains("Action") => drop(span.record("tf_action_type", name)),
                About::Other(name) => drop(span.record("tf_data_source_type", name)),
                About::Function(name) => drop(span.record("tf_function_name", name)),
            }
        }
        span
    }
}

/// Tells this request from all others, of this process and of those before it.
fn request_id() -> String {
    static PROCESS: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one(std::process::id()));
    static NEXT: AtomicU64 = AtomicU64::new(1);
    format!("{:016x}-{}", *PROCESS, NEXT.fetch_add(1, Ordering::Relaxed))
}

/// Logs what was answered. The diagnostics hold no secrets any more.
fn served(diagnostics: &[Diagnostic], took: Duration) {
    for Diagnostic { severity, summary, detail, .. } in diagnostics {
        let (diagnostic_summary, diagnostic_detail) = (summary.as_str(), detail.as_str());
        if is_error(*severity) {
            error!(target: "upstate_provider", diagnostic_summary, diagnostic_detail, "Response contains error diagnostic");
        } else {
            warn!(target: "upstate_provider", diagnostic_summary, diagnostic_detail, "Response contains warning diagnostic");
        }
    }
    let errors = diagnostics.iter().filter(|diagnostic| is_error(diagnostic.severity)).count();
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
