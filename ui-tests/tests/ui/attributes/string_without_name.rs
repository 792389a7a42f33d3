use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    #[attribute("disk_size")]
    size: String,
}

fn main() {}
