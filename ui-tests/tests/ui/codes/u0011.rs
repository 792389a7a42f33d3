use upstate::Resource;

#[derive(Resource)]
#[resource(type_name = "example_disk", version = 1)]
#[upgrade_from(0 => 1, rename(label => titel))]
pub struct Disk {
    pub title: String,
}

fn main() {}
