use upstate::Resource;

#[derive(Resource)]
#[resource(type_name = "example_disk", version = 0)]
pub struct DiskV0 {
    pub name: String,
}

#[derive(Resource)]
#[resource(type_name = "example_disk", version = 1)]
#[upgrade_from(0, model = DiskV0)]
pub struct Disk {
    pub title: String,
}

fn main() {}
