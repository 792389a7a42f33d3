use std::collections::BTreeMap;

use upstate::{Object, Resource};

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, rekey(berths: Vec<{ depth: Option<String>, number: u16 }>, by = number))]
struct Dock {
    berths: BTreeMap<String, Berth>,
}

#[derive(Object)]
struct Berth {
    depth: Option<f64>,
}

fn main() {}
