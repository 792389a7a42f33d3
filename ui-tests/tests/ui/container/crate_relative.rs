use upstate::Resource;

#[derive(Resource)]
#[resource(version = 2, crate = upstate)]
struct Thing {
    id: String,
}

fn main() {}
