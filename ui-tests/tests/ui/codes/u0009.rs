use upstate::Resource;

#[derive(Resource)]
#[resource(type_name = "example_disk", version = 1)]
#[upgrade_from(1, model = DiskV1)]
pub struct Disk {
    pub name: String,
}

#[derive(Resource)]
#[resource(type_name = "example_disk", version = 1, prior)]
pub struct DiskV1 {
    pub name: String,
}

fn main() {}
