use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    diskSize: String,
}

fn main() {}
