use upstate::Resource;

#[derive(Resource)]
#[resource = "example_thing"]
struct Thing {
    id: String,
}

fn main() {}
