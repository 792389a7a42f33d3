//! The lock: what it writes, what it reads, and what it never changes.

#![allow(clippy::unwrap_used, clippy::unreadable_literal, reason = "tests")]

use upstate::schema::{Attribute, Block, Presence, Schema, Type};
use upstate::{Object, Registry, Resource, ResourceDefinition, StringEnum};
use upstate_compat::lock::Lock;
use upstate_compat::{Options, Semver, Snapshot, compare};

#[derive(StringEnum)]
enum Size {
    Small,
    Large,
}

#[derive(Object)]
struct Rule {
    port: u16,
    tags: Vec<Option<String>>,
}

#[derive(Object)]
struct Inner {
    /// Blocks stand in blocks.
    #[block]
    rule: Vec<Rule>,
}

#[derive(Resource)]
#[resource(type_name = "example_wall", version = 1)]
#[upgrade_from(0, model = WallV0)]
struct Wall {
    #[attribute(computed)]
    id: String,
    size: Size,
    #[attribute(default = 3, optional, requires_replace)]
    height: Option<i64>,
    odd: Option<bool>,
    pair: (String, f64),
    object: std::collections::BTreeMap<String, Rule>,
    #[attribute(sensitive, deprecated = "Use `id`.")]
    secret: Option<String>,
    #[block(max = 1)]
    inner: Vec<Inner>,
}

#[derive(Resource)]
#[resource(type_name = "example_wall", version = 0)]
struct WallV0 {
    id: String,
    #[attribute(write_only)]
    word: Option<String>,
}

impl TryFrom<WallV0> for Wall {
    type Error = String;
    fn try_from(prior: WallV0) -> Result<Self, String> {
        Err(prior.id + &prior.word.unwrap_or_default())
    }
}

fn wall() -> Snapshot {
    Snapshot::of(&Registry::new().with::<Wall>())
}

fn locked() -> Lock {
    let mut lock = Lock::default();
    lock.freeze(&wall(), "1.0.0".parse().unwrap()).unwrap();
    lock
}

const TEXT: &str = r#"# Every stored shape that was ever released. Written by `lock`; what was released never changes.
upstate-lock 3
release 1.0.0

[example_wall 0] FINGERPRINT0 released
id = "string" {"required":true}
word = "string" null write_only {"optional":true}

[example_wall 1] FINGERPRINT1 released 1.0.0
@upgraders = [{"from":0,"kind":"conversion"}]
height = "number" null {"default":3,"force_new":true,"optional":true,"validators":{"stored integer":"i64"}}
id = "string" {"computed":true}
object = nested map {"required":true}
object.port = "number" {"required":true,"validators":{"stored integer":"u16"}}
object.tags = ["list","string"] {"required":true,"validators":{"stored inside":{"[*]?":"null"}}}
odd = "bool" null {"optional":true}
pair = ["tuple",["string","number"]] {"required":true}
secret = "string" null {"deprecated":{"message":"Use `id`.","since":"1.0.0"},"optional":true,"sensitive":true}
size = "string" {"required":true,"validators":{"stored values":["small","large"]}}
inner = block list {"max_items":1}
inner.rule = block list {"description":"Blocks stand in blocks."}
inner.rule.port = "number" {"required":true,"validators":{"stored integer":"u16"}}
inner.rule.tags = ["list","string"] {"required":true,"validators":{"stored inside":{"[*]?":"null"}}}
"#;

#[test]
fn a_lock_is_written_for_people_and_merges() {
    let lock = locked();
    let fingerprint = |version| lock.get("example_wall", version).unwrap().fingerprint();
    let expected = TEXT
        .replace("FINGERPRINT0", &fingerprint(0))
        .replace("FINGERPRINT1", &fingerprint(1));
    assert_eq!(lock.to_string(), expected);
    assert_eq!(Lock::parse(&expected).unwrap(), lock);
}

#[test]
fn the_compiler_and_the_program_agree_on_fingerprints() {
    const WALL: u64 = upstate::__private::fingerprint(<Wall as upstate::Object>::TABLE);
    const WALL_V0: u64 = upstate::__private::fingerprint(<WallV0 as upstate::Object>::TABLE);
    let lock = locked();
    assert_eq!(
        lock.get("example_wall", 1).unwrap().fingerprint(),
        format!("{WALL:016x}")
    );
    assert_eq!(
        lock.get("example_wall", 0).unwrap().fingerprint(),
        format!("{WALL_V0:016x}")
    );
    // Fingerprints stand in files: they may never change.
    assert_eq!(format!("{WALL_V0:016x}"), "a8f7d79859b8ddad");
}

#[test]
fn what_was_released_never_changes() {
    let mut changed = wall();
    let resource = changed.resources.get_mut("example_wall").unwrap();
    resource.attributes.remove("size");
    resource.attributes.get_mut("height").unwrap().nullable = Some(false);
    let mut lock = locked();
    let refusals = lock.freeze(&changed, "1.1.0".parse().unwrap()).unwrap_err();
    let refusals: Vec<&str> = refusals.iter().collect();
    assert_eq!(
        refusals,
        [
            "example_wall version 1: `height` is \"number\" now, and was \"number\" null",
            "example_wall version 1: `size` is gone, which was \"string\"",
        ]
    );
    assert_eq!(lock, locked(), "a refused change leaves the lock as it was");

    let mut edited = wall();
    edited
        .priors
        .get_mut("example_wall")
        .unwrap()
        .get_mut(&0)
        .unwrap()
        .attributes
        .remove("word");
    let refusal = lock
        .freeze(&edited, "1.1.0".parse().unwrap())
        .unwrap_err()
        .to_string();
    assert_eq!(
        refusal,
        "the lock was not changed: example_wall version 0: `word` is gone, which was \"string\" null write_only"
    );

    let mut lower = wall();
    lower.resources.get_mut("example_wall").unwrap().version = 0;
    lower.priors.clear();
    let refusal = lock
        .freeze(&lower, "1.1.0".parse().unwrap())
        .unwrap_err()
        .to_string();
    assert_eq!(
        refusal,
        "the lock was not changed: example_wall: version 0 is lower than 1, which was released"
    );
    assert!(
        lock.freeze(&wall(), "0.9.0".parse().unwrap()).is_err(),
        "releases do not go back"
    );
}

#[test]
fn a_pre_release_is_written_before_its_release() {
    let mut lock = Lock::default();
    for release in ["1.0.0-rc.1", "1.0.0-rc.2", "1.0.0"] {
        lock.freeze(&wall(), release.parse().unwrap()).unwrap();
    }
    let text = lock.to_string();
    assert!(
        text.contains("\nrelease 1.0.0-rc.1\nrelease 1.0.0-rc.2\nrelease 1.0.0\n"),
        "{text}"
    );
    assert!(text.contains("released 1.0.0-rc.1\n"), "{text}");
    assert_eq!(Lock::parse(&text).unwrap(), lock);
    let refusal = lock
        .freeze(&wall(), "1.0.0-rc.3".parse().unwrap())
        .unwrap_err()
        .to_string();
    assert_eq!(
        refusal,
        "the lock was not changed: release 1.0.0-rc.3 is older than 1.0.0, which is in the lock"
    );
}

#[test]
fn the_values_that_a_field_takes_may_widen_and_never_narrow() {
    use serde_json::json;

    let with = |name: &str, check: &str, values: serde_json::Value| {
        let mut changed = wall();
        let attribute = changed
            .resources
            .get_mut("example_wall")
            .unwrap()
            .attributes
            .get_mut(name)
            .unwrap();
        attribute.validators.insert(check.to_owned(), values);
        changed
    };
    let freeze = |changed: &Snapshot| {
        locked()
            .freeze(changed, "1.1.0".parse().unwrap())
            .map_err(|refused| refused.to_string())
    };
    let refused = [
        (
            with("height", "stored integer", json!("i32")),
            "`height` is read as i32 now, and was stored as i64",
        ),
        (
            with("height", "stored integer", json!("u64")),
            "`height` is read as u64 now, and was stored as i64",
        ),
        (
            with("size", "stored values", json!(["large"])),
            "`size` no longer takes \"small\"",
        ),
        (
            with("id", "stored values", json!(["a"])),
            "`id` takes only \"a\" now, and any string was stored",
        ),
    ];
    for (changed, expected) in refused {
        assert_eq!(
            freeze(&changed).unwrap_err(),
            format!("the lock was not changed: example_wall version 1: {expected}")
        );
    }
    assert!(
        freeze(&with(
            "size",
            "stored values",
            json!(["large", "small", "huge"])
        ))
        .is_ok()
    );
    let mut any = wall();
    for attribute in any
        .resources
        .get_mut("example_wall")
        .unwrap()
        .attributes
        .values_mut()
    {
        attribute.validators.clear();
    }
    assert!(freeze(&any).is_ok());
}

#[test]
fn a_current_schema_may_gain_what_old_state_reads_without() {
    let mut grown = wall();
    let resource = grown.resources.get_mut("example_wall").unwrap();
    let colour = resource.attributes["secret"].clone();
    resource.attributes.insert("colour".to_owned(), colour);
    let mut lock = locked();
    let before = lock.get("example_wall", 1).unwrap().fingerprint();
    let changes = lock.freeze(&grown, "1.1.0".parse().unwrap()).unwrap();
    assert_eq!(
        changes.iter().map(|change| change.what).collect::<Vec<_>>(),
        ["grown"]
    );
    let text = lock.to_string();
    assert!(
        text.contains(&format!("@former = {{\"1.0.0\":\"{before}\"}}")),
        "{text}"
    );
    assert!(
        text.contains("\"sensitive\":true,\"since\":\"1.1.0\"}"),
        "{text}"
    );
    assert_eq!(Lock::parse(&text).unwrap(), lock);
    // Frozen again, nothing is to be written.
    assert!(
        lock.freeze(&grown, "1.1.0".parse().unwrap())
            .unwrap()
            .is_empty()
    );
    assert_eq!(lock.to_string(), text);
}

/// What a kite is once it has a number of tails, with a default.
mod kite {
    use super::Resource;

    #[derive(Resource)]
    #[resource(type_name = "example_kite")]
    pub(super) struct Before {
        name: Option<String>,
    }

    #[derive(Resource)]
    #[resource(type_name = "example_kite")]
    pub(super) struct After {
        name: Option<String>,
        #[attribute(default = 3)]
        tails: i64,
    }
}

#[test]
fn what_has_a_default_need_not_be_set_whether_or_not_its_field_is_an_option() {
    let before = Snapshot::of(&Registry::new().with::<kite::Before>());
    let after = Snapshot::of(&Registry::new().with::<kite::After>());
    let report = compare(&before, &after, &Options::default());
    let rules: Vec<&str> = report
        .findings
        .iter()
        .map(|finding| finding.rule.id())
        .collect();
    assert!(
        rules.contains(&"attribute-added-default") && !rules.contains(&"attribute-added-required"),
        "{rules:?}"
    );

    let mut lock = Lock::default();
    lock.freeze(&after, "1.0.0".parse().unwrap()).unwrap();
    let text = lock.to_string();
    assert!(
        text.contains("tails = \"number\" {\"default\":3,\"optional\":true,"),
        "{text}"
    );
    // As locks said it before: the same shape, the same fingerprint, and nothing changed.
    let earlier = text.replace(
        "{\"default\":3,\"optional\":true,",
        "{\"default\":3,\"required\":true,",
    );
    assert_ne!(earlier, text);
    assert_eq!(Lock::parse(&earlier).unwrap(), lock);
}

#[test]
fn what_no_release_has_shipped_may_change() {
    let mut lock = Lock::default();
    lock.relock(&wall()).unwrap();
    assert!(lock.to_string().contains(" unreleased\n"));
    let mut changed = wall();
    changed
        .resources
        .get_mut("example_wall")
        .unwrap()
        .attributes
        .remove("size");
    lock.relock(&changed).unwrap();
    lock.freeze(&changed, "1.0.0".parse().unwrap()).unwrap();
    assert!(!lock.to_string().contains("unreleased"));
    lock.relock(&wall())
        .expect_err("version 1 is released now, and `size` must be stored");
}

#[test]
fn a_type_that_is_gone_is_no_longer_compared() {
    let mut lock = locked();
    lock.freeze(&Snapshot::default(), "2.0.0".parse().unwrap())
        .unwrap();
    assert!(lock.to_string().contains("@removed = \"2.0.0\""));
    assert!(lock.baseline().resources.is_empty());
    assert_eq!(Lock::parse(&lock.to_string()).unwrap(), lock);
}

#[test]
fn what_is_no_lock_is_refused_with_its_line() {
    let good = locked().to_string();
    let fingerprint = locked().get("example_wall", 0).unwrap().fingerprint();
    for (text, problem) in [
        (String::new(), "a lock begins with `upstate-lock 1`"),
        (
            good.replace("upstate-lock 3", "upstate-lock 4"),
            "line 2: the format of this lock is 4, and this upstate reads 1, 2 and 3",
        ),
        (
            good.replace("release 1.0.0", "release soon"),
            "line 3: \"soon\" is not a release number such as 1.4.0",
        ),
        (
            good.replace("[example_wall 0]", "<<<<<<< HEAD\n[example_wall 0]"),
            "line 5: a merge was not finished here: `lock --resolve` puts both sides together",
        ),
        (
            good.replace("word = \"string\"", "word = \"strong\""),
            "line 7: `word`: not a type: `strong`",
        ),
        (
            good.replace("word = \"string\" null", "word = \"string\""),
            "line 5: the lines of `[example_wall 0]` give the fingerprint",
        ),
        (
            good.replace("word = ", "id.word = "),
            "line 7: `id.word` comes before its parent",
        ),
        (
            good.replace("word = ", "a..b = "),
            "line 7: `a..b` is not a path",
        ),
        (
            good.replace(
                &format!("[example_wall 0] {fingerprint} released"),
                "[example_wall 0]",
            ),
            "line 5: expected `[type version] fingerprint",
        ),
        (
            good.clone() + &"a.".repeat(70) + "b = \"string\"\n",
            "more than 64 attributes inside one another",
        ),
    ] {
        let error = Lock::parse(&text).unwrap_err().to_string();
        assert!(error.contains(problem), "{error}\nexpected: {problem}");
    }
}

#[test]
fn the_lock_is_what_the_next_release_is_judged_by() {
    let baseline = locked().baseline();
    assert_eq!(baseline.release, Some("1.0.0".parse().unwrap()));
    let current = wall().at("1.0.1".parse().unwrap());
    assert!(
        compare(&baseline, &current, &Options::default())
            .findings
            .is_empty()
    );
    let mut edited = current;
    edited
        .resources
        .get_mut("example_wall")
        .unwrap()
        .attributes
        .remove("height");
    edited
        .resources
        .get_mut("example_wall")
        .unwrap()
        .history
        .insert(0, "0".repeat(16));
    let report = compare(&baseline, &edited, &Options::default());
    let rules: Vec<&str> = report
        .findings
        .iter()
        .map(|finding| finding.rule.id())
        .collect();
    assert_eq!(
        rules,
        [
            "release-bump-insufficient",
            "prior-schema-edited",
            "schema-version-not-bumped",
            "attribute-removed",
            "removed-without-deprecation"
        ]
    );
    assert_eq!(report.required_bump, Semver::Major);
    assert_eq!(report.required_release().unwrap().to_string(), "2.0.0");
}

#[test]
fn names_that_are_no_identifiers_are_quoted() {
    let odd = Attribute::new("very odd.name\" = {\n", Type::String, Presence::Optional);
    let schema = Schema::new(
        0,
        Block::new([odd, Attribute::new("a-b", Type::Bool, Presence::Required)]),
    );
    let mut registry = Registry::new();
    registry.insert(
        ResourceDefinition::builder("example_odd", schema)
            .unsupported(0..=u64::MAX)
            .build()
            .unwrap(),
    );
    let mut lock = Lock::default();
    lock.freeze(&Snapshot::of(&registry), "1.0.0".parse().unwrap())
        .unwrap();
    let text = lock.to_string();
    assert!(text.contains("\na-b = \"bool\""), "{text}");
    // A line break would end the line.
    assert!(
        text.contains(r#""very\sodd.name\"\s=\s{\n" = "string""#),
        "{text}"
    );
    assert_eq!(Lock::parse(&text).unwrap(), lock);
}

/// A chart that an attribute calls by a word of the lock.
#[derive(Resource)]
#[resource(type_name = "example_chart", version = 0)]
struct Chart {
    release: String,
    name: Option<String>,
}

#[test]
fn an_attribute_may_be_called_as_a_word_of_the_lock() {
    let mut lock = Lock::default();
    lock.freeze(
        &Snapshot::of(&Registry::new().with::<Chart>()),
        "1.0.0".parse().unwrap(),
    )
    .unwrap();
    let text = lock.to_string();
    assert!(
        text.contains("\nrelease = \"string\" {\"required\":true}\n"),
        "{text}"
    );
    assert_eq!(Lock::parse(&text).unwrap(), lock);
}

#[test]
fn a_provider_without_models_is_imported() {
    let schemas = r#"{"format_version": "1.0", "provider_schemas": {"registry.terraform.io/acme/acme": {"resource_schemas": {
        "example_wall": {"version": 1, "block": {"attributes": {
            "id": {"type": "string", "computed": true}, "size": {"type": "string", "required": true},
            "height": {"type": "number", "optional": true}, "pair": {"type": ["tuple", ["string", "number"]], "required": true}},
            "block_types": {"inner": {"nesting_mode": "list", "max_items": 1, "block": {}}}}}}}}}"#;
    let mut lock = Lock::default();
    lock.import(schemas.as_bytes(), Some("acme"), "1.0.0".parse().unwrap())
        .unwrap();
    assert!(
        lock.to_string()
            .contains("height = \"number\" null? {\"optional\":true}\n"),
        "{lock}"
    );
    assert_eq!(Lock::parse(&lock.to_string()).unwrap(), lock);
    let error = lock
        .clone()
        .import(b"{}", None, "1.0.0".parse().unwrap())
        .unwrap_err()
        .to_string();
    assert!(error.contains("it has no provider"), "{error}");
    let error = lock
        .import(b"[", None, "1.0.0".parse().unwrap())
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("not the output of `terraform providers schema -json`"),
        "{error}"
    );
}

/// A document of one type at version 0 with these attributes, each a type in Terraform's notation.
fn document(attributes: &[(&str, &str)]) -> String {
    let attributes: Vec<String> = attributes
        .iter()
        .map(|(name, ty)| format!(r#""{name}": {{"type": {ty}, "optional": true}}"#))
        .collect();
    format!(
        r#"{{"provider_schemas": {{"example.com/a/acme": {{"resource_schemas": {{"acme_thing": {{"version": 0, "block": {{"attributes": {{{}}}}}}}}}}}}}}}"#,
        attributes.join(", ")
    )
}

fn imported(documents: &[(&str, &[(&str, &str)])]) -> Lock {
    let mut lock = Lock::default();
    for (release, attributes) in documents {
        lock.import(
            document(attributes).as_bytes(),
            None,
            release.parse().unwrap(),
        )
        .unwrap();
    }
    lock
}

#[test]
fn releases_that_stored_several_shapes_under_a_version_are_imported_in_any_order() {
    let old: (&str, &[(&str, &str)]) =
        ("1.0.0", &[("gone", r#""string""#), ("size", r#""string""#)]);
    let now: (&str, &[(&str, &str)]) = ("1.1.0", &[("size", r#""string""#)]);
    let lock = imported(&[old, now]);
    assert_eq!(lock, imported(&[now, old]));
    let entry = lock.get("acme_thing", 0).unwrap();
    assert_eq!(entry.released().unwrap().to_string(), "1.0.0");
    assert_eq!(
        entry.resource().attributes.keys().collect::<Vec<_>>(),
        ["size"]
    );
    assert_eq!(
        entry.resource().alternatives,
        [imported(&[old]).get("acme_thing", 0).unwrap().fingerprint()]
    );
    assert_eq!(Lock::parse(&lock.to_string()).unwrap(), lock);
}

#[test]
fn an_object_type_is_a_nested_attribute_to_the_lock() {
    let lock = imported(&[(
        "1.0.0",
        &[(
            "rules",
            r#"["list", ["object", {"port": "number", "zone": "string"}]]"#,
        )],
    )]);
    let nested = |more: &str| {
        let text = format!(
            "upstate-lock 1\nrelease 1.1.0\n\n[acme_thing 0] FINGERPRINT released 1.1.0\nrules = nested list null\nrules.port = \"number\" null\n{more}"
        );
        let problem = Lock::parse(&text.replace("FINGERPRINT", "0000000000000000"))
            .unwrap_err()
            .to_string();
        let found = problem
            .split("give the fingerprint ")
            .nth(1)
            .unwrap()
            .split(',')
            .next()
            .unwrap()
            .to_owned();
        Lock::parse(&text.replace("FINGERPRINT", &found)).unwrap()
    };
    let freeze = |of: &Lock| {
        lock.clone()
            .freeze(&of.baseline(), "1.1.0".parse().unwrap())
            .map_err(|refused| refused.to_string())
    };
    assert!(freeze(&nested("rules.zone = \"string\" null\n")).is_ok());
    let gone = freeze(&nested("")).unwrap_err();
    assert_eq!(
        gone,
        "the lock was not changed: acme_thing version 0: `rules.zone` is gone, which was \"string\" null?"
    );
}

#[test]
fn what_two_branches_have_grown_is_one_entry() {
    let base: (&str, &[(&str, &str)]) = ("1.0.0", &[("size", r#""string""#)]);
    let ours = imported(&[
        base,
        ("1.2.0", &[("size", r#""string""#), ("ours", r#""bool""#)]),
    ]);
    let theirs = imported(&[
        base,
        ("1.0.1", &[("size", r#""string""#), ("theirs", r#""bool""#)]),
    ]);
    let merged = ours.merged(&theirs).unwrap();
    assert_eq!(merged, theirs.merged(&ours).unwrap());
    let entry = merged.get("acme_thing", 0).unwrap();
    assert_eq!(
        entry.resource().attributes.keys().collect::<Vec<_>>(),
        ["ours", "size", "theirs"]
    );
    assert_eq!(
        (
            entry.released().unwrap().to_string().as_str(),
            merged.releases().len()
        ),
        ("1.0.0", 3)
    );
    assert_eq!(Lock::parse(&merged.to_string()).unwrap(), merged);
    assert_eq!(merged.merged(&ours).unwrap(), merged);
    // What nobody can tell apart stays two locks.
    let other = imported(&[("1.0.1", &[("size", r#""number""#)])]);
    let refused = ours.merged(&other).unwrap_err().to_string();
    assert!(
        refused.contains(
            "acme_thing version 0: `size` is \"string\" null? now, and was \"number\" null?"
        ),
        "{refused}"
    );
}
