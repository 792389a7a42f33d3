use upstate::Resource;

#[derive(Resource)]
#[resource(version = 2, oldest = 1)]
#[upgrade_from(1, model = ThingV0)]
struct Thing {
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

fn main() {}
