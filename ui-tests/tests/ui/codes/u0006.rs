use upstate::Resource;

#[derive(Resource)]
#[resource(type_name = "example_disk", version = 0)]
pub struct Disk {
    pub size: usize,
}

fn main() {}
