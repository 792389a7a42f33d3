use std::collections::BTreeSet;

use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, carry(tags))]
struct WithoutType {
    tags: Vec<String>,
}

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, carry(tag: Vec<String>))]
struct Unknown {
    tags: Vec<String>,
}

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, only_if(has(tags), carry(tags: BTreeSet<String>)))]
struct Conditional {
    tags: Vec<String>,
}

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = OfModelV0, carry(tags: BTreeSet<String>))]
struct OfModel {
    tags: Vec<String>,
}

#[derive(Resource)]
#[resource(type_name = "of_model")]
struct OfModelV0 {
    tags: BTreeSet<String>,
}

fn main() {}
