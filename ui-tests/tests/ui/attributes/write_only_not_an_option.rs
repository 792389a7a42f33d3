use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    #[attribute(write_only)]
    size: String,
}

fn main() {}
