//! The messages about actions.

use prost::{Message, Oneof};

use super::{ClientCapabilities, Diagnostic, DynamicValue};

/// To plan an action, or to invoke it.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct ActionRequest {
    #[prost(string, tag = "1")]
    pub(crate) action_type: String,
    #[prost(message, optional, tag = "2")]
    pub(crate) config: Option<DynamicValue>,
    #[prost(message, optional, tag = "3")]
    pub(crate) client_capabilities: Option<ClientCapabilities>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct PlanActionResponse {
    #[prost(message, repeated, tag = "1")]
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// A piece of the answer to an invocation: any number say how far it is, the last one how it ended.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct InvokeActionEvent {
    #[prost(oneof = "Stage", tags = "1, 2")]
    pub(crate) r#type: Option<Stage>,
}

#[derive(Clone, PartialEq, Oneof)]
pub(crate) enum Stage {
    #[prost(message, tag = "1")]
    Progress(Progress),
    #[prost(message, tag = "2")]
    Completed(Completed),
}

#[derive(Clone, PartialEq, Eq, Message)]
pub(crate) struct Progress {
    #[prost(string, tag = "1")]
    pub(crate) message: String,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Completed {
    #[prost(message, repeated, tag = "1")]
    pub(crate) diagnostics: Vec<Diagnostic>,
}
