use upstate::Resource;

#[derive(Resource)]
#[resource(version = 2, deprecated)]
struct Thing {
    id: String,
}

fn main() {}
