//! It takes and gives flat state.

use upstate::{Diagnostics, Resource};

#[derive(Resource)]
#[resource(type_name = "example_disk", version = 1, oldest = 1, migrate_state = migrate)]
struct Disk {
    name: String,
}

fn migrate(state: String) -> Result<String, Diagnostics> {
    Ok(state)
}

fn main() {}
