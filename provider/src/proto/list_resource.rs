//! The messages about lists of resources, and about the configuration of what was found.

use prost::Message;

use super::{Diagnostic, DynamicValue, ResourceIdentityData};

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ListResourceRequest {
    #[prost(string, tag = "1")]
    pub(crate) type_name: String,
    #[prost(message, optional, tag = "2")]
    pub(crate) config: Option<DynamicValue>,
    #[prost(bool, tag = "3")]
    pub(crate) include_resource_object: bool,
    #[prost(int64, tag = "4")]
    pub(crate) limit: i64,
}

/// One resource that was found, or a diagnostic.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct ListResourceEvent {
    #[prost(message, optional, tag = "1")]
    pub(crate) identity: Option<ResourceIdentityData>,
    #[prost(string, tag = "2")]
    pub(crate) display_name: String,
    #[prost(message, optional, tag = "3")]
    pub(crate) resource_object: Option<DynamicValue>,
    #[prost(message, repeated, tag = "4")]
    pub(crate) diagnostics: Vec<Diagnostic>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct GenerateResourceConfigRequest {
    #[prost(string, tag = "1")]
    pub(crate) type_name: String,
    #[prost(message, optional, tag = "2")]
    pub(crate) state: Option<DynamicValue>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct GenerateResourceConfigResponse {
    #[prost(message, optional, tag = "1")]
    pub(crate) config: Option<DynamicValue>,
    #[prost(message, repeated, tag = "2")]
    pub(crate) diagnostics: Vec<Diagnostic>,
}
