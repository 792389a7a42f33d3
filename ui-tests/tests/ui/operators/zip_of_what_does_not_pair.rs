use std::collections::{BTreeMap, BTreeSet};

use upstate::{Object, Resource};

#[derive(Object)]
struct Service {
    port: u16,
    name: String,
}

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, zip(port: Vec<u16>, name: String => services))]
struct NoList {
    services: Vec<Service>,
}

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, zip(port: BTreeSet<u16>, name: Vec<String> => services))]
struct NoOrder {
    services: Vec<Service>,
}

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, zip(port: Vec<u16>, names: Vec<String> => services))]
struct NoMember {
    services: Vec<Service>,
}

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, zip(port: Vec<String>, name: Vec<String> => services))]
struct OtherType {
    services: Vec<Service>,
}

#[derive(Object)]
struct Rule {
    port: u16,
    name: String,
    protocol: String,
}

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, zip(port: Vec<u16>, name: Vec<String> => rules))]
struct NeedsMore {
    rules: Vec<Rule>,
}

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, zip(a: Vec<String>, b: Vec<String>, c: Vec<String> => x))]
struct MapOfThree {
    x: BTreeMap<String, String>,
}

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, zip(a: Vec<u16>, b: Vec<String> => x))]
struct KeysOfNumbers {
    x: BTreeMap<String, String>,
}

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, zip(a: Vec<String>, b: Vec<String> => x))]
struct NoCollection {
    x: String,
}

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, zip(#[attribute(sensitive)] a: Vec<String>, b: Vec<String> => x))]
struct Shown {
    x: Vec<Two>,
}

#[derive(Object)]
struct Two {
    a: String,
    b: String,
}

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, zip(a: Vec<String> => x))]
struct One {
    x: Vec<Two>,
}

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, zip(a, b))]
struct Nowhere {
    x: Vec<Two>,
}

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, zip(a, c => x))]
struct UntypedOfNoMember {
    x: Vec<Two>,
}

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, zip(a, b => x))]
struct UntypedOfNoCollection {
    x: String,
}

fn main() {}
