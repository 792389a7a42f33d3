use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0, tier = "preview")]
struct Thing {
    id: String,
}

fn main() {}
