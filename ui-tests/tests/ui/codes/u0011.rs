use upstate::Resource;

#[derive(Resource)]
#[resource(type_name = "example_disk", version = 1)]
#[upgrade_from(0 => 1, rename(label => nmae))]
pub struct Disk {
    pub name: String,
}

fn main() {}
