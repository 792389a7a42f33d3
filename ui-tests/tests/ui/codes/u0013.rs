use upstate::Resource;

#[derive(Resource)]
#[resource(type_name = "example_disk", version = 0)]
pub struct DiskV0 {
    pub size: Option<i64>,
}

#[derive(Resource)]
#[resource(type_name = "example_disk", version = 1)]
#[upgrade_from(0, model = DiskV0, carry)]
pub struct Disk {
    pub size: i64,
}

fn main() {}
