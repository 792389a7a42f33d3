use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    #[attribute(read_only)]
    id: String,
}

fn main() {}
