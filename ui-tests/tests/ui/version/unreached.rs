use upstate::Resource;

#[derive(Resource)]
#[resource(version = 4)]
#[upgrade_from(3, model = ThingV3)]
#[upgrade_from(0, model = ThingV0)]
struct Thing {
    id: String,
}

#[derive(Resource)]
#[resource(version = 3, prior)]
#[upgrade_from(2, model = ThingV2)]
struct ThingV3 {
    id: String,
}

#[derive(Resource)]
#[resource(version = 2, prior)]
struct ThingV2 {
    id: String,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    id: String,
}

impl From<ThingV0> for Thing {
    fn from(prior: ThingV0) -> Self {
        Thing { id: prior.id }
    }
}

impl From<ThingV3> for Thing {
    fn from(prior: ThingV3) -> Self {
        Thing { id: prior.id }
    }
}

impl From<ThingV2> for ThingV3 {
    fn from(prior: ThingV2) -> Self {
        ThingV3 { id: prior.id }
    }
}

fn main() {}
