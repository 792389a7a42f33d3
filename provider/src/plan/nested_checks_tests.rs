//! Checks and constraints of nested types, wherever the type is.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv6Addr, SocketAddrV4, SocketAddrV6};
use std::num::NonZeroU16;

use upstate::{Object, Resource, StringEnum};

use super::tests::read;
use super::*;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Object)]
struct Rule {
    #[attribute(one_of("tcp", "udp"))]
    protocol: Option<String>,
    #[attribute(none_of("root"))]
    owner: Option<String>,
    #[attribute(pattern = "^[a-z]+$", pattern_message = "must be of small letters")]
    name: Option<String>,
    #[attribute(length = 2..=3)]
    tag: Option<String>,
    #[attribute(bytes = ..=4)]
    mark: Option<String>,
    #[attribute(range = 1..=9)]
    port: Option<i64>,
    #[attribute(validate = even)]
    lane: Option<i64>,
    #[attribute(length = 1.., each(range = 1..=9))]
    ports: Option<Vec<i64>>,
    #[attribute(keys(pattern = "^k"), each(length = 1..))]
    labels: Option<BTreeMap<String, String>>,
    #[attribute(length = ..=2)]
    parts: Option<Vec<Part>>,
    #[attribute(validate = whole)]
    part: Option<Part>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Object)]
struct Part {
    #[attribute(range = ..=5)]
    size: Option<i64>,
    weight: Option<i64>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as checks take it")]
fn even(number: &i64) -> Result<(), String> {
    if number % 2 == 0 {
        Ok(())
    } else {
        Err("is odd".to_owned())
    }
}

fn whole(part: &Part) -> Result<(), String> {
    if part.size == Some(4) {
        Err("has size 4".to_owned())
    } else {
        Ok(())
    }
}

#[derive(Resource)]
#[resource(
    type_name = "test_fence",
    conflicts_with((one.port, one.ports), (many.port, many.ports), (one.part.size, one.part.weight), (many.parts.size, many.parts.weight)),
    required_with((unique.port, unique.ports), (gate.port, gate.ports)),
    exactly_one_of((named.port, named.ports), (gates.port, gates.ports)),
    at_least_one_of(lists.port, lists.ports)
)]
struct Fence {
    one: Option<Rule>,
    many: Option<Vec<Rule>>,
    #[attribute(set)]
    unique: Option<Vec<Rule>>,
    #[attribute(keys(pattern = "^[a-z]$"))]
    named: Option<BTreeMap<String, Rule>>,
    #[attribute(each(validate = cheap), length = ..=1)]
    checked: Option<Vec<Rule>>,
    #[block]
    gate: Option<Rule>,
    #[block]
    gates: BTreeMap<String, Rule>,
    #[block]
    lists: Vec<Rule>,
}

fn cheap(rule: &Rule) -> Result<(), String> {
    if rule.tag.as_deref() == Some("xx") {
        Err("has tag xx".to_owned())
    } else {
        Ok(())
    }
}

fn found(config: &str) -> Vec<String> {
    found_in(Fence::schema(), config)
}

fn found_in(schema: &Schema, config: &str) -> Vec<String> {
    let config = read(schema.block(), config);
    let shown = |it: &upstate::Diagnostic| {
        let place = it.path().map(ToString::to_string).unwrap_or_default();
        if it.detail().contains(&place) {
            it.detail().to_owned()
        } else {
            format!("{place}: {}", it.detail())
        }
    };
    remarks(schema, &config).iter().map(shown).collect()
}

/// A rule with a mistake in each of its attributes.
const BAD: &str = r#"{"protocol": "x", "owner": "root", "name": "A", "tag": "t", "mark": "12345", "port": 10, "lane": 1, "ports": [1, 10],
    "labels": {"z": ""}, "parts": [{"size": 6}, {}, {}], "part": {"size": 4}}"#;

/// The findings in it, where its place is `@`.
const FOUND: [&str; 13] = [
    r#"@.labels["z"] must have at least 1 character, and has 0."#,
    r#"@.labels["z"] must match the regular expression ^k."#,
    "@.lane: is odd",
    "@.mark must have at most 4 bytes, and has 5.",
    "@.name must be of small letters.",
    r#"@.owner must not be "root"."#,
    "@.part: has size 4",
    "@.parts must have at most 2 elements, and has 3.",
    "@.port must be between 1 and 9.",
    "@.ports[1] must be between 1 and 9.",
    r#"@.protocol must be "tcp" or "udp"."#,
    "@.tag must have 2 to 3 characters, and has 1.",
    "@.parts[0].size must be at most 5.",
];

#[test]
fn every_check_holds_wherever_its_type_is() {
    for (place, config) in [
        ("one", format!(r#"{{"one": {BAD}}}"#)),
        ("many[0]", format!(r#"{{"many": [{BAD}]}}"#)),
        ("unique[…]", format!(r#"{{"unique": [{BAD}]}}"#)),
        (r#"named["a"]"#, format!(r#"{{"named": {{"a": {BAD}}}}}"#)),
        ("checked[0]", format!(r#"{{"checked": [{BAD}]}}"#)),
        ("gate", format!(r#"{{"gate": {BAD}}}"#)),
        (r#"gates["a"]"#, format!(r#"{{"gates": {{"a": {BAD}}}}}"#)),
        ("lists[0]", format!(r#"{{"lists": [{BAD}]}}"#)),
    ] {
        // Left out because constraints have a test of their own.
        let checks = found(&config)
            .into_iter()
            .filter(|it| !it.contains("port and ports"))
            .collect::<Vec<_>>();
        assert_eq!(checks, FOUND.map(|it| it.replace('@', place)), "{place}");
    }
}

#[test]
fn a_collection_of_nested_objects_is_checked_and_each_of_them() {
    assert_eq!(
        found(r#"{"checked": [{"tag": "xy"}, {"tag": "xx"}]}"#),
        [
            "checked must have at most 1 element, and has 2.",
            "checked[1]: has tag xx"
        ]
    );
    assert_eq!(
        found(r#"{"named": {"B": {"port": 1}}, "gates": {"C": {"port": 1}}}"#),
        [r#"named["B"] must match the regular expression ^[a-z]$."#]
    );
}

#[test]
fn constraints_hold_in_each_object_of_any_collection() {
    let both = r#"{"port": 1, "ports": [1]}"#;
    let one = r#"{"port": 1}"#;
    let at_most = "At most one of port, ports can be set; port and ports are. Remove all but one.";
    let exactly = "Exactly one of port, ports must be set; port and ports are. Remove all but one.";
    let none = "Exactly one of port, ports must be set; none is. Set one.";
    let all = "If one of port, ports is set, all must be; port is set and ports is not. Set all, or none.";
    assert_eq!(
        found(&format!(r#"{{"one": {both}}}"#)),
        [format!("one.ports: {at_most}")]
    );
    assert_eq!(
        found(&format!(r#"{{"many": [{one}, {both}]}}"#)),
        [format!("many[1].ports: {at_most}")]
    );
    assert_eq!(
        found(&format!(r#"{{"unique": [{both}, {one}]}}"#)),
        [format!("unique[…].port: {all}")]
    );
    assert_eq!(
        found(&format!(r#"{{"gate": {one}}}"#)),
        [format!("gate.port: {all}")]
    );
    assert_eq!(
        found(&format!(
            r#"{{"named": {{"a": {one}, "b": {both}, "c": {{}}}}}}"#
        )),
        [
            format!(r#"named["b"].ports: {exactly}"#),
            format!(r#"named["c"]: {none}"#)
        ]
    );
    assert_eq!(
        found(&format!(r#"{{"gates": {{"a": {one}, "c": {{}}}}}}"#)),
        [format!(r#"gates["c"]: {none}"#)]
    );
    let least = "lists[1]: At least one of port, ports must be set; none is. Set one.";
    assert_eq!(found(&format!(r#"{{"lists": [{both}, {{}}]}}"#)), [least]);
    let part = r#"{"size": 1, "weight": 2}"#;
    assert_eq!(
        found(&format!(r#"{{"one": {{"part": {part}}}, "many": [{{"parts": [{{}}, {part}]}}]}}"#)),
        ["one.part.weight", "many[0].parts[1].weight"]
            .map(|place| format!("{place}: At most one of size, weight can be set; size and weight are. Remove all but one."))
    );
}

#[derive(Object)]
struct Stake {
    #[attribute(computed)]
    id: String,
    #[attribute(default = 80)]
    length: i64,
    depth: i64,
    knot: Option<Knot>,
    #[attribute(computed)]
    wood: Wood,
    #[attribute(computed)]
    address: IpAddr,
    #[attribute(computed)]
    gateway: Ipv6Addr,
    #[attribute(computed)]
    listener: SocketAddrV4,
    #[attribute(computed)]
    sensor: SocketAddrV6,
}

#[derive(StringEnum)]
enum Wood {
    Ash,
    Oak,
}

#[derive(Object)]
struct Knot {
    #[attribute(computed)]
    turns: i64,
}

#[derive(Resource)]
#[resource(type_name = "test_palisade")]
struct Palisade {
    #[attribute(validate = deep)]
    one: Option<Stake>,
    #[attribute(validate = all_deep, each(validate = deep))]
    many: Option<Vec<Stake>>,
    #[attribute(each(validate = deep))]
    named: Option<BTreeMap<String, Stake>>,
}

fn deep(stake: &Stake) -> Result<(), String> {
    if stake.depth * 2 < stake.length {
        Err(format!("is {} deep of {}", stake.depth, stake.length))
    } else {
        Ok(())
    }
}

fn all_deep(stakes: &[Stake]) -> Result<(), String> {
    let (first, rest) = stakes.split_first().ok_or("there are none")?;
    if deep(first)
        .and_then(|()| rest.iter().try_for_each(deep))
        .is_ok()
    {
        Ok(())
    } else {
        Err("would fall over".to_owned())
    }
}

/// The fields are not `Option`s, so that nothing can be decoded of the null in place of what users
/// need not write.
#[test]
fn a_function_gets_nested_objects_with_their_defaults_and_without_what_is_computed() {
    let found = |config: &str| found_in(Palisade::schema(), config);
    let good = r#"{"depth": 40, "knot": {}}"#;
    assert_eq!(
        found(&format!(
            r#"{{"one": {good}, "many": [{good}], "named": {{"a": {good}}}}}"#
        )),
        [""; 0]
    );
    assert_eq!(
        found(r#"{"one": {"depth": 39}}"#),
        ["one: is 39 deep of 80"]
    );
    assert_eq!(found(r#"{"one": {"depth": 5, "length": 10}}"#), [""; 0]);
    assert_eq!(
        found(&format!(
            r#"{{"many": [{good}, {{"depth": 4, "length": 10}}]}}"#
        )),
        ["many: would fall over", "many[1]: is 4 deep of 10"]
    );
    assert_eq!(
        found(r#"{"named": {"a": {"depth": 1}}}"#),
        [r#"named["a"]: is 1 deep of 80"#]
    );
}

#[derive(Object)]
struct Buoy {
    depth: i64,
    #[attribute(computed)]
    number: Option<NonZeroU16>,
}

#[derive(Object)]
struct Mooring {
    depth: i64,
    #[attribute(computed)]
    number: NonZeroU16,
}

#[derive(Resource)]
#[resource(type_name = "test_bay")]
struct Bay {
    #[attribute(validate = deep_buoy)]
    buoy: Option<Buoy>,
    #[attribute(validate = deep_mooring)]
    mooring: Option<Mooring>,
}

fn deep_buoy(buoy: &Buoy) -> Result<(), String> {
    if buoy.depth < 2 {
        Err("is too shallow".to_owned())
    } else {
        Ok(())
    }
}

fn deep_mooring(mooring: &Mooring) -> Result<(), String> {
    if mooring.depth < 2 {
        Err("is too shallow".to_owned())
    } else {
        Ok(())
    }
}

/// The documentation of `validate` says so, and to take an `Option`.
#[test]
fn no_function_gets_objects_with_a_computed_field_that_takes_no_filler() {
    let found = found_in(
        Bay::schema(),
        r#"{"buoy": {"depth": 1}, "mooring": {"depth": 1}}"#,
    );
    assert_eq!(found, ["buoy: is too shallow"]);
    assert_eq!(unchecked::<Bay>().unwrap().to_string(), "mooring.number");
    assert!(unchecked::<Palisade>().or_else(unchecked::<Yard>).is_none());
}

#[derive(Resource)]
#[resource(type_name = "test_yard")]
struct Yard {
    #[block(validate = deep)]
    gate: Option<Stake>,
    #[block(max = 9, validate = all_deep, each(validate = deep))]
    row: Vec<Stake>,
    #[block(keys(pattern = "^[a-z]$"))]
    named: BTreeMap<String, Stake>,
}

#[test]
fn blocks_are_checked_where_there_are_any() {
    let found = |config: &str| found_in(Yard::schema(), config);
    assert_eq!(found("{}"), [""; 0]);
    // No check runs, because Terraform sends an empty list where there is no block.
    assert_eq!(found(r#"{"row": [], "named": {}}"#), [""; 0]);
    assert_eq!(
        found(r#"{"gate": {"depth": 40}, "row": [{"depth": 40}], "named": {"a": {"depth": 1}}}"#),
        [""; 0]
    );
    assert_eq!(
        found(r#"{"gate": {"depth": 39}}"#),
        ["gate: is 39 deep of 80"]
    );
    assert_eq!(
        found(r#"{"row": [{"depth": 40}, {"depth": 4, "length": 10}]}"#),
        ["row: would fall over", "row[1]: is 4 deep of 10"]
    );
    assert_eq!(
        found(r#"{"named": {"A": {"depth": 1}}}"#),
        [r#"named["A"] must match the regular expression ^[a-z]$."#]
    );
}
