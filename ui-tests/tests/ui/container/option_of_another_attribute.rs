use upstate::Resource;

#[derive(Resource)]
#[resource(version = 2, model = ThingV0)]
struct Thing {
    id: String,
}

fn main() {}
