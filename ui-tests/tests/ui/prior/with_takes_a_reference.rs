use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, with = upgrade)]
struct Thing {
    id: String,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    id: String,
}

fn upgrade(prior: &ThingV0, _: &mut upstate::UpgradeContext<'_>) -> Result<Thing, String> {
    Ok(Thing { id: prior.id.clone() })
}

fn main() {}
