//! The messages about data sources and ephemeral resources.

use bytes::Bytes;
use prost::Message;

use super::{Diagnostic, DynamicValue};

/// The subject of a validation: a data source's or an ephemeral resource's configuration.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct ValidateConfigRequest {
    #[prost(string, tag = "1")]
    pub(crate) type_name: String,
    #[prost(message, optional, tag = "2")]
    pub(crate) config: Option<DynamicValue>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ValidateConfigResponse {
    #[prost(message, repeated, tag = "1")]
    pub(crate) diagnostics: Vec<Diagnostic>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ReadDataSourceRequest {
    #[prost(string, tag = "1")]
    pub(crate) type_name: String,
    #[prost(message, optional, tag = "2")]
    pub(crate) config: Option<DynamicValue>,
    #[prost(message, optional, tag = "3")]
    pub(crate) provider_meta: Option<DynamicValue>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ReadDataSourceResponse {
    #[prost(message, optional, tag = "1")]
    pub(crate) state: Option<DynamicValue>,
    #[prost(message, repeated, tag = "2")]
    pub(crate) diagnostics: Vec<Diagnostic>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct OpenEphemeralResourceRequest {
    #[prost(string, tag = "1")]
    pub(crate) type_name: String,
    #[prost(message, optional, tag = "2")]
    pub(crate) config: Option<DynamicValue>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct OpenEphemeralResourceResponse {
    #[prost(message, repeated, tag = "1")]
    pub(crate) diagnostics: Vec<Diagnostic>,
    #[prost(message, optional, tag = "2")]
    pub(crate) renew_at: Option<Timestamp>,
    #[prost(message, optional, tag = "3")]
    pub(crate) result: Option<DynamicValue>,
    #[prost(bytes = "bytes", optional, tag = "4")]
    pub(crate) private: Option<Bytes>,
}

/// To renew one that is open, or to close it.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct OpenedEphemeralResourceRequest {
    #[prost(string, tag = "1")]
    pub(crate) type_name: String,
    #[prost(bytes = "bytes", optional, tag = "2")]
    pub(crate) private: Option<Bytes>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct RenewEphemeralResourceResponse {
    #[prost(message, repeated, tag = "1")]
    pub(crate) diagnostics: Vec<Diagnostic>,
    #[prost(message, optional, tag = "2")]
    pub(crate) renew_at: Option<Timestamp>,
    #[prost(bytes = "bytes", optional, tag = "3")]
    pub(crate) private: Option<Bytes>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct CloseEphemeralResourceResponse {
    #[prost(message, repeated, tag = "1")]
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// A time, as `google.protobuf.Timestamp` has it.
#[derive(Clone, Copy, PartialEq, Eq, Message)]
pub(crate) struct Timestamp {
    /// Since 1970.
    #[prost(int64, tag = "1")]
    pub(crate) seconds: i64,
    #[prost(int32, tag = "2")]
    pub(crate) nanos: i32,
}
