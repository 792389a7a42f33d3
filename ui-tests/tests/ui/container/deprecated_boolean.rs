use upstate::Resource;

#[derive(Resource)]
#[resource(version = 2, deprecated = true)]
struct Thing {
    id: String,
}

fn main() {}
