//! There is no state that is older.

use std::collections::BTreeMap;

use upstate::{Diagnostics, Resource, UpgradeContext};

#[derive(Resource)]
#[resource(type_name = "example_disk", version = 0, migrate_state = migrate)]
struct Disk {
    name: String,
}

fn migrate(
    _: u64,
    state: BTreeMap<String, String>,
    _: &mut UpgradeContext<'_>,
) -> Result<BTreeMap<String, String>, Diagnostics> {
    Ok(state)
}

fn main() {}
