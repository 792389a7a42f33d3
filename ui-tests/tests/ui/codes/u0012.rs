#[resource(type_name = "example_disk", version = 0)]
pub struct Disk {
    pub name: String,
}

fn main() {}
