use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, raw = read, async)]
struct Thing {
    id: String,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    id: String,
}

fn read(_raw: upstate::RawState<'_>, _context: &mut upstate::UpgradeContext<'_>) -> Result<Thing, String> {
    Err(String::new())
}

fn main() {}
