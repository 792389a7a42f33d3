use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    id: String,
    size: u32,
    #[attribute(name = "size")]
    disk_size: u32,
}

fn main() {}
