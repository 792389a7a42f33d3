//! Custom resources with every operator in their histories, on fields of every kind: scalars,
//! options, lists, maps, nested objects, enums with data.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use upstate::{Document, StringEnum, Union};
use upstate_kube::{CustomResource as _, Webhook};
use upstate_words::operators::WORDS;

use crate::definitions::spec_of;
use crate::round_trips::every_pair_is_the_identity;

/// Scalars.
#[derive(Debug, Document)]
#[document(type_name = "ferry.dock", version = 2, rename_all = "camelCase")]
#[upgrade_from(1 => 2,
    rename(title => name),
    copy(name => shown_name),
    default(depth = 3),
    default(width = 9, when = (0, null)),
    null_if(note: Option<String>, "", "none"),
    set(is_new = true),
    convert(#[kube(one_of("1", "22", "333"))] port: String, empty = refuse),
    convert(#[kube(range = 0..=9)] rank: u8),
    convert(code: String, lowercase),
    convert(motto: String, trimmed),
    convert(#[kube(one_of("1h30m", "90s", "5m"))] wait_seconds: String, seconds),
    convert(#[kube(one_of("[22,80]", "[]", "[1]"))] ports: String, json),
    convert(#[kube(one_of(0, 1, 25))] percent: u8, with = share, back = percent),
)]
#[upgrade_from(0 => 1,
    values(tier, "gold" => "large", "silver" => "small", _ => keep),
    reformat(#[kube(pattern = "^[a-c]{1,2}/[a-c]{1,2}$")] id: String, "{project}/{name}" => "projects/{project}/docks/{name}"),
    split(#[kube(pattern = "^[a-c]{1,2}-[a-c]{1,2}$")] place: String, "{region}-{zone}"),
    drop(legacy: Option<bool>, "nobody read it"),
    drop(checksum: i32, "nobody read it", back = 0),
    drop(mooring: Option<Mooring>, "gone"),
)]
#[kube(group = "ferry.example.com", kind = "Dock", version(0 = "v1alpha1"), version(1 = "v1beta1"), version(2 = "v1", storage))]
struct Dock {
    name: String,
    shown_name: String,
    depth: i32,
    width: i64,
    note: Option<String>,
    is_new: bool,
    port: u16,
    #[kube(one_of("0", "7"))]
    rank: String,
    code: String,
    motto: String,
    #[kube(range = 0..=100_000)]
    wait_seconds: i64,
    ports: Vec<u16>,
    #[kube(one_of(0, 4, 100))]
    percent: i64,
    tier: String,
    #[kube(one_of("projects/a/docks/b", "projects/c/docks/a"))]
    id: String,
    #[kube(one_of("a", "b"))]
    region: String,
    #[kube(one_of("c", "ab"))]
    zone: String,
    size: Option<Size>,
}

#[derive(Debug, Document)]
struct Mooring {
    rope: String,
    knots: BTreeMap<String, Option<u8>>,
}

#[derive(Debug, StringEnum)]
enum Size {
    Small,
    Large,
}

fn share(percent: u8) -> i64 {
    i64::from(percent) * 4
}

fn percent(share: i64) -> Result<u8, String> {
    u8::try_from(share / 4).map_err(|error| error.to_string())
}

#[test]
fn scalars_come_back() {
    every_pair_is_the_identity::<Dock>();
}

/// Lists that were several: one of them has to be there.
#[derive(Debug, Document)]
#[document(type_name = "ferry.roll", version = 2)]
#[upgrade_from(1 => 2, merge(first: Option<Vec<String>>, others: Vec<String> => all))]
#[upgrade_from(0 => 1, merge(mates: Vec<u8>, guests: Vec<u8> => numbers))]
#[kube(group = "ferry.example.com", kind = "Roll", version(0 = "v1alpha1"), version(1 = "v1beta1"), version(2 = "v1", storage))]
struct Roll {
    all: Vec<String>,
    numbers: Vec<u8>,
}

#[test]
fn one_of_the_lists_that_are_merged_is_required() {
    let definition = Roll::crd_with(&Webhook::url("https://localhost/")).unwrap();
    let required = |version: &str| spec_of(definition.value(), version)["required"].clone();
    assert_eq!(required("v1"), json!(["all", "numbers"]));
    assert_eq!(required("v1beta1"), json!(["numbers", "others"]));
    assert_eq!(required("v1alpha1"), json!(["mates", "others"]));
    every_pair_is_the_identity::<Roll>();
}

/// Lists, sets and maps.
#[derive(Debug, Document)]
#[document(type_name = "ferry.yard", version = 2)]
#[upgrade_from(1 => 2,
    split(tags: Option<String>, ","),
    join(words: Vec<String>, ","),
    merge(first: Option<Vec<String>>, others: Vec<String> => all),
    default(all = []),
    zip(#[kube(length = 2..=2)] hosts: Vec<String>, #[kube(length = 2..=2)] weights: Vec<u16> => backends),
    unwrap(crane: Vec<Crane>, many = first),
    wrap(cable: Option<String>),
    filter(names, "", "none"),
    filter(labels, key = "aws:{_..}"),
)]
#[upgrade_from(0 => 1,
    rekey(stops, by = name: String),
    rekey(limits, key = "label", value = "value"),
    convert(unique: Vec<String>),
    each(convert(#[kube(each(one_of("1", "20")))] numbers: Vec<String>, empty = refuse)),
    each(values(levels, "lo" => "low", "hi" => "high", _ => keep)),
    rename(parts.len => parts.length),
    rename(by_port.berth.title => by_port.berth.name),
)]
#[kube(group = "ferry.example.com", kind = "Yard", version(0 = "v1alpha1"), version(1 = "v1beta1"), version(2 = "v1", storage))]
struct Yard {
    tags: Option<Vec<String>>,
    words: String,
    all: Vec<String>,
    backends: Vec<Backend>,
    crane: Option<Crane>,
    cable: Option<Vec<String>>,
    names: Vec<String>,
    labels: BTreeMap<String, String>,
    stops: BTreeMap<String, Stop>,
    limits: BTreeMap<String, u8>,
    unique: BTreeSet<String>,
    numbers: Vec<u8>,
    levels: Option<Vec<String>>,
    parts: Vec<Part>,
    by_port: BTreeMap<String, Place>,
}

#[derive(Debug, Document)]
struct Backend {
    hosts: String,
    weights: u16,
}

#[derive(Debug, Document)]
struct Crane {
    reach: u8,
    lamps: Option<Vec<f64>>,
}

#[derive(Debug, Document)]
struct Stop {
    minutes: u16,
    note: Option<String>,
}

#[derive(Debug, Document)]
struct Part {
    length: i32,
    colour: Option<String>,
}

#[derive(Debug, Document)]
struct Place {
    berth: Berth,
    depth: Option<i8>,
}

#[derive(Debug, Document)]
struct Berth {
    name: String,
}

#[test]
fn lists_and_maps_come_back() {
    every_pair_is_the_identity::<Yard>();
}

/// Objects inside of each other, and what goes in and out of them.
#[derive(Debug, Document)]
#[document(type_name = "ferry.hall", version = 3)]
#[upgrade_from(2 => 3,
    nest(owner, phones => contact),
    set(contact.fax = null),
    rename(lights.lamps => lamps),
    wrap(shelf: Option<String>, as = label),
)]
#[upgrade_from(1 => 2,
    within(roof, rename(tiles => slates), set(chimney = null), drop(moss: Option<String>, "cleaned")),
    unnest(frame => colour, width),
    unwrap(stock: Stock, member = amount),
)]
#[upgrade_from(0 => 1,
    only_if(lacks(region), set(region = "eu")),
    rename(doors.lock.key: Option<u16> => doors.lock.code),
    default(doors.lock.code = 7),
    rename(hall: Option<String> => title),
)]
#[kube(
    group = "ferry.example.com",
    kind = "Hall",
    version(0 = "v1alpha1"),
    version(1 = "v1beta1"),
    version(2 = "v1beta2"),
    version(3 = "v1", storage)
)]
struct Hall {
    contact: Contact,
    lights: Lights,
    lamps: u8,
    shelf: Option<Shelf>,
    roof: Roof,
    colour: Option<String>,
    width: Option<u16>,
    stock: Option<u32>,
    region: String,
    doors: Vec<Door>,
    title: Option<String>,
    #[attribute(json)]
    any: Value,
    #[attribute(default = 5)]
    floors: u8,
}

#[derive(Debug, Document)]
struct Contact {
    owner: String,
    phones: Vec<String>,
    fax: Option<String>,
}

#[derive(Debug, Document)]
struct Lights {
    power: u8,
}

#[derive(Debug, Document)]
struct Shelf {
    label: String,
}

#[derive(Debug, Document)]
struct Roof {
    slates: u16,
    chimney: Option<Chimney>,
}

#[derive(Debug, Document)]
struct Chimney {
    height: u8,
}

#[derive(Debug, Document)]
struct Stock {
    amount: Option<u32>,
}

#[derive(Debug, Document)]
struct Door {
    lock: Lock,
    wide: Option<bool>,
}

#[derive(Debug, Document)]
struct Lock {
    code: u16,
}

#[test]
fn nested_objects_come_back() {
    every_pair_is_the_identity::<Hall>();
}

/// Enums with data: variants renamed, added and dropped, and changes inside of them.
#[derive(Debug, Document)]
#[document(type_name = "ferry.load", version = 2)]
#[upgrade_from(1 => 2, rename(cargo.Cars.number => cargo.Cars.count), variants(state, "left" => "gone"))]
#[upgrade_from(0 => 1, variants(cargo, "people" => "passengers", add("mail")), variants(state, drop("lost", "it was found", as = "docked")))]
#[kube(group = "ferry.example.com", kind = "Load", plural = "loads", version(0 = "v1alpha1"), version(1 = "v1beta1"), version(2 = "v1", storage))]
struct Load {
    cargo: Cargo,
    state: State,
    more: Option<Vec<Cargo>>,
    by_deck: BTreeMap<String, State>,
}

#[derive(Debug, Union)]
#[union(tag = "kind", rename_all = "camelCase")]
enum Cargo {
    Cars { count: u8, heavy: Option<bool> },
    Passengers { heads: u16 },
    Mail { bags: Vec<String> },
}

#[derive(Debug, Union)]
#[union(tag = "is", rename_all = "camelCase")]
enum State {
    Docked,
    Gone { at: String, late: Option<u16> },
}

#[test]
fn enums_with_data_come_back() {
    every_pair_is_the_identity::<Load>();
}

/// A prior model of its own, with a status that changes beside the spec.
#[derive(Debug, Document)]
#[document(type_name = "ferry.tide", version = 1)]
#[upgrade_from(0, model = TideV0, rename(h => height), values(phase, "E" => "ebb", "F" => "flood"), set(moon = null))]
#[kube(group = "ferry.example.com", kind = "Tide", status = TideStatus, version(0 = "v1beta1"), version(1 = "v1", storage))]
struct Tide {
    height: f64,
    #[kube(one_of("ebb", "flood"))]
    phase: String,
    moon: Option<u8>,
}

#[derive(Debug, Document)]
#[document(type_name = "ferry.tide", version = 0)]
struct TideV0 {
    h: f64,
    #[kube(one_of("E", "F"))]
    phase: String,
}

#[derive(Debug, Document)]
#[document(type_name = "ferry.tide_status", version = 1)]
#[upgrade_from(0 => 1, rename(seen_at => seen), drop(by: Vec<String>, "nobody asked", back = []), nest(wind => weather), set(weather.rain = null))]
struct TideStatus {
    seen: Option<String>,
    weather: Weather,
}

#[derive(Debug, Document)]
struct Weather {
    wind: Option<u8>,
    rain: Option<bool>,
}

#[test]
fn models_and_statuses_come_back() {
    every_pair_is_the_identity::<Tide>();
}

/// Functions and notices, and a version with the shape of the one before.
#[derive(Debug, Document)]
#[document(type_name = "ferry.sign", version = 2)]
#[upgrade_from(1 => 2, carry)]
#[upgrade_from(0 => 1,
    fill(name => length, with = length),
    warn(mode, "look at it"),
    only_if(is(mode, "old"), refuse("paint it first")),
)]
#[kube(group = "ferry.example.com", kind = "Sign", version(0 = "v1alpha1"), version(1 = "v1beta1"), version(2 = "v1", storage))]
struct Sign {
    name: String,
    length: u32,
    #[kube(one_of("new", "newer"))]
    mode: String,
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "operators give functions what is stored"
)]
fn length(name: String) -> Result<u32, String> {
    u32::try_from(name.len()).map_err(|error| error.to_string())
}

#[test]
fn functions_and_notices_come_back() {
    every_pair_is_the_identity::<Sign>();
}

/// Each operator that there is has to be in a history of this file, so that what it does comes
/// back.
#[test]
fn no_operator_is_left_out() {
    let source = include_str!("family.rs");
    let (mut histories, mut is_inside) = (String::new(), false);
    for line in source.lines() {
        let begins = line.starts_with("#[upgrade_from(");
        if begins || is_inside {
            histories += line;
            is_inside = if begins {
                !line.ends_with(")]")
            } else {
                line != ")]"
            };
        }
    }
    let has = |word: &str| {
        let mut places = histories.match_indices(word);
        places.any(|(at, _)| {
            let before = histories[..at]
                .bytes()
                .last()
                .is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
            let after = histories[at + word.len()..].starts_with(if word == "carry" {
                [',', ')'].as_slice()
            } else {
                ['('].as_slice()
            });
            !before && after
        })
    };
    assert!(
        !has("rename_all") && !has("ename") && !has("merge_all"),
        "only whole words count"
    );
    let missing: Vec<&str> = WORDS
        .iter()
        .map(|word| word.name)
        .filter(|word| !has(word))
        .collect();
    assert_eq!(missing, [""; 0], "no custom resource of this file has them");
}
