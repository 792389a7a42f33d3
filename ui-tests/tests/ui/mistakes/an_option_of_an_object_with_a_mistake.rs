//! One mistake, one message: that the object may be null is not the next.

use std::collections::BTreeMap;

use upstate::{Object, Resource, StringEnum};

#[derive(Object)]
struct Port {
    #[attribute(sensitiv)]
    name: String,
}

#[derive(StringEnum)]
enum Mode {
    #[value(nam = "on")]
    On,
}

#[derive(Resource)]
#[resource(type_name = "example_wall", version = 0)]
struct Wall {
    first: Option<Port>,
    second: Option<Box<Port>>,
    others: Vec<Option<Port>>,
    named: BTreeMap<String, Option<Port>>,
    mode: Option<Mode>,
}

fn main() {}
