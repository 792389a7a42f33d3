//! The messages about lists of resources, and about the configuration of what was found.

use prost::Message;

use super::{Diagnostic, DynamicValue, ResourceIdentityData};

messages! {
    pub(crate) struct ListResourceRequest {
        [string, tag = "1"] type_name: String,
        [message, optional, tag = "2"] config: Option<DynamicValue>,
        [bool, tag = "3"] include_resource_object: bool,
        [int64, tag = "4"] limit: i64,
    }

    /// One resource that was found, or a diagnostic.
    pub(crate) struct ListResourceEvent {
        [message, optional, tag = "1"] identity: Option<ResourceIdentityData>,
        [string, tag = "2"] display_name: String,
        [message, optional, tag = "3"] resource_object: Option<DynamicValue>,
        [message, repeated, tag = "4"] diagnostics: Vec<Diagnostic>,
    }

    pub(crate) struct GenerateResourceConfigRequest {
        [string, tag = "1"] type_name: String,
        [message, optional, tag = "2"] state: Option<DynamicValue>,
    }

    pub(crate) struct GenerateResourceConfigResponse {
        [message, optional, tag = "1"] config: Option<DynamicValue>,
        [message, repeated, tag = "2"] diagnostics: Vec<Diagnostic>,
    }
}
