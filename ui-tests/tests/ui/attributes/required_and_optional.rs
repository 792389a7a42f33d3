use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    #[attribute(required, optional)]
    size: String,
}

fn main() {}
