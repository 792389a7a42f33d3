use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    #[attribute(name = "disk-size")]
    size: String,
}

fn main() {}
