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

messages! {
    /// The question of `grpc.health.v1.Health/Check`.
    pub(crate) struct HealthCheckRequest {
        [string, tag = "1"] service: String,
    }

    /// A piece of what the process prints. None is ever sent: what a provider prints already
    /// reaches Terraform's log.
    pub(crate) struct StdioData {
        [int32, tag = "1"] channel: i32,
        [bytes = "vec", tag = "2"] data: Vec<u8>,
    }

    /// An offer to serve something more. None is ever made.
    pub(crate) struct ConnInfo {
        [uint32, tag = "1"] service_id: u32,
        [string, tag = "2"] network: String,
        [string, tag = "3"] address: String,
    }
}
