//! Stored state: upgrades, moves and imports.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use serde_json::value::RawValue;
use upstate::codec::{Encoding, UnknownAttributes};
use upstate::schema::{Field, Type};
use upstate::upgrade::{CancellationToken, MoveRequest};
use upstate::{Diagnostic, Diagnostics, RawState as Raw, UpgradeRequest, UpgradeResponse, Value};

use super::Service;
use super::hiding::secrets_in;
use super::lead::Pace;
use super::messages::texts;
use crate::context::Stop;
use crate::diagnostics;
use crate::erased::{ImportBy, Outcome, Work};
use crate::plan;
use crate::proto::{
    DynamicValue, ImportResourceStateRequest, ImportResourceStateResponse, ImportedResource,
    MoveResourceStateRequest, MoveResourceStateResponse, RawState, ResourceIdentityData,
    UpgradeResourceIdentityRequest, UpgradeResourceIdentityResponse, UpgradeResourceStateRequest,
    UpgradeResourceStateResponse,
};
use crate::wire::diagnostics::to_wire;
use crate::wire::value::{from_wire, msgpack_to_wire, to_wire as to_wire_value};

/// Runs what a wish to stop cancels. The one place where upgrades and moves are awaited.
async fn run(
    work: impl Future<Output = UpgradeResponse>,
    cancellation: &CancellationToken,
    stop: &Stop,
) -> UpgradeResponse {
    let mut work = std::pin::pin!(work);
    tokio::select! {
        biased;
        response = &mut work => return response,
        () = stop.requested() => cancellation.cancel(),
    }
    work.await
}

/// The input of an upgrade.
#[derive(Debug)]
struct StoredRequest {
    type_name: String,
    version: u64,
    raw: Option<RawState>,
}

impl StoredRequest {
    fn request<'a>(&'a self, cancellation: &'a CancellationToken) -> UpgradeRequest<'a> {
        let request =
            UpgradeRequest::new(&self.type_name, self.version, self.raw.as_ref().map(stored));
        request
            .with_encoding(Encoding::Msgpack)
            .with_cancellation(cancellation)
    }
}

/// The stored state as the runtime takes it: no bytes mean no state.
fn stored(raw: &RawState) -> Raw<'_> {
    if raw.json.is_empty() && !raw.flatmap.is_empty() {
        Raw::Flatmap(&raw.flatmap)
    } else {
        Raw::Json(&raw.json)
    }
}

/// A stored object as one of type `ty`. What it lacks, or has as something else, is unknown.
fn readable(json: &[u8], ty: &Type) -> Option<Value> {
    let stored: BTreeMap<String, &RawValue> = serde_json::from_slice(json).ok()?;
    let Type::Object(fields) = ty else {
        return None;
    };
    let read = |field: &Field| {
        let raw = stored.get(field.name())?;
        Value::from_json(raw.get().as_bytes(), field.ty(), UnknownAttributes::Ignore).ok()
    };
    Some(
        fields
            .iter()
            .map(|field| {
                (
                    field.name().to_owned(),
                    read(field).unwrap_or(Value::Unknown),
                )
            })
            .collect(),
    )
}

fn stored_version(version: i64, type_name: &str) -> Result<u64, Diagnostics> {
    u64::try_from(version).map_err(|_| diagnostics::invalid_version(type_name, version).into())
}

impl Service {
    pub(crate) async fn upgrade_state(
        &self,
        request: UpgradeResourceStateRequest,
    ) -> UpgradeResourceStateResponse {
        let refused = |errors| UpgradeResourceStateResponse {
            upgraded_state: None,
            diagnostics: to_wire(errors),
        };
        let UpgradeResourceStateRequest {
            type_name,
            version,
            raw_state,
        } = request;
        let version = match stored_version(version, &type_name) {
            Ok(version) => version,
            Err(errors) => return refused(errors),
        };
        let requested = Arc::new(StoredRequest {
            type_name,
            version,
            raw: raw_state,
        });
        let response = self.without_blocking(
            self.pace(&requested.type_name, |it| &it.upgrade),
            |service, cancellation, stop| {
                let requested = Arc::clone(&requested);
                async move { service.upgraded(&requested, &cancellation, &stop).await }
            },
        );
        let response = response.await;
        if response.state().is_none()
            && let Some(state) = self.with_nulls(&requested)
        {
            return UpgradeResourceStateResponse {
                upgraded_state: Some(state),
                diagnostics: Vec::new(),
            };
        }
        let type_name = &requested.type_name;
        let diagnostics = to_wire(response.diagnostics().clone());
        if let Some(state) = response
            .state()
            .filter(|_| self.0.parts.by_hand.contains(type_name))
            && let Err(errors) = self
                .resource(type_name)
                .and_then(|known| known.resource.check(state))
        {
            // The upgrader may have made secrets of its own, and only those of the request are
            // redacted on the path of all answers.
            let made = DynamicValue {
                msgpack: Bytes::copy_from_slice(state),
                ..DynamicValue::default()
            };
            let why: Vec<&str> = errors.iter().map(Diagnostic::detail).collect();
            let unfit = diagnostics::unfit_upgrade(type_name, version, &why.join("; "));
            let mut diagnostics = to_wire([unfit]);
            secrets_in(self.kind(type_name), [&made]).redact(texts(&mut diagnostics));
            return UpgradeResourceStateResponse {
                upgraded_state: None,
                diagnostics,
            };
        }
        let state = response
            .state()
            .map(|state| self.as_stored(&requested, state.to_vec()));
        UpgradeResourceStateResponse {
            upgraded_state: state.map(msgpack_to_wire),
            diagnostics,
        }
    }

    /// A state of the current version that has nothing but nulls against it. No upgrader could mend
    /// them: nothing is upgraded. It is read and planned, as a provider in Go does, whose models
    /// hold null everywhere.
    fn with_nulls(&self, requested: &StoredRequest) -> Option<DynamicValue> {
        let (Ok(known), Some(Raw::Json(json))) = (
            self.resource(&requested.type_name),
            requested.raw.as_ref().map(stored),
        ) else {
            return None;
        };
        if requested.version != known.resource.definition().version() {
            return None;
        }
        let mut state = Value::from_json(json, known.ty, UnknownAttributes::Ignore).ok()?;
        // A stored value of a write-only attribute is left out, because Terraform refuses a state
        // with one.
        plan::merge_write_only(
            known.resource.definition().schema().block(),
            &Value::Null,
            &mut state,
        );
        if state.is_null() || !known.resource.holds_nulls(&state, known.ty) {
            return None;
        }
        to_wire_value(&state, known.ty, "stored state").ok()
    }

    /// The upgraded state, with what means the same as what is stored left as it is stored.
    fn as_stored(&self, requested: &StoredRequest, state: Vec<u8>) -> Vec<u8> {
        let (Ok(known), Some(Raw::Json(json))) = (
            self.resource(&requested.type_name),
            requested.raw.as_ref().map(stored),
        ) else {
            return state;
        };
        let current = requested.version == known.resource.definition().version();
        // Bytes first, because comparing them takes no second value.
        let is_answer = |stored: Value| {
            stored
                .encode(known.ty, Encoding::Msgpack)
                .is_ok_and(|again| again == state)
                || Value::from_msgpack(&state, known.ty).is_ok_and(|answer| answer == stored)
        };
        // The usual case ends here, since there is nothing to put back.
        if current
            && Value::from_json(json, known.ty, UnknownAttributes::Ignore).is_ok_and(is_answer)
        {
            return state;
        }
        let Some(stored) = readable(json, known.ty) else {
            return state;
        };
        match known.resource.kept(stored, current, known.ty) {
            Some(kept) => kept.put_back(state, known.ty),
            None => state,
        }
    }

    async fn upgraded(
        &self,
        requested: &StoredRequest,
        cancellation: &CancellationToken,
        stop: &Stop,
    ) -> UpgradeResponse {
        let registry = self.registry();
        run(
            registry.upgrade_async(&requested.request(cancellation)),
            cancellation,
            stop,
        )
        .await
    }

    /// Runs an upgrade where it may block. If it still does when the user wants to stop, it is left
    /// alone, and answered as cancelled.
    async fn without_blocking<Upgrading>(
        &self,
        pace: Option<&Arc<Pace>>,
        upgrade: impl Fn(Self, CancellationToken, Stop) -> Upgrading,
    ) -> UpgradeResponse
    where
        Upgrading: Future<Output = UpgradeResponse> + Send + 'static,
    {
        let cancellation = CancellationToken::new();
        let run = || upgrade(self.clone(), cancellation.clone(), self.stop_since_now());
        if let Some(response) = self.until_stopped(pace, run()).await {
            return response;
        }
        // Asked again, it ends before it begins, and says so.
        cancellation.cancel();
        run().await
    }

    pub(super) async fn upgrade_identity(
        &self,
        request: UpgradeResourceIdentityRequest,
    ) -> UpgradeResourceIdentityResponse {
        let refused = |errors| UpgradeResourceIdentityResponse {
            upgraded_identity: None,
            diagnostics: to_wire(errors),
        };
        let UpgradeResourceIdentityRequest {
            type_name,
            version,
            raw_identity,
        } = request;
        // State from before there was an identity, or null, as Terraform stores that no answer had
        // one: the next read finds it.
        let is_stored = |raw: &RawState| !matches!(raw.json.trim_ascii(), b"" | b"null");
        let Some(raw) = raw_identity.filter(is_stored) else {
            return refused(Diagnostics::new());
        };
        let version = match stored_version(version, &type_name) {
            Ok(version) => version,
            Err(errors) => return refused(errors),
        };
        let requested = Arc::new(StoredRequest {
            type_name,
            version,
            raw: Some(raw),
        });
        let response = self.without_blocking(
            self.pace(&requested.type_name, |it| &it.upgrade_identity),
            |service, cancellation, stop| {
                let requested = Arc::clone(&requested);
                async move {
                    let registry = service.registry();
                    run(
                        registry.upgrade_identity_async(&requested.request(&cancellation)),
                        &cancellation,
                        &stop,
                    )
                    .await
                }
            },
        );
        let response = response.await;
        UpgradeResourceIdentityResponse {
            upgraded_identity: response
                .state()
                .map(|identity| identity_to_wire(identity.to_vec())),
            diagnostics: to_wire(response.diagnostics().clone()),
        }
    }

    pub(super) async fn move_state(
        &self,
        request: MoveResourceStateRequest,
    ) -> MoveResourceStateResponse {
        self.moved(&request)
            .await
            .unwrap_or_else(|errors| MoveResourceStateResponse {
                diagnostics: to_wire(errors),
                ..MoveResourceStateResponse::default()
            })
    }

    async fn moved(
        &self,
        request: &MoveResourceStateRequest,
    ) -> Result<MoveResourceStateResponse, Diagnostics> {
        let known = self.resource(&request.target_type_name)?;
        let version = stored_version(request.source_schema_version, &request.source_type_name)?;
        let identity_version = match request.source_identity {
            Some(_) => stored_version(
                request.source_identity_schema_version,
                &request.source_type_name,
            )?,
            None => 0,
        };
        let response = self.without_blocking(None, |service, cancellation, stop| {
            let request = request.clone();
            async move {
                service
                    .move_of(&request, version, identity_version, &cancellation, &stop)
                    .await
            }
        });
        let response = response.await;
        let identity = match (response.state(), response.identity()) {
            (Some(state), None) => known.resource.identify(state)?,
            (_, identity) => identity.map(<[u8]>::to_vec),
        };
        Ok(MoveResourceStateResponse {
            target_state: response
                .state()
                .map(|state| msgpack_to_wire(Bytes::copy_from_slice(state))),
            target_identity: identity.map(identity_to_wire),
            diagnostics: to_wire(response.diagnostics().clone()),
            target_private: response
                .private()
                .map_or_else(Bytes::new, Bytes::copy_from_slice),
        })
    }

    async fn move_of(
        &self,
        request: &MoveResourceStateRequest,
        version: u64,
        identity_version: u64,
        cancellation: &CancellationToken,
        stop: &Stop,
    ) -> UpgradeResponse {
        let source = UpgradeRequest::new(
            &request.source_type_name,
            version,
            request.source_state.as_ref().map(stored),
        );
        let source = source
            .with_encoding(Encoding::Msgpack)
            .with_cancellation(cancellation);
        let mut moving = MoveRequest::new(&request.target_type_name, source)
            .from_provider(&request.source_provider_address)
            .with_private(&request.source_private);
        if let Some(identity) = &request.source_identity {
            moving = moving.with_identity(identity_version, stored(identity));
        }
        let registry = self.registry();
        run(registry.move_state_async(&moving), cancellation, stop).await
    }

    pub(crate) async fn import(
        &self,
        request: ImportResourceStateRequest,
    ) -> ImportResourceStateResponse {
        self.imported(&request)
            .await
            .unwrap_or_else(|errors| ImportResourceStateResponse {
                imported_resources: Vec::new(),
                diagnostics: to_wire(errors),
            })
    }

    async fn imported(
        &self,
        request: &ImportResourceStateRequest,
    ) -> Result<ImportResourceStateResponse, Diagnostics> {
        let (service, requested) = (self.clone(), request.clone());
        let outcome = self
            .or_stopped("an import", None, async move {
                service.import_of(&requested).await
            })
            .await?;
        let imported = |state| ImportedResource {
            type_name: request.type_name.clone(),
            state: Some(msgpack_to_wire(state)),
            private: outcome.private.to_wire(),
            identity: outcome.identity.map(identity_to_wire),
        };
        Ok(ImportResourceStateResponse {
            imported_resources: outcome
                .state
                .filter(|_| outcome.settled)
                .map(imported)
                .into_iter()
                .collect(),
            diagnostics: to_wire(outcome.diagnostics),
        })
    }

    async fn import_of(
        &self,
        request: &ImportResourceStateRequest,
    ) -> Result<Outcome, Diagnostics> {
        let known = self.resource(&request.type_name)?;
        let call = self.call(&[])?;
        let data = request
            .identity
            .as_ref()
            .and_then(|identity| identity.identity_data.as_ref());
        let identity = match (data, known.resource.identity()) {
            (Some(data), Some(definition)) if request.id.is_empty() => {
                let ty = definition.schema().implied_type();
                let value = from_wire(Some(data), &ty, "identity")?;
                Some(
                    value
                        .encode(&ty, Encoding::Json)
                        .map_err(|error| diagnostics::unfit_value("identity", &error))?,
                )
            }
            _ => None,
        };
        let by = identity
            .as_deref()
            .map_or(ImportBy::Id(&request.id), ImportBy::Identity);
        Ok(known.resource.run(Work::Import(by), known.ty, call).await)
    }
}

pub(super) fn identity_to_wire(msgpack: Vec<u8>) -> ResourceIdentityData {
    ResourceIdentityData {
        identity_data: Some(msgpack_to_wire(msgpack)),
    }
}
