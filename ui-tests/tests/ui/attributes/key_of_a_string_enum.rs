use std::collections::BTreeMap;

use upstate::{Resource, StringEnum};

#[derive(StringEnum, PartialEq, Eq, PartialOrd, Ord)]
enum Zone {
    North,
    South,
}

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    sizes: BTreeMap<Zone, u8>,
}

fn main() {}
