//! The messages of Terraform's plugin protocol, as far as a provider needs them.
//!
//! Protocols 5 and 6 share all of them but those that describe schemas, which [`schema`] has once
//! each. Unknown fields are ignored by the decoder, so a newer Terraform may send more.

#![expect(
    clippy::struct_excessive_bools,
    clippy::struct_field_names,
    reason = "the protocol's own fields"
)]

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

/// A value in one encoding; the fields are empty where there is none.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct DynamicValue {
    #[prost(bytes = "bytes", tag = "1")]
    pub(crate) msgpack: Bytes,
    #[prost(bytes = "bytes", tag = "2")]
    pub(crate) json: Bytes,
}

/// State as it was stored.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct RawState {
    #[prost(bytes = "bytes", tag = "1")]
    pub(crate) json: Bytes,
    #[prost(btree_map = "string, string", tag = "2")]
    pub(crate) flatmap: BTreeMap<String, String>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Diagnostic {
    /// 1 an error, 2 a warning.
    #[prost(int32, tag = "1")]
    pub(crate) severity: i32,
    #[prost(string, tag = "2")]
    pub(crate) summary: String,
    #[prost(string, tag = "3")]
    pub(crate) detail: String,
    #[prost(message, optional, tag = "4")]
    pub(crate) attribute: Option<AttributePath>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct AttributePath {
    #[prost(message, repeated, tag = "1")]
    pub(crate) steps: Vec<Step>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Step {
    #[prost(oneof = "Selector", tags = "1, 2, 3")]
    pub(crate) selector: Option<Selector>,
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

/// The name of a type, or of a function.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct TypeName {
    #[prost(string, tag = "1")]
    pub(crate) type_name: String,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ResourceIdentityData {
    #[prost(message, optional, tag = "1")]
    pub(crate) identity_data: Option<DynamicValue>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct IdentityAttribute {
    #[prost(string, tag = "1")]
    pub(crate) name: String,
    #[prost(bytes = "vec", tag = "2")]
    pub(crate) r#type: Vec<u8>,
    #[prost(bool, tag = "3")]
    pub(crate) required_for_import: bool,
    #[prost(bool, tag = "4")]
    pub(crate) optional_for_import: bool,
    #[prost(string, tag = "5")]
    pub(crate) description: String,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ResourceIdentitySchema {
    #[prost(int64, tag = "1")]
    pub(crate) version: i64,
    #[prost(message, repeated, tag = "2")]
    pub(crate) identity_attributes: Vec<IdentityAttribute>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct GetResourceIdentitySchemasResponse {
    #[prost(btree_map = "string, message", tag = "1")]
    pub(crate) identity_schemas: BTreeMap<String, ResourceIdentitySchema>,
    #[prost(message, repeated, tag = "2")]
    pub(crate) diagnostics: Vec<Diagnostic>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ValidateProviderConfigRequest {
    #[prost(message, optional, tag = "1")]
    pub(crate) config: Option<DynamicValue>,
}

/// Also the answer to protocol 5's `PrepareProviderConfig`, which gives the configuration back.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct ValidateProviderConfigResponse {
    #[prost(message, optional, tag = "1")]
    pub(crate) prepared_config: Option<DynamicValue>,
    #[prost(message, repeated, tag = "2")]
    pub(crate) diagnostics: Vec<Diagnostic>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ValidateResourceConfigRequest {
    #[prost(string, tag = "1")]
    pub(crate) type_name: String,
    #[prost(message, optional, tag = "2")]
    pub(crate) config: Option<DynamicValue>,
    #[prost(message, optional, tag = "3")]
    pub(crate) client_capabilities: Option<ClientCapabilities>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ValidateResourceConfigResponse {
    #[prost(message, repeated, tag = "1")]
    pub(crate) diagnostics: Vec<Diagnostic>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct UpgradeResourceStateRequest {
    #[prost(string, tag = "1")]
    pub(crate) type_name: String,
    #[prost(int64, tag = "2")]
    pub(crate) version: i64,
    #[prost(message, optional, tag = "3")]
    pub(crate) raw_state: Option<RawState>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct UpgradeResourceStateResponse {
    #[prost(message, optional, tag = "1")]
    pub(crate) upgraded_state: Option<DynamicValue>,
    #[prost(message, repeated, tag = "2")]
    pub(crate) diagnostics: Vec<Diagnostic>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct UpgradeResourceIdentityRequest {
    #[prost(string, tag = "1")]
    pub(crate) type_name: String,
    #[prost(int64, tag = "2")]
    pub(crate) version: i64,
    #[prost(message, optional, tag = "3")]
    pub(crate) raw_identity: Option<RawState>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct UpgradeResourceIdentityResponse {
    #[prost(message, optional, tag = "1")]
    pub(crate) upgraded_identity: Option<ResourceIdentityData>,
    #[prost(message, repeated, tag = "2")]
    pub(crate) diagnostics: Vec<Diagnostic>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ConfigureProviderRequest {
    #[prost(string, tag = "1")]
    pub(crate) terraform_version: String,
    #[prost(message, optional, tag = "2")]
    pub(crate) config: Option<DynamicValue>,
    #[prost(message, optional, tag = "3")]
    pub(crate) client_capabilities: Option<ClientCapabilities>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ConfigureProviderResponse {
    #[prost(message, repeated, tag = "1")]
    pub(crate) diagnostics: Vec<Diagnostic>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ReadResourceRequest {
    #[prost(string, tag = "1")]
    pub(crate) type_name: String,
    #[prost(message, optional, tag = "2")]
    pub(crate) current_state: Option<DynamicValue>,
    #[prost(bytes = "bytes", tag = "3")]
    pub(crate) private: Bytes,
    #[prost(message, optional, tag = "4")]
    pub(crate) provider_meta: Option<DynamicValue>,
    #[prost(message, optional, tag = "6")]
    pub(crate) current_identity: Option<ResourceIdentityData>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ReadResourceResponse {
    #[prost(message, optional, tag = "1")]
    pub(crate) new_state: Option<DynamicValue>,
    #[prost(message, repeated, tag = "2")]
    pub(crate) diagnostics: Vec<Diagnostic>,
    #[prost(bytes = "bytes", tag = "3")]
    pub(crate) private: Bytes,
    #[prost(message, optional, tag = "5")]
    pub(crate) new_identity: Option<ResourceIdentityData>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct PlanResourceChangeRequest {
    #[prost(string, tag = "1")]
    pub(crate) type_name: String,
    #[prost(message, optional, tag = "2")]
    pub(crate) prior_state: Option<DynamicValue>,
    #[prost(message, optional, tag = "3")]
    pub(crate) proposed_new_state: Option<DynamicValue>,
    #[prost(message, optional, tag = "4")]
    pub(crate) config: Option<DynamicValue>,
    #[prost(bytes = "bytes", tag = "5")]
    pub(crate) prior_private: Bytes,
    #[prost(message, optional, tag = "6")]
    pub(crate) provider_meta: Option<DynamicValue>,
    #[prost(message, optional, tag = "8")]
    pub(crate) prior_identity: Option<ResourceIdentityData>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct PlanResourceChangeResponse {
    #[prost(message, optional, tag = "1")]
    pub(crate) planned_state: Option<DynamicValue>,
    #[prost(message, repeated, tag = "2")]
    pub(crate) requires_replace: Vec<AttributePath>,
    #[prost(bytes = "bytes", tag = "3")]
    pub(crate) planned_private: Bytes,
    #[prost(message, repeated, tag = "4")]
    pub(crate) diagnostics: Vec<Diagnostic>,
    #[prost(message, optional, tag = "7")]
    pub(crate) planned_identity: Option<ResourceIdentityData>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ApplyResourceChangeRequest {
    #[prost(string, tag = "1")]
    pub(crate) type_name: String,
    #[prost(message, optional, tag = "2")]
    pub(crate) prior_state: Option<DynamicValue>,
    #[prost(message, optional, tag = "3")]
    pub(crate) planned_state: Option<DynamicValue>,
    #[prost(message, optional, tag = "4")]
    pub(crate) config: Option<DynamicValue>,
    #[prost(bytes = "bytes", tag = "5")]
    pub(crate) planned_private: Bytes,
    #[prost(message, optional, tag = "6")]
    pub(crate) provider_meta: Option<DynamicValue>,
    #[prost(message, optional, tag = "7")]
    pub(crate) planned_identity: Option<ResourceIdentityData>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ApplyResourceChangeResponse {
    #[prost(message, optional, tag = "1")]
    pub(crate) new_state: Option<DynamicValue>,
    #[prost(bytes = "bytes", tag = "2")]
    pub(crate) private: Bytes,
    #[prost(message, repeated, tag = "3")]
    pub(crate) diagnostics: Vec<Diagnostic>,
    #[prost(message, optional, tag = "5")]
    pub(crate) new_identity: Option<ResourceIdentityData>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ImportResourceStateRequest {
    #[prost(string, tag = "1")]
    pub(crate) type_name: String,
    #[prost(string, tag = "2")]
    pub(crate) id: String,
    #[prost(message, optional, tag = "4")]
    pub(crate) identity: Option<ResourceIdentityData>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ImportedResource {
    #[prost(string, tag = "1")]
    pub(crate) type_name: String,
    #[prost(message, optional, tag = "2")]
    pub(crate) state: Option<DynamicValue>,
    #[prost(bytes = "bytes", tag = "3")]
    pub(crate) private: Bytes,
    #[prost(message, optional, tag = "4")]
    pub(crate) identity: Option<ResourceIdentityData>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ImportResourceStateResponse {
    #[prost(message, repeated, tag = "1")]
    pub(crate) imported_resources: Vec<ImportedResource>,
    #[prost(message, repeated, tag = "2")]
    pub(crate) diagnostics: Vec<Diagnostic>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct MoveResourceStateRequest {
    #[prost(string, tag = "1")]
    pub(crate) source_provider_address: String,
    #[prost(string, tag = "2")]
    pub(crate) source_type_name: String,
    #[prost(int64, tag = "3")]
    pub(crate) source_schema_version: i64,
    #[prost(message, optional, tag = "4")]
    pub(crate) source_state: Option<RawState>,
    #[prost(string, tag = "5")]
    pub(crate) target_type_name: String,
    #[prost(bytes = "bytes", tag = "6")]
    pub(crate) source_private: Bytes,
    #[prost(message, optional, tag = "7")]
    pub(crate) source_identity: Option<RawState>,
    #[prost(int64, tag = "8")]
    pub(crate) source_identity_schema_version: i64,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct MoveResourceStateResponse {
    #[prost(message, optional, tag = "1")]
    pub(crate) target_state: Option<DynamicValue>,
    #[prost(message, repeated, tag = "2")]
    pub(crate) diagnostics: Vec<Diagnostic>,
    #[prost(bytes = "bytes", tag = "3")]
    pub(crate) target_private: Bytes,
    #[prost(message, optional, tag = "4")]
    pub(crate) target_identity: Option<ResourceIdentityData>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct StopProviderResponse {
    #[prost(string, tag = "1")]
    pub(crate) error: String,
}
