//! Whatever is stored and however it is asked for, no sensitive value appears in what the engine
//! says.

use std::collections::BTreeMap;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use upstate::schema::{Attribute, Block, NestedBlock, Nesting, Presence, Schema, Type};
use upstate::upgrade::{ClosureMover, ClosureUpgrader, MoveRequest};
use upstate::{
    Diagnostics, Object, RawState, Registry, Resource, ResourceDefinition, UpgradeContext,
    UpgradeRequest, UpgradeResponse, Value,
};

const SECRET: &str = "hunter2-7316";

#[derive(Debug, Clone, PartialEq, Object)]
struct Key {
    label: Option<String>,
    #[attribute(sensitive)]
    pin: Option<i64>,
}

/// Versions 0 and 1 share a shape and come here by a function that panics, 2 by operators, 3 by an
/// asynchronous function.
#[derive(Debug, PartialEq, Resource)]
#[resource(type_name = "example_vault", version = 4, identity = VaultIdentity)]
#[upgrade_from(0..=1, model = VaultV1, with = checked, when = lacks("odd"))]
#[upgrade_from(0..=1, unsupported = "open it by hand.", when = has("odd"))]
#[upgrade_from(2, model = VaultV2, rename(secret => code), convert(size, empty = null))]
#[upgrade_from(3, model = VaultV3, with = looked_up, async)]
#[move_from(type_name = "example_safe", model = VaultV2, rename(secret => code), convert(size, empty = null))]
struct Vault {
    #[attribute(sensitive)]
    code: Option<String>,
    id: Option<String>,
    #[block]
    keys: Vec<Key>,
    #[attribute(sensitive)]
    map: Option<BTreeMap<String, f64>>,
    size: Option<i64>,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_vault", version = 1, prior)]
struct VaultV1 {
    #[attribute(sensitive)]
    code: Option<i64>,
    id: Option<String>,
    #[block]
    keys: Vec<Key>,
    #[attribute(sensitive)]
    map: Option<BTreeMap<String, f64>>,
    size: Option<i64>,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_vault", version = 2, prior)]
struct VaultV2 {
    id: Option<String>,
    #[block]
    keys: Vec<Key>,
    #[attribute(sensitive)]
    map: Option<BTreeMap<String, f64>>,
    #[attribute(sensitive)]
    secret: Option<String>,
    size: Option<String>,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_vault", version = 3, prior)]
struct VaultV3 {
    #[attribute(sensitive)]
    code: Option<String>,
    #[attribute(sensitive)]
    id: Option<String>,
}

/// Its one attribute is a secret, and wanted as a number in the next version.
#[derive(Debug, PartialEq, Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = VaultIdentityV0, convert(code, empty = null))]
struct VaultIdentity {
    #[attribute(sensitive)]
    code: Option<i64>,
}

#[derive(Debug, Resource)]
#[resource(version = 0)]
struct VaultIdentityV0 {
    #[attribute(sensitive)]
    code: Option<String>,
}

fn checked(prior: VaultV1, _: &mut UpgradeContext<'_>) -> Result<Vault, Diagnostics> {
    let VaultV1 {
        code,
        id,
        keys,
        map,
        size,
    } = prior;
    assert!(map.is_none(), "the map is {map:?}, the code {code:?}");
    Ok(Vault {
        code: code.map(|code| code.to_string()),
        id,
        keys,
        map,
        size,
    })
}

async fn looked_up(prior: VaultV3, _: &mut UpgradeContext<'_>) -> Result<Vault, Diagnostics> {
    std::future::ready(()).await;
    assert!(prior.code.is_none(), "the code is {:?}", prior.code);
    Ok(Vault {
        code: prior.code,
        id: prior.id,
        keys: Vec::new(),
        map: None,
        size: None,
    })
}

fn schema(version: u64) -> Schema {
    let key = Block::new([
        Attribute::new("label", Type::String, Presence::Optional),
        Attribute::new("pin", Type::Number, Presence::Optional).sensitive(),
    ]);
    let map = Attribute::new(
        "map",
        Type::map(Type::set(Type::Number)),
        Presence::Optional,
    )
    .sensitive();
    let code = Attribute::new("code", Type::Number, Presence::Optional).sensitive();
    let size = Attribute::new("size", Type::Number, Presence::Optional);
    Schema::new(
        version,
        Block::new([map, code, size]).with_blocks([NestedBlock::new("keys", Nesting::List, key)]),
    )
}

/// That in the framework's flow, in the SDK's, and as a target of moves, with upgraders that pass
/// everything on.
fn registry() -> Registry {
    let pass = |from| ClosureUpgrader::new(from, |value: Value, _| Ok::<_, Diagnostics>(value));
    let framework = ResourceDefinition::builder("example_framework", schema(3))
        .unsupported(0..=u64::MAX)
        .upgrader(pass(0))
        .upgrader(pass(1).prior_schema(&schema(1)).to(2))
        .upgrader(pass(2).prior_schema(&schema(2)))
        .mover(
            ClosureMover::new(|source, _| Ok::<_, Diagnostics>(source)).source_schema(&schema(0)),
        )
        .mover(
            ClosureMover::new(|source, _| Ok::<_, Diagnostics>(source))
                .source_definition(Vault::DEFINITION.clone()),
        );
    let sdk = ResourceDefinition::builder("example_sdk", schema(3)).sdk();
    let sdk = sdk
        .upgrader(pass(1).prior_schema(&schema(1)))
        .upgrader(pass(2).prior_schema(&schema(2)));
    let mut registry = Registry::new().with::<Vault>();
    registry.insert(framework.build().unwrap());
    registry.insert(sdk.build().unwrap());
    registry
}

/// Something with the secret in it, at any depth: as a string, a key, a number's digits, a broken
/// escape.
fn secret() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just(format!("\"{SECRET}\"")),
        Just(format!("\" {SECRET} \"")),
        Just(format!("\"\\x{SECRET}\"")),
        Just(format!("{{\"{SECRET}\":1}}")),
        Just(format!("{{\"{SECRET}\":[1,1]}}")),
        Just(SECRET.to_owned()),
        Just(format!("{{\"a\":[\"{SECRET}\"]}}")),
    ];
    leaf.prop_recursive(2, 6, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..3)
                .prop_map(|list| format!("[{}]", list.join(","))),
            ("[a-z]{1,4}", inner).prop_map(|(key, value)| format!("{{\"{key}\":{value}}}")),
        ]
    })
}

/// Something without it.
fn harmless() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("null".to_owned()),
        Just("7".to_owned()),
        Just("\"7\"".to_owned()),
        Just("1.5".to_owned()),
        Just("\"x\"".to_owned()),
        Just("[]".to_owned()),
        Just("{}".to_owned()),
        Just("true".to_owned()),
    ]
}

fn states() -> impl Strategy<Value = String> {
    let sensitive = || prop_oneof![3 => secret(), 1 => harmless()];
    let key = (harmless(), sensitive())
        .prop_map(|(label, pin)| format!("{{\"label\":{label},\"pin\":{pin}}}"));
    let keys = prop_oneof![2 => prop::collection::vec(key, 0..3).prop_map(|keys| format!("[{}]", keys.join(","))), 1 => harmless()];
    let member = prop_oneof![
        sensitive().prop_map(|value| format!("\"code\":{value}")),
        sensitive().prop_map(|value| format!("\"map\":{value}")),
        sensitive().prop_map(|value| format!("\"secret\":{value}")),
        keys.prop_map(|value| format!("\"keys\":{value}")),
        harmless().prop_map(|value| format!("\"size\":{value}")),
        harmless().prop_map(|value| format!("\"other\":{value}")),
        harmless().prop_map(|value| format!("\"odd\":{value}")),
    ];
    let whole = prop::collection::vec(member, 0..5)
        .prop_map(|members| format!("{{{}}}", members.join(",")));
    (whole, any::<prop::sample::Index>(), 0..10).prop_map(|(text, cut, which)| match which {
        0 => text[..cut.index(text.len())].to_owned(),
        _ => text,
    })
}

/// A flat state: the same names, the secret in strings and in keys below what is sensitive.
fn flat_states() -> impl Strategy<Value = BTreeMap<String, String>> {
    let key = prop_oneof![
        Just("code".to_owned()),
        Just("secret".to_owned()),
        Just("map.%".to_owned()),
        Just(format!("map.{SECRET}")),
        Just(format!("map.{SECRET}.#")),
        Just("keys.#".to_owned()),
        Just("keys.0.pin".to_owned()),
    ];
    let text = prop_oneof![
        Just(SECRET.to_owned()),
        Just("1".to_owned()),
        Just("x".to_owned())
    ];
    prop::collection::btree_map(key, text, 0..6)
}

fn silent(response: &UpgradeResponse, about: &str) {
    let dropped: Vec<String> = response
        .undefined()
        .iter()
        .map(ToString::to_string)
        .collect();
    let discarded = format!("{:?}", response.dropped());
    let text = format!(
        "{response:?}\n{}\n{dropped:?}\n{discarded}",
        response.diagnostics()
    );
    assert!(!text.contains(SECRET), "{about}: {text}");
    assert_eq!(
        response.state().is_none(),
        response.diagnostics().has_errors(),
        "{about}: {text}"
    );
}

fn ready<T>(future: impl Future<Output = T>) -> T {
    let mut context = Context::from_waker(Waker::noop());
    match pin!(future).poll(&mut context) {
        Poll::Ready(done) => done,
        Poll::Pending => panic!("it waits"),
    }
}

/// Every question that can be asked about what is stored.
fn ask_everything(registry: &Registry, raw: RawState<'_>, about: &str) {
    for type_name in ["example_vault", "example_framework", "example_sdk"] {
        for version in 0..5 {
            let request = UpgradeRequest::new(type_name, version, Some(raw));
            silent(&registry.upgrade(&request), about);
            silent(&ready(registry.upgrade_async(&request)), about);
            silent(&registry.upgrade_identity(&request), about);
            for source in ["example_safe", "example_vault"] {
                let request =
                    MoveRequest::new(type_name, UpgradeRequest::new(source, version, Some(raw)));
                silent(&registry.move_state(&request), about);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_answer_about_json_holds_a_secret(state in states()) {
        ask_everything(&registry(), RawState::Json(state.as_bytes()), &state);
    }

    #[test]
    fn no_answer_about_flat_state_holds_a_secret(state in flat_states()) {
        ask_everything(&registry(), RawState::Flatmap(&state), &format!("{state:?}"));
    }
}

#[test]
fn the_states_reach_errors_of_every_kind() {
    // What is generated must be worth it: each of these is met.
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let (registry, mut met) = (registry(), std::collections::BTreeSet::new());
    for _ in 0..600 {
        let state = states().new_tree(&mut runner).unwrap().current();
        for version in 0..5 {
            let request = UpgradeRequest::json("example_vault", version, state.as_bytes());
            let response = ready(registry.upgrade_async(&request));
            met.extend(
                response
                    .diagnostics()
                    .iter()
                    .map(|one| one.summary().to_owned()),
            );
            if response.state().is_some() {
                met.insert("a state".to_owned());
            }
        }
    }
    let expected = [
        "Unable to Read Previously Saved State",
        "Unable to Upgrade Resource State",
        "Upgrade Panicked",
        "a state",
    ];
    for expected in expected {
        assert!(met.contains(expected), "{expected}: {met:?}");
    }
}
