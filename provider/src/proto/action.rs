//! The messages about actions.

use prost::{Message, Oneof};

use super::{ClientCapabilities, Diagnostic, DynamicValue};

messages! {
    /// To plan an action, or to invoke it.
    pub(crate) struct ActionRequest {
        [string, tag = "1"] action_type: String,
        [message, optional, tag = "2"] config: Option<DynamicValue>,
        [message, optional, tag = "3"] client_capabilities: Option<ClientCapabilities>,
    }

    pub(crate) struct PlanActionResponse {
        [message, repeated, tag = "1"] diagnostics: Vec<Diagnostic>,
    }

    /// A piece of the answer to an invocation: any number say how far it is, the last one how it
    /// ended.
    pub(crate) struct InvokeActionEvent {
        [oneof = "Stage", tags = "1, 2"] r#type: Option<Stage>,
    }
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

messages! {
    pub(crate) struct Completed {
        [message, repeated, tag = "1"] diagnostics: Vec<Diagnostic>,
    }
}
