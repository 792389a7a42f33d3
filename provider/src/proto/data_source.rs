//! The messages about data sources and ephemeral resources.

use bytes::Bytes;
use prost::Message;

use super::{Diagnostic, DynamicValue};

messages! {
    /// The subject of a validation: a data source's or an ephemeral resource's configuration.
    pub(crate) struct ValidateConfigRequest {
        [string, tag = "1"] type_name: String,
        [message, optional, tag = "2"] config: Option<DynamicValue>,
    }

    pub(crate) struct ValidateConfigResponse {
        [message, repeated, tag = "1"] diagnostics: Vec<Diagnostic>,
    }

    pub(crate) struct ReadDataSourceRequest {
        [string, tag = "1"] type_name: String,
        [message, optional, tag = "2"] config: Option<DynamicValue>,
        [message, optional, tag = "3"] provider_meta: Option<DynamicValue>,
    }

    pub(crate) struct ReadDataSourceResponse {
        [message, optional, tag = "1"] state: Option<DynamicValue>,
        [message, repeated, tag = "2"] diagnostics: Vec<Diagnostic>,
    }

    pub(crate) struct OpenEphemeralResourceRequest {
        [string, tag = "1"] type_name: String,
        [message, optional, tag = "2"] config: Option<DynamicValue>,
    }

    pub(crate) struct OpenEphemeralResourceResponse {
        [message, repeated, tag = "1"] diagnostics: Vec<Diagnostic>,
        [message, optional, tag = "2"] renew_at: Option<Timestamp>,
        [message, optional, tag = "3"] result: Option<DynamicValue>,
        [bytes = "bytes", optional, tag = "4"] private: Option<Bytes>,
    }

    /// To renew one that is open, or to close it.
    pub(crate) struct OpenedEphemeralResourceRequest {
        [string, tag = "1"] type_name: String,
        [bytes = "bytes", optional, tag = "2"] private: Option<Bytes>,
    }

    pub(crate) struct RenewEphemeralResourceResponse {
        [message, repeated, tag = "1"] diagnostics: Vec<Diagnostic>,
        [message, optional, tag = "2"] renew_at: Option<Timestamp>,
        [bytes = "bytes", optional, tag = "3"] private: Option<Bytes>,
    }

    pub(crate) struct CloseEphemeralResourceResponse {
        [message, repeated, tag = "1"] diagnostics: Vec<Diagnostic>,
    }
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
