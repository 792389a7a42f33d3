//! A model that is never stored has no versions.

use upstate::Resource;

#[derive(Resource)]
#[resource(type_name = "example_depth", stateless, version = 1)]
struct Depth {
    name: String,
}

fn main() {}
