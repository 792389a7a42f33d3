use std::collections::BTreeMap;

use upstate::{Object, Resource};

#[derive(Object)]
struct BerthV0 {
    depth: Option<String>,
    #[attribute(name = "nr")]
    number: u16,
    name: String,
}

#[derive(Object)]
#[upgrade_from(model = BerthV0, convert(depth, empty = null))]
struct Berth {
    depth: Option<f64>,
    name: String,
}

// `name` is the key, and `number` goes nowhere.
#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, rekey(berths: Vec<BerthV0>, by = name))]
struct KeyedByAnother {
    berths: BTreeMap<String, Berth>,
}

#[derive(Object)]
struct NamedV0 {
    depth: Option<String>,
}

#[derive(Object)]
#[upgrade_from(model = NamedV0, convert(depth, empty = null), set(name = "unknown"))]
struct Named {
    depth: Option<f64>,
    name: String,
}

// The keys would be lost.
#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, rekey(berths: BTreeMap<String, NamedV0>, by = name))]
struct KeyMade {
    berths: Vec<Named>,
}

#[derive(Object)]
#[upgrade_from(model = NamedV0, convert(depth, empty = null))]
struct Unnamed {
    depth: Option<f64>,
    name: String,
}

// There is no key that `name` could be.
#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ListV0, carry)]
struct List {
    berths: Vec<Unnamed>,
}

#[derive(Resource)]
#[resource(type_name = "list", version = 0)]
struct ListV0 {
    berths: Vec<NamedV0>,
}

fn main() {}
