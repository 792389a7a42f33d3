use upstate::Resource;

#[derive(Resource)]
#[resource(version = 2)]
#[upgrade_from(ThingV0)]
struct Thing {
    id: String,
}

fn main() {}
