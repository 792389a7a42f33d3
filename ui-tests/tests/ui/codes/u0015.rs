use upstate::Resource;

#[derive(Resource)]
#[resource(type_name = "example_disk", version = 0)]
pub struct Disk {
    #[attribute(required, computed)]
    pub name: String,
}

fn main() {}
