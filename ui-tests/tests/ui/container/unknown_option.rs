use upstate::Resource;

#[derive(Resource)]
#[resource(versoin = 2)]
struct Thing {
    id: String,
}

fn main() {}
