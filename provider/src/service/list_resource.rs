//! Lists of resources, and the configuration of a resource that was found.

use tokio::sync::mpsc;
use upstate::Diagnostics;

use super::Service;
use super::data_source::{Found, configured, named};
use super::hiding::Events;
use super::state::identity_to_wire;
use crate::erased::list_resource::ErasedList;
use crate::list_resource::{Entry, Wanted};
use crate::plan;
use crate::proto::list_resource::{
    GenerateResourceConfigRequest, GenerateResourceConfigResponse, ListResourceEvent,
    ListResourceRequest,
};
use crate::proto::{self, DynamicValue};
use crate::wire::diagnostics::to_wire;
use crate::wire::value::{self, from_wire, msgpack_to_wire};

/// The number of found resources that wait to be sent before the list also waits.
const WAITING: usize = 32;

impl Service {
    pub(super) fn list_resource(&self, type_name: &str) -> Found<'_, dyn ErasedList + 'static> {
        let all = (&self.0.parts.list_resources, &self.0.types.list_resources);
        named(all, type_name, ("List Resource Not Found", "list resource"))
    }

    /// Sends what is found as soon as it is, for as long as somebody wants it.
    pub(super) async fn list(
        self,
        request: ListResourceRequest,
        to: Events<ListResourceEvent>,
    ) -> Vec<proto::Diagnostic> {
        let (entries, mut found) = mpsc::channel(WAITING);
        let service = self.clone();
        let list = async move {
            let (list, kind) = service.list_resource(&request.type_name)?;
            let config = configured(request.config.as_ref(), kind)?;
            let limit = u64::try_from(request.limit).ok().filter(|limit| *limit > 0);
            let wanted = Wanted {
                whole: request.include_resource_object,
                limit: limit.unwrap_or(u64::MAX),
            };
            Ok(list
                .list(config, kind.ty, wanted, entries, service.call(&[])?)
                .await)
        };
        let mut listing = std::pin::pin!(self.or_stopped("a list", None, list));
        let listed = loop {
            tokio::select! {
                biased;
                () = to.closed() => return Vec::new(),
                Some(entry) = found.recv() => to.send(event(entry)).await,
                listed = &mut listing => break listed,
            }
        };
        while let Ok(entry) = found.try_recv() {
            to.send(event(entry)).await;
        }
        let diagnostics = to_wire(listed.unwrap_or_else(|errors| errors));
        if !diagnostics.is_empty() {
            to.send(ListResourceEvent {
                diagnostics: diagnostics.clone(),
                ..ListResourceEvent::default()
            })
            .await;
        }
        diagnostics
    }

    pub(super) async fn generate_config(
        &self,
        request: GenerateResourceConfigRequest,
    ) -> GenerateResourceConfigResponse {
        let service = self.clone();
        let generate = async move { service.generated(&request) };
        let generated = self
            .or_stopped("a generated configuration", None, generate)
            .await;
        let (config, diagnostics) = generated.unwrap_or_else(|errors| (value::null(), errors));
        GenerateResourceConfigResponse {
            config: Some(config),
            diagnostics: to_wire(diagnostics),
        }
    }

    fn generated(
        &self,
        request: &GenerateResourceConfigRequest,
    ) -> Result<(DynamicValue, Diagnostics), Diagnostics> {
        let known = self.resource(&request.type_name)?;
        let state = from_wire(request.state.as_ref(), known.ty, "state")?;
        let config = plan::configuration_of(known.resource.definition().schema().block(), &state);
        let (config, diagnostics) = known.resource.generate_config(state, config, known.ty);
        Ok((
            value::to_wire(&config, known.ty, "generated configuration")?,
            diagnostics,
        ))
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
