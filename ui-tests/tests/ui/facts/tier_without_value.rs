use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0, tier)]
struct Thing {
    id: String,
}

fn main() {}
