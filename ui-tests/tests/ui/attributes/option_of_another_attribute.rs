use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    #[attribute(min = 1)]
    size: String,
}

fn main() {}
