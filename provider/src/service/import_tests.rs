//! Imports that say no more than an id, moves that keep something privately, and what modules tell
//! the provider.

use bytes::Bytes;
use upstate::{Diagnostic, Diagnostics, Object, Resource, UpgradeContext, Value};

use super::tests::{in_msgpack, with_configuration};
use super::*;
use crate::proto::{
    ApplyResourceChangeRequest, ImportResourceStateRequest, MoveResourceStateRequest, RawState,
    ReadResourceRequest, ResourceIdentityData, UpgradeResourceIdentityRequest,
};
use crate::{Context, IdentifiedResource, ManagedResource, Provider};

#[derive(Object)]
struct Config {}

#[derive(Object)]
struct Meta {
    module: Option<String>,
    #[attribute(default = 1)]
    level: Option<i64>,
}

#[derive(Debug, Clone, Resource)]
#[resource(type_name = "test_mooring", version = 0, identity = MooringIdentity)]
#[move_from(type_name = "test_raft", model = Raft, with = from_raft)]
struct Mooring {
    #[attribute(computed)]
    id: String,
    number: i64,
    depth: Option<i64>,
}

#[derive(Debug, Resource)]
#[resource(type_name = "test_mooring_identity", version = 0)]
struct MooringIdentity {
    number: i64,
}

#[derive(Debug, Resource)]
#[resource(type_name = "test_raft", version = 0)]
struct Raft {
    number: i64,
    #[attribute(sensitive)]
    rope_code: Option<String>,
}

fn from_raft(raft: Raft, context: &mut UpgradeContext<'_>) -> Result<Mooring, Diagnostics> {
    if raft.number == 66 {
        return Err(format!(
            "the rope {} is too short",
            raft.rope_code.unwrap_or_default()
        )
        .into());
    }
    let source = Private::read(context.moved().map_or(&[][..], |moved| moved.private()))?;
    let mut target = Private::default();
    if let Some(rope) = source.get("rope") {
        target.set("line", rope);
        context.set_private(target.to_bytes());
    }
    Ok(Mooring {
        id: format!("m-{}", raft.number),
        number: raft.number,
        depth: None,
    })
}

impl ManagedResource for Mooring {
    type Client = ();

    const IMPORT_ID: Option<&'static str> = Some("number");

    async fn create(plan: Self, _: &mut Context<()>) -> Result<Self, Diagnostics> {
        Ok(plan)
    }

    async fn read(state: Self, context: &mut Context<()>) -> Result<Option<Self>, Diagnostics> {
        if let Some(meta) = context.meta::<Meta>()? {
            let level = meta.level.unwrap_or_default();
            context.warn(Diagnostic::warning(
                "Module",
                format!("{} {level}", meta.module.unwrap_or_default()),
            ));
        }
        assert!(context.meta::<MooringIdentity>().is_err() || context.meta::<Meta>()?.is_none());
        Ok(match state.number {
            13 => None,
            // The id stays unset, so the import has to be refused.
            14 => Some(state),
            number => Some(Self {
                id: format!("m-{number}"),
                ..state
            }),
        })
    }

    async fn update(plan: Self, _: Self, _: &mut Context<()>) -> Result<Self, Diagnostics> {
        Ok(plan)
    }

    async fn delete(_: Self, _: &mut Context<()>) -> Result<(), Diagnostics> {
        Ok(())
    }
}

impl IdentifiedResource for Mooring {
    type Identity = MooringIdentity;

    fn identity(&self) -> MooringIdentity {
        assert_ne!(self.number, 99, "panics on purpose");
        MooringIdentity {
            number: self.number,
        }
    }
}

/// A part of its identity can be left out.
#[derive(Debug, Clone, Resource)]
#[resource(type_name = "test_berth", version = 0, identity = BerthIdentity)]
struct Berth {
    number: i64,
    #[attribute(optional, computed)]
    region: String,
}

#[derive(Debug, Resource)]
#[resource(type_name = "test_berth_identity", version = 0)]
struct BerthIdentity {
    number: i64,
    region: Option<String>,
}

impl ManagedResource for Berth {
    type Client = ();

    const IMPORT_ID: Option<&'static str> = Some("number");

    async fn create(plan: Self, _: &mut Context<()>) -> Result<Self, Diagnostics> {
        Ok(plan)
    }

    async fn read(state: Self, _: &mut Context<()>) -> Result<Option<Self>, Diagnostics> {
        Ok(Some(Self {
            region: "north".to_owned(),
            ..state
        }))
    }

    async fn update(plan: Self, _: Self, _: &mut Context<()>) -> Result<Self, Diagnostics> {
        Ok(plan)
    }

    async fn delete(_: Self, _: &mut Context<()>) -> Result<(), Diagnostics> {
        Ok(())
    }
}

impl IdentifiedResource for Berth {
    type Identity = BerthIdentity;

    fn identity(&self) -> BerthIdentity {
        BerthIdentity {
            number: self.number,
            region: Some(self.region.clone()),
        }
    }
}

async fn service() -> Service {
    let provider = Provider::new("example.com/test/test", async |_: Config| Ok(()));
    let provider = provider
        .with_identified::<Mooring>()
        .with_identified::<Berth>()
        .with_meta::<Meta>();
    provider.check().unwrap();
    with_configuration(Service::new(provider.parts)).await
}

fn sent<T: Object>(members: &[(&str, Value)]) -> Option<DynamicValue> {
    let value: Value = members
        .iter()
        .map(|(name, value)| ((*name).to_owned(), value.clone()))
        .collect();
    in_msgpack(&value, Schema::of::<T>())
}

fn mooring(number: i64) -> Option<DynamicValue> {
    sent::<Mooring>(&[
        ("id", format!("m-{number}").into()),
        ("number", number.into()),
        ("depth", Value::Null),
    ])
}

async fn imported(
    id: &str,
    identity: Option<DynamicValue>,
) -> Result<Option<DynamicValue>, (String, String)> {
    let request = ImportResourceStateRequest {
        type_name: "test_mooring".to_owned(),
        id: id.to_owned(),
        identity: identity.map(|data| ResourceIdentityData {
            identity_data: Some(data),
        }),
    };
    let response = service().await.import(request).await;
    match response.diagnostics.into_iter().next() {
        Some(reported) => Err((reported.summary, reported.detail)),
        None => Ok(response
            .imported_resources
            .into_iter()
            .next()
            .unwrap()
            .state),
    }
}

#[tokio::test]
async fn what_is_read_by_its_id_alone_is_imported_by_it() {
    assert_eq!(imported("7", None).await, Ok(mooring(7)));
    assert_eq!(
        imported("", sent::<MooringIdentity>(&[("number", 8.into())])).await,
        Ok(mooring(8))
    );
    let refused = |summary: &str, detail: &str| Err((summary.to_owned(), detail.to_owned()));
    let missing = "There is no test_mooring named \"13\", so nothing was imported. Check its name, and where the provider is configured to look.";
    assert_eq!(
        imported("13", None).await,
        refused("Nothing to Import", missing)
    );
    let word = "The id \"seven\" is not a number, and number is one. Import it by its number.";
    assert_eq!(
        imported("seven", None).await,
        refused("Invalid Import Id", word)
    );
    let forgotten = "id was not set by `read` of the imported resource. Set every field in `read`, or write `import`. \
                     This is a mistake in the provider: report it to the authors.";
    assert_eq!(
        imported("14", None).await,
        refused("Attribute Not Set", forgotten)
    );
}

#[tokio::test]
async fn what_an_import_leaves_out_of_an_identity_is_read() {
    let identity = sent::<BerthIdentity>(&[("number", 7.into()), ("region", Value::Null)]);
    let request = ImportResourceStateRequest {
        type_name: "test_berth".to_owned(),
        identity: Some(ResourceIdentityData {
            identity_data: identity,
        }),
        ..ImportResourceStateRequest::default()
    };
    let response = service().await.import(request).await;
    assert_eq!(response.diagnostics, []);
    let states: Vec<_> = response
        .imported_resources
        .into_iter()
        .map(|imported| imported.state)
        .collect();
    assert_eq!(
        states,
        [sent::<Berth>(&[
            ("number", 7.into()),
            ("region", "north".into())
        ])]
    );
}

#[tokio::test]
async fn an_identity_that_is_not_there_is_left_to_the_next_read() {
    for json in ["", "null", " null\n"] {
        let request = UpgradeResourceIdentityRequest {
            type_name: "test_mooring".to_owned(),
            version: 0,
            raw_identity: Some(RawState {
                json: Bytes::from_static(json.as_bytes()),
                ..RawState::default()
            }),
        };
        let response = service().await.upgrade_identity(request).await;
        assert_eq!(
            (response.upgraded_identity, response.diagnostics),
            (None, Vec::new()),
            "{json:?}"
        );
    }
}

#[tokio::test]
async fn what_was_created_is_kept_though_its_identity_panics() {
    let request = ApplyResourceChangeRequest {
        type_name: "test_mooring".to_owned(),
        planned_state: mooring(99),
        config: mooring(99),
        ..ApplyResourceChangeRequest::default()
    };
    let applied = service().await.apply(request).await;
    assert_eq!(
        (applied.new_state, applied.new_identity),
        (mooring(99), None)
    );
    let [error] = applied.diagnostics.as_slice() else {
        panic!("expected one diagnostic, got {:?}", applied.diagnostics)
    };
    assert_eq!(
        (error.severity, error.summary.as_str()),
        (1, "Unable to Identify Resource")
    );
    assert!(
        error.detail.starts_with("The provider panicked."),
        "{}",
        error.detail
    );
}

#[tokio::test]
async fn a_move_gives_the_state_its_private_data() {
    let moved = async |source_private: &'static [u8]| {
        let request = MoveResourceStateRequest {
            target_type_name: "test_mooring".to_owned(),
            source_type_name: "test_raft".to_owned(),
            source_state: Some(RawState {
                json: Bytes::from_static(br#"{"number": 5, "rope_code": null}"#),
                ..RawState::default()
            }),
            source_private: Bytes::from_static(source_private),
            ..MoveResourceStateRequest::default()
        };
        let response = service().await.move_state(request).await;
        assert_eq!(response.diagnostics, []);
        assert_eq!(response.target_state, mooring(5));
        response.target_private
    };
    assert_eq!(
        moved(br#"{"rope": "bG9uZw==", "schema_version": "1"}"#).await,
        r#"{"line":"bG9uZw=="}"#
    );
    assert_eq!(moved(b"").await, "");
}

#[tokio::test]
async fn a_secret_of_what_is_moved_is_not_shown() {
    let request = MoveResourceStateRequest {
        target_type_name: "test_mooring".to_owned(),
        source_type_name: "test_raft".to_owned(),
        source_state: Some(RawState {
            json: Bytes::from_static(br#"{"number": 66, "rope_code": "hemp-4711"}"#),
            ..RawState::default()
        }),
        ..MoveResourceStateRequest::default()
    };
    let service = service().await;
    let response = service
        .redacted(
            "MoveResourceState",
            &request.clone(),
            service.move_state(request),
        )
        .await;
    assert_eq!(response.target_state, None);
    let [error] = response.diagnostics.as_slice() else {
        panic!("expected one diagnostic, got {:?}", response.diagnostics)
    };
    assert!(
        error
            .detail
            .contains("the rope (sensitive value) is too short"),
        "{}",
        error.detail
    );
}

#[tokio::test]
async fn a_module_configures_the_provider_meta() {
    let read = async |provider_meta: Option<DynamicValue>| {
        let request = ReadResourceRequest {
            type_name: "test_mooring".to_owned(),
            current_state: mooring(7),
            provider_meta,
            ..ReadResourceRequest::default()
        };
        service()
            .await
            .read(request)
            .await
            .diagnostics
            .into_iter()
            .map(|reported| reported.detail)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        read(sent::<Meta>(&[
            ("module", "docks".into()),
            ("level", Value::Null)
        ]))
        .await,
        ["docks 1"]
    );
    assert_eq!(read(Some(value::null())).await, [""; 0]);
    assert_eq!(read(None).await, [""; 0]);
    let schema = service()
        .await
        .schema_v6()
        .provider_meta
        .unwrap()
        .block
        .unwrap();
    assert!(
        schema
            .attributes
            .iter()
            .all(|attribute| attribute.optional && !attribute.computed)
    );
}
