use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1, rename(old => id))]
struct Thing {
    id: String,
}

fn main() {}
