//! The two flows of the reference, for definitions made while the program runs.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use upstate::schema::{Attribute, Block, NestedBlock, Nesting, Presence, Schema, Type};
use upstate::upgrade::{ClosureUpgrader, DefinitionBuilder, UpgradedState};
use upstate::{
    Diagnostic, Diagnostics, RawState, Registry, Resource, ResourceDefinition, UpgradeContext,
    UpgradeRequest, UpgradeResponse, Value,
};

fn schema(version: u64, attributes: &[(&'static str, &str)]) -> Schema {
    let attribute = |(name, ty): &(&'static str, &str)| {
        Attribute::new(*name, Type::parse(ty).unwrap(), Presence::Optional)
    };
    Schema::new(version, Block::new(attributes.iter().map(attribute)))
}

fn rename(
    from: &'static str,
    to: &'static str,
) -> impl Fn(Value, &mut UpgradeContext<'_>) -> Result<Value, Diagnostics> {
    move |mut value, _| {
        let members = value.as_map_mut().ok_or("not an object")?;
        if let Some(moved) = members.remove(from) {
            members.insert(to.to_owned(), moved);
        }
        Ok(value)
    }
}

fn ask(builder: DefinitionBuilder, version: u64, raw: RawState<'_>) -> UpgradeResponse {
    let mut registry = Registry::new();
    registry.insert(builder.build().unwrap());
    registry.upgrade(&UpgradeRequest::new("thing", version, Some(raw)))
}

fn json(text: &str) -> RawState<'_> {
    RawState::Json(text.as_bytes())
}

fn flat(entries: &[(&str, &str)]) -> BTreeMap<String, String> {
    entries
        .iter()
        .map(|(key, text)| ((*key).to_owned(), (*text).to_owned()))
        .collect()
}

fn state(response: &UpgradeResponse) -> String {
    let state = response
        .state()
        .unwrap_or_else(|| panic!("{}", response.diagnostics()));
    String::from_utf8(state.to_vec()).unwrap()
}

fn refused(response: &UpgradeResponse) -> String {
    assert!(response.state().is_none() && response.diagnostics().has_errors());
    response.diagnostics().to_string()
}

fn dropped(response: &UpgradeResponse) -> Vec<String> {
    response
        .undefined()
        .iter()
        .map(ToString::to_string)
        .collect()
}

const NAME: &[(&str, &str)] = &[("name", r#""string""#)];

fn framework(upgrader: ClosureUpgrader) -> DefinitionBuilder {
    ResourceDefinition::builder("thing", schema(1, NAME)).upgrader(upgrader)
}

#[test]
fn an_upgrader_sees_the_decoded_state_and_what_is_stored() {
    let upgrader = ClosureUpgrader::new(0, |prior: Value, context| {
        assert_eq!(prior.as_map().unwrap().keys().collect::<Vec<_>>(), ["name"]);
        let stored = Value::from_untyped_json(context.raw_state().json().unwrap())
            .map_err(|error| error.to_string())?;
        let more = stored.as_map().unwrap()["more"]
            .as_str()
            .unwrap()
            .to_owned();
        Ok::<_, Diagnostics>(Value::from_iter([("name".to_owned(), more.into())]))
    });
    let response = ask(
        framework(upgrader.prior_schema(&schema(0, NAME))),
        0,
        json(r#"{"name":"a","more":"b"}"#),
    );
    assert_eq!(
        (state(&response), dropped(&response)),
        (r#"{"name":"b"}"#.to_owned(), vec!["more".to_owned()])
    );
}

#[test]
fn nothing_stored_reaches_only_who_reads_what_is_stored() {
    let upgrader = || {
        ClosureUpgrader::new(0, |prior: Value, context| {
            assert!(prior.is_null() && matches!(context.raw_state(), RawState::Empty));
            Ok::<_, Diagnostics>(Value::from_iter([]))
        })
    };
    assert_eq!(
        state(&ask(framework(upgrader()), 0, RawState::Empty)),
        r#"{"name":null}"#
    );
    let typed = upgrader().prior_schema(&schema(0, NAME));
    assert!(
        refused(&ask(framework(typed), 0, RawState::Empty)).contains("neither JSON nor a flat map")
    );
    assert!(
        refused(&ask(framework(upgrader()), 1, RawState::Empty))
            .contains("neither JSON nor a flat map")
    );
    // A null is not nothing, and no object either.
    let typed = ClosureUpgrader::new(0, rename("a", "b")).prior_schema(&schema(0, NAME));
    assert!(refused(&ask(framework(typed), 0, json("null"))).contains("it is null, not an object"));
    assert!(
        refused(&ask(framework(upgrader()), 1, json("null"))).contains("it is null, not an object")
    );
}

#[test]
fn documents_as_answers_are_read_strictly() {
    let answer = |state: UpgradedState| {
        framework(ClosureUpgrader::new(0, move |_, _| {
            Ok::<_, Diagnostics>(state.clone())
        }))
    };
    let document = |text: &str| UpgradedState::Json(text.as_bytes().to_vec());
    assert_eq!(
        state(&ask(answer(document(r#"{"name":7}"#)), 0, json("{}"))),
        r#"{"name":"7"}"#
    );
    assert_eq!(
        state(&ask(
            answer(UpgradedState::Msgpack(b"\x81\xa4name\xa1m".to_vec())),
            0,
            json("{}")
        )),
        r#"{"name":"m"}"#
    );
    for (made, text) in [
        (
            document(r#"{"name":"a","more":1}"#),
            "unsupported attribute \"more\" (at more)",
        ),
        (
            document(r#"{"name":[]}"#),
            "expected a string, found an array (at name)",
        ),
        (
            document("null"),
            "The upgrader returned null in place of an object.",
        ),
        (document("{"), "not valid JSON"),
        (
            UpgradedState::Msgpack(b"\xc0".to_vec()),
            "The upgrader returned null in place of an object.",
        ),
        (
            UpgradedState::Msgpack(b"\x81\xa4name\xd4\x00\x00".to_vec()),
            "an unknown value, which cannot be stored (at name)",
        ),
    ] {
        let text_of = refused(&ask(answer(made), 0, json("{}")));
        assert!(text_of.contains(text), "{text_of}");
    }
}

#[test]
fn the_resource_is_configured_before_any_look_at_its_upgrades() {
    let configured = Arc::new(AtomicUsize::new(0));
    let builder = || {
        let count = Arc::clone(&configured);
        framework(ClosureUpgrader::new(0, rename("a", "name"))).configure(move |context| {
            count.fetch_add(1, Ordering::Relaxed);
            context.warn(Diagnostic::warning("Slow Service", ""));
            if context.raw_state().json() == Some(b"[]") {
                Err("no service")
            } else {
                Ok(())
            }
        })
    };
    let response = ask(builder(), 0, json(r#"{"a":"x"}"#));
    assert_eq!(
        (state(&response).as_str(), response.diagnostics().len()),
        (r#"{"name":"x"}"#, 1)
    );
    assert!(refused(&ask(builder(), 0, json("[]"))).contains("no service"));
    // Its refusal comes first, and its warnings stay; current state needs no configuration.
    let newer = refused(&ask(builder(), 2, json("{}")));
    assert!(
        newer.starts_with("warning: Slow Service") && newer.contains("Resource State Is Newer"),
        "{newer}"
    );
    assert_eq!(configured.load(Ordering::Relaxed), 3);
    assert!(ask(builder(), 1, json("{}")).diagnostics().is_empty());
    assert_eq!(configured.load(Ordering::Relaxed), 3);
}

/// Versions 1 and 2 have upgraders, 3 is current.
fn sdk() -> DefinitionBuilder {
    let rows = NestedBlock::new(
        "row",
        Nesting::List,
        Block::new([Attribute::new("n", Type::Number, Presence::Optional)]),
    );
    let secret = Attribute::new("secret", Type::String, Presence::Optional).write_only();
    let seed = Attribute::new("seed", Type::Number, Presence::Optional);
    let current = Schema::new(3, Block::new([seed, secret]).with_blocks([rows]));
    ResourceDefinition::builder("thing", current)
        .sdk()
        .upgrader(
            ClosureUpgrader::new(1, rename("grain", "pip"))
                .prior_schema(&schema(1, &[("grain", r#""number""#)])),
        )
        .upgrader(
            ClosureUpgrader::new(2, rename("pip", "seed"))
                .prior_type(schema(2, &[("pip", r#""number""#)]).implied_type()),
        )
}

#[test]
fn a_chain_of_the_sdk_works_without_types_and_ends_with_them() {
    let stored = r#"{"id":"a","grain":"9007199254740993","secret":"s","row":[{"n":"1","gone":{}}],"old":[1]}"#;
    let response = ask(sdk(), 1, json(stored));
    assert_eq!(
        state(&response),
        r#"{"id":"a","row":[{"n":1}],"secret":null,"seed":9007199254740993}"#
    );
    assert_eq!(dropped(&response), ["old", "row[0].gone"]);
    assert_eq!(
        state(&ask(sdk(), 2, json(r#"{"pip":1.50}"#))),
        r#"{"id":null,"row":[],"secret":null,"seed":1.5}"#
    );
    let current = ask(sdk(), 3, json(r#"{"id":7,"seed":null,"old":{}}"#));
    assert_eq!(
        state(&current),
        r#"{"id":"7","row":[],"secret":null,"seed":null}"#
    );
    assert_eq!(dropped(&current), ["old"]);
    let wrong = refused(&ask(sdk(), 1, json(r#"{"row":[{"n":[]}]}"#)));
    assert!(
        wrong.contains("(at row[0].n)") && wrong.contains("expected a number, found an array"),
        "{wrong}"
    );
    assert!(
        refused(&ask(sdk(), 0, json(r#"{"corn":1}"#)))
            .contains("has no upgrade to version 3; there are upgraders from version 1, 2")
    );
    assert!(refused(&ask(sdk(), 4, json("{}"))).contains("Resource State Is Newer"));
    let definition = sdk().build().unwrap();
    assert_eq!(
        (definition.route(1), definition.route(0)),
        (vec![1, 2, 3], vec![])
    );
}

#[test]
fn nothing_stored_never_enters_the_chain_of_the_sdk() {
    let (untyped, empty) = (
        || {
            framework(ClosureUpgrader::new(0, |_, _| {
                Ok::<_, Diagnostics>(Value::from_iter([]))
            }))
            .sdk()
        },
        flat(&[]),
    );
    for raw in [RawState::Empty, json(""), RawState::Flatmap(&empty)] {
        for (builder, version) in [
            (untyped(), 0),
            (untyped(), 1),
            (sdk(), 1),
            (sdk(), 2),
            (sdk(), 3),
        ] {
            let told = refused(&ask(builder, version, raw));
            assert!(
                told.contains("the request holds neither JSON nor a flat map"),
                "version {version}: {told}"
            );
        }
    }
    // A request of no keys is none for `MigrateState` either.
    let migrating =
        sdk().migrate_state(|_, _, _| -> Result<BTreeMap<String, String>, Diagnostics> {
            panic!("there is nothing to migrate")
        });
    assert!(
        refused(&ask(migrating, 0, RawState::Flatmap(&empty)))
            .contains("has no upgrade to version 3")
    );
}

#[test]
fn json_of_no_bytes_and_a_flat_map_of_no_keys_are_nothing() {
    let empty = flat(&[]);
    for raw in [RawState::Empty, json(""), RawState::Flatmap(&empty)] {
        let upgrader = ClosureUpgrader::new(0, |prior: Value, context| {
            assert!(prior.is_null() && matches!(context.raw_state(), RawState::Empty));
            Ok::<_, Diagnostics>(Value::from_iter([]))
        });
        assert_eq!(state(&ask(framework(upgrader), 0, raw)), r#"{"name":null}"#);
        for version in [0, 1] {
            let told = refused(
                &Registry::new().with::<Flat>().upgrade(&UpgradeRequest::new(
                    "example_flat",
                    version,
                    Some(raw),
                )),
            );
            assert!(
                told.contains("the request holds neither JSON nor a flat map"),
                "{told}"
            );
        }
    }
}

#[test]
fn flat_state_is_read_by_the_prior_schema_of_its_version() {
    let upgrader = || ClosureUpgrader::new(0, rename("size", "name"));
    let map = flat(&[("size", "5"), ("zone", "z")]);
    let typed = upgrader().prior_schema(&schema(0, &[("size", r#""string""#)]));
    let response = ask(framework(typed), 0, RawState::Flatmap(&map));
    assert_eq!(
        (state(&response), dropped(&response)),
        (r#"{"name":"5"}"#.to_owned(), vec!["zone".to_owned()])
    );
    let wrong = upgrader().prior_schema(&schema(0, &[("zone", r#""number""#)]));
    assert!(
        refused(&ask(framework(wrong), 0, RawState::Flatmap(&map)))
            .contains("Unable to Read Previously Saved State")
    );
    // What was not known when it was stored does not get into the answer.
    let unknown = flat(&[("size", "74D93920-ED26-11E3-AC10-0800200C9A66")]);
    let typed = upgrader().prior_schema(&schema(0, &[("size", r#""string""#)]));
    assert!(
        refused(&ask(framework(typed), 0, RawState::Flatmap(&unknown))).contains("unknown value")
    );
}

#[test]
fn an_upgrader_for_the_current_version_is_refused_when_it_is_defined() {
    for from in [1, 2] {
        let upgrader = ClosureUpgrader::new(from, |value: Value, _| Ok::<_, Diagnostics>(value));
        for builder in [framework(upgrader.clone()), framework(upgrader).sdk()] {
            let refused = builder.build().unwrap_err().to_string();
            assert!(
                refused.contains(&format!(
                    "the upgrade from version {from} never runs: the current version is 1"
                )),
                "{refused}"
            );
        }
    }
}

#[test]
fn flat_state_is_taken_up_where_its_chain_begins() {
    for (version, key) in [(1, "grain"), (2, "pip"), (3, "seed")] {
        let map = flat(&[("id", "a"), (key, "5"), ("old.#", "0")]);
        let response = ask(sdk(), version, RawState::Flatmap(&map));
        assert_eq!(
            state(&response),
            r#"{"id":"a","row":[],"secret":null,"seed":5}"#,
            "version {version}"
        );
        assert_eq!(
            (dropped(&response), response.diagnostics().is_empty()),
            (vec!["old".to_owned()], true)
        );
    }
    // Older than the chain, and nothing brings it there: read as it would be there, but not in
    // silence.
    let map = flat(&[("id", "a"), ("grain", "5"), ("corn", "6")]);
    let response = ask(sdk(), 0, RawState::Flatmap(&map));
    assert_eq!(
        state(&response),
        r#"{"id":"a","row":[],"secret":null,"seed":5}"#
    );
    assert!(
        response
            .diagnostics()
            .to_string()
            .contains("That version does not define corn, which is dropped.")
    );
    let unknown = flat(&[("grain", "74D93920-ED26-11E3-AC10-0800200C9A66")]);
    assert!(
        refused(&ask(sdk(), 1, RawState::Flatmap(&unknown)))
            .contains("a value is not known (at grain)")
    );
    assert!(
        refused(&ask(sdk().oldest(1), 0, RawState::Flatmap(&map)))
            .contains("Resource State Is Too Old")
    );
}

#[test]
fn flat_state_older_than_its_chain_can_be_migrated() {
    let called = Arc::new(AtomicUsize::new(0));
    let migrating = || {
        let count = Arc::clone(&called);
        sdk().migrate_state(
            move |version,
                  mut state: BTreeMap<String, String>,
                  context: &mut UpgradeContext<'_>| {
                count.fetch_add(1, Ordering::Relaxed);
                assert_eq!((version, context.stored_version()), (0, 0));
                let corn = state.remove("corn").ok_or("no corn")?;
                Ok::<_, Diagnostics>(BTreeMap::from([("grain".to_owned(), corn)]))
            },
        )
    };
    let map = flat(&[("id", "a"), ("corn", "6")]);
    let response = ask(migrating(), 0, RawState::Flatmap(&map));
    // The id survives a migration that forgets it.
    assert_eq!(
        state(&response),
        r#"{"id":"a","row":[],"secret":null,"seed":6}"#
    );
    assert!(response.diagnostics().is_empty());
    assert!(
        refused(&ask(
            migrating(),
            0,
            RawState::Flatmap(&flat(&[("id", "a")]))
        ))
        .contains("no corn")
    );
    assert_eq!(called.load(Ordering::Relaxed), 2);
    // It is asked for nothing else: not at its chain's beginning, nor for JSON.
    assert!(
        ask(migrating(), 1, RawState::Flatmap(&flat(&[("grain", "1")])))
            .state()
            .is_some()
    );
    assert!(
        refused(&ask(migrating(), 0, json(r#"{"corn":1}"#)))
            .contains("has no upgrade to version 3")
    );
    assert_eq!(called.load(Ordering::Relaxed), 2);
    // Without upgraders it leads to the current version.
    let alone = ResourceDefinition::builder("thing", schema(2, NAME)).migrate_state(
        |_, mut state: BTreeMap<String, String>, _| {
            let old = state.remove("old").unwrap_or_default();
            state.insert("name".to_owned(), old);
            Ok::<_, Diagnostics>(state)
        },
    );
    assert_eq!(
        state(&ask(alone, 0, RawState::Flatmap(&flat(&[("old", "x")])))),
        r#"{"id":null,"name":"x"}"#
    );
}

#[test]
fn the_chain_of_the_sdk_is_checked_whole() {
    let same = |from| ClosureUpgrader::new(from, |value: Value, _| Ok::<_, Diagnostics>(value));
    let problems = |versions: &[u64], current| {
        let builder = ResourceDefinition::builder("thing", schema(current, NAME)).sdk();
        let builder = versions
            .iter()
            .fold(builder, |builder, from| builder.upgrader(same(*from)));
        builder.build().err().map(|errors| {
            errors
                .iter()
                .map(|one| one.detail().to_owned())
                .collect::<Vec<_>>()
                .join(" ")
        })
    };
    assert_eq!(problems(&[2, 3], 4), None);
    assert_eq!(problems(&[3, 2], 4), None, "their order does not matter");
    assert_eq!(problems(&[], 4), None);
    for (versions, text) in [
        (
            &[0, 2, 3][..],
            "the upgrade from version 0 ends at version 1, from which no upgrade goes on",
        ),
        (
            &[2],
            "the upgrade from version 2 ends at version 3, from which no upgrade goes on",
        ),
        (&[3, 3], "there are two upgrades from version 3"),
        (
            &[3, 4],
            "the upgrade from version 4 never runs: the current version is 4",
        ),
    ] {
        let got = problems(versions, 4).unwrap();
        assert!(got.contains(text), "{got}");
    }
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_flat", version = 1)]
#[upgrade_from(0, model = FlatV0)]
struct Flat {
    name: Option<String>,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_flat", version = 0)]
struct FlatV0 {
    name: Option<String>,
}

impl From<FlatV0> for Flat {
    fn from(prior: FlatV0) -> Self {
        Self { name: prior.name }
    }
}

#[test]
fn models_name_what_flat_state_has_more() {
    let map = flat(&[
        ("name", "a"),
        ("tags.%", "1"),
        ("tags.x", "y"),
        ("zone", "z"),
    ]);
    let response = Registry::new()
        .with::<Flat>()
        .upgrade(&UpgradeRequest::flatmap("example_flat", 0, &map));
    assert_eq!(
        (state(&response).as_str(), dropped(&response)),
        (
            r#"{"name":"a"}"#,
            vec!["tags".to_owned(), "zone".to_owned()]
        )
    );
}

#[derive(Debug, upstate::Object)]
struct FlatDisk {
    size: Option<i64>,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_flat_lists", version = 1)]
#[upgrade_from(0 => 1, carry)]
struct FlatLists {
    ports: Vec<i64>,
    disks: Vec<FlatDisk>,
    #[attribute(sensitive)]
    keys: Option<BTreeMap<String, String>>,
    zone: Option<Vec<String>>,
}

#[test]
fn models_name_what_flat_state_has_more_than_its_counts_say() {
    let map = flat(&[
        ("disks.#", "1"),
        ("disks.0.kind", "ssd"),
        ("disks.0.size", "8"),
        ("keys.hidden", "x"),
        ("ports.#", "1"),
        ("ports.0", "80"),
        ("ports.1", "443"),
        ("zone", "a"),
    ]);
    let response = Registry::new()
        .with::<FlatLists>()
        .upgrade(&UpgradeRequest::flatmap("example_flat_lists", 0, &map));
    assert_eq!(
        state(&response),
        r#"{"disks":[{"size":8}],"keys":null,"ports":[80],"zone":null}"#
    );
    assert_eq!(
        dropped(&response),
        ["disks.0.kind", "keys", "ports.1", "zone"]
    );
}
