use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, raw = read)]
struct Thing {
    id: String,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    id: String,
}

fn read(prior: ThingV0, _context: &mut upstate::UpgradeContext<'_>) -> Result<Thing, String> {
    Ok(Thing { id: prior.id })
}

fn main() {}
