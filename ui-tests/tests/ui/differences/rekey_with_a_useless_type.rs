use std::collections::BTreeMap;

use upstate::{Object, Resource};

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = DockV0, rekey(berths, by = number: u16))]
struct Dock {
    berths: BTreeMap<String, Berth>,
}

#[derive(Resource)]
#[resource(type_name = "dock", version = 0)]
struct DockV0 {
    berths: Vec<BerthV0>,
}

#[derive(Object)]
struct BerthV0 {
    depth: i64,
    number: u16,
}

#[derive(Object)]
struct Berth {
    depth: i64,
}

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, rekey(berths: Vec<{ depth: i64, number: u16 }>, by = number: u16))]
struct Written {
    berths: BTreeMap<String, Berth>,
}

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, rekey(berths, key = number: u16, value = depth))]
struct Pairs {
    berths: BTreeMap<String, i64>,
}

fn main() {}
