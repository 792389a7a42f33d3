//! The messages of Terraform's plugin protocol, as far as a provider needs them.
//!
//! Protocols 5 and 6 share all of them but those that describe schemas, which [`schema`] has once
//! each. Unknown fields are ignored by the decoder, so a newer Terraform may send more.

#![allow(
    clippy::struct_excessive_bools,
    clippy::struct_field_names,
    reason = "the protocol's own fields, of which clippy sees some in macros alone"
)]

/// Messages: each field has its form and its number in brackets before it.
macro_rules! messages {
    ($($(#[$doc:meta])* pub(crate) struct $name:ident {
        $($(#[$field_doc:meta])* [$($form:tt)*] $field:ident: $ty:ty,)*
    })*) => {$(
        $(#[$doc])*
        #[derive(Clone, PartialEq, Message)]
        pub(crate) struct $name {
            $($(#[$field_doc])* #[prost($($form)*)] pub(crate) $field: $ty,)*
        }
    )*};
}

pub(crate) mod action;
pub(crate) mod data_source;
pub(crate) mod function;
pub(crate) mod list_resource;
pub(crate) mod plugin;
pub(crate) mod schema;

use std::collections::BTreeMap;

use bytes::Bytes;
use prost::{Message, Oneof};

/// A message without fields.
#[derive(Clone, Copy, PartialEq, Message)]
pub(crate) struct Empty {}

messages! {
    /// A value in one encoding; the fields are empty where there is none.
    pub(crate) struct DynamicValue {
        [bytes = "bytes", tag = "1"] msgpack: Bytes,
        [bytes = "bytes", tag = "2"] json: Bytes,
    }

    /// State as it was stored.
    pub(crate) struct RawState {
        [bytes = "bytes", tag = "1"] json: Bytes,
        [btree_map = "string, string", tag = "2"] flatmap: BTreeMap<String, String>,
    }

    pub(crate) struct Diagnostic {
        /// 1 an error, 2 a warning.
        [int32, tag = "1"] severity: i32,
        [string, tag = "2"] summary: String,
        [string, tag = "3"] detail: String,
        [message, optional, tag = "4"] attribute: Option<AttributePath>,
    }

    pub(crate) struct AttributePath {
        [message, repeated, tag = "1"] steps: Vec<Step>,
    }

    pub(crate) struct Step {
        [oneof = "Selector", tags = "1, 2, 3"] selector: Option<Selector>,
    }
}

#[derive(Clone, PartialEq, Oneof)]
pub(crate) enum Selector {
    #[prost(string, tag = "1")]
    AttributeName(String),
    #[prost(string, tag = "2")]
    ElementKeyString(String),
    #[prost(int64, tag = "3")]
    ElementKeyInt(i64),
}

#[derive(Clone, Copy, PartialEq, Message)]
pub(crate) struct ServerCapabilities {
    #[prost(bool, tag = "1")]
    pub(crate) plan_destroy: bool,
    #[prost(bool, tag = "2")]
    pub(crate) get_provider_schema_optional: bool,
    #[prost(bool, tag = "3")]
    pub(crate) move_resource_state: bool,
    #[prost(bool, tag = "4")]
    pub(crate) generate_resource_config: bool,
}

#[derive(Clone, Copy, PartialEq, Message)]
pub(crate) struct ClientCapabilities {
    #[prost(bool, tag = "1")]
    pub(crate) deferral_allowed: bool,
    #[prost(bool, tag = "2")]
    pub(crate) write_only_attributes_allowed: bool,
}

messages! {
    /// The name of a type, or of a function.
    pub(crate) struct TypeName {
        [string, tag = "1"] type_name: String,
    }

    pub(crate) struct ResourceIdentityData {
        [message, optional, tag = "1"] identity_data: Option<DynamicValue>,
    }

    pub(crate) struct IdentityAttribute {
        [string, tag = "1"] name: String,
        [bytes = "vec", tag = "2"] r#type: Vec<u8>,
        [bool, tag = "3"] required_for_import: bool,
        [bool, tag = "4"] optional_for_import: bool,
        [string, tag = "5"] description: String,
    }

    pub(crate) struct ResourceIdentitySchema {
        [int64, tag = "1"] version: i64,
        [message, repeated, tag = "2"] identity_attributes: Vec<IdentityAttribute>,
    }

    pub(crate) struct GetResourceIdentitySchemasResponse {
        [btree_map = "string, message", tag = "1"] identity_schemas: BTreeMap<String, ResourceIdentitySchema>,
        [message, repeated, tag = "2"] diagnostics: Vec<Diagnostic>,
    }

    pub(crate) struct ValidateProviderConfigRequest {
        [message, optional, tag = "1"] config: Option<DynamicValue>,
    }

    /// Also the answer to protocol 5's `PrepareProviderConfig`, which gives the configuration back.
    pub(crate) struct ValidateProviderConfigResponse {
        [message, optional, tag = "1"] prepared_config: Option<DynamicValue>,
        [message, repeated, tag = "2"] diagnostics: Vec<Diagnostic>,
    }

    pub(crate) struct ValidateResourceConfigRequest {
        [string, tag = "1"] type_name: String,
        [message, optional, tag = "2"] config: Option<DynamicValue>,
        [message, optional, tag = "3"] client_capabilities: Option<ClientCapabilities>,
    }

    pub(crate) struct ValidateResourceConfigResponse {
        [message, repeated, tag = "1"] diagnostics: Vec<Diagnostic>,
    }

    pub(crate) struct UpgradeResourceStateRequest {
        [string, tag = "1"] type_name: String,
        [int64, tag = "2"] version: i64,
        [message, optional, tag = "3"] raw_state: Option<RawState>,
    }

    pub(crate) struct UpgradeResourceStateResponse {
        [message, optional, tag = "1"] upgraded_state: Option<DynamicValue>,
        [message, repeated, tag = "2"] diagnostics: Vec<Diagnostic>,
    }

    pub(crate) struct UpgradeResourceIdentityRequest {
        [string, tag = "1"] type_name: String,
        [int64, tag = "2"] version: i64,
        [message, optional, tag = "3"] raw_identity: Option<RawState>,
    }

    pub(crate) struct UpgradeResourceIdentityResponse {
        [message, optional, tag = "1"] upgraded_identity: Option<ResourceIdentityData>,
        [message, repeated, tag = "2"] diagnostics: Vec<Diagnostic>,
    }

    pub(crate) struct ConfigureProviderRequest {
        [string, tag = "1"] terraform_version: String,
        [message, optional, tag = "2"] config: Option<DynamicValue>,
        [message, optional, tag = "3"] client_capabilities: Option<ClientCapabilities>,
    }

    pub(crate) struct ConfigureProviderResponse {
        [message, repeated, tag = "1"] diagnostics: Vec<Diagnostic>,
    }

    pub(crate) struct ReadResourceRequest {
        [string, tag = "1"] type_name: String,
        [message, optional, tag = "2"] current_state: Option<DynamicValue>,
        [bytes = "bytes", tag = "3"] private: Bytes,
        [message, optional, tag = "4"] provider_meta: Option<DynamicValue>,
        [message, optional, tag = "6"] current_identity: Option<ResourceIdentityData>,
    }

    pub(crate) struct ReadResourceResponse {
        [message, optional, tag = "1"] new_state: Option<DynamicValue>,
        [message, repeated, tag = "2"] diagnostics: Vec<Diagnostic>,
        [bytes = "bytes", tag = "3"] private: Bytes,
        [message, optional, tag = "5"] new_identity: Option<ResourceIdentityData>,
    }

    pub(crate) struct PlanResourceChangeRequest {
        [string, tag = "1"] type_name: String,
        [message, optional, tag = "2"] prior_state: Option<DynamicValue>,
        [message, optional, tag = "3"] proposed_new_state: Option<DynamicValue>,
        [message, optional, tag = "4"] config: Option<DynamicValue>,
        [bytes = "bytes", tag = "5"] prior_private: Bytes,
        [message, optional, tag = "6"] provider_meta: Option<DynamicValue>,
        [message, optional, tag = "8"] prior_identity: Option<ResourceIdentityData>,
    }

    pub(crate) struct PlanResourceChangeResponse {
        [message, optional, tag = "1"] planned_state: Option<DynamicValue>,
        [message, repeated, tag = "2"] requires_replace: Vec<AttributePath>,
        [bytes = "bytes", tag = "3"] planned_private: Bytes,
        [message, repeated, tag = "4"] diagnostics: Vec<Diagnostic>,
        [message, optional, tag = "7"] planned_identity: Option<ResourceIdentityData>,
    }

    pub(crate) struct ApplyResourceChangeRequest {
        [string, tag = "1"] type_name: String,
        [message, optional, tag = "2"] prior_state: Option<DynamicValue>,
        [message, optional, tag = "3"] planned_state: Option<DynamicValue>,
        [message, optional, tag = "4"] config: Option<DynamicValue>,
        [bytes = "bytes", tag = "5"] planned_private: Bytes,
        [message, optional, tag = "6"] provider_meta: Option<DynamicValue>,
        [message, optional, tag = "7"] planned_identity: Option<ResourceIdentityData>,
    }

    pub(crate) struct ApplyResourceChangeResponse {
        [message, optional, tag = "1"] new_state: Option<DynamicValue>,
        [bytes = "bytes", tag = "2"] private: Bytes,
        [message, repeated, tag = "3"] diagnostics: Vec<Diagnostic>,
        [message, optional, tag = "5"] new_identity: Option<ResourceIdentityData>,
    }

    pub(crate) struct ImportResourceStateRequest {
        [string, tag = "1"] type_name: String,
        [string, tag = "2"] id: String,
        [message, optional, tag = "4"] identity: Option<ResourceIdentityData>,
    }

    pub(crate) struct ImportedResource {
        [string, tag = "1"] type_name: String,
        [message, optional, tag = "2"] state: Option<DynamicValue>,
        [bytes = "bytes", tag = "3"] private: Bytes,
        [message, optional, tag = "4"] identity: Option<ResourceIdentityData>,
    }

    pub(crate) struct ImportResourceStateResponse {
        [message, repeated, tag = "1"] imported_resources: Vec<ImportedResource>,
        [message, repeated, tag = "2"] diagnostics: Vec<Diagnostic>,
    }

    pub(crate) struct MoveResourceStateRequest {
        [string, tag = "1"] source_provider_address: String,
        [string, tag = "2"] source_type_name: String,
        [int64, tag = "3"] source_schema_version: i64,
        [message, optional, tag = "4"] source_state: Option<RawState>,
        [string, tag = "5"] target_type_name: String,
        [bytes = "bytes", tag = "6"] source_private: Bytes,
        [message, optional, tag = "7"] source_identity: Option<RawState>,
        [int64, tag = "8"] source_identity_schema_version: i64,
    }

    pub(crate) struct MoveResourceStateResponse {
        [message, optional, tag = "1"] target_state: Option<DynamicValue>,
        [message, repeated, tag = "2"] diagnostics: Vec<Diagnostic>,
        [bytes = "bytes", tag = "3"] target_private: Bytes,
        [message, optional, tag = "4"] target_identity: Option<ResourceIdentityData>,
    }

    pub(crate) struct StopProviderResponse {
        [string, tag = "1"] error: String,
    }
}
