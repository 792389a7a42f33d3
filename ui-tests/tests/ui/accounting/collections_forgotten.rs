use std::collections::BTreeMap;

use upstate::{Object, Resource};

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, carry)]
struct Thing {
    tags: BTreeMap<String, String>,
    #[block]
    rules: Vec<Rule>,
    owner: Rule,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {}

#[derive(Object)]
struct Rule {
    port: i64,
}

fn main() {}
