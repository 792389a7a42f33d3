//! Data sources and ephemeral resources.

use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

use upstate::schema::Type;
use upstate::{Diagnostics, Value};

use super::Service;
use super::hiding::Kind;
use crate::diagnostics;
use crate::erased::data_source::ErasedDataSource;
use crate::erased::ephemeral::{ErasedEphemeral, Lease, Tenure};
use crate::erased::{Configurable, Outcome};
use crate::plan;
use crate::proto::DynamicValue;
use crate::proto::data_source::{
    CloseEphemeralResourceResponse, OpenEphemeralResourceRequest, OpenEphemeralResourceResponse,
    OpenedEphemeralResourceRequest, ReadDataSourceRequest, ReadDataSourceResponse,
    RenewEphemeralResourceResponse, Timestamp, ValidateConfigRequest, ValidateConfigResponse,
};
use crate::wire::diagnostics::to_wire;
use crate::wire::value::{from_wire, msgpack_to_wire};

type ByName<T> = BTreeMap<&'static str, T>;
/// A thing of the provider, and the types of its configuration.
pub(super) type Found<'s, E> = Result<(&'s E, Kind<'s>), Diagnostics>;

impl Service {
    pub(crate) fn data_source(&self, type_name: &str) -> Found<'_, dyn ErasedDataSource + 'static> {
        let all = (&self.0.parts.data_sources, &self.0.types.data_sources);
        named(all, type_name, ("Data Source Not Found", "data source"))
    }

    pub(crate) fn ephemeral(&self, type_name: &str) -> Found<'_, dyn ErasedEphemeral + 'static> {
        let all = (
            &self.0.parts.ephemeral_resources,
            &self.0.types.ephemeral_resources,
        );
        let words = ("Ephemeral Resource Not Found", "ephemeral resource");
        named(all, type_name, words)
    }

    /// Checks a configuration, unless the user stops it.
    pub(crate) async fn validate_config<E: Configurable + ?Sized + 'static>(
        &self,
        request: ValidateConfigRequest,
        find: for<'s> fn(&'s Self, &str) -> Found<'s, E>,
    ) -> ValidateConfigResponse {
        let service = self.clone();
        let check = async move {
            let (thing, kind) = find(&service, &request.type_name)?;
            let config = from_wire(request.config.as_ref(), kind.ty, "configuration")?;
            let mut diagnostics = plan::remarks(thing.schema(), &config);
            diagnostics.append(thing.validate(config, kind.ty.clone()));
            Ok(diagnostics)
        };
        let checked = self.or_stopped("a validation", None, check).await;
        ValidateConfigResponse {
            diagnostics: to_wire(checked.unwrap_or_else(|errors| errors)),
        }
    }

    pub(crate) async fn read_data_source(
        &self,
        request: ReadDataSourceRequest,
    ) -> ReadDataSourceResponse {
        let service = self.clone();
        let read = async move {
            let (source, kind) = service.data_source(&request.type_name)?;
            let config = configured(request.config.as_ref(), kind)?;
            let call = service.call_of_module(&[], request.provider_meta.as_ref())?;
            Ok(source.read(config, kind.ty, call).await)
        };
        let (state, diagnostics) = match self.or_stopped("a data source", None, read).await {
            Ok(outcome) => (outcome.state, outcome.diagnostics),
            Err(errors) => (None, errors),
        };
        ReadDataSourceResponse {
            state: state.map(msgpack_to_wire),
            diagnostics: to_wire(diagnostics),
        }
    }

    /// Opens to the end, even if the user wants to stop: what is open has to be known, so that it
    /// is closed.
    pub(crate) async fn open_ephemeral(
        &self,
        request: OpenEphemeralResourceRequest,
    ) -> OpenEphemeralResourceResponse {
        let service = self.clone();
        let open = async move {
            let (ephemeral, kind) = service.ephemeral(&request.type_name)?;
            let config = configured(request.config.as_ref(), kind)?;
            Ok(ephemeral
                .run(
                    Tenure::Open {
                        config,
                        ty: kind.ty,
                    },
                    service.call(&[])?,
                )
                .await)
        };
        let Lease { outcome, renew_at } = self.to_the_end(open).await.unwrap_or_else(refused);
        OpenEphemeralResourceResponse {
            renew_at: renew_at.map(timestamp),
            result: outcome.state.map(msgpack_to_wire),
            private: Some(outcome.private.to_wire()),
            diagnostics: to_wire(outcome.diagnostics),
        }
    }

    pub(crate) async fn renew_ephemeral(
        &self,
        request: OpenedEphemeralResourceRequest,
    ) -> RenewEphemeralResourceResponse {
        let Lease { outcome, renew_at } = self.once_open(Tenure::Renew, request).await;
        RenewEphemeralResourceResponse {
            renew_at: renew_at.map(timestamp),
            private: Some(outcome.private.to_wire()),
            diagnostics: to_wire(outcome.diagnostics),
        }
    }

    pub(crate) async fn close_ephemeral(
        &self,
        request: OpenedEphemeralResourceRequest,
    ) -> CloseEphemeralResourceResponse {
        let Lease { outcome, .. } = self.once_open(Tenure::Close, request).await;
        CloseEphemeralResourceResponse {
            diagnostics: to_wire(outcome.diagnostics),
        }
    }

    async fn once_open(
        &self,
        work: Tenure<'static>,
        request: OpenedEphemeralResourceRequest,
    ) -> Lease {
        let service = self.clone();
        let run = async move {
            let (ephemeral, _) = service.ephemeral(&request.type_name)?;
            let call = service.call(request.private.as_deref().unwrap_or_default())?;
            Ok(ephemeral.run(work, call).await)
        };
        self.to_the_end(run).await.unwrap_or_else(refused)
    }
}

fn refused(diagnostics: Diagnostics) -> Lease {
    Lease {
        outcome: Outcome {
            diagnostics,
            ..Outcome::default()
        },
        renew_at: None,
    }
}

/// A thing of the provider, by its name; otherwise an error of this summary about a thing of this
/// kind.
pub(super) fn named<'s, E: Configurable + ?Sized>(
    (things, types): (&'s ByName<Box<E>>, &'s ByName<Type>),
    type_name: &str,
    (summary, kind): (&str, &str),
) -> Found<'s, E> {
    match (things.get(type_name), types.get(type_name)) {
        (Some(thing), Some(ty)) => Ok((thing.as_ref(), Kind::of(thing.schema(), ty))),
        (None, _) | (_, None) => Err(diagnostics::unknown_type(summary, kind, type_name).into()),
    }
}

/// A configuration with its defaults.
pub(super) fn configured(
    config: Option<&DynamicValue>,
    Kind { block, ty }: Kind<'_>,
) -> Result<Value, Diagnostics> {
    let config = from_wire(config, ty, "configuration")?;
    // No block at all is one in which nothing is set.
    let config = if config.is_null() {
        Value::Map(BTreeMap::new())
    } else {
        config
    };
    plan::with_defaults(block, &config)
}

/// Times before 1970 are that one: they are past, whichever they are.
fn timestamp(time: SystemTime) -> Timestamp {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp {
        seconds: i64::try_from(since.as_secs()).unwrap_or(i64::MAX),
        nanos: i32::try_from(since.subsec_nanos()).unwrap_or_default(),
    }
}
