//! The upgraders take flat state of every version.

use std::collections::BTreeMap;

use upstate::{Diagnostics, Resource, UpgradeContext};

#[derive(Resource)]
#[resource(type_name = "example_disk", version = 1, migrate_state = migrate)]
#[upgrade_from(0 => 1, rename(title => name))]
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
