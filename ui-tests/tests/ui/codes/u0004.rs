use upstate::Resource;

#[derive(Resource)]
#[resource(type_name = "example_disk", version = 1)]
pub struct Disk {
    pub name: String,
}

fn main() {}
