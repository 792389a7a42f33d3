use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    count: String,
}

fn main() {}
