//! A model that is never stored has no upgraders.

use upstate::Resource;

#[derive(Resource)]
#[resource(type_name = "example_depth", stateless)]
#[move_from(type_name = "example_sounding", model = Sounding)]
struct Depth {
    name: String,
}

#[derive(Resource)]
#[resource(type_name = "example_sounding", version = 0)]
struct Sounding {
    name: String,
}

impl From<Sounding> for Depth {
    fn from(prior: Sounding) -> Self {
        Depth { name: prior.name }
    }
}

fn main() {}
