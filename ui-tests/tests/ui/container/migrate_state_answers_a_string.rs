use std::collections::BTreeMap;

use upstate::{Resource, UpgradeContext};

#[derive(Resource)]
#[resource(type_name = "example_disk", version = 1, oldest = 1, migrate_state = migrate)]
struct Disk {
    id: String,
}

fn migrate(_: u64, state: BTreeMap<String, String>, _: &mut UpgradeContext<'_>) -> Result<String, String> {
    Ok(format!("{state:?}"))
}

fn main() {}
