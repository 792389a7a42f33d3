//! Flat state of Terraform 0.11 and models: `migrate_state`, and functions of stored bytes that
//! answer state.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use upstate::upgrade::{CancellationToken, MoveRequest, UpgradedState};
use upstate::{
    Diagnostic, Diagnostics, Object, RawState, Registry, Resource, UpgradeContext, UpgradeRequest,
    UpgradeResponse, Value,
};
use upstate_state::{InstanceStatus, StateFile};

type Flat = BTreeMap<String, String>;

fn flat(entries: &[(&str, &str)]) -> Flat {
    entries
        .iter()
        .map(|(key, text)| ((*key).to_owned(), (*text).to_owned()))
        .collect()
}

fn state(response: &UpgradeResponse) -> &str {
    let state = response
        .state()
        .unwrap_or_else(|| panic!("{}", response.diagnostics()));
    std::str::from_utf8(state).unwrap()
}

fn refused(response: &UpgradeResponse) -> String {
    assert!(response.state().is_none() && response.diagnostics().has_errors());
    response.diagnostics().to_string()
}

/// A mill as version 3 stores it. JSON state is upgraded from version 2 on; what is older is flat.
#[derive(Debug, Resource)]
#[resource(type_name = "example_mill", version = 3, oldest = 2, migrate_state = migrate)]
#[upgrade_from(2 => 3, rename(grain => seed))]
struct Mill {
    id: Option<String>,
    seed: i64,
    #[attribute(sensitive)]
    secret: Option<String>,
}

/// Version 0 called it corn, version 1 counted sacks of 50.
fn migrate(
    version: u64,
    mut state: Flat,
    context: &mut UpgradeContext<'_>,
) -> Result<Flat, Diagnostic> {
    assert_eq!(context.stored_version(), version);
    assert_eq!(context.raw_state().flatmap(), Some(&state));
    if let Some(calls) = context.client::<Arc<AtomicUsize>>() {
        calls.fetch_add(1, Ordering::Relaxed);
    }
    if version == 0 {
        let corn = state
            .remove("corn")
            .ok_or_else(|| Diagnostic::error("No Corn", "It is not there."))?;
        state.insert("grain".to_owned(), corn);
    } else {
        let sacks: i64 = state
            .remove("sacks")
            .and_then(|sacks| sacks.parse().ok())
            .unwrap_or_default();
        state = flat(&[("grain", &(sacks * 50).to_string())]);
        context.warn(Diagnostic::warning("Sacks Weighed", "They hold 50 each."));
    }
    Ok(state)
}

fn ask(version: u64, map: &Flat) -> UpgradeResponse {
    Registry::new()
        .with::<Mill>()
        .upgrade(&UpgradeRequest::flatmap("example_mill", version, map))
}

#[test]
fn flat_state_older_than_the_first_upgrader_is_migrated() {
    let response = ask(0, &flat(&[("id", "m"), ("corn", "5")]));
    assert_eq!(state(&response), r#"{"id":"m","secret":null,"seed":5}"#);
    assert!(response.diagnostics().is_empty());
    // The id survives a migration that forgets it, and warnings arrive.
    let response = ask(1, &flat(&[("id", "m"), ("sacks", "2")]));
    assert_eq!(state(&response), r#"{"id":"m","secret":null,"seed":100}"#);
    assert!(response.diagnostics().to_string().contains("Sacks Weighed"));
}

#[test]
fn nothing_else_is_migrated() {
    let calls = Arc::new(AtomicUsize::new(0));
    let registry = Registry::new()
        .with::<Mill>()
        .with_client(Arc::clone(&calls));
    for version in [2, 3] {
        let map = flat(&[("grain", "1"), ("seed", "1")]);
        let response = registry.upgrade(&UpgradeRequest::flatmap("example_mill", version, &map));
        assert_eq!(state(&response), r#"{"id":null,"secret":null,"seed":1}"#);
    }
    for version in [0, 1] {
        let response = registry.upgrade(&UpgradeRequest::json(
            "example_mill",
            version,
            br#"{"corn":1,"sacks":1}"#,
        ));
        assert!(refused(&response).contains("Resource State Is Too Old"));
    }
    let newer = registry.upgrade(&UpgradeRequest::flatmap(
        "example_mill",
        4,
        &flat(&[("seed", "1")]),
    ));
    assert!(refused(&newer).contains("Resource State Is Newer"));
    assert_eq!(calls.load(Ordering::Relaxed), 0);
    let definition = registry.get("example_mill").unwrap();
    assert_eq!(
        (0..5)
            .map(|version| definition.reaches_flat(version))
            .collect::<Vec<_>>(),
        [true, true, true, true, false]
    );
    assert_eq!(
        (0..5)
            .map(|version| definition.reaches(version))
            .collect::<Vec<_>>(),
        [false, false, true, true, false]
    );
}

#[test]
fn what_is_wrong_says_that_the_state_was_migrated() {
    let text = refused(&ask(0, &flat(&[("id", "m")])));
    assert!(
        text.contains("No Corn") && !text.contains("`migrate_state`"),
        "{text}"
    );
    let text = refused(&ask(
        0,
        &flat(&[("corn", "hunter2"), ("secret", "hunter3")]),
    ));
    assert!(
        text.contains("at schema version 0, and `migrate_state` brought it to version 2"),
        "{text}"
    );
    assert!(!text.contains("hunter"), "{text}");
}

/// Without upgraders, the function migrates flat state to the current version.
#[derive(Debug, Resource)]
#[resource(type_name = "example_rake", version = 1, oldest = 1, migrate_state = panics)]
struct Rake {
    name: Option<String>,
}

fn panics(_: u64, state: Flat, _: &mut UpgradeContext<'_>) -> Result<Flat, Diagnostics> {
    assert!(state.contains_key("name"), "there is no name");
    Ok(state)
}

#[test]
fn a_migration_can_be_stopped_and_may_panic() {
    let registry = Registry::new().with::<Mill>();
    let map = flat(&[("corn", "5")]);
    let stopped = CancellationToken::new();
    stopped.cancel();
    let response = registry
        .upgrade(&UpgradeRequest::flatmap("example_mill", 0, &map).with_cancellation(&stopped));
    assert!(refused(&response).contains("ancel"));

    let registry = Registry::new().with::<Rake>();
    let response = registry.upgrade(&UpgradeRequest::flatmap(
        "example_rake",
        0,
        &flat(&[("name", "r")]),
    ));
    assert_eq!(state(&response), r#"{"name":"r"}"#);
    assert!(
        refused(&registry.upgrade(&UpgradeRequest::flatmap("example_rake", 0, &map)))
            .contains("panic")
    );
}

/// A mill on the way to which a function awaits, and another type that takes its state.
#[derive(Debug, Resource)]
#[resource(type_name = "example_watermill", version = 3, oldest = 2, migrate_state = migrate)]
#[upgrade_from(2, model = WatermillV2, with = look_up, async)]
struct Watermill {
    id: Option<String>,
    river: String,
    seed: i64,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_watermill", version = 2, prior)]
struct WatermillV2 {
    id: Option<String>,
    grain: i64,
}

async fn look_up(prior: WatermillV2, _: &mut UpgradeContext<'_>) -> Result<Watermill, Diagnostics> {
    tokio::task::yield_now().await;
    Ok(Watermill {
        id: prior.id,
        river: "Spree".to_owned(),
        seed: prior.grain,
    })
}

#[tokio::test]
async fn migrated_state_takes_upgraders_that_await() {
    let registry = Registry::new().with::<Watermill>();
    let map = flat(&[("id", "m"), ("corn", "5")]);
    let response = registry
        .upgrade_async(&UpgradeRequest::flatmap("example_watermill", 0, &map))
        .await;
    assert_eq!(state(&response), r#"{"id":"m","river":"Spree","seed":5}"#);
    let map = flat(&[("corn", "five")]);
    let text = refused(
        &registry
            .upgrade_async(&UpgradeRequest::flatmap("example_watermill", 0, &map))
            .await,
    );
    assert!(
        text.contains("`migrate_state` brought it to version 2"),
        "{text}"
    );
    let json = registry
        .upgrade_async(&UpgradeRequest::json("example_watermill", 0, b"{}"))
        .await;
    assert!(refused(&json).contains("Resource State Is Too Old"));
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_windmill", version = 0)]
#[move_from(type_name = "example_mill", model = Mill, carry)]
struct Windmill {
    id: Option<String>,
    seed: i64,
    #[attribute(sensitive)]
    secret: Option<String>,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_handmill", version = 0)]
#[move_from(type_name = "example_mill", model = Mill)]
struct Handmill {
    seed: i64,
}

impl From<Mill> for Handmill {
    fn from(mill: Mill) -> Self {
        Self { seed: mill.seed }
    }
}

#[test]
fn flat_state_is_migrated_before_it_is_moved() {
    let registry = Registry::new().with::<Windmill>().with::<Handmill>();
    let map = flat(&[("id", "m"), ("corn", "5")]);
    let moved = |to, version| {
        registry.move_state(&MoveRequest::new(
            to,
            UpgradeRequest::flatmap("example_mill", version, &map),
        ))
    };
    assert_eq!(
        state(&moved("example_windmill", 0)),
        r#"{"id":"m","secret":null,"seed":5}"#
    );
    assert_eq!(state(&moved("example_handmill", 0)), r#"{"seed":5}"#);
    assert!(
        refused(&moved("example_handmill", 4)).contains("none that was stored at schema version 4")
    );
    let json = UpgradeRequest::json("example_mill", 0, b"{}");
    let response = registry.move_state(&MoveRequest::new("example_handmill", json));
    assert!(refused(&response).contains("none that was stored at schema version 0"));
}

#[test]
fn flat_state_in_a_file_is_migrated() {
    let registry = Registry::new().with::<Mill>();
    let file = |instance: &str, serial: &str| {
        format!(
            r#"{{"version":4,"serial":{serial},"resources":[{{"mode":"managed","type":"example_mill","name":"a","provider":"provider.example","instances":[{instance}]}}]}}"#
        )
    };
    let before = file(
        r#"{"schema_version":0,"attributes_flat":{"id":"m","corn":"5"}}"#,
        "1",
    );
    let parsed = StateFile::parse(before.as_bytes()).unwrap();
    let statuses: Vec<_> = parsed
        .stored_types()
        .iter()
        .map(|stored| stored.status(&registry))
        .collect();
    assert_eq!(statuses, [InstanceStatus::NeedsUpgrade]);
    let upgraded = parsed.upgrade(&registry).unwrap().to_bytes().unwrap();
    let after = file(
        r#"{"schema_version":3,"attributes": {"id":"m","secret":null,"seed":5}}"#,
        "2",
    );
    assert_eq!(String::from_utf8(upgraded).unwrap(), after);
    let before = file(
        r#"{"schema_version":0,"attributes":{"id":"m","corn":5}}"#,
        "1",
    );
    let parsed = StateFile::parse(before.as_bytes()).unwrap();
    let statuses: Vec<_> = parsed
        .stored_types()
        .iter()
        .map(|stored| stored.status(&registry))
        .collect();
    assert_eq!(statuses, [InstanceStatus::CannotUpgrade]);
}

/// A sieve, whose function for stored bytes answers what the state says.
#[derive(Debug, Resource)]
#[resource(type_name = "example_sieve", version = 2)]
#[upgrade_from(0, raw = answer)]
#[upgrade_from(1, raw = answer_later, async)]
struct Sieve {
    holes: u16,
    made: Option<String>,
    tags: Option<Vec<String>>,
    #[attribute(write_only)]
    secret: Option<String>,
}

fn answer(raw: RawState<'_>, _: &mut UpgradeContext<'_>) -> Result<UpgradedState, Diagnostics> {
    let json = raw.json().ok_or("it is flat")?;
    Ok(match json.first() {
        Some(b'[') => UpgradedState::Value(Value::Map(BTreeMap::from([(
            "holes".to_owned(),
            Value::from(7),
        )]))),
        Some(b'"') => UpgradedState::Msgpack(vec![0xc0]),
        _ => UpgradedState::Json(json.to_vec()),
    })
}

async fn answer_later(
    raw: RawState<'_>,
    context: &mut UpgradeContext<'_>,
) -> Result<UpgradedState, Diagnostics> {
    tokio::task::yield_now().await;
    answer(raw, context)
}

#[tokio::test]
async fn a_function_of_stored_bytes_may_answer_the_state() {
    let registry = Registry::new().with::<Sieve>();
    let now =
        |json: &str| registry.upgrade(&UpgradeRequest::json("example_sieve", 0, json.as_bytes()));
    let whole = r#"{"holes":12,"made":"2026","secret":null,"tags":["a"]}"#;
    assert_eq!(state(&now(whole)), whole);
    // What is missing is null, and what is write-only is too.
    assert_eq!(
        state(&now(r#"{"holes":12,"secret":"hunter2"}"#)),
        r#"{"holes":12,"made":null,"secret":null,"tags":null}"#
    );
    assert_eq!(
        state(&now("[]")),
        r#"{"holes":7,"made":null,"secret":null,"tags":null}"#
    );
    for (answered, text) in [
        (r#"{"holes":12,"hole":1}"#, "hole"),
        (r#"{"holes":"many"}"#, "does not fit schema version 2"),
        (r#"{"holes":70000}"#, "does not fit schema version 2"),
        (r#"{"holes":null}"#, "does not fit schema version 2"),
        ("null", "returned null in place of an object"),
        (r#""x""#, "returned null in place of an object"),
        ("{", "does not fit schema version 2"),
    ] {
        let found = refused(&now(answered));
        assert!(found.contains(text), "{answered}: {found}");
        let json = answered.as_bytes();
        let later = registry
            .upgrade_async(&UpgradeRequest::json("example_sieve", 1, json))
            .await;
        assert!(refused(&later).contains(text), "{answered}");
    }
    let later = registry
        .upgrade_async(&UpgradeRequest::json("example_sieve", 1, whole.as_bytes()))
        .await;
    assert_eq!(state(&later), whole);
}

#[derive(Debug, Object)]
struct Limits {
    size: String,
    note: Option<String>,
}

#[derive(Debug, Object)]
struct Slot {
    name: String,
    limits: Option<Limits>,
}

/// Objects that may be missing, directly, in each other and in blocks.
#[derive(Debug, Resource)]
#[resource(type_name = "example_berth", version = 1)]
#[upgrade_from(0 => 1, rename(title => name))]
struct Berth {
    name: String,
    limits: Option<Limits>,
    outer: Option<Slot>,
    #[block]
    slots: Vec<Slot>,
    #[block]
    place: Option<Limits>,
    needed: Slot,
}

#[test]
fn an_object_of_which_nothing_is_stored_is_null() {
    let registry = Registry::new().with::<Berth>();
    for (version, name) in [(0, "title"), (1, "name")] {
        let stored = [
            (name, "n"),
            ("slots.#", "2"),
            ("slots.0.name", "a"),
            ("slots.1.name", "b"),
            ("slots.1.limits.size", "s"),
            ("needed.name", "c"),
        ];
        let response = registry.upgrade(&UpgradeRequest::flatmap(
            "example_berth",
            version,
            &flat(&stored),
        ));
        let json = format!(
            r#"{{"{name}": "n", "slots": [{{"name": "a"}}, {{"name": "b", "limits": {{"size": "s"}}}}], "needed": {{"name": "c"}}}}"#
        );
        let expected = concat!(
            r#"{"limits":null,"name":"n","needed":{"limits":null,"name":"c"},"outer":null,"place":null,"#,
            r#""slots":[{"limits":null,"name":"a"},{"limits":{"note":null,"size":"s"},"name":"b"}]}"#
        );
        assert_eq!(state(&response), expected);
        assert_eq!(
            state(&registry.upgrade(&UpgradeRequest::json(
                "example_berth",
                version,
                json.as_bytes()
            ))),
            expected
        );
    }
    // One of which something is stored has to have what it needs.
    let stored = [("name", "n"), ("needed.name", "c"), ("limits.note", "x")];
    let text =
        refused(&registry.upgrade(&UpgradeRequest::flatmap("example_berth", 1, &flat(&stored))));
    assert!(text.contains("limits.size"), "{text}");
    // What must not be null is not made null.
    let text = refused(&registry.upgrade(&UpgradeRequest::flatmap(
        "example_berth",
        1,
        &flat(&[("name", "n")]),
    )));
    assert!(text.contains("needed.name"), "{text}");
}
