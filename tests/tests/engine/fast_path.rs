//! Large documents, and nested objects that several upgraders change: straight over the bytes,
//! prepared or not, compact, laid out or in `MessagePack`, the answer is what comes of them by
//! values.

use std::collections::BTreeMap;

use proptest::prelude::*;
use upstate::codec::Encoding;
use upstate::{Object, Registry, Resource, UpgradeRequest};

use crate::all_paths::{object, prepared_gives, spread, told};

#[derive(Debug, Resource)]
#[resource(type_name = "example_fleet", version = 3)]
#[upgrade_from(2, model = FleetV2, carry)]
pub struct Fleet {
    name: String,
    pairs: Vec<Pair>,
    racks: BTreeMap<String, Rack>,
    reserve: Vec<Slot>,
    #[attribute(set)]
    set: Vec<Slot>,
    slots: Vec<Slot>,
    spare: Option<Slot>,
    #[block]
    units: Vec<Slot>,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_fleet", version = 2)]
#[upgrade_from(1, model = FleetV1, rename(held => reserve))]
pub struct FleetV2 {
    name: String,
    pairs: Vec<PairV1>,
    racks: BTreeMap<String, RackV2>,
    reserve: Vec<SlotV1>,
    #[attribute(set)]
    set: Vec<SlotV1>,
    slots: Vec<SlotV1>,
    spare: Option<SlotV1>,
    #[block]
    units: Vec<SlotV1>,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_fleet", version = 1)]
#[upgrade_from(0, model = FleetV0, carry)]
pub struct FleetV1 {
    held: Vec<SlotV1>,
    name: String,
    pairs: Vec<PairV1>,
    racks: BTreeMap<String, RackV1>,
    #[attribute(set)]
    set: Vec<SlotV1>,
    slots: Vec<SlotV1>,
    spare: Option<SlotV1>,
    #[block]
    units: Vec<SlotV1>,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_fleet", version = 0)]
pub struct FleetV0 {
    held: Vec<SlotV0>,
    name: String,
    pairs: Vec<PairV0>,
    racks: BTreeMap<String, RackV0>,
    #[attribute(set)]
    set: Vec<SlotV0>,
    slots: Vec<SlotV0>,
    spare: Option<SlotV0>,
    #[block]
    units: Vec<SlotV0>,
}

#[derive(Debug, Object)]
#[upgrade_from(model = RackV2, carry)]
pub struct Rack {
    place: Option<String>,
    slots: Vec<Slot>,
}

#[derive(Debug, Object)]
#[upgrade_from(model = RackV1, rename(zone => place))]
pub struct RackV2 {
    place: Option<String>,
    slots: Vec<SlotV1>,
}

#[derive(Debug, Object)]
#[upgrade_from(model = RackV0, carry)]
pub struct RackV1 {
    slots: Vec<SlotV1>,
    zone: Option<String>,
}

#[derive(Debug, Object)]
pub struct RackV0 {
    slots: Vec<SlotV0>,
    zone: Option<String>,
}

#[derive(Debug, Object, PartialEq, Eq, PartialOrd, Ord)]
#[upgrade_from(model = SlotV1, split(source, "{group}|{tag}"), drop(legacy, "slots have names"), default(weight = 1))]
pub struct Slot {
    group: String,
    label: String,
    notes: BTreeMap<String, String>,
    size: i64,
    tag: String,
    weight: i64,
}

#[derive(Debug, Object, PartialEq, Eq, PartialOrd, Ord)]
#[upgrade_from(model = SlotV0, rename(a => label), convert(size, empty = refuse))]
pub struct SlotV1 {
    label: String,
    legacy: Option<String>,
    notes: BTreeMap<String, String>,
    size: i64,
    source: String,
    weight: Option<i64>,
}

#[derive(Debug, Object, PartialEq, Eq, PartialOrd, Ord)]
pub struct SlotV0 {
    a: String,
    legacy: Option<String>,
    notes: BTreeMap<String, String>,
    size: String,
    source: String,
    weight: Option<i64>,
}

/// Two upgraders tell something of these.
#[derive(Debug, Object)]
#[upgrade_from(model = PairV1, drop(right, "it is the left one"))]
pub struct Pair {
    left: Option<i64>,
}

#[derive(Debug, Object)]
#[upgrade_from(model = PairV0, drop(above, "pairs lie"))]
pub struct PairV1 {
    left: Option<i64>,
    right: Option<i64>,
}

#[derive(Debug, Object)]
pub struct PairV0 {
    above: Option<bool>,
    left: Option<i64>,
    right: Option<i64>,
}

/// A member that is renamed on the way, before an upgrader tells something of what is inside of it.
#[derive(Debug, Resource)]
#[resource(type_name = "example_dock", version = 3)]
#[upgrade_from(2, model = DockV2, carry)]
pub struct Dock {
    reserve: Vec<Slot>,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_dock", version = 2)]
#[upgrade_from(1, model = DockV1, rename(kept => reserve))]
pub struct DockV2 {
    reserve: Vec<SlotV1>,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_dock", version = 1)]
#[upgrade_from(0, model = DockV0, rename(held => kept))]
pub struct DockV1 {
    kept: Vec<SlotV1>,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_dock", version = 0)]
pub struct DockV0 {
    held: Vec<SlotV0>,
}

/// One of these, or now and then what does not fit or is not there.
fn one_of(of: &'static [&'static str]) -> impl Strategy<Value = Option<String>> {
    let odd = prop::sample::select(vec![
        Some("null"),
        Some("7"),
        Some(r#""7""#),
        Some("[]"),
        Some("{}"),
        Some(r#""\u00e9\n""#),
        None,
    ]);
    prop_oneof![60 => prop::sample::select(of).prop_map(|one| Some(one.to_owned())), 1 => odd.prop_map(|odd| odd.map(str::to_owned))]
}

fn members_of(members: Vec<(&'static str, Option<String>)>) -> String {
    let members: Vec<_> = members
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
        .collect();
    object(&members)
}

fn slot(version: u64) -> BoxedStrategy<String> {
    let text = || {
        one_of(&[
            r#""a""#,
            r#""größer – ab""#,
            r#""a \"b\" <c>""#,
            r#""日本\u2028""#,
            r#""a long one, longer than sixteen""#,
        ])
    };
    let size = if version == 0 {
        one_of(&[r#""7""#, r#""-12""#, r#""9007199254740993""#])
    } else {
        one_of(&["7", "-12", "1e2"])
    };
    let source = || one_of(&[r#""g|t""#, r#""group-1|t/2""#, r#""größe|x""#]);
    let legacy = || one_of(&["null", r#""x""#]);
    let notes = || one_of(&["{}", r#"{"a":"1","b":"\"2\""}"#, r#"{"b":"1","a":"2"}"#]);
    let weight = || one_of(&["null", "3", "0"]);
    if version > 2 {
        return (source(), text(), notes(), size, text(), weight())
            .prop_map(|(group, label, notes, size, tag, weight)| {
                members_of(vec![
                    ("group", group),
                    ("label", label),
                    ("notes", notes),
                    ("size", size),
                    ("tag", tag),
                    ("weight", weight),
                ])
            })
            .boxed();
    }
    let name = if version == 0 { "a" } else { "label" };
    (text(), legacy(), notes(), size, source(), weight())
        .prop_map(move |(label, legacy, notes, size, source, weight)| {
            members_of(vec![
                (name, label),
                ("legacy", legacy),
                ("notes", notes),
                ("size", size),
                ("source", source),
                ("weight", weight),
            ])
        })
        .boxed()
}

fn array(elements: &[String]) -> String {
    format!("[{}]", elements.join(","))
}

fn slots(version: u64, most: usize) -> impl Strategy<Value = String> {
    prop::collection::vec(slot(version), 0..=most).prop_map(|slots| array(&slots))
}

fn pair(version: u64) -> impl Strategy<Value = String> {
    (
        one_of(&["null", "true"]),
        one_of(&["null", "1"]),
        one_of(&["null", "2"]),
    )
        .prop_map(move |(above, left, right)| {
            let above = if version == 0 {
                vec![("above", above)]
            } else {
                Vec::new()
            };
            members_of(
                above
                    .into_iter()
                    .chain([("left", left), ("right", right)])
                    .collect(),
            )
        })
}

fn rack(version: u64) -> impl Strategy<Value = String> {
    (slots(version, 4), one_of(&["null", r#""eu""#])).prop_map(move |(slots, zone)| {
        let mut members = vec![
            (if version < 2 { "zone" } else { "place" }, zone),
            ("slots", Some(slots)),
        ];
        members.sort_unstable();
        members_of(members)
    })
}

fn fleet(version: u64, most: usize) -> impl Strategy<Value = Vec<(&'static str, String)>> {
    (
        (
            slots(version, most),
            slots(version, 2),
            slots(version, 2),
            slots(version, 2),
        ),
        prop::option::of(slot(version)),
        prop::collection::vec(pair(version), 0..3),
        prop::collection::btree_map("[a-c<é]{1,3}", rack(version), 0..4),
        one_of(&[r#""n""#]),
    )
        .prop_map(
            move |((slots, held, set, units), spare, pairs, racks, name)| {
                let racks: Vec<String> = racks
                    .iter()
                    .map(|(key, rack)| format!("{key:?}:{rack}"))
                    .collect();
                let mut members = vec![
                    (if version < 2 { "held" } else { "reserve" }, held),
                    ("pairs", array(&pairs)),
                    ("racks", format!("{{{}}}", racks.join(","))),
                    ("set", set),
                    ("slots", slots),
                    ("spare", spare.unwrap_or_else(|| "null".to_owned())),
                    ("units", units),
                ];
                members.extend(name.map(|name| ("name", name)));
                members.sort();
                members
            },
        )
}

fn check(
    type_name: &str,
    version: u64,
    members: &[(&'static str, String)],
) -> Result<(), TestCaseError> {
    let registry = Registry::new().with::<Fleet>().with::<Dock>();
    let upgrade = |encoding, json: &str| {
        registry.upgrade(
            &UpgradeRequest::json(type_name, version, json.as_bytes()).with_encoding(encoding),
        )
    };
    // A name that the schema does not define is what only the interpreter over values takes.
    let interpreted = object(
        &members
            .iter()
            .cloned()
            .chain([("zzz", "1".to_owned())])
            .collect::<Vec<_>>(),
    );
    let straight = object(members);
    let mut reversed = members.to_vec();
    reversed.reverse();
    let reversed = object(&reversed);
    let expected =
        [Encoding::Json, Encoding::Msgpack].map(|encoding| upgrade(encoding, &interpreted));
    for json in [&straight, &spread(&straight), &reversed] {
        for (encoding, expected) in [Encoding::Json, Encoding::Msgpack]
            .into_iter()
            .zip(&expected)
        {
            let answer = upgrade(encoding, json);
            prop_assert_eq!(
                answer.state(),
                expected.state(),
                "{} for {}",
                json,
                answer.diagnostics()
            );
            prop_assert_eq!(told(answer.dropped()), told(expected.dropped()), "{}", json);
        }
    }
    prepared_gives(&registry, type_name, version, &straight, &expected)?;
    prepared_gives(&registry, type_name, version, &reversed, &expected)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn nested_objects_that_several_upgraders_change((version, members) in (0..=2_u64).prop_flat_map(|version| (Just(version), fleet(version, 3)))) {
        check("example_fleet", version, &members)?;
    }

    #[test]
    fn members_that_are_renamed_on_the_way((version, slots) in (0..=2_u64).prop_flat_map(|version| (Just(version), slots(version, 3)))) {
        let name = ["held", "kept", "reserve"][version as usize];
        check("example_dock", version, &[(name, slots)])?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    #[test]
    fn large_documents((version, members) in (0..=2_u64).prop_flat_map(|version| (Just(version), fleet(version, 120)))) {
        check("example_fleet", version, &members)?;
    }
}

/// A member that is not there, behind one that blanks follow.
#[test]
fn blanks_before_what_is_not_there_are_left_out() {
    let members = [(
        "reserve",
        r#"[{"label":"a","legacy":null,"notes":{},"size":7,"source":"g|t"}]"#.to_owned(),
    )];
    check("example_dock", 2, &members).unwrap();
}

#[test]
fn what_several_upgraders_tell_stands_in_their_order() {
    let registry = Registry::new().with::<Fleet>();
    let slot = r#"{"a":"l","legacy":"x","notes":{},"size":"1","source":"g|t","weight":null}"#;
    let pair = r#"{"above":true,"left":1,"right":2}"#;
    let json = format!(
        r#"{{"held":[{slot}],"name":"n","pairs":[{pair},{pair}],"racks":{{"r":{{"slots":[{slot}],"zone":null}}}},"set":[],"slots":[{slot}],"spare":{slot},"units":[]}}"#
    );
    let response = registry.upgrade(&UpgradeRequest::json("example_fleet", 0, json.as_bytes()));
    assert_eq!(
        told(response.dropped()),
        [
            "pairs[0].above: pairs lie",
            "pairs[1].above: pairs lie",
            "pairs[0].right: it is the left one",
            "pairs[1].right: it is the left one",
            "racks[\"r\"].slots[0].legacy: slots have names",
            "reserve[0].legacy: slots have names",
            "slots[0].legacy: slots have names",
            "spare.legacy: slots have names",
        ],
        "{}",
        response.diagnostics()
    );
}
