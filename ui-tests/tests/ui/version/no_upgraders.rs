use upstate::Resource;

#[derive(Resource)]
#[resource(version = 3, oldest = 1)]
struct ThingV3 {
    id: String,
}

fn main() {}
