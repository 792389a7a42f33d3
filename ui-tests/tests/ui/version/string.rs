use upstate::Resource;

#[derive(Resource)]
#[resource(version = "2")]
struct Thing {
    id: String,
}

fn main() {}
