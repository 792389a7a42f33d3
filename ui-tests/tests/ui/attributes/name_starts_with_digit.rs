use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    #[attribute(name = "2nd")]
    size: String,
}

fn main() {}
