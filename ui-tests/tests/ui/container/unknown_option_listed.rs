use upstate::Resource;

#[derive(Resource)]
#[resource(version = 2, colour = "red")]
struct Thing {
    id: String,
}

fn main() {}
