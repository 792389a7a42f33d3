use upstate::Resource;

#[derive(Resource)]
#[resource(version = 2, oldest = 3)]
struct Thing {
    id: String,
}

fn main() {}
