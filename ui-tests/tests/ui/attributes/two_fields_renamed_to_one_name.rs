use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    #[attribute(name = "size")]
    disk_size: u32,
    size: u32,
}

fn main() {}
