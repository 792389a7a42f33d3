use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, carry, downgrade = back)]
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


fn main() {}
