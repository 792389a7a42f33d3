//! It is a function, not a string.

use upstate::Resource;

#[derive(Resource)]
#[resource(type_name = "example_disk", version = 1, oldest = 1, migrate_state = "migrate")]
struct Disk {
    name: String,
}

fn main() {}
