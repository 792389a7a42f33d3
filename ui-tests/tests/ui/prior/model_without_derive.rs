use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0)]
struct Thing {
    id: String,
}

struct ThingV0 {
    id: String,
}

impl From<ThingV0> for Thing {
    fn from(prior: ThingV0) -> Self {
        Thing { id: prior.id }
    }
}

fn main() {}
