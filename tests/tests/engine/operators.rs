//! Declarative upgraders, from outside: the way straight over the bytes and the way over values
//! give the same answer, whatever is stored.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::LazyLock;

use proptest::prelude::*;
use upstate::codec::Encoding;
use upstate::{Object, Registry, Resource, StringEnum, UpgradeRequest, UpgradeResponse};

use crate::all_paths::{object, prepared_gives, spread, told};

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
    drop(note, "the mode says it"),
    values(tier, "basic" => "standard", _ => keep),
    copy(ratio => ratio_text), convert(ratio_text)
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
    ratio_text: Option<String>,
    #[attribute(as_string)]
    address: Option<IpAddr>,
    amount: u64,
    bonds: BTreeMap<String, Part>,
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
    #[attribute(as_string)]
    address: Option<IpAddr>,
    amount: u64,
    bonds: BTreeMap<String, PartV0>,
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
    #[attribute(as_string)]
    address: Option<IpAddr>,
    amount: u64,
    bonds: BTreeMap<String, PartV0>,
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

fn upgrade(version: u64, json: &str) -> UpgradeResponse {
    upgrade_to(Encoding::Json, version, json)
}

static REGISTRY: LazyLock<Registry> = LazyLock::new(|| Registry::new().with::<Thing>());

fn upgrade_to(encoding: Encoding, version: u64, json: &str) -> UpgradeResponse {
    REGISTRY.upgrade(
        &UpgradeRequest::json("example_thing", version, json.as_bytes()).with_encoding(encoding),
    )
}

/// What a member may hold: now and then something that does not fit.
fn value(of: &'static [&'static str]) -> impl Strategy<Value = String> {
    let odd = prop::sample::select(vec![
        "null",
        "7",
        r#""7""#,
        "[]",
        "{}",
        "true",
        r#""""#,
        "1e400",
        "99999999999",
        r#""\u00e9\n""#,
    ]);
    prop_oneof![12 => prop::sample::select(of).prop_map(str::to_owned), 1 => odd.prop_map(str::to_owned)]
}

fn members() -> impl Strategy<Value = Vec<(&'static str, String)>> {
    const TEXT: &[&str] = &["null", r#""a/b""#, r#""a/b/c""#, r#""x""#, r#""ü\"""#];
    const OBJECTS: &[&str] = &[
        "[]",
        r#"[{"create":"1m"}]"#,
        r#"[{"create":null}]"#,
        r#"[{"create":"1"},{"create":"2"}]"#,
        "[{}]",
    ];
    const RULES: &[&str] = &[
        "[]",
        r#"[{"key":"a","port":1}]"#,
        r#"[{"key":"b","port":2},{"key":"a","port":1}]"#,
        r#"[{"port":1}]"#,
    ];
    const PARTS: &[&str] = &[
        "[]",
        r#"[{"a":1,"gone":null,"size":2}]"#,
        r#"[{"a":1},{"a":2,"gone":"x"}]"#,
        r#"[{"size":1,"a":2}]"#,
        r#"[{"a":"3"}]"#,
    ];
    (
        (
            value(&[r#""p/q""#, r#""p""#, r#""projects/p/things/q""#]),
            value(TEXT),
            value(&["true", "null"]),
        ),
        (
            value(&["1", "0", "null", "-5", "2147483648"]),
            value(&["null", r#""80""#, r#""""#, r#""70000""#]),
        ),
        (
            value(OBJECTS),
            value(TEXT),
            value(RULES),
            value(TEXT),
            value(TEXT),
        ),
        (
            value(&["null", r#""basic""#, r#""standard""#, r#""other""#]),
            value(PARTS),
        ),
        (
            value(&["[]", r#"["b","a"]"#, r#"["a","a"]"#]),
            value(&["{}", r#"{"a":"x","b":null}"#, r#"{"b":"x","a":"y"}"#]),
        ),
        (
            value(&[
                "1",
                "1.5",
                "null",
                "-0.0",
                "1e2",
                "0.30000000000000004",
                "0.1000000000000000055511",
                "12345678.9",
            ]),
            value(&["null", r#""::1""#, r#""0:0::1""#, r#""10.0.0.1""#]),
            value(&["0", "7.0", "18446744073709551615", r#""12""#]),
            value(&[
                "{}",
                r#"{"a":{"a":1,"gone":"g","size":null},"b":{"a":2}}"#,
                r#"{"a<":{"a":1}}"#,
                r#"{"b":{"a":1},"a":{"size":3,"a":4}}"#,
            ]),
        ),
    )
        .prop_map(
            |(
                (id, old_name, legacy),
                (retries, port),
                (timeouts, zone, rules, mode, note),
                (tier, parts),
                (tags, labels),
                (ratio, address, amount, bonds),
            )| {
                let mut members = vec![
                    ("address", address),
                    ("bonds", bonds),
                    ("amount", amount),
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

    /// A name that the schema does not define is what only the interpreter over values takes.
    #[test]
    fn both_ways_give_the_same_answer(members in members(), version in 0..=1_u64, blanks in any::<bool>()) {
        let interpreted = object(&members.iter().cloned().chain([("zzz", "1".to_owned())]).collect::<Vec<_>>());
        let straight = object(&members);
        let straight = if blanks { spread(&straight) } else { straight };
        let mut reversed = members.clone();
        reversed.reverse();
        for encoding in [Encoding::Json, Encoding::Msgpack] {
            let expected = upgrade_to(encoding, version, &interpreted);
            for json in [&straight, &object(&reversed)] {
                let answer = upgrade_to(encoding, version, json);
                prop_assert_eq!(answer.state(), expected.state(), "{} for {}", json, answer.diagnostics());
                // Paths and reasons, not byte offsets: those differ with the order.
                prop_assert_eq!(told(answer.dropped()), told(expected.dropped()));
                let about = |response: &UpgradeResponse| {
                    response.diagnostics().iter().map(|found| (found.summary().to_owned(), found.path().cloned())).collect::<Vec<_>>()
                };
                if answer.state().is_some() {
                    prop_assert_eq!(about(&answer), about(&expected));
                    prop_assert!(answer.undefined().is_empty());
                }
            }
        }
        let expected = [Encoding::Json, Encoding::Msgpack].map(|encoding| upgrade_to(encoding, version, &interpreted));
        for json in [&straight, &object(&reversed)] {
            prepared_gives(&REGISTRY, "example_thing", version, json, &expected)?;
        }
    }

    #[test]
    fn whatever_is_stored_is_answered(json in "[\\[\\]{}\",:0-9a-z.\\-]{0,80}", version in 0..=2_u64) {
        let response = upgrade(version, &json);
        prop_assert!(response.state().is_some() || response.diagnostics().has_errors());
    }
}

/// Three upgraders, none of which needs more than one attribute: they are run as one.
#[derive(Debug, Resource)]
#[resource(type_name = "example_deed", version = 3)]
#[upgrade_from(2, model = DeedV2, rename(place => location), convert(size), drop(draft, "every deed is final"))]
pub struct Deed {
    location: Option<String>,
    size: Option<String>,
    parcels: Vec<Part>,
    owners: BTreeMap<String, String>,
    #[attribute(set)]
    tags: Vec<String>,
    sealed: String,
    origin: String,
    share: Option<f64>,
    #[attribute(as_string)]
    host: Option<IpAddr>,
    #[block]
    marks: Vec<Timeouts>,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_deed", version = 2)]
#[upgrade_from(1, model = DeedV1, convert(sealed), drop(memo, "memos are kept elsewhere"), set(origin = "import"))]
pub struct DeedV2 {
    place: Option<String>,
    size: Option<i64>,
    parcels: Vec<Part>,
    owners: BTreeMap<String, String>,
    #[attribute(set)]
    tags: Vec<String>,
    sealed: String,
    origin: String,
    share: Option<f64>,
    #[attribute(as_string)]
    host: Option<IpAddr>,
    draft: Option<bool>,
    #[block]
    marks: Vec<Timeouts>,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_deed", version = 1)]
#[upgrade_from(0, model = DeedV0, rename(area => size), split(address, "{_..}, {place}"), rename(stamps => marks))]
pub struct DeedV1 {
    place: Option<String>,
    size: Option<i64>,
    parcels: Vec<Part>,
    owners: BTreeMap<String, String>,
    #[attribute(set)]
    tags: Vec<String>,
    sealed: bool,
    memo: Option<String>,
    share: Option<f64>,
    #[attribute(as_string)]
    host: Option<IpAddr>,
    draft: Option<bool>,
    #[block]
    marks: Vec<Timeouts>,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_deed", version = 0)]
pub struct DeedV0 {
    address: Option<String>,
    area: Option<i64>,
    parcels: Vec<Part>,
    owners: BTreeMap<String, String>,
    #[attribute(set)]
    tags: Vec<String>,
    sealed: bool,
    memo: Option<String>,
    share: Option<f64>,
    #[attribute(as_string)]
    host: Option<IpAddr>,
    draft: Option<bool>,
    #[block]
    stamps: Vec<Timeouts>,
}

/// A deed of version 0; one of another version has other names.
fn deed(version: u64) -> impl Strategy<Value = Vec<(&'static str, String)>> {
    const SHARES: &[&str] = &[
        "1",
        "0.5",
        "null",
        "-0.0",
        "1e2",
        "0.30000000000000004",
        "0.1000000000000000055511",
    ];
    (
        (
            value(&["null", r#""Main St 1, Oslo""#, r#""a, b, c""#, r#""x""#]),
            value(&["1", "null", "7.0", "9223372036854775808"]),
        ),
        (
            value(&[
                "[]",
                r#"[{"b":1,"size":null}]"#,
                r#"[{"b":1},{"size":2,"b":3}]"#,
            ]),
            value(&["{}", r#"{"a":"x"}"#, r#"{"b":"\u003c","a":"\"y"}"#]),
        ),
        (
            value(&["[]", r#"["a","b"]"#, r#"["b","a"]"#]),
            value(&["true", "false", r#""1""#]),
            value(&["null", r#""m""#, r#""""#]),
        ),
        (
            value(SHARES),
            value(&["null", r#""::1""#, r#""0:0::1""#]),
            value(&["null", "true"]),
        ),
        value(&["null", "[]", r#"[{"create":"1m"}]"#, "[{}]"]),
    )
        .prop_map(
            move |(
                (address, area),
                (parcels, owners),
                (tags, sealed, memo),
                (share, host, draft),
                marks,
            )| {
                let [area_name, marks_name] = if version == 0 {
                    ["area", "stamps"]
                } else {
                    ["size", "marks"]
                };
                let mut members = vec![
                    (if version == 0 { "address" } else { "place" }, address),
                    (area_name, area),
                    ("parcels", parcels),
                    ("owners", owners),
                    ("tags", tags),
                    ("sealed", sealed),
                    ("share", share),
                    ("host", host),
                    ("draft", draft),
                    (marks_name, marks),
                ];
                members.push(if version == 2 {
                    ("origin", memo)
                } else {
                    ("memo", memo)
                });
                members.sort();
                members
            },
        )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn a_whole_route_gives_what_its_upgraders_give(
        (version, members, absent) in (0..=2_u64).prop_flat_map(|version| (Just(version), deed(version), prop::option::weighted(0.2, 0..11_usize)))
    ) {
        let mut members = members;
        absent.map(|absent| members.remove(absent));
        let registry = Registry::new().with::<Deed>();
        let upgrade = |encoding, json: &str| {
            registry.upgrade(&UpgradeRequest::json("example_deed", version, json.as_bytes()).with_encoding(encoding))
        };
        let interpreted = object(&members.iter().cloned().chain([("zzz", "1".to_owned())]).collect::<Vec<_>>());
        for encoding in [Encoding::Json, Encoding::Msgpack] {
            let expected = upgrade(encoding, &interpreted);
            for json in [object(&members), spread(&object(&members))] {
                let answer = upgrade(encoding, &json);
                prop_assert_eq!(answer.state(), expected.state(), "{} for {}", json, answer.diagnostics());
                prop_assert_eq!(told(answer.dropped()), told(expected.dropped()));
            }
        }
        let expected = [Encoding::Json, Encoding::Msgpack].map(|encoding| upgrade(encoding, &interpreted));
        prepared_gives(&registry, "example_deed", version, &object(&members), &expected)?;
    }
}

#[test]
fn a_state_of_two_versions_ago_goes_through_both_upgraders() {
    let json = r#"{"address":"0:0::1","amount":2,"bonds":{"x":{"a":1,"gone":"y","size":null}},"id":"p/q","labels":{},"legacy":true,"mode":"m","note":null,"old_name":"n","parts":[{"a":1,"gone":"x","size":null}],"port":"80","ratio":1,"retries":0,"rules":[{"key":"a","port":1}],"tags":["b","a"],"tier":"basic","timeouts":[{"create":"1m"}],"zone":"eu"}"#;
    let response = upgrade(0, json);
    let expected = r#"{"address":"::1","amount":2,"bonds":{"x":{"b":1,"size":null}},"id":"projects/p/things/q","labels":{},"mode":"m","name":"n","note":"x","parts":[{"b":1,"size":null}],"place":{"zone":"eu"},"port":80,"ratio":1,"ratio_text":"1","retries":3,"rules":{"a":{"port":1}},"tags":["a","b"],"tier":"standard","timeouts":{"create":"1m"}}"#;
    assert_eq!(
        response.state().map(String::from_utf8_lossy).as_deref(),
        Some(expected),
        "{}",
        response.diagnostics()
    );
    assert_eq!(
        told(response.dropped()),
        [
            "legacy: nobody uses it since 2.0",
            "bonds[\"x\"].gone: it was never set",
            "parts[0].gone: it was never set"
        ]
    );
}

#[test]
fn the_table_is_printed_in_its_own_words_and_exported() {
    let history = Thing::DEFINITION.history().unwrap();
    let upstate::upgrade::UpgraderKind::Operators(operators) = history.steps()[0].written_as()
    else {
        panic!("it has operators")
    };
    let expected = r#"rename(old_name => name)
default(retries = 3, when = (null, 0))
convert(port, empty = null)
unwrap(timeouts)
rename(zone => place.zone)
rekey(rules, by = key)
reformat(id, "{project}/{name}" => "projects/{project}/things/{name}", _ => keep)
only_if(has(mode), set(note = "x"))
values(tier, "basic" => "standard", _ => keep)
copy(ratio => ratio_text)
convert(ratio_text)
drop(legacy, "nobody uses it since 2.0")
drop(note, "the mode says it")"#;
    assert_eq!(operators.to_string(), expected);
    let json = serde_json::to_value(operators).unwrap();
    assert_eq!(
        json["drops"],
        serde_json::json!([{"path": ["legacy"], "reason": "nobody uses it since 2.0"}, {"path": ["note"], "reason": "the mode says it"}])
    );
    assert_eq!(json["productions"][0]["stages"][0]["operator"], "rename");
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_flat", version = 1)]
#[upgrade_from(0, model = FlatV0, rename(old_name => name), convert(size))]
pub struct Flat {
    name: String,
    size: String,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_flat", version = 0)]
pub struct FlatV0 {
    old_name: String,
    size: i64,
}

#[test]
fn flat_state_goes_by_values() {
    let registry = Registry::new().with::<Flat>();
    let flat = BTreeMap::from(
        [("old_name", "n"), ("size", "7")].map(|(name, value)| (name.to_owned(), value.to_owned())),
    );
    let response = registry.upgrade(&UpgradeRequest::flatmap("example_flat", 0, &flat));
    assert_eq!(
        response.state(),
        Some(br#"{"name":"n","size":"7"}"#.as_slice()),
        "{}",
        response.diagnostics()
    );
    let json = registry.upgrade(&UpgradeRequest::json(
        "example_flat",
        0,
        br#"{"old_name":"n","size":7}"#,
    ));
    assert_eq!(json, response);
}

#[test]
fn of_a_name_that_stands_twice_the_last_value_counts_as_it_does_by_values() {
    let json = |end: &str| {
        format!(
            r#"{{"bonds":{{}},"count":1,"amount":2,"id":"p/q","labels":{{}},"parts":[],"rules":[],"tags":[],"timeouts":[]{end}}}"#
        )
    };
    let [once, interpreted] =
        [json(""), json(r#","zzz":1"#)].map(|json| upgrade(1, &json).into_result());
    assert_eq!(once, interpreted);
    assert!(
        String::from_utf8(once.unwrap())
            .unwrap()
            .contains(r#""amount":2"#)
    );
}
