use upstate::Resource;

#[derive(Resource)]
#[resource(version = 2u32)]
struct Thing {
    id: String,
}

fn main() {}
