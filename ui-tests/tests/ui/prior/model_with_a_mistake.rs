use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0)]
struct Thing {
    id: String,
}

#[derive(Resource)]
#[resource(versoin = 0)]
struct ThingV0 {
    id: String,
}

impl From<ThingV0> for Thing {
    fn from(prior: ThingV0) -> Self {
        Thing { id: prior.id }
    }
}

fn main() {
    let thing = upstate::upgrade_json::<Thing>(0, "{}");
    let _ = thing.map(|thing| upstate::to_json(&thing));
}
