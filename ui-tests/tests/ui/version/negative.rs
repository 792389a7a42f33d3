use upstate::Resource;

#[derive(Resource)]
#[resource(version = -1)]
struct Thing {
    id: String,
}

fn main() {}
