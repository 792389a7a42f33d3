use upstate::Resource;

#[derive(Resource)]
#[resource(version)]
struct Thing {
    id: String,
}

fn main() {}
