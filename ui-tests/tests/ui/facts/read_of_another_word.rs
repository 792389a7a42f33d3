use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0, read = never)]
struct Thing {
    id: String,
}

fn main() {}
