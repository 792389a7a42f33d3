use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, with = upgrade, downgrade = back)]
struct Thing {
    id: String,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    id: String,
}

fn upgrade(prior: ThingV0, _: &mut upstate::UpgradeContext<'_>) -> Thing {
    Thing { id: prior.id }
}

fn back(current: &Thing) -> ThingV0 {
    ThingV0 { id: current.id.clone() }
}

fn main() {}
