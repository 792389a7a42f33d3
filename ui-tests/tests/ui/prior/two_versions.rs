use upstate::Resource;

#[derive(Resource)]
#[resource(version = 2)]
#[upgrade_from(0, 1, model = ThingV0)]
struct Thing {
    id: String,
}

fn main() {}
