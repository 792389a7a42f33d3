use upstate::Resource;

#[derive(Resource)]
#[resource]
struct Thing {
    id: String,
}

fn main() {}
