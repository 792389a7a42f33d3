use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0, tier = beta)]
struct Thing {
    id: String,
}

fn main() {}
