//! Lists of resources, and the configuration of a resource that was found.

use tokio::sync::mpsc;
use tonic::Status;
use upstate::Diagnostics;

use super::Service;
use super::data_source::configured;
use super::hiding::Kind;
use super::state::identity_to_wire;
use crate::diagnostics;
use crate::erased::list_resource::ErasedList;
use crate::list_resource::{Entry, Wanted};
use crate::plan;
use crate::proto::data_source::{ValidateConfigRequest, ValidateConfigResponse};
use crate::proto::list_resource::{
    GenerateResourceConfigRequest, GenerateResourceConfigResponse, ListResourceEvent, ListResourceRequest,
};
use crate::proto::{self, DynamicValue};
use crate::wire::value::{self, from_wire, msgpack_to_wire};

/// The number of found resources that wait to be sent before the list also waits.
const WAITING: usize = 32;

impl Service {
    fn list_resource(&self, type_name: &str) -> Result<(&dyn ErasedList, Kind<'_>), Diagnostics> {
        let list = self.0.parts.list_resources.get(type_name).zip(self.0.types.list_resources.get(type_name));
        let Some((list, ty)) = list else {
            return Err(diagnostics::unknown_type("List Resource Not Found", "list resource", type_name).into());
        };
        Ok((list.as_ref(), Kind { block: list.schema().block(), ty }))
    }

    pub(super) async fn validate_list(&self, request: ValidateConfigRequest) -> ValidateConfigResponse {
        let kind = self.list_resource(&request.type_name).ok().map(|(_, kind)| kind);
        let _hidden = self.hide(kind, [request.config.as_ref()]);
        let (service, asked) = (self.clone(), request.clone());
        let check = async move {
            let (list, kind) = service.list_resource(&asked.type_name)?;
            let config = from_wire(asked.config.as_ref(), kind.ty, "configuration")?;
            let mut diagnostics = plan::remarks(list.schema(), &config);
            diagnostics.append(list.validate(config, kind.ty.clone()));
            Ok(diagnostics)
        };
        let checked = self.or_stopped("a validation", None, check).await.unwrap_or_else(|errors| errors);
        ValidateConfigResponse { diagnostics: self.told(kind, [request.config.as_ref()], checked) }
    }

    /// Sends what is found as soon as it is, for as long as somebody wants it.
    pub(super) async fn list(
        self,
        request: ListResourceRequest,
        to: mpsc::Sender<Result<ListResourceEvent, Status>>,
    ) -> Vec<proto::Diagnostic> {
        let kind = self.list_resource(&request.type_name).ok().map(|(_, kind)| kind);
        let _hidden = self.hide(kind, [request.config.as_ref()]);
        let (entries, mut found) = mpsc::channel(WAITING);
        let (service, asked) = (self.clone(), request.clone());
        let list = async move {
            let (list, kind) = service.list_resource(&asked.type_name)?;
            let config = configured(asked.config.as_ref(), kind.block, kind.ty)?;
            let limit = u64::try_from(asked.limit).ok().filter(|limit| *limit > 0);
            let wanted = Wanted { whole: asked.include_resource_object, limit: limit.unwrap_or(u64::MAX) };
            Ok(list.list(config, kind.ty, wanted, entries, service.call(&[])?).await)
        };
        let mut listing = std::pin::pin!(self.or_stopped("a list", None, list));
        let listed = loop {
            tokio::select! {
                biased;
                () = to.closed() => return Vec::new(),
                Some(entry) = found.recv() => drop(to.send(Ok(event(entry))).await),
                listed = &mut listing => break listed,
            }
        };
        while let Ok(entry) = found.try_recv() {
            let _ = to.send(Ok(event(entry))).await;
        }
        let diagnostics = self.told(kind, [request.config.as_ref()], listed.unwrap_or_else(|errors| errors));
        if !diagnostics.is_empty() {
            let _ = to.send(Ok(ListResourceEvent { diagnostics: diagnostics.clone(), ..ListResourceEvent::default() })).await;
        }
        diagnostics
    }

    pub(super) async fn generate_config(&self, request: GenerateResourceConfigRequest) -> GenerateResourceConfigResponse {
        let _hidden = self.hide(self.kind(&request.type_name), [request.state.as_ref()]);
        let (service, asked) = (self.clone(), request.clone());
        let generate = async move { service.generated(&asked) };
        match self.or_stopped("a generated configuration", None, generate).await {
            Ok((config, diagnostics)) => GenerateResourceConfigResponse {
                config: Some(config),
                diagnostics: self.told(self.kind(&request.type_name), [request.state.as_ref()], diagnostics),
            },
            Err(errors) => GenerateResourceConfigResponse {
                config: Some(value::null()),
                diagnostics: self.told(self.kind(&request.type_name), [request.state.as_ref()], errors),
            },
        }
    }

    fn generated(&self, request: &GenerateResourceConfigRequest) -> Result<(DynamicValue, Diagnostics), Diagnostics> {
        let known = self.resource(&request.type_name)?;
        let state = from_wire(request.state.as_ref(), known.ty, "state")?;
        let config = plan::configuration_of(known.resource.definition().schema().block(), &state);
        let (config, diagnostics) = known.resource.generate_config(state, config, known.ty);
        Ok((value::to_wire(&config, known.ty, "generated configuration")?, diagnostics))
    }
}

fn event(entry: Entry) -> ListResourceEvent {
    ListResourceEvent {
        identity: Some(identity_to_wire(entry.identity)),
        display_name: entry.display_name,
        resource_object: entry.resource.map(msgpack_to_wire),
        diagnostics: Vec::new(),
    }
}
