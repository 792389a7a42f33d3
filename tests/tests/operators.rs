//! Declarative edges, from outside: the way straight over the bytes and the way over values give the same answer, whatever is stored.

use std::collections::BTreeMap;

use proptest::prelude::*;
use upstate::{Object, Registry, Resource, StringEnum, UpgradeRequest, UpgradeResponse};

#[derive(Debug, Resource)]
#[resource(type_name = "example_thing", version = 2)]
#[upgrade_from(
    1,
    model = ThingV1,
    rename(old_name => name),
    drop(legacy, "nobody uses it since 2.0"),
    default(retries = 3, when = (null, 0)),
    convert(port, empty = null),
    unwrap(timeouts),
    nest(zone => place),
    rekey(rules, by = key),
    reformat(id, "{project}/{name}" => "projects/{project}/things/{name}", _ => keep),
    only_if(has(mode), set(note = "x")),
    values(tier, "basic" => "standard", _ => keep)
)]
pub struct Thing {
    id: String,
    name: Option<String>,
    retries: i32,
    port: Option<u16>,
    timeouts: Option<Timeouts>,
    place: Option<Place>,
    rules: BTreeMap<String, Rule>,
    mode: Option<String>,
    note: Option<String>,
    tier: Option<Tier>,
    parts: Vec<Part>,
    #[attribute(set)]
    tags: Vec<String>,
    labels: BTreeMap<String, Option<String>>,
    ratio: Option<f64>,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_thing", version = 1)]
#[upgrade_from(0, model = ThingV0, convert(tier))]
pub struct ThingV1 {
    id: String,
    old_name: Option<String>,
    legacy: Option<bool>,
    retries: Option<i32>,
    port: Option<String>,
    timeouts: Vec<Timeouts>,
    zone: Option<String>,
    rules: Vec<RuleV0>,
    mode: Option<String>,
    note: Option<String>,
    tier: Option<Tier>,
    parts: Vec<PartV0>,
    #[attribute(set)]
    tags: Vec<String>,
    labels: BTreeMap<String, Option<String>>,
    ratio: Option<f64>,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_thing", version = 0)]
pub struct ThingV0 {
    id: String,
    old_name: Option<String>,
    legacy: Option<bool>,
    retries: Option<i32>,
    port: Option<String>,
    timeouts: Vec<Timeouts>,
    zone: Option<String>,
    rules: Vec<RuleV0>,
    mode: Option<String>,
    note: Option<String>,
    tier: Option<String>,
    parts: Vec<PartV0>,
    #[attribute(set)]
    tags: Vec<String>,
    labels: BTreeMap<String, Option<String>>,
    ratio: Option<f64>,
}

#[derive(Debug, PartialEq, StringEnum)]
pub enum Tier {
    #[value(name = "basic")]
    Basic,
    #[value(name = "standard")]
    Standard,
}

#[derive(Debug, Object)]
pub struct Timeouts {
    create: Option<String>,
}

#[derive(Debug, Object)]
pub struct Place {
    zone: Option<String>,
}

#[derive(Debug, Object)]
pub struct Rule {
    port: i64,
}

#[derive(Debug, Object)]
pub struct RuleV0 {
    key: String,
    port: i64,
}

#[derive(Debug, Object)]
#[upgrade_from(model = PartV0, rename(a => b), drop(gone, "it was never set"))]
pub struct Part {
    b: i64,
    size: Option<i64>,
}

#[derive(Debug, Object)]
pub struct PartV0 {
    a: i64,
    gone: Option<String>,
    size: Option<i64>,
}

/// The members as an object, in this order.
fn object(members: &[(&str, String)]) -> String {
    let members: Vec<String> = members.iter().map(|(name, value)| format!("{name:?}:{value}")).collect();
    format!("{{{}}}", members.join(","))
}

fn upgrade(version: u64, json: &str) -> UpgradeResponse {
    Registry::new().with::<Thing>().upgrade(&UpgradeRequest::json("example_thing", version, json.as_bytes()))
}

/// What a member may hold: now and then something that does not fit.
fn value(of: &'static [&'static str]) -> impl Strategy<Value = String> {
    let odd =
        prop::sample::select(vec!["null", "7", r#""7""#, "[]", "{}", "true", r#""""#, "1e400", "99999999999", r#""\u00e9\n""#]);
    prop_oneof![12 => prop::sample::select(of).prop_map(str::to_owned), 1 => odd.prop_map(str::to_owned)]
}

fn members() -> impl Strategy<Value = Vec<(&'static str, String)>> {
    const TEXT: &[&str] = &["null", r#""a/b""#, r#""a/b/c""#, r#""x""#, r#""ü\"""#];
    const OBJECTS: &[&str] =
        &["[]", r#"[{"create":"1m"}]"#, r#"[{"create":null}]"#, r#"[{"create":"1"},{"create":"2"}]"#, "[{}]"];
    const RULES: &[&str] =
        &["[]", r#"[{"key":"a","port":1}]"#, r#"[{"key":"b","port":2},{"key":"a","port":1}]"#, r#"[{"port":1}]"#];
    const PARTS: &[&str] = &[
        "[]",
        r#"[{"a":1,"gone":null,"size":2}]"#,
        r#"[{"a":1},{"a":2,"gone":"x"}]"#,
        r#"[{"size":1,"a":2}]"#,
        r#"[{"a":"3"}]"#,
    ];
    (
        (value(&[r#""p/q""#, r#""p""#, r#""projects/p/things/q""#]), value(TEXT), value(&["true", "null"])),
        (value(&["1", "0", "null", "-5", "2147483648"]), value(&["null", r#""80""#, r#""""#, r#""70000""#])),
        (value(OBJECTS), value(TEXT), value(RULES), value(TEXT), value(TEXT)),
        (value(&["null", r#""basic""#, r#""standard""#, r#""other""#]), value(PARTS)),
        (value(&["[]", r#"["b","a"]"#, r#"["a","a"]"#]), value(&["{}", r#"{"a":"x","b":null}"#, r#"{"b":"x","a":"y"}"#])),
        value(&["1", "1.5", "null", "-0.0"]),
    )
        .prop_map(
            |(
                (id, old_name, legacy),
                (retries, port),
                (timeouts, zone, rules, mode, note),
                (tier, parts),
                (tags, labels),
                ratio,
            )| {
                let mut members = vec![
                    ("id", id),
                    ("labels", labels),
                    ("legacy", legacy),
                    ("mode", mode),
                    ("note", note),
                    ("old_name", old_name),
                    ("parts", parts),
                    ("port", port),
                    ("ratio", ratio),
                    ("retries", retries),
                    ("rules", rules),
                    ("tags", tags),
                    ("tier", tier),
                    ("timeouts", timeouts),
                    ("zone", zone),
                ];
                members.sort();
                members
            },
        )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Names out of order are what only the interpreter over values takes.
    #[test]
    fn both_ways_give_the_same_answer(members in members(), version in 0..=1_u64) {
        let sorted = upgrade(version, &object(&members));
        let mut reversed = members.clone();
        reversed.reverse();
        let other = upgrade(version, &object(&reversed));
        let text = |response: &UpgradeResponse| response.state().map(|state| String::from_utf8_lossy(state).into_owned());
        prop_assert_eq!(text(&sorted), text(&other));
        // Paths and reasons, not byte offsets: those differ with the order.
        prop_assert_eq!(sorted.discarded(), other.discarded());
        let about = |response: &UpgradeResponse| {
            response.diagnostics().iter().map(|found| (found.summary().to_owned(), found.path().cloned())).collect::<Vec<_>>()
        };
        if sorted.state().is_some() {
            prop_assert_eq!(about(&sorted), about(&other));
        }
    }

    #[test]
    fn whatever_is_stored_is_answered(json in "[\\[\\]{}\",:0-9a-z.\\-]{0,80}", version in 0..=2_u64) {
        let response = upgrade(version, &json);
        prop_assert!(response.state().is_some() || response.diagnostics().has_errors());
    }
}

#[test]
fn a_state_of_two_versions_ago_goes_through_both_edges() {
    let json = r#"{"id":"p/q","labels":{},"legacy":true,"mode":"m","note":null,"old_name":"n","parts":[{"a":1,"gone":"x","size":null}],"port":"80","ratio":1,"retries":0,"rules":[{"key":"a","port":1}],"tags":["b","a"],"tier":"basic","timeouts":[{"create":"1m"}],"zone":"eu"}"#;
    let response = upgrade(0, json);
    let expected = r#"{"id":"projects/p/things/q","labels":{},"mode":"m","name":"n","note":"x","parts":[{"b":1,"size":null}],"place":{"zone":"eu"},"port":80,"ratio":1,"retries":3,"rules":{"a":{"port":1}},"tags":["a","b"],"tier":"standard","timeouts":{"create":"1m"}}"#;
    assert_eq!(response.state().map(String::from_utf8_lossy).as_deref(), Some(expected), "{}", response.diagnostics());
    let lost: Vec<String> = response.discarded().iter().map(|(path, reason)| format!("{path}: {reason}")).collect();
    assert_eq!(lost, ["legacy: nobody uses it since 2.0", "parts[0].gone: it was never set"]);
}

#[test]
fn the_table_is_printed_in_its_own_words_and_exported() {
    let history = Thing::DEFINITION.history().unwrap();
    let upstate::EdgeKind::Operators(operators) = history.steps()[0].written_as() else { panic!("it has operators") };
    let expected = r#"rename(old_name => name)
default(retries = 3, when = (null, 0))
convert(port, empty = null)
unwrap(timeouts)
rename(zone => place.zone)
rekey(rules, by = key)
reformat(id, "{project}/{name}" => "projects/{project}/things/{name}", _ => keep)
only_if(has(mode), set(note = "x"))
values(tier, "basic" => "standard", _ => keep)
drop(legacy, "nobody uses it since 2.0")"#;
    assert_eq!(operators.to_string(), expected);
    let json = serde_json::to_value(operators).unwrap();
    assert_eq!(json["drops"], serde_json::json!([{"path": ["legacy"], "reason": "nobody uses it since 2.0"}]));
    assert_eq!(json["productions"][0]["stages"][0]["operator"], "rename");
}
