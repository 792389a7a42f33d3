//! Requests of a host to a provider with another one beside it: which of the two answers, and what
//! both answer together.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use prost::Message;
use serde_json::Value as Json;
use tonic::Status;
use tonic::body::Body;
use tracing::debug;
use upstate::schema::{Attribute, Block, Field, NestedBlock, Type};
use upstate::{Diagnostics, Value};

use super::Service;
use super::grpc::unimplemented;
use super::methods::{Subject, subject};
use crate::beside::{Companion, Kind, Served, collected, message_of};
use crate::diagnostics;
use crate::plan;
use crate::proto::function::GetFunctionsResponse;
use crate::proto::list_resource::{GenerateResourceConfigRequest, GenerateResourceConfigResponse};
use crate::proto::schema::{v5, v6};
use crate::proto::{
    self, ConfigureProviderRequest, ConfigureProviderResponse, DynamicValue, Empty,
    GetResourceIdentitySchemasResponse, IdentityAttribute, MoveResourceStateResponse,
    PlanResourceChangeRequest, PlanResourceChangeResponse, ResourceIdentitySchema,
    StopProviderResponse, TypeName, ValidateProviderConfigRequest, ValidateProviderConfigResponse,
};
use crate::wire::diagnostics::to_wire;
use crate::wire::value::{from_wire, to_wire as value_to_wire};

/// The name of a type in a request that is about one.
#[derive(Clone, PartialEq, Message)]
struct Named {
    #[prost(string, tag = "1")]
    name: String,
}

/// The name of the type that is to hold a moved state.
#[derive(Clone, PartialEq, Message)]
struct Target {
    #[prost(string, tag = "5")]
    name: String,
}

/// The name of the type that a request is about.
fn name(tag: u32, message: &Bytes) -> Option<String> {
    if tag == 5 {
        Target::decode(message.clone()).ok().map(|it| it.name)
    } else {
        Named::decode(message.clone()).ok().map(|it| it.name)
    }
}

/// Adds the answers about all types, for one protocol.
macro_rules! merged {
    ($schema:ident, $metadata:ident, $own:ident, $own_metadata:ident, $theirs:ident, $messages:ident) => {
        async fn $schema(&self, protocol: u8) -> $messages::GetProviderSchemaResponse {
            let mut own = self.$own();
            if !own.diagnostics.is_empty() {
                return own;
            }
            let theirs = match self.companion(protocol).await {
                Ok(companion) => self.conflicts(companion).and_then(|()| companion.$theirs()),
                Err(problems) => Err(problems),
            };
            let theirs = match theirs {
                Ok(theirs) => theirs,
                Err(problems) => {
                    let diagnostics = to_wire(problems);
                    return $messages::GetProviderSchemaResponse {
                        diagnostics,
                        ..Default::default()
                    };
                }
            };
            added(&mut own.resource_schemas, theirs.resource_schemas);
            added(&mut own.data_source_schemas, theirs.data_source_schemas);
            added(
                &mut own.ephemeral_resource_schemas,
                theirs.ephemeral_resource_schemas,
            );
            added(&mut own.list_resource_schemas, theirs.list_resource_schemas);
            added(&mut own.action_schemas, theirs.action_schemas);
            added(&mut own.functions, theirs.functions);
            own.diagnostics = theirs.diagnostics;
            own.provider_meta = theirs.provider_meta;
            let own_block = own
                .provider
                .take()
                .and_then(|it| it.block)
                .unwrap_or_default();
            let mut provider = theirs.provider.unwrap_or_default();
            let block = provider.block.get_or_insert_default();
            for attribute in own_block.attributes {
                match block
                    .attributes
                    .iter_mut()
                    .find(|it| it.name == attribute.name)
                {
                    Some(both) => both.sensitive |= attribute.sensitive,
                    None => block.attributes.push(attribute),
                }
            }
            for nested in own_block.block_types {
                if block
                    .block_types
                    .iter()
                    .all(|it| it.type_name != nested.type_name)
                {
                    block.block_types.push(nested);
                }
            }
            own.provider = Some(provider);
            own
        }

        async fn $metadata(&self, protocol: u8) -> $messages::GetMetadataResponse {
            let described = self.$schema(protocol).await;
            $messages::GetMetadataResponse {
                data_sources: names(&described.data_source_schemas),
                resources: names(&described.resource_schemas),
                functions: names(&described.functions),
                ephemeral_resources: names(&described.ephemeral_resource_schemas),
                list_resources: names(&described.list_resource_schemas),
                actions: names(&described.action_schemas),
                diagnostics: described.diagnostics,
                ..self.$own_metadata()
            }
        }
    };
}

impl Service {
    /// The provider beside this one, started when it is needed first.
    pub(super) async fn companion(&self, protocol: u8) -> Result<&Companion, Diagnostics> {
        let Some(beside) = &self.0.parts.beside else {
            return Err(diagnostics::mistake(
                "Unable to Start the Provider Beside This One",
                "There is none.",
            )
            .into());
        };
        let started = self
            .0
            .companion
            .get_or_init(|| Box::pin(Companion::start(beside, protocol)))
            .await;
        started.as_ref().map_err(Clone::clone)
    }

    /// Ends the provider beside this one, if there is one.
    pub(crate) async fn end_companion(&self) {
        if let Some(Ok(companion)) = self.0.companion.get() {
            companion.end().await;
        }
    }

    merged!(
        merged_schema_v5,
        merged_metadata_v5,
        schema_v5,
        metadata_v5,
        schema_v5,
        v5
    );
    merged!(
        merged_schema_v6,
        merged_metadata_v6,
        schema_v6,
        metadata_v6,
        schema_v6,
        v6
    );

    /// Answers a request that this provider or the one beside it is to answer, or both.
    pub(super) async fn shared<B>(
        &self,
        protocol: u8,
        method: &str,
        request: Request<B>,
    ) -> Response<Body>
    where
        B: http_body::Body + Send + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>> + Send,
    {
        let (head, body) = request.into_parts();
        let body = match collected(body).await {
            Ok(whole) => whole.bytes,
            Err(status) => return status.into_http(),
        };
        match subject(method) {
            Subject::Provider => {
                self.both(protocol, method, Request::from_parts(head, Full::new(body)))
                    .await
            }
            Subject::Type(kind, tag) => {
                let Some(message) = message_of(&body) else {
                    return Status::invalid_argument("the request is not a message of gRPC")
                        .into_http();
                };
                let name = name(tag, &message).unwrap_or_default();
                if !self.serves(kind, &name) {
                    match self.companion(protocol).await {
                        Ok(companion) if companion.serves(kind, &name) => {
                            debug!(target: "upstate_provider", tf_rpc = method, tf_type = name, "Request is handed over");
                            companion.hide(kind, &name, method, &message);
                            return match replaced(companion, method, &name, &message) {
                                Some(response) => response,
                                None => companion.forward(method, &head.headers, body).await,
                            };
                        }
                        // Neither serves it, so that the error of this one is the right one.
                        Ok(_) => {}
                        Err(problems) => return Status::aborted(problems.to_string()).into_http(),
                    }
                }
                self.provider(protocol, method, Request::from_parts(head, Full::new(body)))
                    .await
            }
        }
    }

    /// Answers a request about the provider as a whole.
    async fn both(
        &self,
        protocol: u8,
        method: &str,
        request: Request<Full<Bytes>>,
    ) -> Response<Body> {
        // A macro, because each answer has a type of its own.
        macro_rules! rpc {
            ($answer:expr) => {
                self.rpc(protocol, request, $answer).await
            };
        }
        match (method, protocol) {
            ("GetMetadata", 6) => rpc!(|_: Empty| self.merged_metadata_v6(protocol)),
            ("GetMetadata", 5) => rpc!(|_: Empty| self.merged_metadata_v5(protocol)),
            ("GetProviderSchema", 6) => rpc!(|_: Empty| self.merged_schema_v6(protocol)),
            ("GetSchema", 5) => rpc!(|_: Empty| self.merged_schema_v5(protocol)),
            ("GetResourceIdentitySchemas", _) => rpc!(|_: Empty| self.merged_identities(protocol)),
            ("GetFunctions", _) => rpc!(|_: Empty| self.merged_functions(protocol)),
            ("ValidateProviderConfig", 6) | ("PrepareProviderConfig", 5) => {
                rpc!(|it| self.validate_both(it, protocol))
            }
            ("ConfigureProvider", 6) | ("Configure", 5) => {
                rpc!(|it| self.configure_both(it, protocol))
            }
            ("StopProvider", 6) | ("Stop", 5) => rpc!(|_: Empty| self.stop_both()),
            _ => unimplemented(request.uri().path()),
        }
    }

    /// True if this provider serves a type itself.
    fn serves(&self, kind: Kind, name: &str) -> bool {
        let parts = &self.0.parts;
        match kind {
            Kind::Resource => parts.resources.contains_key(name),
            Kind::DataSource => parts.data_sources.contains_key(name),
            Kind::EphemeralResource => parts.ephemeral_resources.contains_key(name),
            Kind::ListResource => parts.list_resources.contains_key(name),
            Kind::Action => parts.actions.contains_key(name),
            Kind::Function => parts.functions.contains_key(name),
        }
    }

    /// The facts about which both providers say something else.
    fn conflicts(&self, companion: &Companion) -> Result<(), Diagnostics> {
        let parts = &self.0.parts;
        let mut problems = Diagnostics::new();
        let mut push = |detail: String| problems.push(diagnostics::beside_unfit(&detail));
        let program = companion.program().display();
        for (name, own, theirs) in in_both(parts.config_schema.block(), &companion.provider().block)
        {
            if own.ty != theirs.ty {
                let (own, theirs) = (own.ty, theirs.ty);
                push(format!(
                    "The provider's configuration has {name:?} as {own} here and as {theirs} in {program}, and users write one. Give it one \
                     type."
                ));
            } else if own.is_block != theirs.is_block {
                let (own, theirs) = (own.form(), theirs.form());
                push(format!(
                    "The provider's configuration has {name:?} as {own} here and as {theirs} in {program}, and users write one. Add or remove \
                     `#[block]`."
                ));
            }
        }
        match (parts.meta_schema, companion.meta()) {
            (Some(_), None) => {
                push(format!(
                    "`with_meta` declares a `provider_meta` block, which {program} does not have and would refuse."
                ));
            }
            (Some(own), Some(theirs)) => {
                for (name, own) in unshared(own.block(), &theirs.block) {
                    push(format!(
                        "`with_meta` declares {name:?} as {own} in the `provider_meta` block, which {program} does not. Declare a part of what \
                         it has there."
                    ));
                }
            }
            (None, _) => {}
        }
        let identities = self.identity_schemas().identity_schemas;
        for name in parts.resources.keys() {
            let own_identity = identities.get(*name);
            let their_identity = companion.identities().get(*name);
            let unread = their_identity.and_then(|theirs| unread_identity(own_identity, theirs));
            let is_unread = unread.is_some();
            if let Some(problem) = unread {
                push(format!(
                    "{program} stores an identity of {name}, and Terraform could not read it with this provider: {problem}."
                ));
            }
            if !companion.serves(Kind::ListResource, name) || self.serves(Kind::ListResource, name)
            {
                continue;
            }
            let own = self.0.types.resources.get(name);
            let theirs = companion.served(Kind::Resource, name);
            if own != theirs.as_deref().map(|it| &it.ty) {
                push(format!(
                    "{program} lists {name} as it knows it, and the resource is another one here. Register a list resource for it, too."
                ));
            } else if !is_unread && !has_identity(own_identity, their_identity) {
                push(format!(
                    "{program} lists {name} by its identity, which is another one here. Register a list resource for it, too, or give it the \
                     attributes of that identity."
                ));
            }
        }
        if problems.is_empty() {
            Ok(())
        } else {
            Err(problems)
        }
    }

    async fn merged_identities(&self, protocol: u8) -> GetResourceIdentitySchemasResponse {
        let mut own = self.identity_schemas();
        match self.companion(protocol).await {
            Ok(companion) => {
                let theirs = companion
                    .identities()
                    .iter()
                    .filter(|(name, _)| !self.serves(Kind::Resource, name));
                own.identity_schemas
                    .extend(theirs.map(|(name, schema)| (name.clone(), schema.clone())));
            }
            Err(problems) => own.diagnostics = to_wire(problems),
        }
        own
    }

    async fn merged_functions(&self, protocol: u8) -> GetFunctionsResponse {
        let described = self.merged_schema_v6(protocol).await;
        GetFunctionsResponse {
            functions: described.functions,
            diagnostics: described.diagnostics,
        }
    }

    async fn validate_both(
        &self,
        request: ValidateProviderConfigRequest,
        protocol: u8,
    ) -> ValidateProviderConfigResponse {
        let given_back = request.config.clone().filter(|_| protocol == 5);
        let (own, theirs) = match self.configs(request.config.as_ref(), protocol).await {
            Ok(configs) => configs,
            Err(problems) => {
                return ValidateProviderConfigResponse {
                    prepared_config: given_back,
                    diagnostics: to_wire(problems),
                };
            }
        };
        // A path of its own, because this provider need not be able to read the configuration of
        // both.
        let own = ValidateProviderConfigRequest { config: own };
        let validated = async { self.validate_provider(own.clone(), false) };
        let mut diagnostics = self
            .redacted("ValidateProviderConfig", &own, validated)
            .await
            .diagnostics;
        let theirs: Result<ValidateProviderConfigResponse, Status> =
            match self.companion(protocol).await {
                Ok(companion) => {
                    companion.hide_config(theirs.as_ref());
                    companion
                        .call(
                            "ValidateProviderConfig",
                            &ValidateProviderConfigRequest { config: theirs },
                        )
                        .await
                }
                Err(problems) => Ok(ValidateProviderConfigResponse {
                    diagnostics: to_wire(problems),
                    ..Default::default()
                }),
            };
        add_diagnostics(&mut diagnostics, theirs.map(|it| it.diagnostics));
        ValidateProviderConfigResponse {
            prepared_config: given_back,
            diagnostics,
        }
    }

    async fn configure_both(
        &self,
        request: ConfigureProviderRequest,
        protocol: u8,
    ) -> ConfigureProviderResponse {
        let (own, theirs) = match self.configs(request.config.as_ref(), protocol).await {
            Ok(configs) => configs,
            Err(problems) => {
                return ConfigureProviderResponse {
                    diagnostics: to_wire(problems),
                };
            }
        };
        let (own, theirs) = (
            ConfigureProviderRequest {
                config: own,
                ..request.clone()
            },
            ConfigureProviderRequest {
                config: theirs,
                ..request
            },
        );
        let configure = async {
            match self.companion(protocol).await {
                Ok(companion) => {
                    companion.hide_config(theirs.config.as_ref());
                    companion
                        .call("ConfigureProvider", &theirs)
                        .await
                        .map(|it: ConfigureProviderResponse| it.diagnostics)
                }
                Err(problems) => Ok(to_wire(problems)),
            }
        };
        let own_configured = self.redacted("ConfigureProvider", &own, self.configure(own.clone()));
        let (own, theirs) = tokio::join!(own_configured, configure);
        let mut diagnostics = own.diagnostics;
        add_diagnostics(&mut diagnostics, theirs);
        ConfigureProviderResponse { diagnostics }
    }

    async fn stop_both(&self) -> StopProviderResponse {
        let own = self.stop();
        // One that does not run has nothing to stop.
        let Some(Ok(companion)) = self.0.companion.get() else {
            return own;
        };
        companion.stop().await.unwrap_or(own)
    }

    /// The configuration of the provider for this one and for the one beside it, each with the
    /// attributes that it has.
    async fn configs(
        &self,
        config: Option<&DynamicValue>,
        protocol: u8,
    ) -> Result<(Option<DynamicValue>, Option<DynamicValue>), Diagnostics> {
        let companion = self.companion(protocol).await?;
        let (own, theirs) = (&self.0.types.config, &companion.provider().ty);
        if own == theirs {
            return Ok((config.cloned(), config.cloned()));
        }
        let value = from_wire(config, &union(own, theirs), "provider configuration")?;
        if value.as_map().is_none() {
            return Ok((config.cloned(), config.cloned()));
        }
        let sent = |ty: &Type| {
            value_to_wire(&part(value.clone(), ty), ty, "provider configuration").map(Some)
        };
        Ok((sent(own)?, sent(theirs)?))
    }
}

/// The response in the place of the one of a provider that does not have a capability which this
/// provider announces for both.
fn replaced(
    companion: &Companion,
    method: &str,
    name: &str,
    message: &Bytes,
) -> Option<Response<Body>> {
    let capabilities = companion.capabilities();
    match method {
        "PlanResourceChange" if !capabilities.plan_destroy => {
            let request = PlanResourceChangeRequest::decode(message.clone()).ok()?;
            let proposed = request.proposed_new_state?;
            let is_null = proposed.msgpack == b"\xc0"[..]
                || proposed.msgpack.is_empty() && proposed.json == b"null"[..];
            is_null.then(|| {
                response(&PlanResourceChangeResponse {
                    planned_state: Some(proposed),
                    planned_private: request.prior_private,
                    ..PlanResourceChangeResponse::default()
                })
            })
        }
        "MoveResourceState" if !capabilities.move_resource_state => {
            let diagnostics =
                to_wire([diagnostics::beside_without_moves(companion.program(), name)]);
            Some(response(&MoveResourceStateResponse {
                diagnostics,
                ..MoveResourceStateResponse::default()
            }))
        }
        "GenerateResourceConfig" if !capabilities.generate_resource_config => {
            let Served { block, ty } = &*companion.served(Kind::Resource, name)?;
            let state = GenerateResourceConfigRequest::decode(message.clone())
                .ok()?
                .state;
            let config = from_wire(state.as_ref(), ty, "state").and_then(|state| {
                value_to_wire(
                    &plan::configuration_of(block, &state),
                    ty,
                    "generated configuration",
                )
            });
            let (config, diagnostics) = match config {
                Ok(config) => (Some(config), Vec::new()),
                Err(problems) => (None, to_wire(problems)),
            };
            Some(response(&GenerateResourceConfigResponse {
                config,
                diagnostics,
            }))
        }
        _ => None,
    }
}

/// A response of one message.
fn response(message: &impl Message) -> Response<Body> {
    crate::beside::answered(message)
}

/// Adds what is not there yet.
fn added<T>(to: &mut BTreeMap<String, T>, more: BTreeMap<String, T>) {
    for (name, one) in more {
        to.entry(name).or_insert(one);
    }
}

fn names<T>(all: &BTreeMap<String, T>) -> Vec<TypeName> {
    all.keys()
        .map(|name| TypeName {
            type_name: name.clone(),
        })
        .collect()
}

/// Adds the diagnostics of the other provider, but for those that are there already.
fn add_diagnostics(to: &mut Vec<proto::Diagnostic>, more: Result<Vec<proto::Diagnostic>, Status>) {
    let failed = |status: Status| to_wire([diagnostics::beside_silent(status.message())]);
    for diagnostic in more.unwrap_or_else(failed) {
        if !to.contains(&diagnostic) {
            to.push(diagnostic);
        }
    }
}

/// An attribute or a block, as users write one.
#[derive(Debug, PartialEq)]
struct Member {
    is_block: bool,
    ty: Type,
}

impl Member {
    fn form(&self) -> &'static str {
        if self.is_block {
            "a block"
        } else {
            "an attribute"
        }
    }
}

fn members(block: &Block) -> BTreeMap<String, Member> {
    let attribute = |it: &Attribute| {
        (
            it.name().to_owned(),
            Member {
                is_block: false,
                ty: it.implied_type(),
            },
        )
    };
    let nested = |it: &NestedBlock| {
        (
            it.name().to_owned(),
            Member {
                is_block: true,
                ty: it.implied_type(),
            },
        )
    };
    block
        .attributes()
        .iter()
        .map(attribute)
        .chain(block.blocks().iter().map(nested))
        .collect()
}

/// The members of both blocks.
fn in_both(own: &Block, theirs: &Block) -> Vec<(String, Member, Member)> {
    let mut theirs = members(theirs);
    members(own)
        .into_iter()
        .filter_map(|(name, own)| Some((name.clone(), own, theirs.remove(&name)?)))
        .collect()
}

/// The members of one block that the other does not have, or has as another type.
fn unshared(own: &Block, theirs: &Block) -> Vec<(String, Type)> {
    let theirs = members(theirs);
    let own = members(own).into_iter().map(|(name, own)| (name, own.ty));
    own.filter(|(name, own)| theirs.get(name).is_none_or(|theirs| theirs.ty != *own))
        .collect()
}

/// True if an identity has the attributes of theirs, or they have none.
fn has_identity(
    own: Option<&ResourceIdentitySchema>,
    theirs: Option<&ResourceIdentitySchema>,
) -> bool {
    let attributes = |identity: &ResourceIdentitySchema| -> BTreeMap<String, Option<Json>> {
        // Types are compared as JSON, because two programs may write it with other spaces.
        let attribute =
            |it: &IdentityAttribute| (it.name.clone(), serde_json::from_slice(&it.r#type).ok());
        identity.identity_attributes.iter().map(attribute).collect()
    };
    theirs.is_none() || own.map(attributes) == theirs.map(attributes)
}

/// The reason why Terraform refuses a state that holds their identity, and what to declare; none if
/// it does not.
fn unread_identity(
    own: Option<&ResourceIdentitySchema>,
    theirs: &ResourceIdentitySchema,
) -> Option<String> {
    let shown = |identity: &ResourceIdentitySchema| {
        let attribute = |it: &IdentityAttribute| {
            format!("{:?} as {}", it.name, String::from_utf8_lossy(&it.r#type))
        };
        let attributes = identity.identity_attributes.iter().map(attribute);
        attributes.collect::<Vec<_>>().join(", ")
    };
    let version = theirs.version;
    let Some(own) = own else {
        return Some(format!(
            "the resource has none here. Declare `identity = …` with {} in version {version}, and register it `with_identified`",
            shown(theirs)
        ));
    };
    // A higher version has an upgrader, which may read any attributes.
    match own.version.cmp(&version) {
        Ordering::Greater => None,
        Ordering::Less => Some(format!(
            "it is of version {version}, and of {} here. Give it version {version}, or a higher one and an upgrader",
            own.version
        )),
        Ordering::Equal if has_identity(Some(own), Some(theirs)) => None,
        Ordering::Equal => Some(format!(
            "in version {version} it has {} there and {} here. Give it what it has there, or a higher version and an upgrader",
            shown(theirs),
            shown(own)
        )),
    }
}

/// The part of an object that a type has members for.
pub(super) fn part(mut value: Value, ty: &Type) -> Value {
    if let Some(members) = value.as_map_mut() {
        members.retain(|name, _| field(ty, name).is_some());
    }
    value
}

fn field<'t>(ty: &'t Type, name: &str) -> Option<&'t Field> {
    match ty {
        Type::Object(fields) => fields.iter().find(|field| field.name() == name),
        Type::Bool
        | Type::String
        | Type::Number
        | Type::Dynamic
        | Type::List(_)
        | Type::Set(_)
        | Type::Map(_)
        | Type::Tuple(_)
        | Type::Json
        | Type::Union(_) => None,
    }
}

/// The type of a configuration with the attributes of both.
fn union(own: &Type, theirs: &Type) -> Type {
    let (Type::Object(own), Type::Object(fields)) = (own, theirs) else {
        return theirs.clone();
    };
    let new = own.iter().filter(|it| field(theirs, it.name()).is_none());
    Type::object(fields.iter().chain(new).cloned())
}

#[cfg(test)]
mod tests {
    use upstate::schema::{Nesting, Presence};

    use super::*;

    fn block(attributes: &[(&str, Type)]) -> Block {
        Block::new(
            attributes.iter().map(|(name, ty)| {
                Attribute::new((*name).to_owned(), ty.clone(), Presence::Optional)
            }),
        )
    }

    #[test]
    fn a_name_is_an_attribute_or_a_block_in_both() {
        let inside = || block(&[("url", Type::String)]);
        let written =
            Block::new([]).with_blocks([NestedBlock::new("endpoints", Nesting::List, inside())]);
        let set = block(&[("endpoints", Type::list(inside().implied_type()))]);
        let both = in_both(&set, &written);
        let [(name, own, theirs)] = both.as_slice() else {
            panic!("expected one name, got {both:?}")
        };
        assert_eq!(
            (name.as_str(), own.form(), theirs.form()),
            ("endpoints", "an attribute", "a block")
        );
        assert_eq!((&own.ty, own == theirs), (&theirs.ty, false));
    }

    fn identity(version: i64, attributes: &[(&str, &str)]) -> ResourceIdentitySchema {
        ResourceIdentitySchema {
            version,
            identity_attributes: attributes
                .iter()
                .map(|(name, ty)| IdentityAttribute {
                    name: (*name).to_owned(),
                    r#type: ty.as_bytes().to_vec(),
                    ..IdentityAttribute::default()
                })
                .collect(),
        }
    }

    #[test]
    fn a_list_needs_the_identity_that_it_names() {
        let own = identity(
            0,
            &[("id", r#""string""#), ("ports", r#"["list","number"]"#)],
        );
        let theirs = identity(
            0,
            &[("ports", r#"["list", "number"]"#), ("id", r#""string""#)],
        );
        let other = identity(
            0,
            &[("id", r#""number""#), ("ports", r#"["list","number"]"#)],
        );
        assert!(
            has_identity(Some(&own), Some(&theirs))
                && has_identity(Some(&own), None)
                && has_identity(None, None)
        );
        assert!(!has_identity(None, Some(&theirs)) && !has_identity(Some(&other), Some(&theirs)));
    }

    #[test]
    fn an_identity_in_stored_states_has_to_be_declared() {
        let theirs = identity(1, &[("id", r#""string""#), ("port", r#""number""#)]);
        let other = |version| identity(version, &[("id", r#""string""#)]);
        assert_eq!(
            unread_identity(None, &theirs).as_deref(),
            Some(
                "the resource has none here. Declare `identity = …` with \"id\" as \"string\", \"port\" as \"number\" in version 1, and \
                 register it `with_identified`"
            )
        );
        assert_eq!(
            unread_identity(Some(&other(0)), &theirs).as_deref(),
            Some(
                "it is of version 1, and of 0 here. Give it version 1, or a higher one and an upgrader"
            )
        );
        assert_eq!(
            unread_identity(Some(&other(1)), &theirs).as_deref(),
            Some(
                "in version 1 it has \"id\" as \"string\", \"port\" as \"number\" there and \"id\" as \"string\" here. Give it what it has \
                 there, or a higher version and an upgrader"
            )
        );
        assert_eq!(unread_identity(Some(&theirs), &theirs), None);
        assert_eq!(unread_identity(Some(&other(2)), &theirs), None);
    }

    #[test]
    fn what_the_other_program_does_not_declare_is_found_and_the_rest_is_left_out() {
        let theirs = block(&[
            ("level", Type::String),
            ("module", Type::String),
            ("more", Type::Bool),
        ]);
        let own = block(&[
            ("level", Type::Number),
            ("module", Type::String),
            ("name", Type::String),
        ]);
        let names: Vec<String> = unshared(&own, &theirs)
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        assert_eq!(names, ["level", "name"]);
        assert_eq!(unshared(&theirs, &theirs), Vec::new());
        let sent: Value = [
            ("module".to_owned(), "docks".into()),
            ("more".to_owned(), true.into()),
        ]
        .into_iter()
        .collect();
        let own = block(&[("module", Type::String)]).implied_type();
        let expected: Value = [("module".to_owned(), "docks".into())]
            .into_iter()
            .collect();
        assert_eq!(part(sent, &own), expected);
        assert_eq!(part(Value::Null, &own), Value::Null);
    }
}
