use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0, destroy = "")]
struct Thing {
    id: String,
}

fn main() {}
