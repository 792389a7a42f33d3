//! State is brought to the current model.

use std::collections::BTreeMap;

use upstate::{Diagnostics, Resource, UpgradeContext};

#[derive(Resource)]
#[resource(type_name = "example_disk", version = 1, prior, migrate_state = migrate)]
struct DiskV1 {
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
