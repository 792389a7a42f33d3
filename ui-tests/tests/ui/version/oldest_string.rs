use upstate::Resource;

#[derive(Resource)]
#[resource(version = 2, oldest = "one")]
struct Thing {
    id: String,
}

fn main() {}
