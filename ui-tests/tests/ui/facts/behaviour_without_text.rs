use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0, behaviour(since = "3.0.0"))]
struct Thing {
    id: String,
}

fn main() {}
