//! What compile errors advise, typed in: it compiles, and does what they say.

use std::collections::BTreeMap;

use upstate::{Object, Resource, StringEnum};

/// What each operator that is proposed makes.
#[derive(Debug, PartialEq, Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0,
    set(name = "a", size = 1),
    default(width = 2),
    set(zone = null),
    set(tags = {}, words = [], rules = []),
    set((first, second) = null),
    convert(narrow),
    values(small, 300 => 30),
    each(convert(numbers)),
    convert(amount, empty = refuse),
    values(number, "one" => 1),
    convert(tier),
    values(level, 1 => "gold", 2 => "silver"),
    convert(policy, json),
    convert(parts, json),
    convert(unordered),
    convert(range, with = narrowed),
    convert(pairs, with = in_pairs),
    drop(lost, gone, "why"),
)]
pub struct Thing {
    name: String,
    size: i64,
    width: Option<i64>,
    zone: Option<String>,
    tags: BTreeMap<String, String>,
    words: Vec<String>,
    #[block]
    rules: Vec<Rule>,
    first: Option<String>,
    second: Option<i64>,
    narrow: u8,
    small: u8,
    numbers: Vec<u8>,
    amount: i64,
    number: i64,
    tier: Tier,
    level: Tier,
    policy: String,
    parts: Vec<i64>,
    #[attribute(set)]
    unordered: Vec<String>,
    range: (u8, i64),
    pairs: BTreeMap<String, String>,
}

/// What there was.
#[derive(Debug, Resource)]
#[resource(version = 0)]
pub struct ThingV0 {
    narrow: i64,
    small: i64,
    numbers: Vec<i64>,
    amount: String,
    number: String,
    tier: String,
    level: i64,
    policy: BTreeMap<String, String>,
    parts: String,
    unordered: Vec<String>,
    range: (i64, i64),
    pairs: Vec<String>,
    lost: String,
    gone: i64,
}

/// A rule.
#[derive(Debug, PartialEq, Object)]
pub struct Rule {
    port: i64,
}

/// A tier.
#[derive(Debug, PartialEq, StringEnum)]
pub enum Tier {
    /// One.
    Gold,
    /// The other.
    Silver,
}

fn narrowed((from, to): (i64, i64)) -> Result<(u8, i64), String> {
    Ok((u8::try_from(from).map_err(|error| error.to_string())?, to))
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "a function of `convert` returns a `Result`"
)]
fn in_pairs(pairs: Vec<String>) -> Result<BTreeMap<String, String>, String> {
    Ok(pairs.into_iter().map(|name| (name.clone(), name)).collect())
}

#[test]
fn what_messages_advise_compiles_and_does_what_they_say() {
    let stored =
        br#"{"narrow":7,"small":300,"numbers":[1,2],"amount":"3","number":"one","tier":"gold","level":2,"policy":{"a":"b"},
        "parts":"[4,5]","unordered":["x","y"],"range":[1,2],"pairs":["k"],"lost":"l","gone":1}"#;
    let thing: Thing = upstate::upgrade_json(0, stored).unwrap();
    assert_eq!(
        thing,
        Thing {
            name: "a".into(),
            size: 1,
            width: Some(2),
            zone: None,
            tags: BTreeMap::new(),
            words: vec![],
            rules: vec![],
            first: None,
            second: None,
            narrow: 7,
            small: 30,
            numbers: vec![1, 2],
            amount: 3,
            number: 1,
            tier: Tier::Gold,
            level: Tier::Silver,
            policy: r#"{"a":"b"}"#.into(),
            parts: vec![4, 5],
            unordered: vec!["x".into(), "y".into()],
            range: (1, 2),
            pairs: BTreeMap::from([("k".into(), "k".into())]),
        }
    );
}

/// Functions that cannot fail, in all places that take one.
#[derive(Debug, PartialEq, Resource)]
#[resource(type_name = "example_size", version = 2)]
#[upgrade_from(0, model = SizeV0, with = doubled, downgrade = halved)]
#[upgrade_from(1 => 2, convert(size: i64, with = in_units, back = in_numbers), convert(host: String, port: i64 => address, with = joined))]
pub struct Size {
    size: String,
    address: String,
}

/// The first version.
#[derive(Debug, Clone, Copy, PartialEq, Resource)]
#[resource(type_name = "example_size", version = 0, prior)]
pub struct SizeV0 {
    size: i64,
}

fn doubled(prior: SizeV0, _: &mut upstate::UpgradeContext<'_>) -> Size {
    Size {
        size: in_units(prior.size * 2),
        address: String::new(),
    }
}

fn halved(size: Size) -> SizeV0 {
    SizeV0 {
        size: in_numbers(size.size) / 2,
    }
}

fn in_units(size: i64) -> String {
    format!("{size} GB")
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "a function of a field takes it by value"
)]
fn in_numbers(size: String) -> i64 {
    size.trim_end_matches(" GB").parse().unwrap_or(0)
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "a function of a field takes it by value"
)]
fn joined(host: String, port: i64) -> String {
    format!("{host}:{port}")
}

#[test]
fn functions_that_cannot_fail_need_no_result() {
    let size: Size = upstate::upgrade_json(0, br#"{"size":3}"#).unwrap();
    assert_eq!(
        size,
        Size {
            size: "6 GB".into(),
            address: String::new()
        }
    );
    let size: Size = upstate::upgrade_json(1, br#"{"size":3,"host":"a","port":1}"#).unwrap();
    assert_eq!(
        size,
        Size {
            size: "3 GB".into(),
            address: "a:1".into()
        }
    );
    let registry = upstate::Registry::new().with::<Size>();
    let request = upstate::upgrade::DowngradeRequest::json(
        "example_size",
        2,
        0,
        br#"{"size":"6 GB","address":""}"#,
    );
    assert_eq!(
        registry.downgrade(&request).state(),
        Some(br#"{"size":3}"#.as_slice())
    );
}
