//! Every diagnostic of the engine, as people read it: `tests/diagnostics/engine.txt`.
//!
//! `UPDATE=1 cargo test -p upstate-tests --test engine diagnostics` writes the page again; read
//! what changed as prose.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;

use upstate::schema::{Attribute, Block, Presence, Schema, Type};
use upstate::upgrade::{
    CancellationToken, ClosureMover, ClosureUpgrader, MoveRequest, UpgradedState,
};
use upstate::{
    DiagnosticCode, Diagnostics, RawState, Registry, Resource, ResourceDefinition, StringEnum,
    UpgradeContext, UpgradeRequest, UpgradeResponse, Value,
};

#[derive(Debug, Resource)]
#[resource(type_name = "example_lamp", version = 9, oldest = 2, since("1.0.0" => 1, "9.0.0" => 9), identity = LampIdentity)]
#[upgrade_from(2..=3, model = LampV3, with = from_three)]
#[upgrade_from(4, model = LampV4, when = has("watts"))]
#[upgrade_from(4, raw = from_four, when = lacks("lumens"))]
#[upgrade_from(5, unsupported = "replace the lamp with release 5.1 first.")]
#[upgrade_from(6, model = LampV6, with = ask, async)]
#[upgrade_from(7, raw = nothing)]
#[upgrade_from(8, model = LampV8)]
#[move_from(type_name = "example_bulb", provider = "acme/light", model = LampV3, with = from_three)]
struct Lamp {
    id: String,
    watts: f64,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_lamp", version = 3, prior)]
struct LampV3 {
    id: String,
    colours: Option<BTreeSet<String>>,
    watts: Option<String>,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_lamp", version = 4, prior)]
struct LampV4 {
    id: String,
    watts: f64,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_lamp", version = 6, prior)]
struct LampV6 {
    id: String,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_lamp", version = 8, prior)]
struct LampV8 {
    id: String,
    #[attribute(sensitive)]
    key: Option<String>,
}

#[derive(Debug, Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = LampIdentityV0, rename(number => serial))]
struct LampIdentity {
    serial: String,
}

#[derive(Debug, Resource)]
#[resource(version = 0)]
struct LampIdentityV0 {
    number: String,
}

fn from_three(prior: LampV3, context: &mut UpgradeContext<'_>) -> Result<Lamp, Diagnostics> {
    context.warn(upstate::Diagnostic::warning(
        "Watts Guessed",
        "Version 3 kept them as text.",
    ));
    let watts = prior
        .watts
        .as_deref()
        .unwrap_or("60")
        .parse::<f64>()
        .map_err(|error| error.to_string())?;
    drop(prior.colours);
    Ok(Lamp {
        id: prior.id,
        watts,
    })
}

fn from_four(_: RawState<'_>, _: &mut UpgradeContext<'_>) -> Result<Lamp, Diagnostics> {
    Ok(Lamp {
        id: "four".to_owned(),
        watts: f64::INFINITY,
    })
}

fn nothing(_: RawState<'_>, _: &mut UpgradeContext<'_>) -> Result<Lamp, Diagnostics> {
    Err(Diagnostics::new())
}

async fn ask(prior: LampV6, _: &mut UpgradeContext<'_>) -> Result<Lamp, String> {
    Err(format!("nobody knows the watts of {}", prior.id))
}

impl From<LampV4> for Lamp {
    fn from(prior: LampV4) -> Self {
        Self {
            id: prior.id,
            watts: prior.watts,
        }
    }
}

impl From<LampV8> for Lamp {
    fn from(prior: LampV8) -> Self {
        panic!("the key of {} is {:?}", prior.id, prior.key);
    }
}

/// Without anything sensitive.
#[derive(Debug, Resource)]
#[resource(type_name = "example_plain", version = 3, oldest = 1)]
#[upgrade_from(2, model = PlainV2)]
struct Plain {
    id: String,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_plain", version = 2, prior)]
#[upgrade_from(1, model = PlainV1)]
struct PlainV2 {
    id: String,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_plain", version = 1, prior)]
struct PlainV1 {
    id: String,
}

impl From<PlainV1> for PlainV2 {
    fn from(prior: PlainV1) -> Self {
        panic!("no plain thing is called {}", prior.id);
    }
}

impl From<PlainV2> for Plain {
    fn from(prior: PlainV2) -> Self {
        std::panic::panic_any(prior.id.len());
    }
}

/// By operators alone, from version to version.
#[derive(Debug, Resource)]
#[resource(type_name = "example_told", version = 3)]
#[upgrade_from(2, model = SignV2, values(mode, "AUTO" => "auto", "OFF" => "off"))]
struct Told {
    mode: String,
    name: String,
    #[attribute(as_string)]
    site: std::net::IpAddr,
    size: i64,
}

/// That, in Rust.
#[derive(Debug, Resource)]
#[resource(type_name = "example_typed", version = 3)]
#[upgrade_from(0, model = SignV0)]
#[upgrade_from(1, model = SignV1)]
#[upgrade_from(2, model = SignV2)]
struct Typed {
    name: String,
}

#[derive(Debug, Resource)]
#[resource(version = 2)]
#[upgrade_from(1, model = SignV1, set(mode = "AUTO"))]
struct SignV2 {
    mode: Switch,
    name: String,
    #[attribute(as_string)]
    site: std::net::IpAddr,
    size: i64,
}

#[derive(Debug, Clone, StringEnum)]
enum Switch {
    #[value(name = "AUTO")]
    Auto,
    #[value(name = "OFF")]
    Off,
}

#[derive(Debug, Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = SignV0, rename(title => name), rename(address => site), convert(site))]
struct SignV1 {
    name: String,
    #[attribute(as_string)]
    site: std::net::IpAddr,
    size: i64,
}

#[derive(Debug, Resource)]
#[resource(version = 0)]
struct SignV0 {
    address: String,
    size: i64,
    title: String,
}

impl From<SignV0> for Typed {
    fn from(SignV0 { title, .. }: SignV0) -> Self {
        Self { name: title }
    }
}

impl From<SignV1> for Typed {
    fn from(SignV1 { name, .. }: SignV1) -> Self {
        Self { name }
    }
}

impl From<SignV2> for Typed {
    fn from(SignV2 { name, .. }: SignV2) -> Self {
        Self { name }
    }
}

fn schema(version: u64, ty: &Type) -> Schema {
    Schema::new(
        version,
        Block::new([Attribute::new("size", ty.clone(), Presence::Optional)]),
    )
}

fn size(value: impl Into<Value>) -> Value {
    Value::from_iter([("size".to_owned(), value.into())])
}

fn dynamic() -> ResourceDefinition {
    let answer = |from, value: UpgradedState| {
        ClosureUpgrader::new(from, move |_, _| Ok::<_, Diagnostics>(value.clone()))
    };
    ResourceDefinition::builder("example_box", schema(9, &Type::Number))
        .unsupported(0..=u64::MAX)
        .upgrader(answer(0, Value::Null.into()))
        .upgrader(answer(1, size("large").into()))
        .upgrader(answer(2, size(Value::Unknown).into()))
        .upgrader(answer(
            3,
            UpgradedState::Json(br#"{"size":1,"weight":2}"#.to_vec()),
        ))
        .upgrader(answer(4, UpgradedState::Msgpack(vec![0x80])))
        .upgrader(answer(6, size("7").into()).to(7))
        .upgrader(answer(7, Value::Null.into()).prior_schema(&schema(7, &Type::Number)))
        .configure(|context| {
            if context.stored_version() == 8 {
                Err("the provider is not configured")
            } else {
                Ok(())
            }
        })
        .mover(ClosureMover::new(|_, context| {
            context.set_identity(size(1));
            Ok::<_, Diagnostics>(Some(size(1)))
        }))
        .build()
        .unwrap()
}

fn sdk() -> ResourceDefinition {
    let same = |from| ClosureUpgrader::new(from, |value, _| Ok::<_, Diagnostics>(value));
    ResourceDefinition::builder("example_chain", schema(3, &Type::Number))
        .unsupported(0..=u64::MAX)
        .sdk()
        .upgrader(same(1).prior_schema(&schema(1, &Type::String)))
        .upgrader(same(2))
        .build()
        .unwrap()
}

fn registry() -> Registry {
    let mut registry = Registry::new()
        .with::<Lamp>()
        .with::<Plain>()
        .with::<Told>()
        .with::<Typed>();
    registry.insert(dynamic());
    registry.insert(sdk());
    registry
}

/// The page: a title for each diagnostic, and its text.
#[derive(Default)]
struct Page(String);

impl Page {
    fn add(&mut self, title: &str, text: impl std::fmt::Display) {
        writeln!(self.0, "== {title}\n{text}\n").unwrap();
    }

    fn answer(&mut self, title: &str, response: &UpgradeResponse) {
        assert!(!response.diagnostics().is_empty(), "{title}");
        assert_eq!(
            response.state().is_none(),
            response.diagnostics().has_errors()
        );
        let codes: Vec<&str> = response
            .diagnostics()
            .iter()
            .map(|one| {
                assert!(
                    one.remedy()
                        .is_none_or(|remedy| one.detail().contains(remedy)),
                    "{one}"
                );
                // Advice that only the text has is lost for readers of `--format json`.
                let advice = [
                    "This is a ",
                    "Use ",
                    "Ask ",
                    "Upgrade it",
                    "Try ",
                    "no longer supported",
                    "For authors",
                    "report ",
                ];
                let has_advice = advice.iter().any(|words| one.detail().contains(words));
                assert!(
                    !has_advice || one.remedy().or(one.authors()).is_some(),
                    "{one}"
                );
                one.code().map_or("no code", DiagnosticCode::as_str)
            })
            .collect();
        self.add(
            &format!("{title} [{}]", codes.join(", ")),
            response.diagnostics(),
        );
    }

    fn json(&mut self, title: &str, type_name: &str, version: u64, json: &str) {
        self.answer(
            title,
            &registry().upgrade(&UpgradeRequest::json(type_name, version, json.as_bytes())),
        );
    }

    fn flat(&mut self, title: &str, type_name: &str, version: u64, entries: &[(&str, &str)]) {
        let map: BTreeMap<String, String> = entries
            .iter()
            .map(|(key, text)| ((*key).to_owned(), (*text).to_owned()))
            .collect();
        self.answer(
            title,
            &registry().upgrade(&UpgradeRequest::flatmap(type_name, version, &map)),
        );
    }
}

fn versions(page: &mut Page) {
    page.json("unknown type", "example_none", 0, "{}");
    page.json("newer, with releases", "example_lamp", 10, r#"{"id":"a"}"#);
    page.json("newer", "example_plain", 4, "{}");
    page.json("too old, with releases", "example_lamp", 1, r#"{"id":"a"}"#);
    page.json("too old", "example_plain", 0, "{}");
    page.json("given up", "example_lamp", 5, r#"{"id":"a"}"#);
    page.json("no upgrader", "example_box", 5, "{}");
    page.json("none of the shapes", "example_lamp", 4, r#"{"lumens":1}"#);
    page.answer(
        "no state at all",
        &registry().upgrade(&UpgradeRequest::new("example_lamp", 3, None)),
    );
    let empty = UpgradeRequest::new("example_lamp", 3, Some(RawState::Empty));
    page.answer("neither JSON nor flat", &registry().upgrade(&empty));
}

fn stored(page: &mut Page) {
    page.json("not JSON", "example_lamp", 3, r#"{"id":"a","#);
    page.json(
        "wrong kind",
        "example_lamp",
        3,
        r#"{"id":"a","colours":[["red"]]}"#,
    );
    page.json("missing", "example_lamp", 3, r#"{"watts":"1"}"#);
    page.json("null", "example_lamp", 3, r#"{"id":null}"#);
    page.json("null as a whole", "example_lamp", 3, "null");
    page.json("null as a whole, by schema", "example_box", 9, "null");
    page.json(
        "wrong kind, by schema",
        "example_box",
        9,
        r#"{"id":"b","size":[]}"#,
    );
    page.flat("flat, wrong text", "example_box", 9, &[("size", "large")]);
    page.flat(
        "flat, not known",
        "example_lamp",
        3,
        &[
            ("id", "a"),
            ("watts", "74D93920-ED26-11E3-AC10-0800200C9A66"),
        ],
    );
    page.flat(
        "flat, not known, by schema",
        "example_chain",
        1,
        &[("size", "74D93920-ED26-11E3-AC10-0800200C9A66")],
    );
    page.flat(
        "flat, older than its chain",
        "example_chain",
        0,
        &[("size", "1"), ("weight.#", "0")],
    );
    page.json(
        "repeated elements",
        "example_lamp",
        3,
        r#"{"id":"a","colours":["red","red"]}"#,
    );
}

fn upgrades(page: &mut Page) {
    page.json(
        "refused by its author, after a warning",
        "example_lamp",
        3,
        r#"{"id":"a","watts":"many"}"#,
    );
    page.json("panic with a text", "example_plain", 1, r#"{"id":"a"}"#);
    page.json("panic without a text", "example_plain", 2, r#"{"id":"a"}"#);
    page.json(
        "panic beside something sensitive",
        "example_lamp",
        8,
        r#"{"id":"a","key":"hunter2"}"#,
    );
    page.json(
        "neither state nor error",
        "example_lamp",
        7,
        r#"{"id":"a"}"#,
    );
    page.json(
        "a number that is not finite",
        "example_lamp",
        4,
        r#"{"id":"a"}"#,
    );
    page.json("asynchronous", "example_lamp", 6, r#"{"id":"a"}"#);
    let cancelled = CancellationToken::new();
    cancelled.cancel();
    let request = UpgradeRequest::json("example_lamp", 3, br#"{"id":"a"}"#);
    page.answer(
        "cancelled",
        &registry().upgrade(&request.with_cancellation(&cancelled)),
    );
    page.answer(
        "late",
        &registry().upgrade(&request.with_deadline(Instant::now())),
    );
    page.json("an answer that is null", "example_box", 0, "{}");
    page.json("an answer of another type", "example_box", 1, "{}");
    page.json("an answer that is not known", "example_box", 2, "{}");
    page.json(
        "a document with more than its schema",
        "example_box",
        3,
        "{}",
    );
    page.json(
        "a document with less than its schema",
        "example_box",
        4,
        "{}",
    );
    page.json(
        "a step that does not fit the next one",
        "example_box",
        6,
        "{}",
    );
    page.json("not configured", "example_box", 8, "{}");
    page.json(
        "out of a chain without types",
        "example_chain",
        1,
        r#"{"id":"a","size":"large"}"#,
    );
}

/// What the stored version never allowed is the stored state's fault however the upgraders are
/// written.
fn blamed(page: &mut Page) {
    let cases = [
        (
            "null where there was always a value",
            0,
            r#"{"address":"::1","size":1,"title":null}"#,
        ),
        (
            "no value where there was always one",
            0,
            r#"{"address":"::1","size":1}"#,
        ),
        ("nothing at all", 0, "{}"),
        (
            "no whole number",
            1,
            r#"{"name":"a","site":"::1","size":"3.5"}"#,
        ),
        (
            "a text that its enum never had",
            2,
            r#"{"mode":"MANUAL","name":"a","site":"::1","size":1}"#,
        ),
        (
            "a text that the field's own type never took",
            1,
            r#"{"name":"a","site":"home","size":1}"#,
        ),
    ];
    for (title, version, json) in cases {
        let ask = |type_name| {
            registry().upgrade(&UpgradeRequest::json(type_name, version, json.as_bytes()))
        };
        let (told, typed) = (ask("example_told"), ask("example_typed"));
        let paths = |response: &UpgradeResponse| {
            response
                .diagnostics()
                .iter()
                .map(|found| found.path().cloned())
                .collect::<Vec<_>>()
        };
        // Operators say all that is wrong, types the first of it.
        assert!(
            paths(&typed).iter().all(|path| paths(&told).contains(path)),
            "{title}"
        );
        let stored = format!("does not fit schema version {version}:");
        assert!(
            told.diagnostics().to_string().contains(&stored)
                && typed.diagnostics().to_string().contains(&stored),
            "{title}"
        );
        page.answer(&format!("{title}, by operators"), &told);
        page.answer(&format!("{title}, in Rust"), &typed);
    }
    page.json(
        "what an upgrader makes does not fit",
        "example_told",
        0,
        r#"{"address":"home","size":1,"title":"a"}"#,
    );
}

fn identities(page: &mut Page) {
    let ask = |type_name, version, raw| {
        registry().upgrade_identity(&UpgradeRequest::new(type_name, version, raw))
    };
    page.answer(
        "identity: none",
        &ask("example_plain", 0, Some(RawState::Json(b"{}"))),
    );
    page.answer(
        "identity: current",
        &ask("example_lamp", 1, Some(RawState::Json(b"{}"))),
    );
    page.answer(
        "identity: newer",
        &ask("example_lamp", 2, Some(RawState::Json(b"{}"))),
    );
    page.answer(
        "identity: nothing stored",
        &ask("example_lamp", 0, Some(RawState::Empty)),
    );
    page.answer("identity: nothing sent", &ask("example_lamp", 0, None));
    page.answer(
        "identity: wrong kind",
        &ask("example_lamp", 0, Some(RawState::Json(br#"{"number":[]}"#))),
    );
}

fn moves(page: &mut Page) {
    let ask = |to, from, version, raw, provider| {
        let request =
            MoveRequest::new(to, UpgradeRequest::new(from, version, raw)).from_provider(provider);
        registry().move_state(&request)
    };
    let (json, acme) = (
        Some(RawState::Json(br#"{"id":"a","watts":"many"}"#)),
        "registry.terraform.io/acme/light",
    );
    page.answer(
        "move: nothing sent",
        &ask("example_lamp", "example_bulb", 3, None, acme),
    );
    page.answer(
        "move: no moves",
        &ask("example_plain", "example_bulb", 3, json, acme),
    );
    page.answer(
        "move: another type",
        &ask("example_lamp", "example_torch", 3, json, acme),
    );
    page.answer(
        "move: another provider",
        &ask("example_lamp", "example_bulb", 3, json, ""),
    );
    page.answer(
        "move: newer",
        &ask("example_lamp", "example_bulb", 4, json, acme),
    );
    page.answer(
        "move: older",
        &ask("example_lamp", "example_bulb", 2, json, acme),
    );
    page.answer(
        "move: refused by its author",
        &ask("example_lamp", "example_bulb", 3, json, acme),
    );
    page.answer(
        "move: an identity that has no schema",
        &ask("example_box", "example_bulb", 3, json, acme),
    );
}

fn definitions(page: &mut Page) {
    let same = |from| ClosureUpgrader::new(from, |value, _| Ok::<_, Diagnostics>(value));
    let problems = ResourceDefinition::builder("example_bad", schema(3, &Type::Number))
        .unsupported(0..=u64::MAX)
        .oldest(4)
        .since("1.0", 4)
        .since("1.1", 4)
        .upgrader(same(0).to(1))
        .upgrader(same(2).to(2))
        .upgrader(same(2).prior_type(Type::String))
        .upgrader(same(5));
    page.add("definition", problems.build().unwrap_err());
    let problems = ResourceDefinition::builder("", schema(4, &Type::Number))
        .sdk()
        .upgrader(same(0).to(2))
        .upgrader(same(1));
    page.add("definition: SDK", problems.build().unwrap_err());
}

#[test]
fn every_diagnostic_reads_as_the_page_says() {
    let mut page = Page::default();
    for part in [
        versions,
        stored,
        upgrades,
        blamed,
        identities,
        moves,
        definitions,
    ] {
        part(&mut page);
    }
    assert!(!page.0.contains("hunter2"));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("diagnostics/engine.txt");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &page.0).unwrap();
    }
    let known = std::fs::read_to_string(&path).unwrap();
    for (got, known) in page.0.split("\n== ").zip(known.split("\n== ")) {
        assert_eq!(got, known, "UPDATE=1 writes the page anew");
    }
    assert_eq!(page.0, known, "UPDATE=1 writes the page anew");
    // Only an author's own diagnostic has none: here, the warning that watts were guessed.
    let without = page
        .0
        .lines()
        .filter(|line| line.starts_with("== ") && line.contains("no code"));
    let expected = [
        "== repeated elements [repeated, no code]",
        "== refused by its author, after a warning [no code, author]",
        "== move: refused by its author [no code, author]",
    ];
    assert_eq!(without.collect::<Vec<_>>(), expected);
}
