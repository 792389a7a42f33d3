//! Requests and answers, as far as the path that all of them take has to know them: their subject,
//! their secrets, and the strings that may hold some.

use prost::Message;

use crate::proto::action::{ActionRequest, InvokeActionEvent, PlanActionResponse, Stage};
use crate::proto::data_source::{
    CloseEphemeralResourceResponse, OpenEphemeralResourceRequest, OpenEphemeralResourceResponse,
    OpenedEphemeralResourceRequest, ReadDataSourceRequest, ReadDataSourceResponse,
    RenewEphemeralResourceResponse, ValidateConfigRequest, ValidateConfigResponse,
};
use crate::proto::function::{CallFunctionRequest, CallFunctionResponse, GetFunctionsResponse};
use crate::proto::list_resource::{
    GenerateResourceConfigRequest, GenerateResourceConfigResponse, ListResourceEvent,
    ListResourceRequest,
};
use crate::proto::schema::{v5, v6};
use crate::proto::{
    ApplyResourceChangeRequest, ApplyResourceChangeResponse, ConfigureProviderRequest,
    ConfigureProviderResponse, Diagnostic, DynamicValue, Empty, GetResourceIdentitySchemasResponse,
    ImportResourceStateRequest, ImportResourceStateResponse, MoveResourceStateRequest,
    MoveResourceStateResponse, PlanResourceChangeRequest, PlanResourceChangeResponse, RawState,
    ReadResourceRequest, ReadResourceResponse, StopProviderResponse,
    UpgradeResourceIdentityRequest, UpgradeResourceIdentityResponse, UpgradeResourceStateRequest,
    UpgradeResourceStateResponse, ValidateProviderConfigRequest, ValidateProviderConfigResponse,
    ValidateResourceConfigRequest, ValidateResourceConfigResponse,
};

/// The values of a request that may hold secrets.
#[derive(Debug)]
pub(crate) enum Given<'q> {
    Nothing,
    /// The provider's configuration.
    Configuration(Option<&'q DynamicValue>),
    /// Values of the type that the request is about.
    Values(Vec<&'q DynamicValue>),
    /// State that a version of this type stored.
    Stored {
        version: i64,
        state: Option<&'q RawState>,
    },
    /// State of another type.
    Moved {
        request: &'q MoveResourceStateRequest,
    },
}

/// A request.
pub(crate) trait Question: Message + Default + Clone + 'static {
    /// The name of the type that it is about, of the kind that the method says; empty if it is
    /// about the provider.
    fn name(&self) -> &str;

    fn given(&self) -> Given<'_>;
}

/// An answer, or one of the answers to one request.
pub(crate) trait Answer: Message + Default + 'static {
    fn diagnostics(&self) -> &[Diagnostic];

    /// The strings that a function of the author may have written.
    fn texts(&mut self) -> Vec<&mut String>;

    /// Makes the answer what Terraform expects, once it holds no secret.
    fn finish(&mut self) {}
}

/// The strings of diagnostics that a function of the author may have written.
pub(super) fn texts(diagnostics: &mut [Diagnostic]) -> Vec<&mut String> {
    diagnostics
        .iter_mut()
        .flat_map(|diagnostic| [&mut diagnostic.summary, &mut diagnostic.detail])
        .collect()
}

macro_rules! questions {
    ($($message:ty => $name:expr, $given:expr;)*) => {$(
        impl Question for $message {
            fn name(&self) -> &str {
                let name: fn(&Self) -> &str = $name;
                name(self)
            }

            fn given(&self) -> Given<'_> {
                let given: fn(&Self) -> Given<'_> = $given;
                given(self)
            }
        }
    )*};
}

macro_rules! answers {
    ($($message:ty),* $(,)?) => {$(
        impl Answer for $message {
            fn diagnostics(&self) -> &[Diagnostic] {
                &self.diagnostics
            }

            fn texts(&mut self) -> Vec<&mut String> {
                texts(&mut self.diagnostics)
            }
        }
    )*};
}

/// The values that there are.
fn values<const N: usize>(values: [&Option<DynamicValue>; N]) -> Given<'_> {
    Given::Values(values.into_iter().flatten().collect())
}

questions! {
    Empty => |_| "", |_| Given::Nothing;
    ValidateProviderConfigRequest => |_| "", |it| Given::Configuration(it.config.as_ref());
    ConfigureProviderRequest => |_| "", |it| Given::Configuration(it.config.as_ref());
    ValidateResourceConfigRequest => |it| it.type_name.as_str(), |it| values([&it.config]);
    UpgradeResourceStateRequest => |it| it.type_name.as_str(), |it| Given::Stored { version: it.version, state: it.raw_state.as_ref() };
    UpgradeResourceIdentityRequest => |it| it.type_name.as_str(), |_| Given::Nothing;
    MoveResourceStateRequest => |it| it.target_type_name.as_str(), |it| Given::Moved { request: it };
    ReadResourceRequest => |it| it.type_name.as_str(), |it| values([&it.current_state]);
    PlanResourceChangeRequest => |it| it.type_name.as_str(), |it| values([&it.config, &it.prior_state, &it.proposed_new_state]);
    ApplyResourceChangeRequest => |it| it.type_name.as_str(), |it| values([&it.config, &it.prior_state, &it.planned_state]);
    ImportResourceStateRequest => |it| it.type_name.as_str(), |_| Given::Nothing;
    ValidateConfigRequest => |it| it.type_name.as_str(), |it| values([&it.config]);
    ReadDataSourceRequest => |it| it.type_name.as_str(), |it| values([&it.config]);
    OpenEphemeralResourceRequest => |it| it.type_name.as_str(), |it| values([&it.config]);
    OpenedEphemeralResourceRequest => |it| it.type_name.as_str(), |_| Given::Nothing;
    ActionRequest => |it| it.action_type.as_str(), |it| values([&it.config]);
    ListResourceRequest => |it| it.type_name.as_str(), |it| values([&it.config]);
    GenerateResourceConfigRequest => |it| it.type_name.as_str(), |it| values([&it.state]);
    CallFunctionRequest => |it| it.name.as_str(), |_| Given::Nothing;
}

answers! {
    v5::GetMetadataResponse, v6::GetMetadataResponse, v5::GetProviderSchemaResponse, v6::GetProviderSchemaResponse, GetResourceIdentitySchemasResponse,
    GetFunctionsResponse, ValidateProviderConfigResponse, ConfigureProviderResponse, ValidateResourceConfigResponse,
    UpgradeResourceStateResponse, UpgradeResourceIdentityResponse, MoveResourceStateResponse, ReadResourceResponse,
    PlanResourceChangeResponse, ApplyResourceChangeResponse, ImportResourceStateResponse, ValidateConfigResponse,
    ReadDataSourceResponse, OpenEphemeralResourceResponse, RenewEphemeralResourceResponse, CloseEphemeralResourceResponse,
    GenerateResourceConfigResponse, PlanActionResponse, ListResourceEvent,
}

impl Answer for StopProviderResponse {
    fn diagnostics(&self) -> &[Diagnostic] {
        &[]
    }

    fn texts(&mut self) -> Vec<&mut String> {
        vec![&mut self.error]
    }
}

impl Answer for CallFunctionResponse {
    fn diagnostics(&self) -> &[Diagnostic] {
        &[]
    }

    fn texts(&mut self) -> Vec<&mut String> {
        self.error.iter_mut().map(|error| &mut error.text).collect()
    }

    fn finish(&mut self) {
        // The full stop is cut off because Terraform adds one. It may be the last character of a
        // secret until that is redacted.
        if let Some(error) = &mut self.error
            && error.text.ends_with('.')
        {
            error.text.pop();
        }
    }
}

impl Answer for InvokeActionEvent {
    fn diagnostics(&self) -> &[Diagnostic] {
        match &self.r#type {
            Some(Stage::Completed(completed)) => &completed.diagnostics,
            Some(Stage::Progress(_)) | None => &[],
        }
    }

    fn texts(&mut self) -> Vec<&mut String> {
        match &mut self.r#type {
            Some(Stage::Completed(completed)) => texts(&mut completed.diagnostics),
            Some(Stage::Progress(progress)) => vec![&mut progress.message],
            None => Vec::new(),
        }
    }
}
