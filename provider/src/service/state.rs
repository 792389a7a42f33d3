//! Stored state: upgrades, moves and imports.

use bytes::Bytes;
use upstate::{Cancellation, Diagnostic, Diagnostics, Encoding, MoveRequest, RawState as Raw, UpgradeRequest, UpgradeResponse};

use super::Service;
use crate::context::Stop;
use crate::erased::{ImportBy, Work};
use crate::proto::{
    ImportResourceStateRequest, ImportResourceStateResponse, ImportedResource, MoveResourceStateRequest,
    MoveResourceStateResponse, RawState, ResourceIdentityData, UpgradeResourceIdentityRequest, UpgradeResourceIdentityResponse,
    UpgradeResourceStateRequest, UpgradeResourceStateResponse,
};
use crate::wire::diagnostics::to_wire;
use crate::wire::value::{from_wire, msgpack_to_wire};

/// Runs what a wish to stop cancels. The one place where upgrades and moves are awaited.
async fn run(work: impl Future<Output = UpgradeResponse>, cancellation: &Cancellation, stop: &Stop) -> UpgradeResponse {
    let mut work = std::pin::pin!(work);
    tokio::select! {
        biased;
        response = &mut work => return response,
        () = stop.requested() => cancellation.cancel(),
    }
    work.await
}

/// What was stored, as the runtime takes it; an empty message holds empty JSON.
fn stored(raw: &RawState) -> Raw<'_> {
    if raw.json.is_empty() && !raw.flatmap.is_empty() { Raw::Flatmap(&raw.flatmap) } else { Raw::Json(&raw.json) }
}

fn stored_version(version: i64, type_name: &str) -> Result<u64, Diagnostics> {
    u64::try_from(version).map_err(|_| {
        let detail = format!("The state of {type_name} says it was stored at schema version {version}; versions begin at 0.");
        Diagnostic::error("Invalid Schema Version", detail).into()
    })
}

/// The diagnostic for a state that an upgrade made and the model can't hold.
fn unfit(type_name: &str, version: u64, errors: &Diagnostics) -> Diagnostics {
    let why: Vec<&str> = errors.iter().map(Diagnostic::detail).collect();
    let detail = format!(
        "The upgrade of {type_name} from schema version {version} answered a state that its model can't hold: {}. This is a mistake in \
         the upgrade; the stored state is left as it was.",
        why.join("; ")
    );
    Diagnostic::error("Invalid Upgraded Resource State", detail).into()
}

impl Service {
    pub(super) async fn upgrade_state(&self, request: UpgradeResourceStateRequest) -> UpgradeResourceStateResponse {
        let refused = |errors| UpgradeResourceStateResponse { upgraded_state: None, diagnostics: to_wire(errors) };
        let UpgradeResourceStateRequest { type_name, version, raw_state } = request;
        let version = match stored_version(version, &type_name) {
            Ok(version) => version,
            Err(errors) => return refused(errors),
        };
        let cancellation = Cancellation::new();
        let request = UpgradeRequest::new(&type_name, version, raw_state.as_ref().map(stored));
        let request = request.answer_in(Encoding::Msgpack).cancelled_by(&cancellation);
        let registry = self.registry();
        let response = run(registry.upgrade_async(&request), &cancellation, &self.stop_since_now()).await;
        if let Some(state) = response.state().filter(|_| self.0.parts.by_hand.contains(&type_name))
            && let Err(errors) = self.resource(&type_name).and_then(|known| known.resource.check(state))
        {
            return refused(unfit(&type_name, version, &errors));
        }
        UpgradeResourceStateResponse {
            upgraded_state: response.state().map(|state| msgpack_to_wire(Bytes::copy_from_slice(state))),
            diagnostics: to_wire(response.diagnostics().iter().cloned()),
        }
    }

    pub(super) async fn upgrade_identity(&self, request: UpgradeResourceIdentityRequest) -> UpgradeResourceIdentityResponse {
        let refused = |errors| UpgradeResourceIdentityResponse { upgraded_identity: None, diagnostics: to_wire(errors) };
        let UpgradeResourceIdentityRequest { type_name, version, raw_identity } = request;
        // State from before there was an identity: the next read finds it.
        let Some(raw) = raw_identity.filter(|raw| !raw.json.is_empty()) else { return refused(Diagnostics::new()) };
        let version = match stored_version(version, &type_name) {
            Ok(version) => version,
            Err(errors) => return refused(errors),
        };
        let cancellation = Cancellation::new();
        let request = UpgradeRequest::new(&type_name, version, Some(stored(&raw)));
        let request = request.answer_in(Encoding::Msgpack).cancelled_by(&cancellation);
        let registry = self.registry();
        let response = run(registry.upgrade_identity_async(&request), &cancellation, &self.stop_since_now()).await;
        UpgradeResourceIdentityResponse {
            upgraded_identity: response.state().map(|identity| identity_to_wire(identity.to_vec())),
            diagnostics: to_wire(response.diagnostics().iter().cloned()),
        }
    }

    pub(super) async fn move_state(&self, request: MoveResourceStateRequest) -> MoveResourceStateResponse {
        self.moved(&request).await.unwrap_or_else(|errors| MoveResourceStateResponse {
            diagnostics: to_wire(errors),
            ..MoveResourceStateResponse::default()
        })
    }

    async fn moved(&self, request: &MoveResourceStateRequest) -> Result<MoveResourceStateResponse, Diagnostics> {
        let known = self.resource(&request.target_type_name)?;
        let cancellation = Cancellation::new();
        let version = stored_version(request.source_schema_version, &request.source_type_name)?;
        let source = UpgradeRequest::new(&request.source_type_name, version, request.source_state.as_ref().map(stored));
        let source = source.answer_in(Encoding::Msgpack).cancelled_by(&cancellation);
        let mut moving = MoveRequest::new(&request.target_type_name, source)
            .from_provider(&request.source_provider_address)
            .with_private(&request.source_private);
        if let Some(identity) = &request.source_identity {
            let version = stored_version(request.source_identity_schema_version, &request.source_type_name)?;
            moving = moving.with_identity(version, stored(identity));
        }
        let registry = self.registry();
        let response = run(registry.move_state_async(&moving), &cancellation, &self.stop_since_now()).await;
        let identity = match (response.state(), response.identity()) {
            (Some(state), None) => known.resource.identify(state)?,
            (_, identity) => identity.map(<[u8]>::to_vec),
        };
        Ok(MoveResourceStateResponse {
            target_state: response.state().map(|state| msgpack_to_wire(Bytes::copy_from_slice(state))),
            target_identity: identity.map(identity_to_wire),
            diagnostics: to_wire(response.diagnostics().iter().cloned()),
            target_private: Bytes::new(),
        })
    }

    pub(super) async fn import(&self, request: ImportResourceStateRequest) -> ImportResourceStateResponse {
        match self.imported(&request).await {
            Ok(response) => response,
            Err(errors) => ImportResourceStateResponse { imported_resources: Vec::new(), diagnostics: to_wire(errors) },
        }
    }

    async fn imported(&self, request: &ImportResourceStateRequest) -> Result<ImportResourceStateResponse, Diagnostics> {
        let known = self.resource(&request.type_name)?;
        let call = self.call(&[])?;
        let data = request.identity.as_ref().and_then(|identity| identity.identity_data.as_ref());
        let identity = match (data, known.resource.identity()) {
            (Some(data), Some(definition)) if request.id.is_empty() => {
                let ty = definition.schema().implied_type();
                let value = from_wire(Some(data), &ty, "identity")?;
                Some(value.encode(&ty, Encoding::Json).map_err(|error| error.to_string())?)
            }
            _ => None,
        };
        let by = identity.as_deref().map_or(ImportBy::Id(&request.id), ImportBy::Identity);
        let outcome = known.resource.run(Work::Import(by), known.ty, call).await;
        let imported = |state| ImportedResource {
            type_name: request.type_name.clone(),
            state: Some(msgpack_to_wire(state)),
            private: outcome.private.to_wire(),
            identity: outcome.identity.map(identity_to_wire),
        };
        Ok(ImportResourceStateResponse {
            imported_resources: outcome.state.filter(|_| outcome.settled).map(imported).into_iter().collect(),
            diagnostics: to_wire(outcome.diagnostics),
        })
    }
}

pub(super) fn identity_to_wire(msgpack: Vec<u8>) -> ResourceIdentityData {
    ResourceIdentityData { identity_data: Some(msgpack_to_wire(msgpack)) }
}
