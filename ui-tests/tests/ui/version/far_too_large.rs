use upstate::Resource;

#[derive(Resource)]
#[resource(version = 99999999999999999999999)]
struct Thing {
    id: String,
}

fn main() {}
