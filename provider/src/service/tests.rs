//! Requests that a host could make and Terraform does not.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context as Task, Poll};

use bytes::Bytes;
use http_body::Frame;
use tonic::{Code, Status};
use upstate::codec::Encoding;
use upstate::{Diagnostics, Object, Resource, Value};

use super::messages::Answer;
use super::*;
use crate::proto::{
    self, ApplyResourceChangeRequest, Diagnostic, DynamicValue, ImportResourceStateRequest,
    MoveResourceStateRequest, PlanResourceChangeRequest, RawState, ReadResourceRequest,
    UpgradeResourceIdentityRequest, UpgradeResourceStateRequest, ValidateResourceConfigRequest,
};
use crate::{Configuration, Context, ManagedResource, Planned, Provider, ResourceConfig};

#[derive(Object)]
struct Config {
    limit: Option<u8>,
}

#[derive(Debug, Clone, Resource)]
#[resource(type_name = "test_buoy", version = 1)]
#[upgrade_from(0, model = BuoyV0)]
struct Buoy {
    #[attribute(computed)]
    id: String,
    depth: u8,
}

#[derive(Resource)]
#[resource(type_name = "test_buoy", version = 0)]
struct BuoyV0 {
    id: String,
}

impl From<BuoyV0> for Buoy {
    fn from(prior: BuoyV0) -> Self {
        Self {
            id: prior.id,
            depth: 7,
        }
    }
}

impl Buoy {
    /// True if anybody can get at it, which is noted.
    fn reached(&self, context: &mut Context<u8>) -> Result<(), Diagnostics> {
        context.private_mut().set("tried", *b"1");
        if self.id == "adrift" {
            Err("nobody can get at it".into())
        } else {
            Ok(())
        }
    }
}

impl ManagedResource for Buoy {
    type Client = u8;

    async fn create(plan: Self, context: &mut Context<u8>) -> Result<Self, Diagnostics> {
        assert_ne!(plan.depth, 13, "an unlucky depth");
        if plan.depth == 14 {
            context.save(&plan);
            return Err("ran aground".into());
        }
        if let Some(config) = context.config::<Self>().filter(|_| plan.depth == 96) {
            assert!(config.get("detph").is_null());
        }
        Ok(Self {
            id: "made".to_owned(),
            depth: plan.depth.min(*context.client()),
        })
    }

    async fn read(state: Self, context: &mut Context<u8>) -> Result<Option<Self>, Diagnostics> {
        state.reached(context)?;
        Ok((state.id != "sunk").then_some(state))
    }

    async fn update(
        plan: Self,
        prior: Self,
        context: &mut Context<u8>,
    ) -> Result<Self, Diagnostics> {
        prior.reached(context)?;
        Ok(plan)
    }

    async fn delete(state: Self, context: &mut Context<u8>) -> Result<(), Diagnostics> {
        state.reached(context)
    }

    async fn modify_plan(plan: &mut Planned<Self>, _: &mut Context<u8>) -> Result<(), Diagnostics> {
        if plan.get("depth") == &Value::from(99) {
            plan.set("detph", Value::Null);
        }
        if plan.get("depth") == &Value::from(98) && !plan.is_known("detph") {
            plan.set_unknown("id");
        }
        Ok(())
    }

    fn validate(config: &ResourceConfig<Self>) -> Result<(), Diagnostics> {
        assert_ne!(config.get("depth"), &Value::from(13), "an unlucky depth");
        assert!(config.get("depth") != &Value::from(97) || config.is_known("detph"));
        Ok(())
    }
}

fn provider() -> Provider<u8> {
    Provider::new("example.com/test/test", async |config: Config| {
        Ok(config.limit.unwrap_or(u8::MAX))
    })
    .with::<Buoy>()
}

fn service() -> Service {
    Service::new(provider().parts)
}

async fn configured() -> Service {
    with_configuration(service()).await
}

/// The service, with the configuration that Terraform sends first.
pub(super) async fn with_configuration(service: Service) -> Service {
    let configured = service
        .configure(proto::ConfigureProviderRequest::default())
        .await;
    assert_eq!(configured.diagnostics, []);
    service
}

/// A value as Terraform sends it.
#[expect(clippy::unnecessary_wraps, reason = "as messages hold it")]
pub(super) fn in_msgpack(value: &Value, schema: &Schema) -> Option<DynamicValue> {
    let msgpack = value
        .encode(&schema.implied_type(), Encoding::Msgpack)
        .unwrap();
    Some(DynamicValue {
        msgpack: msgpack.into(),
        json: Bytes::new(),
    })
}

fn buoy(id: impl Into<Value>, depth: i64) -> Option<DynamicValue> {
    let value: Value = [
        ("id".to_owned(), id.into()),
        ("depth".to_owned(), depth.into()),
    ]
    .into_iter()
    .collect();
    in_msgpack(&value, Buoy::schema())
}

#[expect(clippy::unnecessary_wraps, reason = "as messages hold it")]
fn garbage() -> Option<DynamicValue> {
    Some(DynamicValue {
        msgpack: Bytes::from_static(b"\x82\xa2id"),
        json: Bytes::new(),
    })
}

#[track_caller]
fn only_error(diagnostics: &[Diagnostic], summary: &str, detail: &str) {
    let [diagnostic] = diagnostics else {
        panic!("expected one diagnostic, got {diagnostics:?}")
    };
    assert_eq!(
        (diagnostic.severity, diagnostic.summary.as_str()),
        (1, summary)
    );
    assert!(diagnostic.detail.contains(detail), "{}", diagnostic.detail);
}

async fn upgrade(type_name: &str, version: i64, raw_state: Option<RawState>) -> Vec<Diagnostic> {
    let request = UpgradeResourceStateRequest {
        type_name: type_name.to_owned(),
        version,
        raw_state,
    };
    let response = service().upgrade_state(request).await;
    assert_eq!(response.upgraded_state, None);
    response.diagnostics
}

#[expect(clippy::unnecessary_wraps, reason = "as messages hold it")]
fn json(text: &'static str) -> Option<RawState> {
    Some(RawState {
        json: Bytes::from_static(text.as_bytes()),
        ..RawState::default()
    })
}

#[tokio::test]
async fn an_upgrade_never_answers_with_nothing() {
    only_error(
        &upgrade("test_boat", 0, json("{}")).await,
        "Resource Type Not Found",
        "\"test_boat\"",
    );
    only_error(
        &upgrade("test_buoy", -1, json("{}")).await,
        "Invalid Schema Version",
        "schema version -1, and versions begin at 0",
    );
    only_error(
        &upgrade("test_buoy", 2, json("{}")).await,
        "Resource State Is Newer",
        "schema version 2",
    );
    for raw in [
        None,
        Some(RawState::default()),
        json("null"),
        json("[]"),
        json("{\"id\":"),
        json("{}"),
    ] {
        let reported = upgrade("test_buoy", 0, raw.clone()).await;
        let [diagnostic] = reported.as_slice() else {
            panic!("{raw:?}: {reported:?}")
        };
        assert_eq!(diagnostic.severity, 1, "{raw:?}");
    }
}

#[tokio::test]
async fn an_upgrade_answers_the_whole_state_and_needs_no_configuration() {
    let request = UpgradeResourceStateRequest {
        type_name: "test_buoy".to_owned(),
        version: 0,
        raw_state: json("{\"id\":\"b\"}"),
    };
    let response = service().upgrade_state(request).await;
    assert_eq!(
        (response.upgraded_state, response.diagnostics),
        (buoy("b", 7), Vec::new())
    );
}

#[tokio::test]
async fn what_does_not_fit_the_schema_is_refused_by_every_call_and_changes_nothing() {
    let (service, type_name) = (configured().await, "test_buoy".to_owned());
    let summary = "Unexpected Value From Terraform";
    let request = ReadResourceRequest {
        type_name: type_name.clone(),
        current_state: garbage(),
        ..ReadResourceRequest::default()
    };
    let read = service.read(request).await;
    only_error(
        &read.diagnostics,
        summary,
        "The current state that Terraform sent does not fit the provider's schema:",
    );
    assert_eq!(read.new_state, garbage());
    let request = PlanResourceChangeRequest {
        type_name: type_name.clone(),
        prior_state: buoy("b", 1),
        proposed_new_state: garbage(),
        ..PlanResourceChangeRequest::default()
    };
    let planned = service.plan(request).await;
    only_error(&planned.diagnostics, summary, "The proposed state");
    assert_eq!(planned.planned_state, buoy("b", 1));
    let request = ApplyResourceChangeRequest {
        type_name: type_name.clone(),
        prior_state: buoy("b", 1),
        planned_state: garbage(),
        ..ApplyResourceChangeRequest::default()
    };
    let applied = service.apply(request).await;
    only_error(&applied.diagnostics, summary, "The planned state");
    assert_eq!(applied.new_state, buoy("b", 1));
    let request = ValidateResourceConfigRequest {
        type_name,
        config: garbage(),
        client_capabilities: None,
    };
    only_error(
        &service.validate_resource(request).await.diagnostics,
        summary,
        "The configuration",
    );
}

#[tokio::test]
async fn private_data_of_another_provider_is_refused() {
    let request = ReadResourceRequest {
        type_name: "test_buoy".to_owned(),
        current_state: buoy("b", 1),
        private: Bytes::from_static(b"\x00"),
        ..ReadResourceRequest::default()
    };
    let read = configured().await.read(request).await;
    only_error(
        &read.diagnostics,
        "Unreadable Private State",
        "it is not a JSON object",
    );
    assert_eq!(
        (read.new_state, read.private),
        (buoy("b", 1), Bytes::from_static(b"\x00"))
    );
}

#[tokio::test]
async fn a_resource_is_not_touched_before_the_provider_is_configured() {
    let request = ReadResourceRequest {
        type_name: "test_buoy".to_owned(),
        current_state: buoy("b", 1),
        ..ReadResourceRequest::default()
    };
    only_error(
        &service().read(request).await.diagnostics,
        "Provider Not Configured",
        "",
    );
}

#[tokio::test]
async fn imports_moves_and_identities_that_there_are_not_are_refused() {
    let service = configured().await;
    let request = ImportResourceStateRequest {
        type_name: "test_buoy".to_owned(),
        id: "b".to_owned(),
        identity: None,
    };
    let imported = service.import(request).await;
    only_error(
        &imported.diagnostics,
        "Resource Import Not Implemented",
        "Resources of type test_buoy can't be imported.",
    );
    assert_eq!(imported.imported_resources, []);
    let request = MoveResourceStateRequest {
        target_type_name: "test_buoy".to_owned(),
        source_type_name: "test_boat".to_owned(),
        source_state: json("{}"),
        ..MoveResourceStateRequest::default()
    };
    let moved = service.move_state(request).await;
    only_error(
        &moved.diagnostics,
        "Unable to Move Resource State",
        "it takes no state of other types",
    );
    assert_eq!(moved.target_state, None);
    let request = UpgradeResourceIdentityRequest {
        type_name: "test_buoy".to_owned(),
        version: 0,
        raw_identity: json("{}"),
    };
    let upgraded = service.upgrade_identity(request).await;
    assert_eq!(
        (upgraded.upgraded_identity, upgraded.diagnostics.len()),
        (None, 1)
    );
}

fn create(depth: i64) -> ApplyResourceChangeRequest {
    let (planned_state, config) = (buoy(Value::Unknown, depth), buoy(Value::Null, depth));
    ApplyResourceChangeRequest {
        type_name: "test_buoy".to_owned(),
        planned_state,
        config,
        ..ApplyResourceChangeRequest::default()
    }
}

#[tokio::test]
async fn a_panic_anywhere_in_a_resource_is_a_diagnostic() {
    let service = configured().await;
    let applied = service.apply(create(13)).await;
    only_error(
        &applied.diagnostics,
        "Unable to Create Resource",
        "The provider panicked.",
    );
    assert_eq!(applied.new_state, None);
    let request = ValidateResourceConfigRequest {
        type_name: "test_buoy".to_owned(),
        config: buoy(Value::Null, 13),
        client_capabilities: None,
    };
    only_error(
        &service.validate_resource(request).await.diagnostics,
        "Unable to Validate Configuration",
        "The provider panicked.",
    );
    let applied = service.apply(create(12)).await;
    assert_eq!(
        (applied.new_state, applied.diagnostics),
        (buoy("made", 12), Vec::new())
    );
}

#[tokio::test]
async fn a_saved_plan_has_null_where_nothing_was_known() {
    let applied = configured().await.apply(create(14)).await;
    only_error(
        &applied.diagnostics,
        "Unable to Create Resource",
        "ran aground",
    );
    assert_eq!(applied.new_state, buoy(Value::Null, 14));
}

#[tokio::test]
async fn what_fails_leaves_state_and_private_data_as_they_were() {
    let (service, before) = (
        configured().await,
        Bytes::from_static(b"{\"seen\":\"MQ==\"}"),
    );
    let read = |id: &str| ReadResourceRequest {
        type_name: "test_buoy".to_owned(),
        current_state: buoy(id, 1),
        private: before.clone(),
        ..ReadResourceRequest::default()
    };
    let failed = service.read(read("adrift")).await;
    only_error(
        &failed.diagnostics,
        "Unable to Read Resource",
        "nobody can get at it",
    );
    assert_eq!(
        (failed.new_state, &failed.private),
        (buoy("adrift", 1), &before)
    );
    let there = service.read(read("b")).await;
    assert_eq!(
        (there.new_state, there.diagnostics),
        (buoy("b", 1), Vec::new())
    );
    assert_eq!(there.private, r#"{"seen":"MQ==","tried":"MQ=="}"#);
    let gone = service.read(read("sunk")).await;
    assert_eq!(
        (gone.new_state, gone.diagnostics),
        (Some(value::null()), Vec::new())
    );

    let change = |id: &str, planned_state: Option<DynamicValue>| ApplyResourceChangeRequest {
        type_name: "test_buoy".to_owned(),
        prior_state: buoy(id, 1),
        planned_state,
        planned_private: before.clone(),
        ..ApplyResourceChangeRequest::default()
    };
    for (planned, summary) in [
        (buoy("adrift", 2), "Unable to Update Resource"),
        (None, "Unable to Delete Resource"),
    ] {
        let failed = service.apply(change("adrift", planned)).await;
        only_error(&failed.diagnostics, summary, "nobody can get at it");
        assert_eq!(
            (failed.new_state, &failed.private),
            (buoy("adrift", 1), &before)
        );
    }
    assert_eq!(
        service.apply(change("b", buoy("b", 2))).await.new_state,
        buoy("b", 2)
    );
    assert_eq!(
        service.apply(change("b", None)).await.new_state,
        Some(value::null())
    );
}

#[tokio::test]
async fn a_type_error_has_its_path() {
    let request = ValidateResourceConfigRequest {
        type_name: "test_buoy".to_owned(),
        config: buoy(Value::Null, 300),
        client_capabilities: None,
    };
    let reported = configured()
        .await
        .validate_resource(request)
        .await
        .diagnostics;
    let message = "depth: expected a whole number from 0 to 255, found 300. Change the value in the configuration.";
    only_error(&reported, "Invalid Attribute Value", message);
    assert!(reported[0].attribute.is_some());
    let request = ValidateResourceConfigRequest {
        type_name: "test_mast".to_owned(),
        config: Some(DynamicValue {
            msgpack: Bytes::new(),
            json: Bytes::from_static(br#"{"sail": null, "engine": null, "height": "low", "flags": {"a": null}, "key": null}"#),
        }),
        client_capabilities: None,
    };
    let service = Service::new(provider().with::<Mast>().parts);
    let reported = service.validate_resource(request.clone()).await.diagnostics;
    only_error(
        &reported,
        "Invalid Attribute Value",
        "flags[\"a\"]: it is null, and a value is needed here. Set it.",
    );
    let config = Some(DynamicValue {
        msgpack: Bytes::new(),
        json: Bytes::from_static(
            br#"{"sail": null, "engine": null, "height": "low", "flags": {}, "key": null}"#,
        ),
    });
    let reported = service
        .validate_resource(ValidateResourceConfigRequest { config, ..request })
        .await
        .diagnostics;
    only_error(
        &reported,
        "Invalid Attribute Value",
        "height: the string is not an IPv4 address: \"low\".",
    );
}

#[tokio::test]
async fn a_plan_for_an_attribute_that_there_is_not_is_the_providers_mistake() {
    let request = PlanResourceChangeRequest {
        type_name: "test_buoy".to_owned(),
        proposed_new_state: buoy(Value::Null, 99),
        config: buoy(Value::Null, 99),
        ..PlanResourceChangeRequest::default()
    };
    let planned = configured().await.plan(request).await;
    only_error(&planned.diagnostics, "Unknown Planned Attribute", "detph");
}

#[tokio::test]
async fn asking_for_an_attribute_that_there_is_not_is_the_providers_mistake() {
    let mistake = "The provider asked for detph, and the schema has no such attribute.";
    let service = configured().await;
    let request = PlanResourceChangeRequest {
        type_name: "test_buoy".to_owned(),
        proposed_new_state: buoy(Value::Null, 98),
        config: buoy(Value::Null, 98),
        ..PlanResourceChangeRequest::default()
    };
    let planned = service.plan(request).await;
    only_error(&planned.diagnostics, "Unknown Attribute", mistake);
    let request = ValidateResourceConfigRequest {
        type_name: "test_buoy".to_owned(),
        config: buoy(Value::Null, 97),
        client_capabilities: None,
    };
    let validated = service.validate_resource(request).await;
    only_error(&validated.diagnostics, "Unknown Attribute", mistake);
    // A warning, because an error would have Terraform replace the created sign.
    let applied = service.apply(create(96)).await;
    let [warning] = &applied.diagnostics[..] else {
        panic!("{:?}", applied.diagnostics)
    };
    assert_eq!(
        (warning.severity, warning.summary.as_str()),
        (2, "Unknown Attribute")
    );
    assert_eq!(applied.new_state, buoy("made", 96));
}

#[tokio::test]
async fn a_configuration_has_no_attribute_but_those_of_its_schema() {
    let provider = Provider::configured_by(
        "example.com/test/test",
        async |configuration: Configuration<Config>| {
            assert!(configuration.is_known("limits"));
            Ok(1_u8)
        },
    );
    let configured = Service::new(provider.parts)
        .configure(proto::ConfigureProviderRequest::default())
        .await;
    only_error(
        &configured.diagnostics,
        "Unknown Attribute",
        "The provider asked for limits",
    );
}

/// A request's body that is one message.
struct One(Option<Bytes>);

impl http_body::Body for One {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Task<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.0.take().map(|bytes| Ok(Frame::data(bytes))))
    }
}

async fn status(path: &str, message: &'static [u8]) -> Code {
    let request = Request::post(path)
        .header("content-type", "application/grpc")
        .body(One(Some(Bytes::from_static(message))))
        .unwrap();
    let Ok(response) = service().answer(request).await;
    Status::from_header_map(response.headers()).map_or(Code::Ok, |status| status.code())
}

#[tokio::test]
async fn what_it_does_not_speak_is_unimplemented_and_what_is_no_message_is_refused() {
    const EMPTY: &[u8] = &[0, 0, 0, 0, 0];
    for path in [
        "/tfplugin6.Provider/GetSchema",
        "/tfplugin5.Provider/GetProviderSchema",
        "/tfplugin7.Provider/GetMetadata",
        "/",
        "/x",
    ] {
        assert_eq!(status(path, EMPTY).await, Code::Unimplemented, "{path}");
    }
    for path in [
        "/tfplugin6.Provider/GetMetadata",
        "/tfplugin5.Provider/GetSchema",
        "/grpc.health.v1.Health/Check",
    ] {
        assert_eq!(status(path, EMPTY).await, Code::Ok, "{path}");
    }
    let broken = &[0, 0, 0, 0, 2, 0xff, 0xff];
    assert_ne!(
        status("/tfplugin6.Provider/UpgradeResourceState", broken).await,
        Code::Ok
    );
}

#[test]
fn a_definition_with_a_wrong_schema_is_reported_with_the_schemas() {
    let other = Schema::new(1, upstate::schema::Block::new([]));
    let buoy = upstate::ResourceDefinition::builder("test_buoy", other.clone())
        .unsupported(0..=u64::MAX)
        .build()
        .unwrap();
    let boat = upstate::ResourceDefinition::builder("test_boat", other)
        .unsupported(0..=u64::MAX)
        .build()
        .unwrap();
    let service = Service::new(provider().upgraded_by(buoy).upgraded_by(boat).parts);
    let details: Vec<String> = service
        .schema_v6()
        .diagnostics
        .into_iter()
        .map(|diagnostic| diagnostic.detail)
        .collect();
    assert_eq!(
        details,
        [
            "The definition that upgrades test_boat can't be used: there is no such resource. This is a mistake in the provider: report it to the authors.",
            "The definition that upgrades test_buoy can't be used: its schema is not that of the model. This is a mistake in the provider: report it to the authors.",
        ]
    );
}

#[derive(Debug, Clone, Resource)]
#[resource(type_name = "test_mast", version = 0, conflicts_with(sail, engine))]
struct Mast {
    sail: Option<String>,
    engine: Option<String>,
    #[attribute(as_string)]
    height: Option<std::net::Ipv4Addr>,
    flags: Option<BTreeMap<String, String>>,
    #[attribute(write_only, required)]
    key: Option<String>,
}

#[test]
fn a_write_only_attribute_can_be_required() {
    let attributes = Mast::schema().block().attributes();
    let key = attributes
        .iter()
        .find(|attribute| attribute.name() == "key")
        .unwrap();
    assert_eq!(
        (key.presence(), key.is_write_only()),
        (upstate::schema::Presence::Required, true)
    );
}

echo! { Mast: u8; }

#[derive(Debug, Clone, Resource)]
#[resource(type_name = "test_chest", version = 0)]
struct Chest {
    name: String,
    #[attribute(write_only)]
    pin: Option<String>,
}

echo! { Chest: u8; }

#[tokio::test]
async fn a_stored_write_only_value_ends_also_where_a_stored_null_does_not_fit_the_model() {
    let service = Service::new(provider().with::<Chest>().parts);
    let request = UpgradeResourceStateRequest {
        type_name: "test_chest".to_owned(),
        version: 0,
        raw_state: json(r#"{"name": null, "pin": "4711"}"#),
    };
    let response = service.upgrade_state(request).await;
    let nulls: Value = ["name", "pin"]
        .map(|name| (name.to_owned(), Value::Null))
        .into_iter()
        .collect();
    let expected = in_msgpack(&nulls, Chest::schema());
    assert_eq!(
        (response.upgraded_state, response.diagnostics),
        (expected, Vec::new())
    );
}

#[derive(Debug, Clone, Resource)]
#[resource(type_name = "test_tank", version = 0)]
struct Tank {
    label: Option<String>,
    #[attribute(default = 3, requires_replace_if = shrinks)]
    size: i64,
}

fn shrinks(prior: i64, planned: i64) -> bool {
    planned < prior
}

echo! {
    Tank: u8;

    async fn modify_plan(plan: &mut Planned<Self>, _: &mut Context<u8>) -> Result<(), Diagnostics> {
        if plan.get("label").as_str() != Some("default") {
            plan.set("size", 5);
        }
        if plan.get("label").as_str() == Some("new") {
            plan.require_replace("size");
        }
        Ok(())
    }
}

#[tokio::test]
async fn a_replacement_that_the_authors_plan_makes_needless_is_not_in_the_answer() {
    let service = with_configuration(Service::new(provider().with::<Tank>().parts)).await;
    let tank = |label: &Value, size: Value| {
        let value: Value = [
            ("label".to_owned(), label.clone()),
            ("size".to_owned(), size),
        ]
        .into_iter()
        .collect();
        in_msgpack(&value, Tank::schema())
    };
    for (label, size, replaces) in [("default", 3, true), ("old", 5, false), ("new", 5, true)] {
        let label = Value::from(label);
        let request = PlanResourceChangeRequest {
            type_name: "test_tank".to_owned(),
            prior_state: tank(&Value::Null, 4.into()),
            proposed_new_state: tank(&label, 4.into()),
            config: tank(&label, Value::Null),
            ..PlanResourceChangeRequest::default()
        };
        let planned = service.plan(request).await;
        assert_eq!(
            (planned.diagnostics, planned.planned_state),
            (Vec::new(), tank(&label, size.into()))
        );
        assert_eq!(
            planned.requires_replace.len(),
            usize::from(replaces),
            "{label:?}"
        );
    }
}

#[tokio::test]
async fn a_constraint_that_the_model_declares_is_kept() {
    let service = Service::new(provider().with::<Mast>().parts);
    let validate = async |engine: Value| {
        let value: Value = [
            ("sail".to_owned(), "red".into()),
            ("engine".to_owned(), engine),
            ("height".to_owned(), Value::Null),
            ("flags".to_owned(), Value::Null),
            ("key".to_owned(), Value::Null),
        ]
        .into_iter()
        .collect();
        service
            .validate_resource(ValidateResourceConfigRequest {
                type_name: "test_mast".to_owned(),
                config: in_msgpack(&value, Mast::schema()),
                client_capabilities: None,
            })
            .await
            .diagnostics
    };
    assert_eq!(
        (validate(Value::Null).await, validate(Value::Unknown).await),
        (Vec::new(), Vec::new())
    );
    let reported = validate("diesel".into()).await;
    only_error(
        &reported,
        "Invalid Attribute Combination",
        "At most one of sail, engine can be set; sail and engine are. Remove all but one.",
    );
    assert!(reported[0].attribute.is_some());
}

#[tokio::test]
async fn what_is_not_there_is_not_found_whatever_its_kind() {
    use crate::proto::data_source::{
        OpenEphemeralResourceRequest, OpenedEphemeralResourceRequest, ReadDataSourceRequest,
        ValidateConfigRequest,
    };
    let service = configured().await;
    let type_name = "test_boat".to_owned();
    let validate = || ValidateConfigRequest {
        type_name: type_name.clone(),
        config: None,
    };
    let read = ReadDataSourceRequest {
        type_name: type_name.clone(),
        config: None,
        provider_meta: None,
    };
    let open = OpenEphemeralResourceRequest {
        type_name: type_name.clone(),
        config: None,
    };
    let opened = || OpenedEphemeralResourceRequest {
        type_name: type_name.clone(),
        private: None,
    };
    for diagnostics in [
        service
            .validate_config(validate(), Service::data_source)
            .await
            .diagnostics,
        service.read_data_source(read).await.diagnostics,
    ] {
        only_error(&diagnostics, "Data Source Not Found", "\"test_boat\"");
    }
    for diagnostics in [
        service
            .validate_config(validate(), Service::ephemeral)
            .await
            .diagnostics,
        service.open_ephemeral(open).await.diagnostics,
        service.renew_ephemeral(opened()).await.diagnostics,
        service.close_ephemeral(opened()).await.diagnostics,
    ] {
        only_error(
            &diagnostics,
            "Ephemeral Resource Not Found",
            "\"test_boat\"",
        );
    }
    let request = proto::function::CallFunctionRequest {
        name: "sail".to_owned(),
        arguments: Vec::new(),
    };
    let answer = service
        .redacted(
            "CallFunction",
            &request.clone(),
            service.call_function(request),
        )
        .await;
    let error = answer.error.unwrap();
    assert_eq!(error.text, "The provider has no function named \"sail\"");
}

/// The methods that a row of the table of methods names, with the protocol that has each, and
/// whether the row says that they are served.
fn rows() -> Vec<(Vec<(u8, String)>, bool)> {
    let page = include_str!("../../../tests/tests/provider/methods.md");
    let row = |line: &str| {
        let mut cells = line
            .strip_prefix("| ")
            .filter(|row| row.starts_with('`'))?
            .split('|')
            .map(str::trim);
        let (methods, here) = (cells.next()?, cells.next()?);
        let mut named = Vec::new();
        for (index, part) in methods
            .split('`')
            .enumerate()
            .filter(|(index, _)| index % 2 == 1)
        {
            // A name in parentheses is the older one of the method before it.
            let older = methods
                .split('`')
                .nth(index - 1)
                .is_some_and(|before| before.ends_with('('));
            if older {
                named.retain(|(protocol, _): &(u8, String)| *protocol == 6);
            } else {
                named.push((6, part.to_owned()));
            }
            named.push((5, part.to_owned()));
        }
        (!named.is_empty()).then(|| (named, here.starts_with("served")))
    };
    page.lines().filter_map(row).collect()
}

#[tokio::test]
async fn the_table_of_methods_has_the_served_and_the_unserved() {
    let rows = rows();
    assert_eq!(
        rows.iter()
            .flat_map(|(methods, _)| methods)
            .filter(|(protocol, _)| *protocol == 6)
            .count(),
        36
    );
    for (methods, served) in rows {
        for (protocol, method) in methods {
            let answer = status(
                &format!("/tfplugin{protocol}.Provider/{method}"),
                &[0, 0, 0, 0, 0],
            )
            .await;
            assert_eq!(
                answer != Code::Unimplemented,
                served,
                "{method} of protocol {protocol}: {answer:?}"
            );
        }
    }
}

/// The methods that have an arm in a file, each of which answers on the path that redacts.
fn on_the_path(source: &str) -> Vec<String> {
    let mut methods = Vec::new();
    let (source, _) = source.split_once("\nmod tests {").unwrap_or((source, ""));
    assert!(source.contains("=> {\n                self.rpc(protocol, request, $answer).await\n"));
    for arm in source.split("\n            (\"").skip(1) {
        let (named, answered) = arm.split_once("=>").unwrap();
        // Those of other services are left out, because no author answers them.
        if named.starts_with('/') {
            continue;
        }
        let answered = answered.trim_start().trim_start_matches('{').trim_start();
        let redacts = ["rpc!(", "self.rpc_stream(protocol, request, "];
        assert!(
            redacts.iter().any(|path| answered.starts_with(path)),
            "(\"{named} => {answered}"
        );
        methods.extend(
            format!("\"{named}")
                .split('"')
                .skip(1)
                .step_by(2)
                .map(str::to_owned),
        );
    }
    methods
}

#[test]
fn each_method_that_is_served_takes_the_path_that_redacts() {
    let (own, both) = (
        on_the_path(include_str!("mod.rs")),
        on_the_path(include_str!("beside.rs")),
    );
    for (protocol, method) in rows()
        .into_iter()
        .filter(|(_, served)| *served)
        .flat_map(|(methods, _)| methods)
    {
        assert!(
            own.contains(&method),
            "{method} of protocol {protocol} has no arm"
        );
    }
    assert!(
        both.iter().all(|method| own.contains(method)) && both.len() >= 10,
        "{both:?}"
    );
}

#[test]
fn a_secret_is_redacted_in_each_string_of_an_answer() {
    use crate::proto::action::{Completed, InvokeActionEvent, Progress, Stage};
    use crate::proto::function::{CallFunctionResponse, FunctionError};
    use crate::proto::list_resource::ListResourceEvent;

    fn redacted<A: Answer>(mut answer: A) -> A {
        let mut secrets = Secrets::default();
        let pin = upstate::schema::Attribute::new(
            "pin",
            Type::String,
            upstate::schema::Presence::Optional,
        )
        .sensitive();
        let state = Value::from_untyped_json(br#"{"pin": "sesame."}"#).unwrap();
        secrets.add(&upstate::schema::Block::new([pin]), &state);
        secrets.redact(answer.texts());
        answer.finish();
        answer
    }

    let (text, hidden) = ("open sesame.".to_owned(), "open (sensitive value)");
    let diagnostics = || {
        vec![Diagnostic {
            severity: 1,
            summary: text.clone(),
            detail: text.clone(),
            attribute: None,
        }]
    };
    let check = |found: &[Diagnostic]| {
        assert!(
            found
                .iter()
                .all(|it| it.summary == hidden && it.detail == hidden)
                && found.len() == 1,
            "{found:?}"
        );
    };
    check(
        &redacted(proto::PlanResourceChangeResponse {
            diagnostics: diagnostics(),
            ..Default::default()
        })
        .diagnostics,
    );
    check(
        &redacted(ListResourceEvent {
            diagnostics: diagnostics(),
            ..Default::default()
        })
        .diagnostics,
    );
    let completed = Some(Stage::Completed(Completed {
        diagnostics: diagnostics(),
    }));
    check(redacted(InvokeActionEvent { r#type: completed }).diagnostics());
    let progress = InvokeActionEvent {
        r#type: Some(Stage::Progress(Progress {
            message: text.clone(),
        })),
    };
    let expected = Some(Stage::Progress(Progress {
        message: hidden.to_owned(),
    }));
    assert_eq!(redacted(progress).r#type, expected);
    let error = Some(FunctionError {
        text: text.clone(),
        function_argument: None,
    });
    assert_eq!(
        redacted(CallFunctionResponse {
            result: None,
            error
        })
        .error
        .unwrap()
        .text,
        hidden
    );
}

#[test]
fn the_secrets_of_a_configuration_are_known_while_it_is_checked() {
    #[derive(Resource)]
    #[resource(stateless)]
    struct Access {
        #[attribute(sensitive)]
        token: Option<String>,
    }

    let provider = Provider::new("example.com/test/test", async |_: Access| Ok(()));
    let service = Service::new(provider.parts);
    let value: Value = [("token".to_owned(), "open-sesame".into())]
        .into_iter()
        .collect();
    let msgpack = value
        .encode(&Access::schema().implied_type(), Encoding::Msgpack)
        .unwrap()
        .into();
    let request = proto::ValidateProviderConfigRequest {
        config: Some(DynamicValue {
            msgpack,
            json: Bytes::new(),
        }),
    };
    // No request of this method has several answers, but their receiver has the secrets that the
    // log is kept free of, too.
    let (to, _answers) =
        tokio::sync::mpsc::channel::<Result<proto::ValidateProviderConfigResponse, Status>>(1);
    let secrets = service
        .events("ValidateProviderConfig", &request, to)
        .secrets;
    assert_eq!(
        secrets.blotted("the token open-sesame").as_deref(),
        Some("the token (sensitive value)")
    );
}

#[test]
fn the_configuration_of_a_provider_has_constraints_where_it_derives_resource() {
    #[derive(Resource)]
    #[resource(stateless, exactly_one_of(token, token_file), required_with(proxy.host, proxy.user))]
    struct Access {
        token: Option<String>,
        token_file: Option<String>,
        proxy: Option<Proxy>,
    }

    #[derive(Object)]
    struct Proxy {
        #[attribute(pattern = "^[a-z]+$")]
        host: Option<String>,
        user: Option<String>,
    }

    let provider = Provider::new("example.com/test/test", async |_: Access| Ok(()));
    provider.check().unwrap();
    let ty = Access::schema().implied_type();
    let check = |json: &str| {
        let config = Value::from_json(
            json.as_bytes(),
            &ty,
            upstate::codec::UnknownAttributes::Deny,
        )
        .unwrap();
        let found = (provider.parts.configure.check)(&config, &ty);
        found
            .iter()
            .map(|it| it.detail().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(check(r#"{"token": "t"}"#), [""; 0]);
    assert_eq!(
        check(r#"{"proxy": {"host": "A"}}"#),
        [
            "Exactly one of token, token_file must be set; none is. Set one.",
            "If one of host, user is set, all must be; host is set and user is not. Set all, or none.",
            "proxy.host must match the regular expression ^[a-z]+$.",
        ]
    );
}

#[test]
fn a_default_of_the_providers_configuration_is_nothing_that_the_user_wrote() {
    #[derive(Resource)]
    #[resource(stateless, conflicts_with(token, profile))]
    struct Access {
        token: Option<String>,
        #[attribute(default = "main")]
        profile: Option<String>,
    }

    let provider = Provider::new("example.com/test/test", async |_: Access| Ok(()));
    let provider = provider.validated_by(|config: &ResourceConfig<Access>| {
        let profile = config.model().and_then(|access| access.profile);
        Err(format!(
            "The profile is {profile:?}, and {:?} is written.",
            config.get("profile").as_str()
        )
        .into())
    });
    provider.check().unwrap();
    let ty = Access::schema().implied_type();
    let check = |json: &str| {
        let config = Value::from_json(
            json.as_bytes(),
            &ty,
            upstate::codec::UnknownAttributes::Deny,
        )
        .unwrap();
        let found = (provider.parts.configure.check)(&config, &ty);
        found
            .iter()
            .map(|it| it.detail().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        check(r#"{"token": "t"}"#),
        [r#"The profile is Some("main"), and None is written."#]
    );
    assert_eq!(
        check(r#"{"token": "t", "profile": "p"}"#),
        ["At most one of token, profile can be set; token and profile are. Remove all but one."]
    );
}
