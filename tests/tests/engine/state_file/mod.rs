//! State files: what changes, what does not, and what is refused.

mod answered;
mod changes;
mod contents;
mod hostile;
mod in_place;
mod lines;
mod refused;
mod to_upgrade;

use upstate::{Registry, Resource};
use upstate_state::{InstanceOutcome, StateFile, UpgradeOptions};

#[derive(Debug, Resource)]
#[resource(type_name = "example_box", version = 1)]
#[upgrade_from(0, model = BoxV0)]
struct Box1 {
    id: String,
    label: Option<String>,
    tags: Vec<String>,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_box", version = 0)]
struct BoxV0 {
    id: String,
    name: Option<String>,
}

impl TryFrom<BoxV0> for Box1 {
    type Error = &'static str;

    fn try_from(prior: BoxV0) -> Result<Self, &'static str> {
        let label = prior.name.filter(|name| name != "poison");
        Ok(Box1 {
            tags: Vec::new(),
            label: Some(label.ok_or("the name is not wanted")?),
            id: prior.id,
        })
    }
}

fn registry() -> Registry {
    Registry::new().with::<Box1>()
}

/// Odd on purpose: members out of order, letter case, tabs, a type nobody knows, escapes, numbers
/// in odd forms.
const STATE: &str = r#"{
  "version": 4,
  "terraform_version": "1.15.5",
  "serial": 41,
  "lineage": "a-b",
  "outputs": {"x": {"value": 1.50, "type": "number"}},
  "resources": [
    {
      "mode": "managed",
      "type": "example_box",
      "name": "a",
      "provider": "provider[\"registry.terraform.io/example/example\"]",
      "instances": [
        {
          "index_key": "k\"1",
          "schema_version": 0,
          "attributes": {
            "id": "one",
            "name": "first",
            "unknown": [1.0, {"x": null}]
          },
          "sensitive_attributes": [],
          "private": "bnVsbA=="
        },
        {
          "schema_version": 1,
          "index_key": "k2",
          "attributes": {"id": "two", "label": "stays as 1.0 is", "odd":1.0}
        }
      ]
    },
    {
      "MODULE": "module.m[0]", "mode": "managed", "type": "example_box", "name": "b", "provider": "provider[\"registry.terraform.io/example/example\"]",
      "instances": [ { "attributes": { "id": "three", "name": "third" }, "deposed": "0badcafe" } ]
    },
	{ "mode": "managed", "type": "other_thing", "name": "c", "provider": "provider[\"registry.terraform.io/example/example\"]", "instances": [{"schema_version": 7, "attributes": {"a":   1e5}}] },
    { "mode": "data", "type": "example_box", "name": "d", "provider": "provider[\"registry.terraform.io/example/example\"]", "instances": [{"schema_version": 0, "attributes": {"id": "x"}}] }
  ],
  "check_results": null
}
"#;

fn upgraded(state: &str) -> String {
    let upgrade = StateFile::parse(state.as_bytes())
        .unwrap()
        .upgrade(&registry())
        .unwrap();
    let failures: Vec<_> = upgrade
        .instances()
        .filter(|(_, outcome)| matches!(outcome, InstanceOutcome::Failed { .. }))
        .collect();
    String::from_utf8(upgrade.to_bytes().unwrap_or_else(|| panic!("{failures:?}"))).unwrap()
}

fn problem(state: impl AsRef<[u8]>) -> String {
    StateFile::parse(state.as_ref())
        .map(|_| ())
        .unwrap_err()
        .to_string()
}

#[test]
fn only_versions_attributes_and_serial_change() {
    let expected = STATE
        .replace(r#""serial": 41"#, r#""serial": 42"#)
        .replace(
            r#""schema_version": 0,
          "attributes": {
            "id": "one",
            "name": "first",
            "unknown": [1.0, {"x": null}]
          }"#,
            r#""schema_version": 1,
          "attributes": {
            "id": "one",
            "label": "first",
            "tags": []
          }"#,
        )
        .replace(
            r#"{ "attributes": { "id": "three", "name": "third" }, "#,
            r#"{ "schema_version": 1, "attributes": {"id":"three","label":"third","tags":[]}, "#,
        );
    assert_eq!(upgraded(STATE), expected);
    // And then there is nothing left to do, so not a byte changes.
    assert_eq!(upgraded(&expected), expected);
}

#[test]
fn instances_have_addresses_and_outcomes() {
    let upgrade = StateFile::parse(STATE.as_bytes())
        .unwrap()
        .upgrade(&registry())
        .unwrap();
    let all: Vec<String> = upgrade
        .instances()
        .map(|(instance, outcome)| {
            let outcome = match outcome {
                InstanceOutcome::Upgraded { to, .. } => format!("to {to}"),
                other => format!("{other:?}"),
            };
            format!("{} {outcome}", instance.address())
        })
        .collect();
    assert_eq!(
        all,
        [
            r#"example_box.a["k\"1"] to 1"#,
            r#"example_box.a["k2"] Current"#,
            "module.m[0].example_box.b (deposed 0badcafe) to 1",
            "other_thing.c UnknownType",
            "data.example_box.d Data",
        ]
    );
}

#[test]
fn a_missing_serial_is_added_when_something_changes() {
    let state = r#"{"resources":[{"mode":"managed","type":"example_box","name":"a","provider":"provider.example","instances":[{"schema_version":0,"attributes":{"id":"1","name":"x"}}]}],"version":4}"#;
    let expected = r#"{"resources":[{"mode":"managed","type":"example_box","name":"a","provider":"provider.example","instances":[{"schema_version":1,"attributes":{"id":"1","label":"x","tags":[]}}]}],"version":4, "serial": 1}"#;
    assert_eq!(upgraded(state), expected);
}

#[test]
fn one_failed_instance_fails_the_file() {
    let state = STATE.replace("third", "poison");
    let upgrade = StateFile::parse(state.as_bytes())
        .unwrap()
        .upgrade(&registry())
        .unwrap();
    assert!(upgrade.has_failures());
    assert_eq!(upgrade.to_bytes(), None);
    let failed = upgrade
        .instances()
        .find_map(|(instance, outcome)| match outcome {
            InstanceOutcome::Failed { to, diagnostics } => {
                Some(format!("{} to {to}: {diagnostics}", instance.address()))
            }
            _ => None,
        });
    assert_eq!(
        failed.unwrap(),
        "module.m[0].example_box.b (deposed 0badcafe) to 1: error: Unable to Upgrade Resource State\nThe upgrade from schema version 0 refused this state: the name is not wanted.\n\n\
         Resource type example_box, stored at schema version 0, current version 1, id \"three\"."
    );
}

#[test]
fn what_cannot_be_read_fails_the_instance() {
    for (attributes, text) in [
        (r#""attributes": null"#, "the stored value is null"),
        (
            r#""attributes_flat": {"id": "x", "name": "poison"}"#,
            "the name is not wanted",
        ),
        (r#""private": """#, "the stored state lacks this attribute"),
    ] {
        let state = format!(
            r#"{{"version":4,"resources":[{{"mode":"managed","type":"example_box","name":"a","provider":"provider.example","instances":[{{"schema_version":0,{attributes}}}]}}]}}"#
        );
        let upgrade = StateFile::parse(state.as_bytes())
            .unwrap()
            .upgrade(&registry())
            .unwrap();
        let [outcome] = upgrade
            .instances()
            .map(|(_, outcome)| format!("{outcome:?}"))
            .collect::<Vec<_>>()
            .try_into()
            .unwrap();
        assert!(
            outcome.starts_with("Failed") && outcome.contains(text),
            "{outcome}"
        );
    }
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_lid", version = 1)]
#[upgrade_from(0, model = LidV0)]
struct Lid {
    label: Option<String>,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_lid", version = 0)]
struct LidV0 {
    name: Option<String>,
}

impl From<LidV0> for Lid {
    fn from(prior: LidV0) -> Self {
        Lid { label: prior.name }
    }
}

#[test]
fn an_instance_without_attributes_is_an_empty_object() {
    let registry = Registry::new().with::<Lid>();
    let file = |instance: &str, serial: &str| {
        format!(
            r#"{{"version":4,"serial":{serial},"resources":[{{"mode":"managed","type":"example_lid","name":"a","provider":"provider.example","instances":[{instance}]}}]}}"#
        )
    };
    for (before, after) in [
        (
            "{}",
            r#"{"attributes": {"label":null}, "schema_version": 1}"#,
        ),
        (
            r#"{"schema_version":0}"#,
            r#"{"attributes": {"label":null}, "schema_version":1}"#,
        ),
        (
            r#"{"schema_version":null,"attributes":{}}"#,
            r#"{"schema_version":1,"attributes":{"label":null}}"#,
        ),
        (
            r#"{"index_key":"k"}"#,
            r#"{"attributes": {"label":null}, "schema_version": 1, "index_key":"k"}"#,
        ),
        (
            r#"{ "attributes_flat": {"name":"x"} }"#,
            r#"{ "schema_version": 1, "attributes": {"label":"x"} }"#,
        ),
    ] {
        let (before, after) = (file(before, "1"), file(after, "2"));
        let upgraded = StateFile::parse(before.as_bytes())
            .unwrap()
            .upgrade(&registry)
            .unwrap()
            .to_bytes()
            .unwrap();
        assert_eq!(String::from_utf8(upgraded).unwrap(), after);
        assert!(
            !StateFile::parse(after.as_bytes())
                .unwrap()
                .upgrade(&registry)
                .unwrap()
                .has_changes()
        );
    }
}

/// Long one-line files used to take time with the square of their length.
#[test]
fn a_large_compact_file_is_upgraded_in_one_go() {
    let instance = |index: usize| {
        format!(r#"{{"index_key":{index},"schema_version":0,"attributes":{{"name":"{index}"}}}}"#)
    };
    let instances: Vec<String> = (0..20_000).map(instance).collect();
    let file = format!(
        r#"{{"version":4,"serial":1,"resources":[{{"mode":"managed","type":"example_lid","name":"a","provider":"provider.example","instances":[{}]}}]}}"#,
        instances.join(",")
    );
    let upgrade = StateFile::parse(file.as_bytes())
        .unwrap()
        .upgrade(&Registry::new().with::<Lid>())
        .unwrap();
    assert!(!upgrade.has_failures());
    let upgraded = upgrade.to_bytes().unwrap();
    let last = r#"{"index_key":19999,"schema_version":1,"attributes":{"label":"19999"}}]}]}"#;
    assert!(upgraded.ends_with(last.as_bytes()));
    // And what comes out does not depend on how many threads there are.
    let registry = Registry::new().with::<Lid>();
    let state = StateFile::parse(file.as_bytes()).unwrap();
    for threads in [1, 2, 3, 16] {
        let mut out = Vec::new();
        let options = UpgradeOptions::new().threads(threads.try_into().unwrap());
        let mut order = Vec::new();
        let each = |upgrade: upstate_state::InstanceUpgrade<'_, '_>| {
            let upstate_state::InstanceKey::Int(index) = upgrade.instance().address().key() else {
                panic!("an index")
            };
            order.push(*index);
            Ok(())
        };
        let totals = state
            .upgrade_to(&registry, &options, &mut out, each)
            .unwrap();
        assert_eq!((totals.upgraded(), totals.may_be_written()), (20_000, true));
        assert!(out == upgraded && order.is_sorted(), "{threads} threads");
    }
}

#[test]
fn names_cannot_steer_the_terminal() {
    let file = r#"{"version":4,"resources":[{"mode":"managed","type":"t","name":"x\u001b[31m","provider":"provider.x","instances":[{"index_key":"\u0007"}]}]}"#;
    let state = StateFile::parse(file.as_bytes()).unwrap();
    assert_eq!(
        state.instances()[0].address().to_string(),
        r#"t.x\u{1b}[31m["\u0007"]"#
    );
}

#[test]
fn flat_attributes_become_json() {
    let before = STATE.replace(
        r#""attributes": { "id": "three", "name": "third" }"#,
        r#""attributes_flat": { "id": "three", "name": "third", "other.#": "1" }"#,
    );
    let expected = upgraded(STATE);
    assert_ne!(before, STATE);
    assert_eq!(upgraded(&before), expected);
}

#[test]
fn lines_end_and_indent_as_they_did() {
    let file = |text: &str| {
        format!(
            r#"{{"version":4,"serial":1,"resources":[{{"mode":"managed","type":"example_lid","name":"a","provider":"provider.x","instances":[
\t\t{{
\t\t\t"schema_version": 0,
\t\t\t"attributes": {text}
\t\t}}
]}}]}}"#
        )
        .replace("\\t", "\t")
    };
    let upgraded = |text: &str| {
        let upgrade = StateFile::parse(text.as_bytes())
            .unwrap()
            .upgrade(&Registry::new().with::<Lid>())
            .unwrap();
        String::from_utf8(upgrade.to_bytes().unwrap()).unwrap()
    };
    let before = file("{\n\\t\\t\\t\\t\"name\": \"x\"\n\\t\\t\\t}");
    let after = before
        .replace("\"name\": \"x\"", "\"label\": \"x\"")
        .replace("\"schema_version\": 0", "\"schema_version\": 1");
    let after = after.replace("\"serial\":1", "\"serial\":2");
    assert_eq!(upgraded(&before), after);
    let windows = |text: &str| text.replace('\n', "\r\n");
    assert_eq!(upgraded(&windows(&before)), windows(&after));
    let four = |text: &str| text.replace('\t', "    ");
    assert_eq!(upgraded(&four(&before)), four(&after));
    // Where nothing shows what a level adds, it is what Terraform writes.
    let two = |text: &str| file(text).replace('\t', "  ");
    let empty = upgraded(&two("{}"));
    let filled = two("{\n        \"label\": null\n      }")
        .replace("\"schema_version\": 0", "\"schema_version\": 1");
    assert_eq!(empty, filled.replace("\"serial\":1", "\"serial\":2"));
}

#[test]
fn an_index_is_a_whole_number_however_it_is_written() {
    let instance = |keys: &str| {
        format!(
            r#"{{"version": 4, "resources": [{{"mode": "managed", "type": "t", "name": "n", "provider": "provider.x", "instances": [{keys}]}}]}}"#
        )
    };
    let twice = instance(r#"{"index_key": 1}, {"index_key": 1.0}"#);
    assert_eq!(
        problem(twice),
        "line 1, column 134: there is a second object for t.n[1]"
    );
    for (key, text) in [
        ("1e2", "t.n[100]"),
        ("2.7", "t.n[2]"),
        ("\"1\"", "t.n[\"1\"]"),
        ("null", "t.n"),
        ("-1", "t.n[-1]"),
    ] {
        let file = instance(&format!("{{\"index_key\": {key}}}"));
        let state = StateFile::parse(file.as_bytes()).unwrap();
        assert_eq!(state.instances()[0].address().to_string(), text);
    }
    assert!(
        problem(instance(r#"{"index_key": 1e300}"#))
            .contains("`index_key` is a number too large for an index")
    );
}

#[test]
fn a_serial_that_cannot_grow_keeps_the_file_from_being_upgraded() {
    let state = STATE.replace("\"serial\": 41", "\"serial\": 18446744073709551615");
    let parsed = StateFile::parse(state.as_bytes()).unwrap();
    let mut out = Vec::new();
    let error = parsed
        .upgrade_to(&registry(), &UpgradeOptions::new(), &mut out, |_| Ok(()))
        .unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("the serial is 18446744073709551615, the largest there can be"),
        "{error}"
    );
    let error = parsed.upgrade(&registry()).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("the serial is 18446744073709551615"),
        "{error}"
    );
    // If nothing is to be upgraded, nothing has to grow.
    let nothing = StateFile::parse(state.as_bytes())
        .unwrap()
        .upgrade(&Registry::new())
        .unwrap();
    assert_eq!(nothing.to_bytes().unwrap(), state.as_bytes());
}

#[test]
fn results_of_checks_are_written_in_the_order_of_their_addresses() {
    let result = |kind: &str, address: &str, objects: &str| {
        format!(
            r#"{{"object_kind":"{kind}","config_addr":"{address}","status":"pass","objects":[{objects}]}}"#
        )
    };
    let object = |address: &str| {
        format!(r#"{{"object_addr":"{address}","status":"fail","failure_messages":["b","a"]}}"#)
    };
    let file = format!(
        r#"{{"version":4,"check_results":[{},{}]}}"#,
        result(
            "resource",
            "t.n",
            &[object("t.n[1]"), object("t.n[0]")].join(",")
        ),
        result("output", "output.x", "")
    );
    let mut normal = Vec::new();
    StateFile::parse(file.as_bytes())
        .unwrap()
        .normalize(&mut normal)
        .unwrap();
    let normal: serde_json::Value = serde_json::from_slice(&normal).unwrap();
    let found = &normal["check_results"];
    assert_eq!(
        (&found[0]["config_addr"], &found[0]["objects"]),
        (&"output.x".into(), &serde_json::Value::Null)
    );
    assert_eq!(
        [0, 1].map(|at| found[1]["objects"][at]["object_addr"].as_str().unwrap()),
        ["t.n[0]", "t.n[1]"]
    );
    // What was said of one object keeps its order.
    assert_eq!(
        found[1]["objects"][0]["failure_messages"],
        serde_json::json!(["b", "a"])
    );
}

#[test]
fn members_that_opentofu_adds_to_the_format_stay_when_it_is_normalized() {
    let normalized = |output: &str, instance: &str| {
        let file = format!(
            r#"{{"version":4,"outputs":{{"a":{{"value":1,"type":"number",{output}}}}},"resources":[{{"mode":"managed","type":"t","name":"n","provider":"provider.x","instances":[{{"attributes":{{}},{instance}}}]}}]}}"#
        );
        let mut normal = Vec::new();
        StateFile::parse(file.as_bytes())
            .unwrap()
            .normalize(&mut normal)
            .unwrap();
        serde_json::from_slice::<serde_json::Value>(&normal).unwrap()
    };
    let normal = normalized(
        r#""deprecated":"use b""#,
        r#""depends_on":["module.m[\"k\"].t.o[0]"],"skip_destroy":true"#,
    );
    assert_eq!(normal["outputs"]["a"]["deprecated"], "use b");
    let instance = &normal["resources"][0]["instances"][0];
    assert_eq!(instance["skip_destroy"], true, "{normal}");
    assert_eq!(
        instance["depends_on"],
        serde_json::json!([r#"module.m["k"].t.o[0]"#]),
        "{normal}"
    );
    // Members of another shape are dropped, because the format does not define them.
    let normal = normalized(
        r#""deprecated":7"#,
        r#""depends_on":["x"],"skip_destroy":"no""#,
    );
    let instance = &normal["resources"][0]["instances"][0];
    for absent in [
        &normal["outputs"]["a"]["deprecated"],
        &instance["depends_on"],
        &instance["skip_destroy"],
    ] {
        assert!(absent.is_null(), "{normal}");
    }
}

/// OpenTofu writes a provider with each instance where the provider has instances itself.
#[test]
fn each_instance_may_have_a_provider_of_its_own() {
    let provider = |key: &str| {
        format!(r#"provider[\"registry.opentofu.org/example/example\"].by_region[\"{key}\"]"#)
    };
    let instance = |key: &str, stored: &str| {
        format!(
            r#"{{"index_key":"{key}","provider":"{}",{stored}}}"#,
            provider(key)
        )
    };
    let file = |first: &str| {
        format!(
            r#"{{"version":4,"serial":1,"resources":[{{"mode":"managed","type":"example_box","name":"a","instances":[{},{}]}}]}}"#,
            instance("eu", first),
            instance(
                "us",
                r#""schema_version":1,"attributes":{"id":"2","label":null,"tags":[]}"#
            )
        )
    };
    let stored = file(r#""schema_version":0,"attributes":{"id":"1","name":"x"}"#);
    let state = StateFile::parse(stored.as_bytes()).unwrap();
    let providers: Vec<&str> = state
        .instances()
        .iter()
        .map(|instance| instance.provider())
        .collect();
    assert_eq!(
        providers,
        ["eu", "us"].map(|key| provider(key).replace('\\', ""))
    );
    assert_eq!(state.resources()[0].provider(), providers[0]);
    let expected = file(r#""schema_version":1,"attributes":{"id":"1","label":"x","tags":[]}"#);
    assert_eq!(
        upgraded(&stored),
        expected.replace(r#""serial":1"#, r#""serial":2"#)
    );
    let mut normal = Vec::new();
    state.normalize(&mut normal).unwrap();
    let normal: serde_json::Value = serde_json::from_slice(&normal).unwrap();
    assert!(normal["resources"][0]["provider"].is_null(), "{normal}");
    assert_eq!(
        normal["resources"][0]["instances"][1]["provider"],
        providers[1]
    );

    // One without a provider is of nobody, and an address is an address there too.
    let without = stored.replace(&format!(r#""provider":"{}","#, provider("us")), "");
    assert_eq!(
        problem(without),
        "line 1, column 38: this resource has no `provider`, so the provider of its state is unknown"
    );
    let wrong = stored.replace(r#"\"].by_region[\"us"#, r#"\"].[\"us"#);
    assert!(
        problem(&wrong).contains("`provider` must be an address such as"),
        "{}",
        problem(&wrong)
    );
    // Terraform reads that of the resource only.
    let named = wrong.replace(r#""name":"a","#, r#""name":"a","provider":"provider.x","#);
    let state = StateFile::parse(named.as_bytes()).unwrap();
    assert_eq!(
        state.instances()[1].provider(),
        r#"provider["registry.terraform.io/-/x"]"#
    );
}
