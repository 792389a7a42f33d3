use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, with = upgrade_v0)]
struct Thing {
    id: String,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    id: String,
}

fn upgrade_v0(prior: ThingV0, _: &mut upstate::UpgradeContext<'_>) -> Result<ThingV0, String> {
    Ok(ThingV0 { id: prior.id })
}

fn main() {}
