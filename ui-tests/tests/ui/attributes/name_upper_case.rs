use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    #[attribute(name = "diskSize")]
    size: String,
}

fn main() {}
