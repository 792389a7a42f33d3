//! What tests of models are made with finds the mistakes it is there for.

use std::collections::BTreeMap;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use upstate::schema::{Attribute, Block, Nested, NestedBlock, Nesting, Presence, Schema, Type};
use upstate::testing::{Fixtures, Hostile, HostileReport, assert_shortcut, assert_upgrade};
use upstate::upgrade::ClosureUpgrader;
use upstate::{
    Diagnostic, Diagnostics, Number, Object, RawState, Registry, Resource, ResourceDefinition,
    UpgradeContext, Value,
};

#[derive(Debug, PartialEq, Resource)]
#[resource(type_name = "example_login", version = 2)]
#[upgrade_from(0, model = LoginV0)]
#[upgrade_from(1, model = LoginV1)]
struct Login {
    name: String,
    #[attribute(sensitive)]
    token: Option<String>,
    tries: Option<Number>,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_login", version = 1)]
#[upgrade_from(0, model = LoginV0)]
struct LoginV1 {
    name: String,
    #[attribute(sensitive)]
    token: Option<String>,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_login", version = 0)]
struct LoginV0 {
    name: Option<String>,
    #[attribute(sensitive)]
    token: Option<String>,
}

impl TryFrom<LoginV0> for LoginV1 {
    type Error = &'static str;

    fn try_from(prior: LoginV0) -> Result<Self, Self::Error> {
        Ok(LoginV1 {
            name: prior.name.ok_or("the login has no name")?,
            token: prior.token,
        })
    }
}

impl From<LoginV1> for Login {
    fn from(prior: LoginV1) -> Self {
        Login {
            name: prior.name,
            token: prior.token,
            tries: None,
        }
    }
}

impl TryFrom<LoginV0> for Login {
    type Error = &'static str;

    fn try_from(prior: LoginV0) -> Result<Self, Self::Error> {
        let name = prior.name.ok_or("the login has no name")?;
        // The mistake that `a_shortcut_that_leads_elsewhere_is_found` is about.
        let token = prior.token.filter(|token| token != "none");
        Ok(Login {
            name,
            token,
            tries: None,
        })
    }
}

fn panic_message(act: impl FnOnce()) -> String {
    let payload = catch_unwind(AssertUnwindSafe(act)).unwrap_err();
    match payload.downcast::<String>() {
        Ok(text) => *text,
        Err(payload) => (*payload.downcast::<&str>().unwrap()).to_owned(),
    }
}

#[test]
fn an_assertion_names_what_differs() {
    assert_upgrade!(Login, 0, r#"{"name":"a"}"# => Login { name: "a".to_owned(), token: None, tries: None });
    assert_upgrade!(Login, 2, r#"{"name":"a","tries":1e1}"# => json r#"{"tries":10.0,"token":null,"name":"\u0061"}"#);
    assert_upgrade!(Login, 0, b"{}" => error "the login has no name");
    assert_upgrade!(Registry::new().with::<Login>(); Login, 3, "{}" => error "Resource State Is Newer");
    let error = "this is a model, not an error";
    assert!(
        panic_message(|| assert_upgrade!(Login, 0, "{}" => error error))
            .contains("refused for another reason\nexpected: this is")
    );
    for (message, text) in [
        (
            panic_message(
                || assert_upgrade!(Login, 2, r#"{"name":"a","tries":12345678901234567891}"# => json r#"{"name":"b","tries":12345678901234567890}"#),
            ),
            "the state of example_login stored at version 2 became another state\nname: expected \"b\", found \"a\"\n\
             token: expected nothing, found null\ntries: expected 12345678901234567890, found 12345678901234567891",
        ),
        (
            panic_message(
                || assert_upgrade!(Login, 1, r#"{"name":"a"}"# => Login { name: "b".to_owned(), token: None, tries: None }),
            ),
            "the state of example_login stored at version 1 became another model\nexpected: Login {",
        ),
        (
            panic_message(|| assert_upgrade!(Login, 1, r#"{"name":"a"}"# => error "x")),
            "was upgraded, but should have been refused with: x",
        ),
        (
            panic_message(|| assert_upgrade!(Login, 1, "[]" => json "{}")),
            "was refused\nerror: Unable to Read Previously Saved State",
        ),
        (
            panic_message(|| assert_upgrade!(Login, 1, r#"{"name":""}"# => json "{")),
            "the expected result for the state of",
        ),
    ] {
        assert!(message.contains(text), "{message}");
    }
}

#[test]
fn a_shortcut_that_leads_elsewhere_is_found() {
    assert_shortcut::<Login, LoginV1>(0, [r#"{"name":"a","token":"b"}"#, "{}", "[]"]);
    let message =
        panic_message(|| assert_shortcut::<Login, LoginV1>(0, [r#"{"name":"a","token":"none"}"#]));
    assert!(
        message.contains("token: expected \"none\", found null"),
        "{message}"
    );
    let report = Hostile::new::<Login>()
        .shortcuts_past::<Login, LoginV1>()
        .sample(0, r#"{"name":"a","token":"none"}"#)
        .run();
    assert!(
        problems(&report).contains("directly and through version 1"),
        "{report}"
    );
    assert_eq!(
        Hostile::new::<Login>()
            .shortcuts_past::<Login, LoginV1>()
            .run()
            .problems(),
        [""; 0]
    );
}

fn problems(report: &HostileReport) -> String {
    report.problems().join("\n")
}

/// A definition whose only upgrade is this function.
fn definition(
    upgrade: impl Fn(Value) -> Result<Value, Diagnostics> + Send + Sync + 'static,
) -> Registry {
    let prior = Block::new([
        Attribute::new("label", Type::String, Presence::Optional),
        Attribute::new("ports", Type::list(Type::Number), Presence::Optional),
        Attribute::new("keys", Type::map(Type::String), Presence::Optional).sensitive(),
        Attribute::nested(
            "disks",
            Nested::new(
                Nesting::Map,
                vec![
                    Attribute::new("code", Type::String, Presence::Optional).sensitive(),
                    Attribute::new("size", Type::Number, Presence::Optional),
                ],
            ),
            Presence::Optional,
        ),
    ])
    .with_blocks([NestedBlock::new(
        "rule",
        Nesting::List,
        Block::new([
            Attribute::new("on", Type::Bool, Presence::Optional),
            Attribute::new("any", Type::Dynamic, Presence::Optional),
        ]),
    )]);
    let upgrader = ClosureUpgrader::new(0, move |value, _| upgrade(value))
        .prior_schema(&Schema::new(0, prior.clone()));
    let definition = ResourceDefinition::builder("example_made", Schema::new(1, prior))
        .unsupported(0..=u64::MAX)
        .upgrader(upgrader)
        .build()
        .unwrap();
    let mut registry = Registry::new();
    registry.insert(definition);
    registry
}

fn hostile(
    upgrade: impl Fn(Value) -> Result<Value, Diagnostics> + Send + Sync + 'static,
) -> HostileReport {
    std::panic::set_hook(Box::new(|_| {}));
    Hostile::in_registry(&definition(upgrade), "example_made").run()
}

fn at<'v>(value: &'v Value, name: &str) -> &'v Value {
    &value.as_map().unwrap()[name]
}

#[test]
fn hostile_states_find_what_an_upgrade_does_not_expect() {
    let good = hostile(Ok);
    assert_eq!(problems(&good), "");
    assert!(good.upgraded() > 300 && good.refused() > 300, "{good}");

    // Each of these is right for what anybody would try first.
    let found = hostile(|value| {
        assert!(
            at(&value, "ports").is_null()
                || !matches!(at(&value, "ports"), Value::List(ports) if ports.is_empty())
        );
        Ok(value)
    });
    assert!(
        problems(&found).contains("ports is []: the upgrade panicked"),
        "{found}"
    );
    let found = hostile(|value| {
        at(&value, "label").as_str().unwrap();
        Ok(value)
    });
    for state in [
        "label is null: the upgrade panicked",
        "label is not there: the upgrade panicked",
        "with nothing but null: the upgrade",
    ] {
        assert!(problems(&found).contains(state), "{found}");
    }
    let found = hostile(|value| {
        if let Some(code) = at(&value, "disks")
            .as_map()
            .and_then(|disks| disks.get("key"))
            .map(|disk| at(disk, "code").clone())
        {
            return Err(format!("the code {code:?} is not known").into());
        }
        Ok(value)
    });
    assert!(
        problems(&found).contains("a message about it holds a sensitive value"),
        "{found}"
    );
    let found = hostile(|value| match at(&value, "keys") {
        Value::Map(keys) if !keys.contains_key("key") && !keys.is_empty() => {
            Err(keys.keys().next().unwrap().as_str().into())
        }
        _ => Ok(value),
    });
    assert!(
        problems(&found).contains("a message about it holds a sensitive value"),
        "{found}"
    );
    let found = hostile(|value| match at(&value, "label").as_str() {
        Some("") => Err(["one", "two"]
            .into_iter()
            .map(|text| Diagnostic::error(text, ""))
            .collect()),
        _ => Ok(value),
    });
    assert!(
        problems(&found).contains("label is \"\": it was refused with 2 errors: one, two"),
        "{found}"
    );
    let registry = definition(|_| {
        Err(["one", "two"]
            .into_iter()
            .map(|text| Diagnostic::error(text, ""))
            .collect())
    });
    let found = Hostile::in_registry(&registry, "example_made")
        .several_errors()
        .run();
    assert_eq!(found.problems().len(), 1, "{found}");
    assert!(
        problems(&found)
            .contains("version 0 of example_made: the state made from its schema is refused"),
        "{found}"
    );
    assert!(
        problems(&Hostile::in_registry(&registry, "example_none").run()).contains("no type named")
    );
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_declared", version = 1)]
#[upgrade_from(0, model = DeclaredV0, convert(size, empty = refuse), convert(weight, empty = refuse))]
struct Declared {
    size: i64,
    weight: i64,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_declared", version = 0)]
struct DeclaredV0 {
    size: String,
    weight: String,
}

#[test]
fn operators_may_tell_all_that_is_wrong() {
    let found = Hostile::new::<Declared>()
        .sample(0, r#"{"size":"1","weight":"2"}"#)
        .sample(0, r#"{"size":"x","weight":"y"}"#)
        .run();
    let wrong: Vec<_> = found
        .problems()
        .iter()
        .filter(|problem| problem.contains("errors"))
        .collect();
    assert!(wrong.is_empty() && found.refused() > 1, "{found}");
}

mod counted {
    use super::{AtomicU64, Ordering};

    static READ: AtomicU64 = AtomicU64::new(0);

    pub(crate) fn read(stored: Option<i64>) -> Result<Option<i64>, String> {
        Ok(stored.map(|stored| {
            stored.wrapping_add(i64::try_from(READ.fetch_add(1, Ordering::Relaxed)).unwrap())
        }))
    }

    pub(crate) fn write(value: &Option<i64>) -> Option<i64> {
        *value
    }
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_counter", version = 0)]
struct Counter {
    #[attribute(with = counted)]
    counted: Option<i64>,
}

#[test]
fn a_state_that_changes_each_time_it_is_read_is_found() {
    let found = Hostile::new::<Counter>().run();
    assert!(
        problems(&found)
            .contains("the upgraded state changes when it is read and written once more"),
        "{found}"
    );
}

fn put(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[test]
fn fixtures_are_recorded_once_and_compared_from_then_on() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let fixtures = || Fixtures::new(folder).update(false);
    let problems = || fixtures().run_model::<Login>().problems().join("\n\n");
    assert!(problems().contains("example_login: no fixture stored at version 0 can be upgraded, but the version is supported"));
    assert!(problems().contains("example_login: no fixture stored at version 1 can be upgraded"));

    put(folder, "example_login/v0/plain.json", r#"{"name":"a"}"#);
    put(folder, "example_login/v0/nameless.json", r#"{"token":"b"}"#);
    put(folder, "example_login/v1/nameless.json", "{}");
    assert!(
        problems().contains("plain.json: plain.upgraded.json with the expected result is missing"),
        "{}",
        problems()
    );
    assert!(
        problems().contains("nameless.diagnostics.txt with the expected result is missing"),
        "{}",
        problems()
    );
    let recorded = Fixtures::new(folder).update(true).run_model::<Login>();
    assert_eq!((recorded.checked(), recorded.written().len()), (3, 3));
    // What can't be upgraded does not prove that a version is supported.
    assert_eq!(recorded.problems().len(), 1, "{recorded}");
    put(
        folder,
        "example_login/v1/plain.json",
        r#"{"name":"a","token":null,"more":1}"#,
    );
    drop(Fixtures::new(folder).update(true).run_model::<Login>());
    assert_eq!(problems(), "");
    fixtures().check::<Login>();
    let read = |path: &str| fs::read_to_string(folder.join(path)).unwrap();
    assert_eq!(
        read("example_login/v0/plain.upgraded.json"),
        "{\n  \"name\": \"a\",\n  \"token\": null,\n  \"tries\": null\n}\n"
    );
    assert_eq!(
        read("example_login/v1/plain.diagnostics.txt"),
        "dropped: more\n"
    );
    assert!(read("example_login/v0/nameless.diagnostics.txt").starts_with(
        "error: Unable to Upgrade Resource State\nThe upgrade from schema version 0 refused this state: the login has no name.\n"
    ));
    assert!(
        Fixtures::new(folder)
            .update(true)
            .run_model::<Login>()
            .written()
            .is_empty()
    );

    put(
        folder,
        "example_login/v0/plain.upgraded.json",
        "{\"name\":\"b\",\r\n\"token\":null,\"tries\":null}",
    );
    assert!(
        problems().contains("it is not what plain.upgraded.json says\nname: expected \"b\", found \"a\"\nhelp: if that is right")
    );
    put(
        folder,
        "example_login/v0/plain.upgraded.json",
        "{\"tries\":null,\r\n\"token\":null,\"name\":\"a\"}",
    );
    assert_eq!(problems(), "");
    put(
        folder,
        "example_login/v0/nameless.diagnostics.txt",
        "another\n",
    );
    assert!(
        problems().contains("expected: another\n\n   found: error: Unable to Upgrade"),
        "{}",
        problems()
    );
    put(folder, "example_login/v0/nameless.upgraded.json", "{}");
    assert!(
        problems().contains("nameless.json: it can no longer be upgraded\nerror: "),
        "{}",
        problems()
    );
    put(folder, "example_login/v0/plain.diagnostics.txt", "x");
    assert!(
        problems()
            .contains("plain.diagnostics.txt is there, but the upgrade reports nothing any more"),
        "{}",
        problems()
    );
    drop(Fixtures::new(folder).update(true).run_model::<Login>());
    assert_eq!(problems(), "");

    put(folder, "example_login/v0/gone.upgraded.json", "{}");
    put(folder, "example_login/1/plain.json", "{}");
    put(folder, "example_lgoin/v0/plain.json", "{}");
    assert!(
        problems().contains("gone.upgraded.json: the state it is about, gone.json, is not there")
    );
    assert!(problems().contains("folders of fixtures are called by the stored schema version"));
    let all = fixtures()
        .run_all(&Registry::new().with::<Login>())
        .problems()
        .join("\n\n");
    assert!(
        all.contains("example_lgoin: no type of that name is registered"),
        "{all}"
    );
    assert!(
        panic_message(|| fixtures().check::<Login>())
            .starts_with("4 fixtures checked, 0 files written\n\n")
    );
}

#[test]
fn hostile_states_begin_from_fixtures_too() {
    let folder = tempfile::tempdir().unwrap();
    put(
        folder.path(),
        "example_login/v0/plain.json",
        r#"{"name":"a","token":"none"}"#,
    );
    put(
        folder.path(),
        "example_login/v0/plain.upgraded.json",
        "not a stored state",
    );
    let alone = Hostile::new::<Login>().run();
    let with = Hostile::new::<Login>().samples_in(folder.path()).run();
    assert!(
        with.problems().is_empty()
            && with.upgraded() + with.refused() > alone.upgraded() + alone.refused() + 50
    );
    let without = Hostile::new::<Login>()
        .samples_in(folder.path().join("none"))
        .run();
    assert!(problems(&without).contains("there are no fixtures of example_login"));
}

/// Waits for a future that is always ready to go on.
fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut future = std::pin::pin!(future);
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    loop {
        if let std::task::Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
    }
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_awaited", version = 1)]
#[upgrade_from(0, model = AwaitedV0, with = awaited, async)]
struct Awaited {
    name: String,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_awaited", version = 0)]
struct AwaitedV0 {
    label: String,
}

async fn awaited(prior: AwaitedV0, _: &mut UpgradeContext<'_>) -> Result<Awaited, String> {
    std::future::ready(()).await;
    Ok(Awaited { name: prior.label })
}

#[test]
fn asynchronous_upgrades_are_awaited_by_the_test() {
    let refused = Hostile::new::<Awaited>().run();
    assert!(
        problems(&refused)
            .contains("version 0 of example_awaited: the state made from its schema is refused"),
        "{refused}"
    );
    let awaited = Hostile::new::<Awaited>()
        .upgraded_by(|registry, request| block_on(registry.upgrade_async(request)))
        .check();
    assert!(awaited.upgraded() > refused.upgraded());
    let folder = tempfile::tempdir().unwrap();
    put(
        folder.path(),
        "example_awaited/v0/plain.json",
        r#"{"label":"a"}"#,
    );
    let fixtures = Fixtures::new(folder.path()).update(true);
    assert_eq!(fixtures.run_model::<Awaited>().problems().len(), 1);
    let fixtures =
        fixtures.upgraded_by(|registry, request| block_on(registry.upgrade_async(request)));
    assert!(fixtures.run_model::<Awaited>().problems().is_empty());
}

/// Version 1 had two shapes, version 0 is taken as it is.
#[derive(Debug, Resource)]
#[resource(type_name = "example_shapes", version = 2)]
#[upgrade_from(0, raw = from_raw)]
#[upgrade_from(1, model = Zoned, when = has("zone"))]
#[upgrade_from(1, model = Regional, when = lacks("zone"))]
struct Shapes {
    place: String,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_shapes", version = 1, prior)]
struct Zoned {
    zone: String,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_shapes", version = 1, prior)]
struct Regional {
    region: String,
}

impl From<Zoned> for Shapes {
    fn from(prior: Zoned) -> Self {
        Shapes { place: prior.zone }
    }
}

impl From<Regional> for Shapes {
    fn from(prior: Regional) -> Self {
        Shapes {
            place: prior.region,
        }
    }
}

fn from_raw(raw: RawState<'_>, _: &mut UpgradeContext<'_>) -> Result<Shapes, String> {
    let json = raw.json().ok_or("no JSON")?;
    let state: serde_json::Value = serde_json::from_slice(json).map_err(|_| "not JSON")?;
    // The mistake: a place that is not a string.
    Ok(Shapes {
        place: state
            .get("where")
            .ok_or("no place")?
            .as_str()
            .unwrap()
            .to_owned(),
    })
}

#[test]
fn every_shape_of_a_version_and_raw_states_are_tried() {
    std::panic::set_hook(Box::new(|_| {}));
    let versions: Vec<u64> = Shapes::DEFINITION
        .prior_schemas()
        .iter()
        .map(|prior| prior.version)
        .collect();
    assert_eq!(versions, [1, 1]);
    let found = Hostile::new::<Shapes>().run();
    assert!(
        problems(&found)
            .contains("version 0 of example_shapes: the state made from its schema is refused"),
        "{found}"
    );
    let found = Hostile::new::<Shapes>().sample(0, r#"{"where":"x"}"#).run();
    assert!(
        found
            .problems()
            .iter()
            .all(|problem| problem.starts_with("version 0 of example_shapes, ")),
        "{found}"
    );
    assert!(
        problems(&found).contains("where is null: the upgrade panicked"),
        "{found}"
    );
}

/// What an author's function makes of the stored bytes, not of what they say.
#[derive(Debug, Resource)]
#[resource(type_name = "example_measured", version = 1)]
#[upgrade_from(0, raw = measured)]
struct Measured {
    length: i64,
}

fn measured(raw: RawState<'_>, _: &mut UpgradeContext<'_>) -> Result<Measured, String> {
    let json = raw.json().ok_or("no JSON")?;
    serde_json::from_slice::<BTreeMap<String, String>>(json)
        .map_err(|_| "not an object of strings")?;
    // The mistake: a state file is laid out over lines, what Terraform sends is not.
    Ok(Measured {
        length: i64::try_from(json.len()).map_err(|_| "long")?,
    })
}

#[test]
fn functions_are_tried_in_every_way_that_there_is_for_a_state() {
    let found = Hostile::new::<Measured>()
        .sample(0, r#"{"a":"1","b":"2"}"#)
        .run();
    let laid_out = "version 0 of example_measured, the sample: laid out over lines it becomes {\r\n\t\t\"length\": 30\r\n\t} with []; \
                    through the registry, {\r\n\t\t\"length\": 17\r\n\t} with []";
    assert!(problems(&found).contains(laid_out), "{found}");
    let found = Hostile::new::<First>()
        .sample(0, r#"{"a":"1","b":"2"}"#)
        .run();
    assert!(
        problems(&found)
            .contains("the sample: with its names in reverse it becomes {\"name\":\"b\"}"),
        "{found}"
    );
}

/// The first of what is stored, in the order in which it is.
#[derive(Debug, Resource)]
#[resource(type_name = "example_first", version = 1)]
#[upgrade_from(0, raw = first)]
struct First {
    name: String,
}

fn first(raw: RawState<'_>, _: &mut UpgradeContext<'_>) -> Result<First, String> {
    let json = std::str::from_utf8(raw.json().ok_or("no JSON")?).map_err(|_| "not UTF-8")?;
    serde_json::from_str::<BTreeMap<String, String>>(json)
        .map_err(|_| "not an object of strings")?;
    Ok(First {
        name: json.split('"').nth(1).unwrap_or_default().to_owned(),
    })
}

/// Operators, a function, a conversion, and operators again.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "example_mixed", version = 4)]
#[upgrade_from(3, model = MixedV3, rename(sizes => weights), drop(old, "nobody reads it"))]
struct Mixed {
    #[attribute(computed)]
    id: String,
    name: Option<String>,
    parts: Vec<MixedPart>,
    tags: BTreeMap<String, String>,
    weights: Option<Vec<f64>>,
}

#[derive(Debug, Clone, PartialEq, Object)]
struct MixedPart {
    count: i64,
    label: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "example_mixed", version = 3, prior)]
#[upgrade_from(2, model = MixedV2)]
struct MixedV3 {
    id: String,
    name: Option<String>,
    old: Option<bool>,
    parts: Vec<MixedPart>,
    sizes: Option<Vec<f64>>,
    tags: BTreeMap<String, String>,
}

#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "example_mixed", version = 2, prior)]
#[upgrade_from(1, model = MixedV1, with = counted)]
struct MixedV2 {
    id: String,
    name: Option<String>,
    parts: Vec<MixedPart>,
    tags: BTreeMap<String, String>,
}

#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "example_mixed", version = 1, prior)]
#[upgrade_from(0, model = MixedV0, rename(title => name), each(convert(tags)))]
struct MixedV1 {
    id: String,
    name: Option<String>,
    parts: Vec<String>,
    tags: BTreeMap<String, String>,
}

#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "example_mixed", version = 0, prior)]
struct MixedV0 {
    id: String,
    title: Option<String>,
    parts: Vec<String>,
    tags: BTreeMap<String, i64>,
}

fn counted(prior: MixedV1, context: &mut UpgradeContext<'_>) -> Result<MixedV2, Diagnostic> {
    if prior.name.as_deref() == Some("") {
        return Err(Diagnostic::error("No Name", "A name is not empty."));
    }
    if prior.parts.is_empty() {
        context.warn(Diagnostic::warning(
            "No Parts",
            "There is nothing to count.",
        ));
    }
    let mut parts: Vec<MixedPart> = Vec::new();
    for label in prior.parts {
        match parts
            .iter_mut()
            .find(|part| part.label.as_ref() == Some(&label))
        {
            Some(part) => part.count += 1,
            None => parts.push(MixedPart {
                count: 1,
                label: Some(label),
            }),
        }
    }
    Ok(MixedV2 {
        id: prior.id,
        name: prior.name,
        parts,
        tags: prior.tags,
    })
}

impl From<MixedV2> for MixedV3 {
    fn from(prior: MixedV2) -> Self {
        let sizes = prior
            .parts
            .iter()
            .map(|part| if part.count > 1 { 0.1 } else { 2.5 })
            .collect();
        Self {
            id: prior.id,
            name: prior.name,
            old: Some(true),
            parts: prior.parts,
            sizes: Some(sizes),
            tags: prior.tags,
        }
    }
}

#[test]
fn chains_of_operators_and_functions_lead_to_one_state_in_every_way() {
    let report = Hostile::new::<Mixed>()
        .sample(0, r#"{"id":"a<b","parts":["x","y","x","é\u2028"],"tags":{"b":1,"a":2.50},"title":"n"}"#)
        .sample(3, r#"{"id":"a","name":null,"old":false,"parts":[{"count":2,"label":null}],"sizes":[1e3,0.1],"tags":{}}"#)
        .check();
    assert!(
        report.upgraded() > 400 && report.refused() > 400,
        "{report}"
    );
}

mod leaking {
    //! A function that puts a sensitive value where everybody sees it.

    use upstate::Resource;

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_leaking", version = 2)]
    #[upgrade_from(0, model = LeakingV0)]
    #[upgrade_from(1 => 2, rename(#[attribute(sensitive)] secret: String => name, declassified = "it was never a secret"))]
    pub struct Leaking {
        pub name: String,
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_leaking", version = 0)]
    pub struct LeakingV0 {
        #[attribute(sensitive)]
        pub key: String,
    }

    impl From<LeakingV0> for Leaking {
        fn from(prior: LeakingV0) -> Self {
            Self { name: prior.key }
        }
    }
}

#[test]
fn a_sensitive_value_in_an_attribute_that_shows_it_is_found() {
    let report = Hostile::new::<leaking::Leaking>().run();
    let [problem] = report.problems() else {
        panic!("{report}")
    };
    assert!(
        problem.starts_with("version 0 of example_leaking: a sensitive value ends in `name`, which is not sensitive\n"),
        "{problem}"
    );
    Hostile::new::<leaking::Leaking>()
        .declassified("name")
        .check();
}
