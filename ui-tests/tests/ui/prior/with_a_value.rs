use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1, prior = true)]
struct ThingV1 {
    id: String,
}

fn main() {}
