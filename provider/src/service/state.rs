//! Stored state: upgrades, moves and imports.

use bytes::Bytes;
use upstate::{Cancellation, Diagnostic, Diagnostics, Encoding, Registry, UpgradeRequest, UpgradeResponse};

use super::Service;
use crate::context::Stop;
use crate::erased::{ImportBy, Moved};
use crate::proto::{
    ImportResourceStateRequest, ImportResourceStateResponse, ImportedResource, MoveResourceStateRequest,
    MoveResourceStateResponse, RawState, ResourceIdentityData, UpgradeResourceIdentityRequest, UpgradeResourceIdentityResponse,
    UpgradeResourceStateRequest, UpgradeResourceStateResponse,
};
use crate::resource::MoveSource;
use crate::wire::diagnostics::to_wire;
use crate::wire::value::{from_wire, msgpack_to_wire};

/// Brings a stored state to the current version. The one place where an upgrade is run.
///
/// A wish to stop cancels it where it next asks.
async fn upgrade(registry: &Registry, type_name: &str, version: u64, raw: &RawState, stop: &Stop) -> UpgradeResponse {
    let cancellation = Cancellation::new();
    let request = if raw.json.is_empty() && !raw.flatmap.is_empty() {
        UpgradeRequest::flatmap(type_name, version, &raw.flatmap)
    } else {
        UpgradeRequest::json(type_name, version, &raw.json)
    };
    let request = request.answer_in(Encoding::Msgpack).cancelled_by(&cancellation);
    let mut upgrade = std::pin::pin!(registry.upgrade_async(&request));
    tokio::select! {
        biased;
        response = &mut upgrade => return response,
        () = stop.requested() => cancellation.cancel(),
    }
    upgrade.await
}

fn stored_version(version: i64, type_name: &str) -> Result<u64, Diagnostics> {
    u64::try_from(version).map_err(|_| {
        let detail = format!("The state of {type_name} says it was stored at schema version {version}; versions begin at 0.");
        Diagnostic::error("Invalid Schema Version", detail).into()
    })
}

fn missing(type_name: &str) -> Diagnostics {
    let detail = format!("Terraform sent no state of {type_name}. It is left as it was; please report this.");
    Diagnostic::error("Missing Resource State", detail).into()
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
        let Some(raw) = raw_state else { return refused(missing(&type_name)) };
        let response = upgrade(&self.registry(), &type_name, version, &raw, &self.stop_since_now()).await;
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
        let definition = match self.resource(&type_name) {
            Ok(known) => known.resource.identity(),
            Err(errors) => return refused(errors),
        };
        let Some(definition) = definition else {
            let detail = format!("Resources of type {type_name} have no identity.");
            return refused(Diagnostic::error("Unable to Upgrade Resource Identity", detail).into());
        };
        // State from before there was an identity: the next read finds it.
        let Some(raw) = raw_identity.filter(|raw| !raw.json.is_empty()) else { return refused(Diagnostics::new()) };
        let version = match stored_version(version, &type_name) {
            Ok(version) => version,
            Err(errors) => return refused(errors),
        };
        let response = upgrade(&self.0.parts.identities, definition.type_name(), version, &raw, &self.stop_since_now()).await;
        UpgradeResourceIdentityResponse {
            upgraded_identity: response.state().map(|identity| identity_to_wire(identity.to_vec())),
            diagnostics: to_wire(response.diagnostics().iter().cloned()),
        }
    }

    pub(super) fn move_state(&self, request: &MoveResourceStateRequest) -> MoveResourceStateResponse {
        match self.moved(request) {
            Ok(Moved { state, identity }) => MoveResourceStateResponse {
                target_state: Some(msgpack_to_wire(state)),
                target_identity: identity.map(identity_to_wire),
                ..MoveResourceStateResponse::default()
            },
            Err(errors) => MoveResourceStateResponse { diagnostics: to_wire(errors), ..MoveResourceStateResponse::default() },
        }
    }

    fn moved(&self, request: &MoveResourceStateRequest) -> Result<Moved, Diagnostics> {
        let target = &request.target_type_name;
        let known = self.resource(target)?;
        let refuse = |why: &str| {
            let detail = format!(
                "A {} of {} (schema version {}) can't become a {target}: {why}.",
                request.source_type_name, request.source_provider_address, request.source_schema_version
            );
            Diagnostics::from(Diagnostic::error("Unable to Move Resource State", detail))
        };
        let json = request.source_state.as_ref().map(|raw| &raw.json).filter(|json| !json.is_empty());
        let json = json.ok_or_else(|| refuse("Terraform sent no state as JSON; apply once with the provider it is from"))?;
        let source = MoveSource {
            provider: &request.source_provider_address,
            type_name: &request.source_type_name,
            version: stored_version(request.source_schema_version, &request.source_type_name)?,
            json,
        };
        known.resource.move_from(source)?.ok_or_else(|| refuse("the provider knows no way"))
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
        let outcome = known.resource.import(by, call).await;
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
