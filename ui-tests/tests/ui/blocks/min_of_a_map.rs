use std::collections::BTreeMap;

use upstate::{Object, Resource};

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    #[block(min = 1)]
    rules: BTreeMap<String, Rule>,
}

#[derive(Object)]
struct Rule {
    port: u16,
}

fn main() {}
