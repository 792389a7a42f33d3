use upstate::Resource;

#[derive(Resource)]
#[resource(2)]
struct Thing {
    id: String,
}

fn main() {}
