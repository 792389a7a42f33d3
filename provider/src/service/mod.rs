//! The gRPC services: which function answers which method.

mod action;
mod aside;
mod beside;
mod change;
mod configure;
mod data_source;
mod function;
mod grpc;
mod hiding;
#[cfg(test)]
mod import_tests;
mod lead;
mod list_resource;
#[cfg(test)]
mod meaning_tests;
mod messages;
mod methods;
mod schema;
mod state;
#[cfg(test)]
mod stop_tests;
#[cfg(test)]
mod stream_tests;
#[cfg(test)]
mod tests;
mod trace;
#[cfg(test)]
mod unfit_tests;

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fmt;
use std::future::ready;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use http::{Request, Response};
use tokio::sync::{OnceCell, watch};
use tonic::body::Body;
use upstate::schema::{Schema, Type};
use upstate::{Diagnostics, Registry};

use self::aside::{Places, Threads};
use self::grpc::{Silence, grpc, unary, unimplemented};
use self::hiding::Kind;
use self::lead::Pace;
use crate::beside::Companion;
use crate::context::Stop;
use crate::diagnostics;
use crate::erased::{AnyClient, Call, Configurable, Erased};
use crate::log::Hidden;
use crate::plan;
use crate::private::Private;
use crate::proto::plugin::{ConnInfo, HealthCheckRequest, HealthCheckResponse, StdioData};
use crate::proto::{DynamicValue, Empty, StopProviderResponse};
use crate::provider::Parts;
use crate::secrets::Secrets;
use crate::wire::value::{self, from_wire};

pub(crate) use self::grpc::MAX_MESSAGE;
pub(crate) use self::lead::Serving;
#[cfg(feature = "testing")]
pub(crate) use self::messages::{Answer, Question};

/// Everything the server knows.
#[derive(Clone)]
pub(crate) struct Service(Arc<Inner>);

struct Inner {
    parts: Parts,
    types: Types,
    /// The value that the latest configuration made.
    configured: RwLock<Option<Configured>>,
    /// The number of times that the user asked to stop.
    stops: watch::Sender<u64>,
    /// True if the host asked the process to end.
    shutdown: watch::Sender<bool>,
    threads: Threads,
    /// The provider beside this one, once it was needed.
    companion: OnceCell<Result<Companion, Diagnostics>>,
    /// Set by the server.
    places: OnceLock<Places>,
}

#[derive(Clone)]
struct Configured {
    client: AnyClient,
    registry: Arc<Registry>,
    /// The secrets of the configuration.
    secrets: Arc<Secrets>,
    /// Keeps it out of the log.
    _hidden: Arc<Hidden>,
}

/// The types of what is sent, worked out once.
struct Types {
    config: Type,
    meta: Option<Type>,
    resources: BTreeMap<&'static str, Type>,
    data_sources: BTreeMap<&'static str, Type>,
    ephemeral_resources: BTreeMap<&'static str, Type>,
    list_resources: BTreeMap<&'static str, Type>,
    actions: BTreeMap<&'static str, Type>,
    paces: BTreeMap<&'static str, Paces>,
    unconfigured: Arc<Registry>,
}

/// The speed of the functions of a resource that a plan without changes calls.
#[derive(Default)]
struct Paces {
    upgrade: Arc<Pace>,
    upgrade_identity: Arc<Pace>,
    validate: Arc<Pace>,
    read: Arc<Pace>,
    plan: Arc<Pace>,
}

/// A resource and the type of its state.
#[derive(Clone, Copy)]
struct Known<'s> {
    resource: &'s dyn Erased,
    ty: &'s Type,
}

impl Service {
    pub(crate) fn new(parts: Parts) -> Self {
        let types = Types {
            config: parts.config_schema.implied_type(),
            meta: parts.meta_schema.map(Schema::implied_type),
            resources: types(&parts.resources, |it| it.definition().schema()),
            data_sources: types(&parts.data_sources, Configurable::schema),
            ephemeral_resources: types(&parts.ephemeral_resources, Configurable::schema),
            list_resources: types(&parts.list_resources, Configurable::schema),
            actions: types(&parts.actions, Configurable::schema),
            paces: parts
                .resources
                .keys()
                .map(|name| (*name, Paces::default()))
                .collect(),
            unconfigured: Arc::new(parts.registry.clone()),
        };
        let (stops, shutdown) = (watch::Sender::new(0), watch::Sender::new(false));
        let (threads, places, companion) = (Threads::new(), OnceLock::new(), OnceCell::new());
        Self(Arc::new(Inner {
            parts,
            types,
            configured: RwLock::new(None),
            stops,
            shutdown,
            threads,
            companion,
            places,
        }))
    }

    pub(crate) fn address(&self) -> &str {
        &self.0.parts.address
    }

    /// Becomes true when the host asked the process to end.
    pub(crate) fn shutdown(&self) -> watch::Receiver<bool> {
        self.0.shutdown.subscribe()
    }

    fn configured(&self) -> Option<Configured> {
        self.0
            .configured
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// The registry, with the client if there is one.
    fn registry(&self) -> Arc<Registry> {
        self.configured().map_or_else(
            || Arc::clone(&self.0.types.unconfigured),
            |configured| configured.registry,
        )
    }

    fn resource(&self, type_name: &str) -> Result<Known<'_>, Diagnostics> {
        let resource = self.0.parts.resources.get(type_name);
        if let (Some(resource), Some(ty)) = (resource, self.0.types.resources.get(type_name)) {
            return Ok(Known {
                resource: resource.as_ref(),
                ty,
            });
        }
        Err(diagnostics::unknown_type("Resource Type Not Found", "resource type", type_name).into())
    }

    /// The pace of one of a resource's functions.
    fn pace(&self, type_name: &str, of: fn(&Paces) -> &Arc<Pace>) -> Option<&Arc<Pace>> {
        self.0.types.paces.get(type_name).map(of)
    }

    /// The types of a resource's values.
    fn kind(&self, type_name: &str) -> Option<Kind<'_>> {
        let known = self.resource(type_name).ok()?;
        let schema = known.resource.definition().schema();
        Some(Kind::of(schema, known.ty))
    }

    fn call(&self, private: &[u8]) -> Result<Call, Diagnostics> {
        let private = Private::from_wire(private)?;
        let client = self.configured().map_or_else(
            || Arc::new(NotConfigured) as AnyClient,
            |configured| configured.client,
        );
        Ok(Call {
            client,
            private,
            stop: self.stop_since_now(),
            meta: None,
            config: None,
        })
    }

    /// A call in which a module may say something to the provider.
    fn call_of_module(
        &self,
        private: &[u8],
        meta: Option<&DynamicValue>,
    ) -> Result<Call, Diagnostics> {
        let call = self.call(private)?;
        let (Some(schema), Some(ty)) = (self.0.parts.meta_schema, &self.0.types.meta) else {
            return Ok(call);
        };
        // Users write the block of the program beside this one, which may have more.
        let beside = self
            .0
            .companion
            .get()
            .and_then(|started| started.as_ref().ok())
            .and_then(Companion::meta);
        let meta = from_wire(
            meta,
            beside.map_or(ty, |beside| &beside.ty),
            "provider_meta",
        )?;
        if meta.is_null() {
            return Ok(call);
        }
        let meta = beside::part(meta, ty);
        let meta = value::to_wire(
            &plan::with_defaults(schema.block(), &meta)?,
            ty,
            "provider_meta",
        )?;
        Ok(Call {
            meta: Some(meta.msgpack.into()),
            ..call
        })
    }

    fn stop_since_now(&self) -> Stop {
        Stop::since_now(self.0.stops.subscribe())
    }

    /// Tells every call that runs now to come to an end.
    pub(crate) fn request_stop(&self) {
        self.0.stops.send_modify(|stops| *stops += 1);
    }

    fn stop(&self) -> StopProviderResponse {
        self.request_stop();
        StopProviderResponse::default()
    }

    fn shut_down(&self) -> Empty {
        self.0.shutdown.send_replace(true);
        Empty {}
    }

    /// Answers one request.
    pub(crate) async fn answer<B>(self, request: Request<B>) -> Result<Response<Body>, Infallible>
    where
        B: http_body::Body + Send + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>> + Send,
    {
        let path = request.uri().path().to_owned();
        Ok(match path.rsplit_once('/').unwrap_or_default() {
            ("/tfplugin6.Provider", method) => self.routed(6, method, request).await,
            ("/tfplugin5.Provider", method) => self.routed(5, method, request).await,
            ("/plugin.GRPCController", "Shutdown") => {
                unary(request, |_: Empty| ready(self.shut_down())).await
            }
            // In boxes, because these two are larger than all others.
            ("/plugin.GRPCStdio", "StreamStdio") => {
                let mut grpc = grpc::<StdioData, Empty>();
                Box::pin(grpc.server_streaming(self.silence(), request)).await
            }
            ("/plugin.GRPCBroker", "StartStream") => {
                let mut grpc = grpc::<ConnInfo, ConnInfo>();
                Box::pin(grpc.streaming(self.silence(), request)).await
            }
            ("/grpc.health.v1.Health", "Check") => {
                unary(request, |_: HealthCheckRequest| {
                    ready(HealthCheckResponse { status: 1 })
                })
                .await
            }
            _ => unimplemented(&path),
        })
    }

    async fn routed<B>(&self, protocol: u8, method: &str, request: Request<B>) -> Response<Body>
    where
        B: http_body::Body + Send + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>> + Send,
    {
        match self.0.parts.beside {
            None => self.provider(protocol, method, request).await,
            // In a box, because it is large and most providers have none.
            Some(_) => Box::pin(self.shared(protocol, method, request)).await,
        }
    }

    async fn provider<B>(&self, protocol: u8, method: &str, request: Request<B>) -> Response<Body>
    where
        B: http_body::Body + Send + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>> + Send,
    {
        // A macro, because each answer has a type of its own.
        macro_rules! rpc {
            ($answer:expr) => {
                self.rpc(protocol, request, $answer).await
            };
        }
        match (method, protocol) {
            ("GetMetadata", 6) => rpc!(|_: Empty| ready(self.metadata_v6())),
            ("GetMetadata", 5) => rpc!(|_: Empty| ready(self.metadata_v5())),
            ("GetProviderSchema", 6) => rpc!(|_: Empty| ready(self.schema_v6())),
            ("GetSchema", 5) => rpc!(|_: Empty| ready(self.schema_v5())),
            ("GetResourceIdentitySchemas", _) => rpc!(|_: Empty| ready(self.identity_schemas())),
            ("GetFunctions", _) => rpc!(|_: Empty| ready(self.functions())),
            ("CallFunction", _) => rpc!(|it| self.call_function(it)),
            ("ValidateProviderConfig", 6) => {
                rpc!(|it| async move { self.validate_provider(it, false) })
            }
            ("PrepareProviderConfig", 5) => {
                rpc!(|it| async move { self.validate_provider(it, true) })
            }
            ("ValidateResourceConfig", 6) | ("ValidateResourceTypeConfig", 5) => {
                rpc!(|it| self.validate_resource(it))
            }
            ("ValidateDataResourceConfig", 6) | ("ValidateDataSourceConfig", 5) => {
                rpc!(|it| self.validate_config(it, Self::data_source))
            }
            ("ValidateEphemeralResourceConfig", _) => {
                rpc!(|it| self.validate_config(it, Self::ephemeral))
            }
            ("ConfigureProvider", 6) | ("Configure", 5) => rpc!(|it| self.configure(it)),
            ("UpgradeResourceState", _) => rpc!(|it| self.upgrade_state(it)),
            ("UpgradeResourceIdentity", _) => rpc!(|it| self.upgrade_identity(it)),
            ("MoveResourceState", _) => rpc!(|it| self.move_state(it)),
            ("ReadResource", _) => rpc!(|it| self.read(it)),
            ("PlanResourceChange", _) => rpc!(|it| self.plan(it)),
            ("ApplyResourceChange", _) => rpc!(|it| self.apply(it)),
            ("ImportResourceState", _) => rpc!(|it| self.import(it)),
            ("ReadDataSource", _) => rpc!(|it| self.read_data_source(it)),
            ("OpenEphemeralResource", _) => rpc!(|it| self.open_ephemeral(it)),
            ("RenewEphemeralResource", _) => rpc!(|it| self.renew_ephemeral(it)),
            ("CloseEphemeralResource", _) => rpc!(|it| self.close_ephemeral(it)),
            ("ValidateListResourceConfig", _) => {
                rpc!(|it| self.validate_config(it, Self::list_resource))
            }
            ("ListResource", _) => {
                self.rpc_stream(protocol, request, |it, to| self.clone().list(it, to))
                    .await
            }
            ("GenerateResourceConfig", _) => rpc!(|it| self.generate_config(it)),
            ("ValidateActionConfig", _) => rpc!(|it| self.validate_config(it, Self::action)),
            ("PlanAction", _) => rpc!(|it| self.plan_action(it)),
            ("InvokeAction", _) => {
                self.rpc_stream(protocol, request, |it, to| {
                    self.clone().invoke_action(it, to)
                })
                .await
            }
            ("StopProvider", 6) | ("Stop", 5) => rpc!(|_: Empty| ready(self.stop())),
            _ => unimplemented(request.uri().path()),
        }
    }

    fn silence(&self) -> Silence {
        Silence(self.shutdown())
    }
}

impl fmt::Debug for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Service")
            .field("address", &self.address())
            .finish_non_exhaustive()
    }
}

/// The types of things of one kind.
fn types<T: ?Sized>(
    things: &BTreeMap<&'static str, Box<T>>,
    schema: impl Fn(&T) -> &'static Schema,
) -> BTreeMap<&'static str, Type> {
    things
        .iter()
        .map(|(name, thing)| (*name, schema(thing).implied_type()))
        .collect()
}

/// The client before there is one: of no type that a resource could ask for.
struct NotConfigured;
