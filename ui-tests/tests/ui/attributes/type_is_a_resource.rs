use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    size: ThingV0,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    id: String,
}

fn main() {}
