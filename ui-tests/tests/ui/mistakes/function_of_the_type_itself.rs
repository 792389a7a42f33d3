use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, with = Self::upgrade)]
struct Thing {
    name: String,
}

#[derive(Resource)]
#[resource(type_name = "thing")]
struct ThingV0 {
    title: String,
}

impl Thing {
    fn upgrade(prior: ThingV0) -> Self {
        Self { name: prior.title }
    }
}

fn main() {}
