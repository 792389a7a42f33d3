use upstate::Resource;

#[derive(Resource)]
#[resource(version = 2)]
#[upgrade_from(2, model = ThingV2)]
struct Thing {
    id: String,
}

fn main() {}
