use upstate::{RawState, Resource, UpgradeContext};

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, raw = read, downgrade = back)]
struct Thing {
    id: String,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    id: String,
}

fn back(thing: Thing) -> Result<ThingV0, String> {
    Ok(ThingV0 { id: thing.id })
}

fn read(_: RawState<'_>, _: &mut UpgradeContext<'_>) -> Result<Thing, String> {
    Err("no".to_owned())
}

fn main() {}
