//! State of other types, and identities.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use upstate::codec::Encoding;
use upstate::schema::{Attribute, Block, Presence, Schema, Type};
use upstate::upgrade::{
    CancellationToken, ClosureMover, ClosureUpgrader, MoveRequest, UpgradedState,
};
use upstate::{
    Diagnostic, Diagnostics, RawState, Registry, Resource, ResourceDefinition, UpgradeContext,
    UpgradeRequest, UpgradeResponse, Value,
};

/// What berths have become.
#[derive(Debug, PartialEq, Resource)]
#[resource(type_name = "harbour_slip", version = 2, identity = SlipIdentity)]
#[upgrade_from(1, model = SlipV1, set(depth = null))]
#[move_from(type_name = "harbour_berth", provider = "acme/harbour", model = BerthV3, with = from_berth)]
#[move_from(type_name = "harbour_pier", model = PierV0, rename(pier => slip), set(depth = 1), when = has("pier"))]
#[move_from(type_name = "harbour_buoy", model = BuoyV0, with = from_buoy, async)]
#[resource(oldest = 1)]
struct Slip {
    depth: Option<i64>,
    slip: String,
}

#[derive(Debug, Resource)]
#[resource(type_name = "harbour_slip", version = 1, prior)]
struct SlipV1 {
    slip: String,
}

/// The last shape of berths, and how to get there.
#[derive(Debug, Resource)]
#[resource(type_name = "harbour_berth", version = 3, oldest = 2)]
#[upgrade_from(2, model = BerthV2)]
struct BerthV3 {
    berth: String,
    metres: i64,
}

#[derive(Debug, Resource)]
#[resource(type_name = "harbour_berth", version = 2, prior)]
struct BerthV2 {
    berth: String,
    #[attribute(sensitive)]
    code: Option<String>,
    fathoms: i64,
}

#[derive(Debug, Resource)]
#[resource(type_name = "harbour_pier", version = 0)]
struct PierV0 {
    pier: String,
}

#[derive(Debug, Resource)]
#[resource(type_name = "harbour_buoy", version = 0)]
struct BuoyV0 {
    buoy: String,
}

#[derive(Debug, PartialEq, Resource)]
#[resource(version = 2)]
#[upgrade_from(0, raw = identity_from_nothing)]
#[upgrade_from(1, model = SlipIdentityV1, rename(number => no))]
struct SlipIdentity {
    no: String,
}

#[derive(Debug, Resource)]
#[resource(version = 1, prior)]
struct SlipIdentityV1 {
    number: String,
}

impl From<BerthV2> for BerthV3 {
    fn from(prior: BerthV2) -> Self {
        assert!(prior.code.is_none(), "the code is {:?}", prior.code);
        Self {
            berth: prior.berth,
            metres: prior.fathoms * 2,
        }
    }
}

fn from_berth(prior: BerthV3, context: &mut UpgradeContext<'_>) -> Result<Slip, Diagnostics> {
    let moved = context.moved().ok_or("not a move")?;
    assert_eq!(
        (moved.source_type_name(), moved.type_name()),
        ("harbour_berth", "harbour_slip")
    );
    let private = String::from_utf8_lossy(moved.private()).into_owned();
    if !private.is_empty() {
        context.set_identity_model(&SlipIdentity { no: private })?;
    }
    Ok(Slip {
        slip: prior.berth,
        depth: Some(prior.metres),
    })
}

async fn from_buoy(prior: BuoyV0, _: &mut UpgradeContext<'_>) -> Result<Slip, String> {
    std::future::ready(()).await;
    Ok(Slip {
        slip: prior.buoy,
        depth: None,
    })
}

fn identity_from_nothing(
    raw: RawState<'_>,
    _: &mut UpgradeContext<'_>,
) -> Result<SlipIdentity, String> {
    match raw {
        RawState::Empty => Ok(SlipIdentity {
            no: "none".to_owned(),
        }),
        stored => Err(format!(
            "version 0 never stored an identity, but found {stored:?}"
        )),
    }
}

fn registry() -> Registry {
    Registry::new().with::<Slip>()
}

fn moved(from: &str, version: u64, json: &str) -> UpgradeResponse {
    let source = UpgradeRequest::json(from, version, json.as_bytes());
    registry().move_state(
        &MoveRequest::new("harbour_slip", source)
            .from_provider("registry.terraform.io/acme/harbour"),
    )
}

fn state(response: &UpgradeResponse) -> String {
    let state = response
        .state()
        .unwrap_or_else(|| panic!("{}", response.diagnostics()));
    String::from_utf8(state.to_vec()).unwrap()
}

fn refused(response: &UpgradeResponse) -> String {
    assert!(
        response.state().is_none()
            && response.identity().is_none()
            && response.diagnostics().has_errors()
    );
    response.diagnostics().to_string()
}

#[test]
fn the_source_is_first_upgraded_to_the_model_that_the_move_names() {
    assert_eq!(
        state(&moved("harbour_berth", 3, r#"{"berth":"b","metres":7}"#)),
        r#"{"depth":7,"slip":"b"}"#
    );
    assert_eq!(
        state(&moved("harbour_berth", 2, r#"{"berth":"b","fathoms":7}"#)),
        r#"{"depth":14,"slip":"b"}"#
    );
    assert_eq!(
        state(&moved("harbour_pier", 0, r#"{"pier":"p"}"#)),
        r#"{"depth":1,"slip":"p"}"#
    );
    let sources: Vec<String> = Slip::DEFINITION
        .moves()
        .iter()
        .map(ToString::to_string)
        .collect();
    let expected = [
        "harbour_berth of provider acme/harbour",
        "harbour_pier if it has `pier`",
        "harbour_buoy",
    ];
    assert_eq!(sources, expected);
    assert!(Slip::DEFINITION.takes_moves() && !BerthV3::DEFINITION.takes_moves());
}

#[test]
fn a_move_may_give_the_state_its_identity() {
    let source = UpgradeRequest::json("harbour_berth", 3, br#"{"berth":"b","metres":7}"#);
    let request = MoveRequest::new("harbour_slip", source).from_provider("acme/harbour");
    assert_eq!(registry().move_state(&request).identity(), None);
    assert_eq!(
        registry()
            .move_state(&request.with_private(b"17"))
            .identity(),
        Some(br#"{"no":"17"}"#.as_slice())
    );
    let source = source.with_encoding(Encoding::Msgpack);
    let request = MoveRequest::new("harbour_slip", source)
        .from_provider("acme/harbour")
        .with_private(b"17");
    assert_eq!(
        registry().move_state(&request).identity(),
        Some(b"\x81\xa2no\xa217".as_slice())
    );
}

#[test]
fn what_is_not_taken_says_what_is() {
    let about = "Move from harbour_berth to harbour_slip, stored at schema version";
    for (from, version, json, text) in [
        (
            "harbour_berth",
            4,
            "{}",
            format!(
                "error: Unable to Move Resource State\n\
                 harbour_slip takes state of harbour_berth, but none that was stored at schema version 4: `BerthV3` describes version 3, \
                 and has no upgrade from there. Use a release that knows that version.\n\n{about} 4, current version 2."
            ),
        ),
        (
            "harbour_berth",
            1,
            r#"{"id":"x"}"#,
            format!(
                "error: Unable to Move Resource State\n\
                 harbour_slip takes state of harbour_berth, but none that was stored at schema version 1: `BerthV3` describes version 3, \
                 and has no upgrade from there. Upgrade it first with a release that still supports that version.\n\n\
                 {about} 1, current version 2, id \"x\"."
            ),
        ),
        (
            "harbour_pier",
            0,
            "{}",
            "error: Unable to Move Resource State\n\
             harbour_slip does not take state of harbour_pier, schema version 0, from provider registry.terraform.io/acme/harbour: \
             it takes state of harbour_berth of provider acme/harbour; harbour_pier if it has `pier`; harbour_buoy. \
             Remove the `moved` block, or use a release that has this move.\n\n\
             Move from harbour_pier to harbour_slip, stored at schema version 0, current version 2."
                .to_owned(),
        ),
        (
            "harbour_berth",
            3,
            r#"{"berth":[],"metres":7}"#,
            format!(
                "error: Unable to Read Previously Saved State (at berth)\n\
                 The stored state does not fit schema version 3: expected a string, found an array (at berth).\n\n\
                 {about} 3, current version 2."
            ),
        ),
    ] {
        assert_eq!(refused(&moved(from, version, json)), text);
    }
    let source = UpgradeRequest::json("harbour_berth", 3, br#"{"berth":"b","metres":7}"#);
    for request in [
        MoveRequest::new("harbour_slip", source),
        MoveRequest::new("harbour_slip", source).from_provider("other/harbour"),
    ] {
        assert!(
            refused(&registry().move_state(&request))
                .contains("does not take state of harbour_berth")
        );
    }
    assert!(
        refused(&registry().move_state(&MoveRequest::new("harbour_none", source)))
            .contains("Resource Type Not Found")
    );
    let absent = MoveRequest::new(
        "harbour_slip",
        UpgradeRequest::new("harbour_berth", 3, None),
    );
    assert!(
        refused(&registry().move_state(&absent)).contains("error: Missing Source Resource State")
    );
    let none = Registry::new()
        .with::<BerthV3>()
        .move_state(&MoveRequest::new("harbour_berth", source));
    assert!(
        refused(&none)
            .contains("from a provider that was not named: it takes no state of other types.")
    );
}

#[test]
fn secrets_of_the_source_stay_secret() {
    let text = refused(&moved(
        "harbour_berth",
        2,
        r#"{"berth":"b","code":"hunter2","fathoms":7}"#,
    ));
    assert!(
        text.contains("Upgrade Panicked") && !text.contains("hunter2"),
        "{text}"
    );
}

#[test]
fn a_move_can_await_and_be_cancelled() {
    let source = UpgradeRequest::json("harbour_buoy", 0, br#"{"buoy":"o"}"#);
    let request = MoveRequest::new("harbour_slip", source);
    assert!(refused(&registry().move_state(&request)).contains("is asynchronous"));
    let registry = registry();
    assert_eq!(
        state(&ready(registry.move_state_async(&request))),
        r#"{"depth":null,"slip":"o"}"#
    );
    let cancellation = CancellationToken::new();
    cancellation.cancel();
    let request = MoveRequest::new("harbour_slip", source.with_cancellation(&cancellation));
    assert!(refused(&ready(registry.move_state_async(&request))).contains("Upgrade Cancelled"));
    let now = UpgradeRequest::json("harbour_pier", 0, br#"{"pier":"p"}"#);
    assert_eq!(
        state(&ready(
            registry.move_state_async(&MoveRequest::new("harbour_slip", now))
        )),
        r#"{"depth":1,"slip":"p"}"#
    );
}

/// The answer of a future that has nothing to wait for.
fn ready<T>(future: impl Future<Output = T> + Send) -> T {
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match std::pin::pin!(future).poll(&mut context) {
        std::task::Poll::Ready(done) => done,
        std::task::Poll::Pending => panic!("it waits"),
    }
}

fn identity(version: u64, raw: Option<RawState<'_>>) -> UpgradeResponse {
    let registry = registry();
    let request = UpgradeRequest::new("harbour_slip", version, raw);
    let response = registry.upgrade_identity(&request);
    assert_eq!(ready(registry.upgrade_identity_async(&request)), response);
    response
}

#[test]
fn identities_have_versions_of_their_own() {
    let json = |json: &'static str| Some(RawState::Json(json.as_bytes()));
    assert_eq!(
        state(&identity(1, json(r#"{"number":17}"#))),
        r#"{"no":"17"}"#
    );
    // Introduced after the state was stored: there is nothing.
    assert_eq!(
        state(&identity(0, Some(RawState::Empty))),
        r#"{"no":"none"}"#
    );
    for (response, text) in [
        (
            identity(2, json(r#"{"no":"17"}"#)),
            "error: Unexpected Identity Upgrade Request\n\
             The stored identity is of the current version already, so there is nothing to upgrade. This is a bug in the calling program, not in the identity.\n\n\
             Resource type harbour_slip, identity, stored at schema version 2, current version 2.",
        ),
        (
            identity(3, json("{}")),
            "error: Resource Identity Is Newer\n\
             A later release stored this identity of harbour_slip, at schema version 3; this release reads versions up to 2. \
             Use the release that stored it, or a later one.\n\n\
             Resource type harbour_slip, identity, stored at schema version 3, current version 2.",
        ),
        (
            identity(1, Some(RawState::Empty)),
            "error: Unable to Read Previously Saved Identity\n\
             There is no stored identity: the request holds neither JSON nor a flat map. That is so for objects stored before the type \
             had an identity. For authors: an upgrader of stored bytes (`raw`) can make one from nothing.\n\n\
             Resource type harbour_slip, identity, stored at schema version 1, current version 2.",
        ),
        (
            identity(0, json(r#"{"number":"17"}"#)),
            "error: Unable to Upgrade Resource Identity\n\
             The upgrade from schema version 0 refused this identity: version 0 never stored an identity, but found Json(15 bytes).\n\n\
             Resource type harbour_slip, identity, stored at schema version 0, current version 2.",
        ),
        (
            identity(1, json(r#"{"number":[]}"#)),
            "error: Unable to Read Previously Saved Identity (at number)\n\
             The stored identity does not fit schema version 1: expected a string, found an array (at number).\n\n\
             Resource type harbour_slip, identity, stored at schema version 1, current version 2.",
        ),
        (
            identity(1, None),
            "error: Unable to Read Previously Saved Identity\n\
             The request holds no identity at all, so there is nothing to upgrade. This is a bug in the calling program, not in the identity.\n\n\
             Resource type harbour_slip, identity, stored at schema version 1, current version 2.",
        ),
    ] {
        assert_eq!(refused(&response), text);
    }
    let response = Registry::new()
        .with::<BerthV3>()
        .upgrade_identity(&UpgradeRequest::json("harbour_berth", 0, b"{}"));
    assert_eq!(
        refused(&response),
        "error: Unable to Create Empty Identity\n\
         harbour_berth has no identity in this release, so a stored one can't be upgraded. Use the release that stored it, or a later one."
    );
}

fn schema(version: u64, names: &[&str]) -> Schema {
    Schema::new(
        version,
        Block::new(
            names
                .iter()
                .map(|name| Attribute::new(*name, Type::String, Presence::Optional)),
        ),
    )
}

fn one(name: &str, text: &str) -> Value {
    Value::from_iter([(name.to_owned(), Value::from(text))])
}

#[test]
fn movers_made_at_run_time_are_tried_in_order() {
    let tried = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&tried);
    let source = ResourceDefinition::builder("old", schema(1, &["name"]))
        .unsupported(0..=u64::MAX)
        .upgrader(ClosureUpgrader::new(0, |value: Value, context| {
            context.warn(Diagnostic::warning("Renamed", ""));
            let text = value
                .as_map()
                .and_then(|members| members.get("label")?.as_str())
                .unwrap_or_default()
                .to_owned();
            Ok::<_, Diagnostics>(one("name", &text))
        }))
        .build()
        .unwrap();
    let definition = ResourceDefinition::builder("new", schema(0, &["title"]))
        .mover(ClosureMover::new(|_, _| Err::<Option<Value>, _>("not mine")).from_type("other"))
        .mover(ClosureMover::new(move |source, context| {
            count.fetch_add(1, Ordering::Relaxed);
            assert!(source.is_none());
            context.warn(Diagnostic::warning("Skipped", ""));
            Ok::<_, Diagnostics>(None::<Value>)
        }))
        .mover(
            ClosureMover::new(|source, _| {
                let name = source
                    .as_ref()
                    .and_then(|source| source.as_map()?.get("name")?.as_str());
                Ok::<_, Diagnostics>(name.map(|name| one("title", name)))
            })
            .from_type("old")
            .source_definition(source),
        )
        .mover(
            ClosureMover::new(|_, _| {
                Ok::<_, Diagnostics>(Some(UpgradedState::Json(
                    br#"{"title":"j","x":1}"#.to_vec(),
                )))
            })
            .from_type("json"),
        )
        .mover(
            ClosureMover::new(|_, _| -> Result<Option<Value>, Diagnostics> { panic!("no") })
                .from_type("panics"),
        )
        .build()
        .unwrap();
    let mut registry = Registry::new();
    registry.insert(definition);
    let ask = |from: &str, version, json: &str| {
        registry.move_state(&MoveRequest::new(
            "new",
            UpgradeRequest::json(from, version, json.as_bytes()),
        ))
    };
    let response = ask("old", 0, r#"{"label":"a"}"#);
    assert_eq!(state(&response), r#"{"title":"a"}"#);
    // Only what the deciding mover said is reported, the upgrade of its source included.
    let told: Vec<&str> = response
        .diagnostics()
        .iter()
        .map(Diagnostic::summary)
        .collect();
    assert_eq!((told, tried.load(Ordering::Relaxed)), (vec!["Renamed"], 1));
    let response = ask("old", 1, r#"{"name":"b","odd":1}"#);
    assert_eq!(state(&response), r#"{"title":"b"}"#);
    let undefined: Vec<String> = response
        .undefined()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(undefined, ["odd"]);
    assert!(refused(&ask("old", 2, "{}")).contains("Resource State Is Newer"));
    assert!(
        refused(&ask("json", 0, "{}")).contains("unsupported attribute \"x\" (at x)"),
        "{}",
        ask("json", 0, "{}").diagnostics()
    );
    assert!(refused(&ask("panics", 0, "{}")).contains("Upgrade Panicked"));
    let none = refused(&ask("none", 0, "{}"));
    assert!(
        none.starts_with("warning: Skipped")
            && none.contains("error: Unable to Move Resource State"),
        "{none}"
    );
}
