//! A function of stored bytes answers the current model, or its state.

use upstate::upgrade::RawState;
use upstate::{Diagnostics, Resource, UpgradeContext};

#[derive(Resource)]
#[resource(type_name = "example_disk", version = 1)]
#[upgrade_from(0, raw = read)]
struct Disk {
    name: String,
}

fn read(_: RawState<'_>, _: &mut UpgradeContext<'_>) -> Result<String, Diagnostics> {
    Ok(String::new())
}

fn main() {}
