//! The messages of the services beside the provider: health, shutdown, output, broker.

use prost::Message;

/// The secret word by which a host knows a provider; a check against being started by mistake, no
/// secret.
pub(crate) const COOKIE: &str = "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2";

/// The answer of `grpc.health.v1.Health/Check`.
#[derive(Clone, Copy, PartialEq, Message)]
pub(crate) struct HealthCheckResponse {
    /// 1 serving.
    #[prost(int32, tag = "1")]
    pub(crate) status: i32,
}

/// The question of `grpc.health.v1.Health/Check`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct HealthCheckRequest {
    #[prost(string, tag = "1")]
    pub(crate) service: String,
}

/// A piece of what the process prints. None is ever sent: what a provider prints already reaches
/// Terraform's log.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct StdioData {
    #[prost(int32, tag = "1")]
    pub(crate) channel: i32,
    #[prost(bytes = "vec", tag = "2")]
    pub(crate) data: Vec<u8>,
}

/// An offer to serve something more. None is ever made.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct ConnInfo {
    #[prost(uint32, tag = "1")]
    pub(crate) service_id: u32,
    #[prost(string, tag = "2")]
    pub(crate) network: String,
    #[prost(string, tag = "3")]
    pub(crate) address: String,
}
